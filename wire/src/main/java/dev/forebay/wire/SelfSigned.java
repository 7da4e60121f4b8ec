// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.List;
import java.util.Locale;

/**
 * A certificate that vouches for itself, made on the spot for a server on this machine, with its key. Clients that are given it
 * as their root verify the server fully. The JDK has no public way to make one, so the few structures are written out here;
 * {@code keytool} would take a second for each. Immutable.
 *
 * @param certificate the certificate, which is its own root
 * @param key its private key
 */
public record SelfSigned(X509Certificate certificate, PrivateKey key) {

    private static final byte[] SHA256_WITH_ECDSA = sequence(oid(0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02));
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuuMMddHHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

    /**
     * Makes one.
     *
     * @param hosts the names and addresses that it is for
     * @param now from when on it is good, give or take a day
     * @param validity for how long
     */
    public static SelfSigned of(List<String> hosts, Instant now, Duration validity) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            KeyPair pair = generator.generateKeyPair();
            byte[] content = content(hosts, now, validity, pair.getPublic().getEncoded());
            Signature signer = Signature.getInstance("SHA256withECDSA");
            signer.initSign(pair.getPrivate());
            signer.update(content);
            byte[] der = sequence(content, SHA256_WITH_ECDSA, bits(signer.sign()));
            X509Certificate certificate = (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(der));
            return new SelfSigned(certificate, pair.getPrivate());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK cannot make a certificate", e);
        }
    }

    /** The certificate as clients take it. */
    public String pem() {
        try {
            String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(certificate.getEncoded());
            return "-----BEGIN CERTIFICATE-----\n" + base64 + "\n-----END CERTIFICATE-----\n";
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("bug: a certificate that cannot be written", e);
        }
    }

    @Override
    public String toString() {
        return "SelfSigned[" + certificate.getSubjectX500Principal() + "]";
    }

    private static byte[] content(List<String> hosts, Instant now, Duration validity, byte[] publicKey) {
        byte[] name = sequence(set(sequence(oid(0x55, 0x04, 0x03), tagged(0x0C, utf8("Forebay local server")))));
        byte[] period = sequence(time(now.minus(Duration.ofDays(1))), time(now.plus(validity)));
        byte[] serial = tagged(
                0x02, new BigInteger(64, new SecureRandom()).add(BigInteger.ONE).toByteArray());
        byte[] extensions = tagged(
                0xA3,
                sequence(
                        extension(oid(0x55, 0x1D, 0x13), sequence(tagged(0x01, new byte[] {(byte) 0xFF}))),
                        extension(
                                oid(0x55, 0x1D, 0x11),
                                sequence(hosts.stream()
                                        .map(SelfSigned::alternative)
                                        .toArray(byte[][]::new)))));
        byte[] version3 = tagged(0xA0, tagged(0x02, new byte[] {2}));
        return sequence(version3, serial, SHA256_WITH_ECDSA, name, period, name, publicKey, extensions);
    }

    private static byte[] extension(byte[] id, byte[] value) {
        return sequence(id, tagged(0x04, value));
    }

    /** A name, or an address. */
    private static byte[] alternative(String host) {
        if (!host.matches("[0-9.]+|.*:.*")) {
            return tagged(0x82, utf8(host));
        }
        try {
            return tagged(0x87, InetAddress.getByName(host).getAddress());
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("not an address: " + host, e);
        }
    }

    // ---- DER

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] time(Instant time) {
        return tagged(0x18, utf8(TIME.format(time)));
    }

    private static byte[] oid(int... bytes) {
        byte[] value = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            value[i] = (byte) bytes[i];
        }
        return tagged(0x06, value);
    }

    private static byte[] bits(byte[] value) {
        byte[] padded = new byte[value.length + 1];
        System.arraycopy(value, 0, padded, 1, value.length);
        return tagged(0x03, padded);
    }

    private static byte[] set(byte[]... parts) {
        return tagged(0x31, parts);
    }

    private static byte[] sequence(byte[]... parts) {
        return tagged(0x30, parts);
    }

    private static byte[] tagged(int tag, byte[]... parts) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            content.writeBytes(part);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        int length = content.size();
        if (length < 0x80) {
            out.write(length);
        } else if (length < 0x100) {
            out.write(0x81);
            out.write(length);
        } else {
            out.write(0x82);
            out.write(length >> 8);
            out.write(length);
        }
        out.writeBytes(content.toByteArray());
        return out.toByteArray();
    }
}
