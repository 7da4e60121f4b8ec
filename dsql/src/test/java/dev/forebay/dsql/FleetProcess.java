// SPDX-License-Identifier: Apache-2.0
package dev.forebay.dsql;

import dev.forebay.ForebayDataSource;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A service of a fleet, as a process of its own: opens and closes connections, with a pause of so many milliseconds in the mean, until
 * its input ends.
 */
final class FleetProcess {

    private FleetProcess() {}

    public static void main(String[] args) throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        Thread input = new Thread(() -> {
            try {
                while (System.in.read() >= 0) {
                    // whoever started it says nothing until it is over
                }
            } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
            } finally {
                over.countDown();
            }
        });
        input.setDaemon(true);
        int pause = Integer.parseInt(args[0]);
        Random random = new Random();
        try (ForebayDataSource pool = AuroraDsql.fromEnvironment()) {
            System.out.println("ready");
            input.start();
            while (!over.await(pause / 2 + random.nextInt(pause), TimeUnit.MILLISECONDS)) {
                pool.evictIdle(1 + random.nextInt(3));
            }
        }
        System.out.println("closed");
    }
}
