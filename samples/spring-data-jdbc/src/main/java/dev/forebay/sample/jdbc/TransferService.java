// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sample.jdbc;

import dev.forebay.spring.RetryOnConflict;
import java.util.UUID;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Moves money. Of two transfers that touch the same account at once one fails at COMMIT, and begins again. */
@Service
public class TransferService {

    private final AccountRepository accounts;

    TransferService(AccountRepository accounts) {
        this.accounts = accounts;
    }

    /** Opens an account. */
    @Transactional
    public Account open(String owner, long balance) {
        return accounts.save(Account.opened(owner, balance));
    }

    /** Moves {@code amount} from one account to another. */
    @RetryOnConflict(brief = true, maxRetries = 50)
    @Transactional
    public void transfer(UUID from, UUID to, long amount) {
        Account giver = accounts.findById(from).orElseThrow();
        Account taker = accounts.findById(to).orElseThrow();
        accounts.save(giver.plus(-amount));
        accounts.save(taker.plus(amount));
    }
}
