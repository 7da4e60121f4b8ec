// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SelfSignedTest {

    private static final Instant NOW = Instant.parse("2026-09-01T12:00:00Z");

    @Test
    void itIsItsOwnRootAndSaysForWhomAndForHowLong() throws Exception {
        SelfSigned made =
                SelfSigned.of(List.of("localhost", "127.0.0.1", "::1", "db.example"), NOW, Duration.ofDays(7));
        made.certificate().verify(made.certificate().getPublicKey());
        assertTrue(made.certificate().getBasicConstraints() >= 0, "clients take it as a root");
        Set<Object> names = new HashSet<>();
        for (List<?> name : made.certificate().getSubjectAlternativeNames()) {
            names.add(name.get(1));
        }
        assertEquals(Set.of("localhost", "127.0.0.1", "0:0:0:0:0:0:0:1", "db.example"), names);
        made.certificate().checkValidity(Date.from(NOW));
        made.certificate().checkValidity(Date.from(NOW.plus(Duration.ofDays(7))));
        Date after = Date.from(NOW.plus(Duration.ofDays(8)));
        assertThrows(
                java.security.cert.CertificateExpiredException.class,
                () -> made.certificate().checkValidity(after));
    }

    @Test
    void itsPemIsTheSameCertificate() throws Exception {
        SelfSigned made = SelfSigned.of(List.of("localhost"), NOW, Duration.ofDays(7));
        assertEquals(
                made.certificate(),
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(new ByteArrayInputStream(made.pem().getBytes(StandardCharsets.US_ASCII))));
    }

    @Test
    void itsKeyIsNotShown() {
        SelfSigned made = SelfSigned.of(List.of("localhost"), NOW, Duration.ofDays(7));
        assertFalse(made.toString()
                .contains(Base64.getEncoder().encodeToString(made.key().getEncoded())));
        assertEquals("SelfSigned[CN=Forebay local server]", made.toString());
    }

    @Test
    void itHoldsMoreNamesThanFitIntoAShortLength() throws Exception {
        List<String> hosts =
                IntStream.range(0, 100).mapToObj(i -> "host-" + i + ".example").toList();
        SelfSigned made = SelfSigned.of(hosts, NOW, Duration.ofDays(7));
        assertEquals(100, made.certificate().getSubjectAlternativeNames().size());
    }

    @Test
    void whatLooksLikeAnAddressHasToBeOne() {
        assertThrows(
                IllegalArgumentException.class, () -> SelfSigned.of(List.of("1.2.3.4.5"), NOW, Duration.ofDays(7)));
    }
}
