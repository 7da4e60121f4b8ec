// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import dev.forebay.dsql.DsqlEndpoint;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.postgresql.ssl.PGjdbcHostnameVerifier;

/** Probes a server step by step: its name, its port, its certificate. Each step returns whether the next makes sense. */
final class ServerProbe {

    private static final int PATIENCE_MILLIS = 5_000;
    private static final byte[] SSL_REQUEST = {0, 0, 0, 8, 0x04, (byte) 0xd2, 0x16, 0x2f};

    private final DsqlEndpoint endpoint;
    private final @Nullable String caFile;
    private final Report report;

    ServerProbe(DsqlEndpoint endpoint, @Nullable String caFile, Report report) {
        this.endpoint = endpoint;
        this.caFile = caFile;
        this.report = report;
    }

    boolean findsTheName() {
        try {
            InetAddress[] addresses = InetAddress.getAllByName(endpoint.host());
            report.ok("DNS: " + endpoint.host() + " is "
                    + String.join(
                            ", ",
                            Arrays.stream(addresses)
                                    .map(InetAddress::getHostAddress)
                                    .toList()));
            return true;
        } catch (UnknownHostException e) {
            report.fail(
                    "DNS: " + endpoint.host() + " is not known",
                    "look at CLUSTER_ENDPOINT, and whether this network resolves names of AWS");
            return false;
        }
    }

    boolean reachesThePort() {
        try (Socket socket = connect()) {
            report.ok("TCP: " + endpoint.host() + " port " + socket.getPort() + " answers");
            return true;
        } catch (IOException e) {
            report.fail(
                    "TCP: " + endpoint.host() + " port " + endpoint.port() + ": " + Reason.of(e),
                    isHere()
                            ? "nobody listens there: is ./forebay local, or the tunnel, running on that port?"
                            : "look at security groups, routes and the VPC endpoint");
            return false;
        }
    }

    /** Returns whether the server is on this machine. */
    private boolean isHere() {
        try {
            return InetAddress.getByName(endpoint.host()).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    boolean trustsTheServer() {
        SSLContext context;
        try {
            context = context();
        } catch (IOException | GeneralSecurityException e) {
            report.fail("TLS: DSQL_CA_FILE: " + Reason.of(e), "name a file with certificates in PEM, or none");
            return false;
        }
        try (Socket plain = connect()) {
            plain.getOutputStream().write(SSL_REQUEST);
            if (plain.getInputStream().read() != 'S') {
                report.fail("TLS: the server does not offer it", "this is no Aurora DSQL: look at CLUSTER_ENDPOINT");
                return false;
            }
            SSLSession session = handshake(context, plain);
            if (!PGjdbcHostnameVerifier.INSTANCE.verify(endpoint.host(), session)) {
                report.fail(
                        "TLS: the certificate does not name " + endpoint.host(),
                        "it is that of another server: look at CLUSTER_ENDPOINT");
                return false;
            }
            X509Certificate certificate = (X509Certificate) session.getPeerCertificates()[0];
            report.ok("TLS: " + session.getProtocol() + ", verified, the certificate names " + endpoint.host()
                    + " and is good until " + certificate.getNotAfter().toInstant());
            return true;
        } catch (IOException e) {
            distrust(e);
            return false;
        }
    }

    private void distrust(IOException error) {
        boolean certificate = false;
        Throwable root = error;
        for (int depth = 0; root.getCause() != null && depth < 10; depth++) {
            root = root.getCause();
            certificate |= root instanceof GeneralSecurityException;
        }
        String remedy = "find out who answers there: a proxy may be in between";
        if (root instanceof CertificateExpiredException || root instanceof CertificateNotYetValidException) {
            remedy = "look at the clock, or have the certificate renewed";
        } else if (certificate) {
            remedy =
                    "nobody that is trusted vouches for the server: set DSQL_CA_FILE to its CA, or find out who answers"
                            + " there";
        }
        report.fail("TLS: " + (certificate ? "the certificate is not good: " : "") + Reason.of(root), remedy);
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(endpoint.host(), endpoint.port()), PATIENCE_MILLIS);
            socket.setSoTimeout(PATIENCE_MILLIS);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** Verifies the certificate's issuers; the name is then compared as the driver does, which is stricter than Java. */
    private SSLSession handshake(SSLContext context, Socket plain) throws IOException {
        SSLSocket socket =
                (SSLSocket) context.getSocketFactory().createSocket(plain, endpoint.host(), endpoint.port(), true);
        socket.startHandshake();
        return socket.getSession();
    }

    private SSLContext context() throws IOException, GeneralSecurityException {
        if (caFile == null) {
            return SSLContext.getDefault();
        }
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        try (InputStream in = Files.newInputStream(Path.of(caFile))) {
            Collection<? extends Certificate> all =
                    CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (all.isEmpty()) {
                throw new IOException(caFile + " holds no certificate");
            }
            for (Certificate one : all) {
                trusted.setCertificateEntry("ca" + trusted.size(), one);
            }
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, factory.getTrustManagers(), null);
        return context;
    }
}
