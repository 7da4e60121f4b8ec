// SPDX-License-Identifier: Apache-2.0
package dev.forebay.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows a {@link StartFailure} in place of its stack trace. */
final class StartFailureAnalyzer extends AbstractFailureAnalyzer<StartFailure> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, StartFailure cause) {
        return new FailureAnalysis(cause.description(), cause.action(), rootFailure);
    }
}
