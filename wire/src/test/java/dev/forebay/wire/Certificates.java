// SPDX-License-Identifier: Apache-2.0
package dev.forebay.wire;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** One certificate for all tests, from both sides. */
@SuppressWarnings("TimeInStaticInitializer") // good for a day, and a run takes minutes
final class Certificates {

    static final SelfSigned LOCAL =
            SelfSigned.of(List.of("localhost", "127.0.0.1", "::1"), Instant.now(), Duration.ofDays(1));

    private Certificates() {}

    static SslContext server() throws IOException {
        return SslContextBuilder.forServer(LOCAL.key(), LOCAL.certificate())
                .applicationProtocolConfig(new ApplicationProtocolConfig(
                        ApplicationProtocolConfig.Protocol.ALPN,
                        ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                        ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                        StartUp.ALPN))
                .build();
    }

    static SSLContext client() throws IOException {
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            store.setCertificateEntry("root", LOCAL.certificate());
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }
}
