// SPDX-License-Identifier: Apache-2.0
package dev.forebay.bench.results;

import dev.forebay.bench.Comparison;
import dev.forebay.bench.Options;
import dev.forebay.bench.Options.Option;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;

/** Writes the figures of the last runs into docs/performance.md. */
public final class PageRun implements Comparison {

    @Override
    public String name() {
        return "page";
    }

    @Override
    public String purpose() {
        return "writes the figures of the last three runs of all into docs/performance.md";
    }

    @Override
    public List<Option> options() {
        return List.of();
    }

    @Override
    public void run(Options options) throws IOException, Refusal {
        List<Results> runs = Results.last(Results.FOLDER);
        if (runs.isEmpty()) {
            throw new Refusal("it takes the results of three runs: bench/run all, on three days");
        }
        try {
            Files.writeString(Page.FILE, Page.fill(Files.readString(Page.FILE), runs));
        } catch (IllegalArgumentException e) {
            throw new Refusal(String.valueOf(e.getMessage()));
        }
        System.out.println(Page.FILE + " has the figures of " + Results.FOLDER);
    }
}
