// SPDX-License-Identifier: Apache-2.0
package dev.forebay.jdbc;

import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.stream.Stream;

/** Arguments to call any JDBC method with. */
final class Arguments {

    private Arguments() {}

    /** Zero, false or null for each parameter. */
    static Object[] zeroes(Method method) {
        return Stream.of(method.getParameterTypes())
                .map(type -> type.isPrimitive() ? Array.get(Array.newInstance(type, 1), 0) : null)
                .toArray();
    }
}
