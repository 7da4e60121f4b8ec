// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sample.jdbc;

import java.util.UUID;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;

/**
 * An account. Aurora DSQL has no sequences that scale, so the key is made here; the version tells Spring Data that one which
 * was never saved is new.
 *
 * @param id the key
 * @param owner whose it is
 * @param balance how much there is
 * @param version how often it was saved
 */
public record Account(
        @Id UUID id, String owner, long balance, @Version int version) {

    static Account opened(String owner, long balance) {
        return new Account(UUID.randomUUID(), owner, balance, 0);
    }

    Account plus(long amount) {
        return new Account(id, owner, balance + amount, version);
    }
}
