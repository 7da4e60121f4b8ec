// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sample.hibernate;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An order. It names its product by the key: Aurora DSQL has no foreign keys. */
@Entity
public class PlacedOrder {

    @Id
    @GeneratedValue(strategy = GenerationType.UUID)
    private @Nullable UUID id;

    private @Nullable UUID productId;
    private int quantity;

    /** For Hibernate. */
    protected PlacedOrder() {}

    PlacedOrder(UUID productId, int quantity) {
        this.productId = productId;
        this.quantity = quantity;
    }

    public @Nullable UUID getId() {
        return id;
    }

    public @Nullable UUID getProductId() {
        return productId;
    }

    public int getQuantity() {
        return quantity;
    }
}
