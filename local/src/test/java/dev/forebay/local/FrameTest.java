// SPDX-License-Identifier: Apache-2.0
package dev.forebay.local;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

class FrameTest {

    /** Else any number of them could wait. */
    @Test
    void aMessageWithoutContentIsNotFree() {
        assertTrue(new Frame((byte) 'S', Unpooled.EMPTY_BUFFER).bytes() > 0);
    }
}
