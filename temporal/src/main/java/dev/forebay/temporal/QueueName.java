// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

/** Which of the queues that have a name. Immutable. */
public record QueueName(int type, String name) {

    Object[] key() {
        return new Object[] {type, name};
    }

    @Override
    public String toString() {
        return "queue " + name + " of type " + type;
    }
}
