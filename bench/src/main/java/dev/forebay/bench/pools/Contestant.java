// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.pools;

import java.sql.SQLException;
import java.util.Locale;

/** The pools that are compared, in the order in which they are printed. */
public enum Contestant {
    FOREBAY {
        @Override
        public PoolUnderTest open(Terms terms) throws SQLException {
            return terms.cold() ? new ColdForebayPool(terms) : new ForebayPool(terms);
        }
    },
    AGROAL {
        @Override
        public PoolUnderTest open(Terms terms) throws SQLException {
            return new AgroalPool(terms);
        }
    },
    HIKARICP {
        @Override
        public PoolUnderTest open(Terms terms) {
            return new HikariCpPool(terms);
        }
    };

    /** Opens a pool. It may still be filling when this returns. */
    public abstract PoolUnderTest open(Terms terms) throws SQLException;

    /** Returns the name in the output. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
