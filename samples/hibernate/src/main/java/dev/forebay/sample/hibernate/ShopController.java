// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sample.hibernate;

import dev.forebay.spring.UnknownOutcomeException;
import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The shop over HTTP. */
@RestController
class ShopController {

    private final Shop shop;
    private final ProductRepository products;
    private final PlacedOrderRepository orders;

    ShopController(Shop shop, ProductRepository products, PlacedOrderRepository orders) {
        this.shop = shop;
        this.products = products;
        this.orders = orders;
    }

    record NewProduct(String name, int stock) {}

    record NewOrder(int quantity) {}

    record Shown(UUID id, String name, int stock, long orders) {}

    @PostMapping("/products")
    @ResponseStatus(HttpStatus.CREATED)
    Product add(@RequestBody NewProduct product) {
        return shop.add(product.name(), product.stock());
    }

    @GetMapping("/products/{id}")
    ResponseEntity<Shown> product(@PathVariable UUID id) {
        return ResponseEntity.of(products.findById(id)
                .map(product -> new Shown(id, product.getName(), product.getStock(), orders.countByProductId(id))));
    }

    @PostMapping("/products/{id}/orders")
    @ResponseStatus(HttpStatus.CREATED)
    PlacedOrder order(@PathVariable UUID id, @RequestBody NewOrder order) {
        return shop.order(id, order.quantity());
    }

    @ExceptionHandler
    ProblemDetail tooMany(IllegalArgumentException e) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, String.valueOf(e.getMessage()));
    }

    @ExceptionHandler
    ProblemDetail unknown(UnknownOutcomeException e) {
        return ProblemDetail.forStatusAndDetail(
                HttpStatus.SERVICE_UNAVAILABLE,
                "nobody knows whether the order was taken: look before you order again");
    }
}
