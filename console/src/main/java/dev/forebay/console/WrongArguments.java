// SPDX-License-Identifier: Apache-2.0
package dev.forebay.console;

import dev.forebay.engine.internal.NearestName;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Reports an error in the arguments, in one line. */
final class WrongArguments {

    private WrongArguments() {}

    static String said(ParameterException wrong) {
        if (!(wrong instanceof UnmatchedArgumentException unmatched)
                || unmatched.getUnmatched().isEmpty()) {
            return Reason.of(wrong);
        }
        CommandSpec spec = wrong.getCommandLine().getCommandSpec();
        String first = unmatched.getUnmatched().get(0);
        if (first.startsWith("-")) {
            String name = first.replaceFirst("=.*", "");
            List<String> options = spec.optionsMap().keySet().stream()
                    .filter(option -> option.startsWith("--"))
                    .toList();
            return "there is no option " + name + NearestName.hint(name, options);
        }
        return spec.subcommands().isEmpty()
                ? Reason.of(wrong)
                : "there is no command '" + first + "'"
                        + NearestName.hint(first, spec.subcommands().keySet());
    }

    /** Returns the given region, if it can be one. */
    static String region(String given) {
        if (!given.matches("[a-z0-9-]+")) {
            throw new IllegalArgumentException("--region must be like us-east-1: '" + given + "'");
        }
        return given;
    }
}
