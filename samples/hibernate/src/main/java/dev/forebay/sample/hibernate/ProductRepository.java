// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sample.hibernate;

import java.util.UUID;
import org.springframework.data.jpa.repository.JpaRepository;

/** The products. */
public interface ProductRepository extends JpaRepository<Product, UUID> {}
