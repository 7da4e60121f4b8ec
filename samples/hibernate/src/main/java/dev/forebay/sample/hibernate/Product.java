// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sample.hibernate;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A product and how many of it there are. Its key is made here, since Aurora DSQL has no sequences that scale. */
@Entity
public class Product {

    @Id
    @GeneratedValue(strategy = GenerationType.UUID)
    private @Nullable UUID id;

    private String name = "";
    private int stock;

    @Version
    private int version;

    /** For Hibernate. */
    protected Product() {}

    Product(String name, int stock) {
        this.name = name;
        this.stock = stock;
    }

    public @Nullable UUID getId() {
        return id;
    }

    public String getName() {
        return name;
    }

    public int getStock() {
        return stock;
    }

    public int getVersion() {
        return version;
    }

    /** Takes {@code quantity} from the stock. */
    void take(int quantity) {
        if (quantity > stock) {
            throw new IllegalArgumentException("only " + stock + " of " + name + " are left");
        }
        stock -= quantity;
    }
}
