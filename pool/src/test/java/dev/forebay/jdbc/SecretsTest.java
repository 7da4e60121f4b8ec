// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Finding F4: a password that occurs in an error's text. */
class SecretsTest {

    @Test
    void anErrorKeepsItsKindAndItsCauses() {
        SQLException error = new SQLException(
                "SSL error: handshake failed", "08006", 7, new SSLHandshakeException("handshake failed"));
        error.setNextException(new SQLException("also handshake", "28P01"));
        SQLException clean = Secrets.NONE.and("handshake").scrub(error);
        assertEquals("SSL error: *** failed", clean.getMessage());
        assertEquals("08006", clean.getSQLState());
        assertEquals(7, clean.getErrorCode());
        assertInstanceOf(SSLException.class, clean.getCause());
        assertEquals("*** failed", clean.getCause().getMessage());
        assertEquals("28P01", clean.getNextException().getSQLState());
    }

    @Test
    void aTimeoutStaysATimeout() {
        SQLException error = new SQLException("Read timed out", "08006", new SocketTimeoutException("Read timed out"));
        assertInstanceOf(
                SocketTimeoutException.class,
                Secrets.NONE.and("timed").scrub(error).getCause());
    }

    @Test
    void aPartOfAWordIsNotStruckOut() {
        SQLException error = new SQLException("The connection attempt failed.", "08001");
        assertSame(error, Secrets.NONE.and("attempts").scrub(error));
        assertSame(error, Secrets.NONE.and("connect").scrub(error));
        assertSame(error, Secrets.NONE.and("on").scrub(error));
        assertSame(error, Secrets.NONE.and("The").scrub(error));
    }

    @Test
    void theLongerOfTwoSecretsIsStruckOutWhole() {
        SQLException error = new SQLException("password=hunter2-and-more rejected");
        String message =
                Secrets.NONE.and("hunter2").and("hunter2-and-more").scrub(error).getMessage();
        assertEquals("password=*** rejected", message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://h/db?sslpassword=hunter2",
                "jdbc:postgresql://h/db?user=a&sslkeypassword=hunter2&x=y",
                "jdbc:sqlserver://h;trustStorePassword=hunter2;encrypt=true",
                "jdbc:sqlserver://h;accessToken=hunter2",
                "jdbc:x://h/db?javax.net.ssl.keyStorePassword=hunter2",
                "jdbc:x://h/db?client_secret=hunter2&passphrase=other",
                "jdbc:mysql://user:hunter2@h/db",
                "jdbc:mysql://(host=h,user=u,password=hunter2)/db",
                "jdbc:mysql://address=(host=h)(port=1)(user=u)(password=hunter2)/db",
                "jdbc:x://h/db?PWD=hunter2"
            })
    void everySecretOfAUrlIsStruckOut(String url) {
        String said = Secrets.in(url)
                .scrub(new SQLException("cannot connect to " + url + " with hunter2"))
                .getMessage();
        assertFalse(said.contains("hunter2"), said);
        assertFalse(Secrets.redactUrl(url).contains("hunter2"), Secrets.redactUrl(url));
    }

    @Test
    void aSecretIsStruckOutAsTheDriverDecodesIt() {
        String said = Secrets.in("jdbc:postgresql://h/db?password=hunter%402%2Bx")
                .scrub(new SQLException("rejected: hunter@2+x"))
                .getMessage();
        assertEquals("rejected: ***", said);
    }

    @Test
    void aSecretOfSignsIsStruckOutAnywhere() {
        SQLException error = new SQLException("url=x$%&y", new IOException("x$%&y"));
        SQLException clean = Secrets.NONE.and("$%&y").scrub(error);
        assertFalse(clean.getMessage().contains("$%&"), clean.getMessage());
        assertFalse(
                clean.getCause().getMessage().contains("$%&"), clean.getCause().getMessage());
    }
}
