// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The assertions of the scenarios in {@code scenarios/} hold. */
class ShippedScenariosIT {

    private static final Path FOLDER = Path.of("..", "scenarios");

    static List<Path> shipped() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.sorted().toList();
        }
    }

    private static List<Result.Verdict> failures(Scenario scenario) {
        return Simulation.run(scenario, sample -> {}, nanos -> {}).verdicts().stream()
                .filter(verdict -> !verdict.passed())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("shipped")
    void everythingHoldsThatAShippedScenarioAsserts(Path file) {
        assertEquals(List.of(), failures(ScenarioFile.read(file)));
    }

    /** Without work no checkout could find nothing ready. */
    @ParameterizedTest
    @MethodSource("shipped")
    void everyShippedScenarioWorksAndForbidsEmptyCheckouts(Path file) {
        Scenario scenario = ScenarioFile.read(file);
        assertTrue(scenario.services().stream().allMatch(service -> service.workload() != null), "it has work");
        boolean dropsMoreThanIsLeft = file.endsWith("mass-drop.yaml");
        assertEquals(!dropsMoreThanIsLeft, scenario.asserts().zeroEmptyEvents());
    }

    /** The negative control: a limiter that is set too high is seen. */
    @Test
    void aLimiterThatIsTooHighFailsTheScenario() throws IOException {
        Path file = FOLDER.resolve("ecs-150wps.yaml");
        String text = Files.readString(file).replace("limiterPerSec: 100\n", "limiterPerSec: 200\n");
        List<String> names = failures(ScenarioFile.parse(file, text)).stream()
                .map(Result.Verdict::name)
                .toList();
        assertTrue(names.contains("assertMaxConnectsPerSec"), names::toString);
    }
}
