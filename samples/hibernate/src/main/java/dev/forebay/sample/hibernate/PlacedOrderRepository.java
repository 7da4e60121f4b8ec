// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sample.hibernate;

import java.util.UUID;
import org.springframework.data.jpa.repository.JpaRepository;

/** The orders. */
public interface PlacedOrderRepository extends JpaRepository<PlacedOrder, UUID> {

    /** How many orders there are for a product. */
    long countByProductId(UUID productId);
}
