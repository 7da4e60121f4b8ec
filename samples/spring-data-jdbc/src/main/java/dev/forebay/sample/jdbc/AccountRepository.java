// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sample.jdbc;

import java.util.UUID;
import org.springframework.data.repository.ListCrudRepository;

/** The accounts. */
public interface AccountRepository extends ListCrudRepository<Account, UUID> {}
