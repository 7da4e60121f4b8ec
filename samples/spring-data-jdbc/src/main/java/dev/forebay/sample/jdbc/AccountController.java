// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sample.jdbc;

import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The accounts over HTTP. */
@RestController
class AccountController {

    private final AccountRepository accounts;
    private final TransferService transfers;

    AccountController(AccountRepository accounts, TransferService transfers) {
        this.accounts = accounts;
        this.transfers = transfers;
    }

    record NewAccount(String owner, long balance) {}

    record Transfer(UUID from, UUID to, long amount) {}

    @PostMapping("/accounts")
    @ResponseStatus(HttpStatus.CREATED)
    Account open(@RequestBody NewAccount account) {
        return transfers.open(account.owner(), account.balance());
    }

    @GetMapping("/accounts/{id}")
    ResponseEntity<Account> account(@PathVariable UUID id) {
        return ResponseEntity.of(accounts.findById(id));
    }

    @PostMapping("/transfers")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void transfer(@RequestBody Transfer transfer) {
        transfers.transfer(transfer.from(), transfer.to(), transfer.amount());
    }
}
