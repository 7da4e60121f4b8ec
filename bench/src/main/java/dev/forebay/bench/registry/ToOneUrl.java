// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.registry;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.Properties;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** A driver that connects to one place, whatever the URL. */
record ToOneUrl(Driver driver, String place) implements Driver {

    @Override
    public @Nullable Connection connect(String url, Properties properties) throws SQLException {
        return driver.connect(place, properties);
    }

    @Override
    public boolean acceptsURL(String url) {
        return true;
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties properties) {
        return new DriverPropertyInfo[0];
    }

    @Override
    public int getMajorVersion() {
        return 1;
    }

    @Override
    public int getMinorVersion() {
        return 0;
    }

    @Override
    public boolean jdbcCompliant() {
        return false;
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getLogger("dev.forebay.bench");
    }
}
