// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sample.hibernate;

import dev.forebay.spring.RetryOnConflict;
import java.util.UUID;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Takes orders. Of two for the same product at once one fails at COMMIT, and begins again with what is then in stock. */
@Service
public class Shop {

    private final ProductRepository products;
    private final PlacedOrderRepository orders;

    Shop(ProductRepository products, PlacedOrderRepository orders) {
        this.products = products;
        this.orders = orders;
    }

    /** Adds a product. */
    @Transactional
    public Product add(String name, int stock) {
        return products.save(new Product(name, stock));
    }

    /** Orders {@code quantity} of a product. */
    @RetryOnConflict(brief = true, maxRetries = 50)
    @Transactional
    public PlacedOrder order(UUID productId, int quantity) {
        products.findById(productId).orElseThrow().take(quantity);
        return orders.save(new PlacedOrder(productId, quantity));
    }
}
