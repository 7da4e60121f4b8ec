// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.security.SecureRandom;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ScramTest {

    private static final byte[] SALT = Base64.getDecoder().decode("W22ZaJ0SNY7soEsUEjb6gQ==");
    private static final String CLIENT_FIRST = "n,,n=user,r=rOprNGfwEbeRWgbNEkqO";
    private static final String BOTH_NONCES = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
    private static final String PROOF = ",p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";

    /** The exchange of RFC 7677, section 3. */
    private static Scram example(String password) {
        return Scram.withNonce(Scram.Verifier.of(password.toCharArray(), SALT, 4096), "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0");
    }

    @Test
    void theExampleOfTheRfcSucceeds() {
        Scram scram = example("pencil");

        assertEquals(BOTH_NONCES + ",s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096", scram.first(CLIENT_FIRST));
        assertEquals("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=", scram.last("c=biws," + BOTH_NONCES + PROOF));
    }

    @Test
    void anotherPasswordFails() {
        Scram scram = example("pencils");
        scram.first(CLIENT_FIRST);

        assertNull(scram.last("c=biws," + BOTH_NONCES + PROOF));
    }

    @Test
    void aProofOfOneBitLessFails() {
        Scram scram = example("pencil");
        scram.first(CLIENT_FIRST);

        assertNull(scram.last("c=biws," + BOTH_NONCES + PROOF.replace("VQ=", "VA=")));
    }

    @Test
    void aStrangerSeesTheSameSaltEachTimeAndNeverGetsIn() {
        byte[] secret = {1, 2, 3};
        SecureRandom random = new SecureRandom();
        String[] one =
                Scram.withStranger("eve", secret, random).first(CLIENT_FIRST).split(",");
        String[] again =
                Scram.withStranger("eve", secret, random).first(CLIENT_FIRST).split(",");
        Scram other = Scram.withStranger("mallory", secret, random);
        String otherFirst = other.first(CLIENT_FIRST);

        assertEquals(one[1], again[1]);
        assertEquals("i=4096", one[2]);
        assertNotEquals(one[1], otherFirst.split(",")[1]);
        assertNotEquals(one[0], again[0]);
        assertNull(other.last("c=biws," + otherFirst.split(",")[0] + PROOF));
    }

    @Test
    void aClientThatCouldBindButSawNoOfferIsServed() {
        Scram scram = example("pencil");

        assertTrue(scram.first("y" + CLIENT_FIRST.substring(1)).startsWith(BOTH_NONCES));
        // "eSws" is what it said, "biws" is what a man in the middle might make of it.
        assertThrows(ProtocolException.class, () -> scram.last("c=biws," + BOTH_NONCES + PROOF));
        assertNull(scram.last("c=eSws," + BOTH_NONCES + PROOF));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "n",
                "n,",
                "n,,",
                "x,,n=user,r=abc",
                "p=tls-server-end-point,,n=user,r=abc",
                "n,a=other,n=user,r=abc",
                "n,,m=ext,n=user,r=abc",
                "n,,n=user",
                "n,,n=user,r=",
                "n,,r=abc,n=user",
                "n,,n=user,r=a b"
            })
    void aFirstMessageThatIsNoneIsRefused(String message) {
        assertThrows(ProtocolException.class, () -> example("pencil").first(message));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "c=biws,r=rOprNGfwEbeRWgbNEkqO,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=",
                "c=biws," + BOTH_NONCES,
                "c=biws," + BOTH_NONCES + ",p=!",
                "c=biws," + BOTH_NONCES + ",p=abcd",
                BOTH_NONCES + ",c=biws" + PROOF
            })
    void aLastMessageThatIsNoneIsRefused(String message) {
        Scram scram = example("pencil");
        scram.first(CLIENT_FIRST);

        assertThrows(ProtocolException.class, () -> scram.last(message));
    }

    @Test
    void aProofBeforeAllElseIsRefused() {
        assertThrows(ProtocolException.class, () -> example("pencil").last("c=biws," + BOTH_NONCES + PROOF));
    }

    @Test
    void aPasswordIsWhatTheReaderSeesNotHowItIsWritten() {
        // The soft hyphen is mapped to nothing, as in RFC 4013.
        Scram scram = example("\u00adpencil");
        scram.first(CLIENT_FIRST);

        assertEquals("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=", scram.last("c=biws," + BOTH_NONCES + PROOF));
    }

    @Test
    void aVerifierSaysNothing() {
        assertFalse(Scram.Verifier.of("pencil".toCharArray(), new SecureRandom())
                .toString()
                .contains("pencil"));
    }
}
