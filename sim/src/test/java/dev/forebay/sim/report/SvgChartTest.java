// SPDX-License-Identifier: Apache-2.0
package dev.forebay.sim.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.StringReader;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

/** The picture for a README. */
class SvgChartTest {

    private static Document parsed(String svg) throws Exception {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
    }

    private static String plot(int number, List<Run> runs) {
        StringBuilder svg = new StringBuilder();
        SvgChart.body(svg, Plot.of(runs).get(number), 100);
        return svg.toString();
    }

    @Test
    void aChartIsItsAxesItsMarksItsLinesAndItsGuides() {
        assertEquals("""
                <line class="grid" x1="0" x2="100%" y1="100" y2="100"/><text class="label" x="-8" y="100" dy="4" text-anchor="end">0</text>
                <line class="grid" x1="0" x2="100%" y1="81.1" y2="81.1"/><text class="label" x="-8" y="81.1" dy="4" text-anchor="end">10</text>
                <line class="grid" x1="0" x2="100%" y1="62.3" y2="62.3"/><text class="label" x="-8" y="62.3" dy="4" text-anchor="end">20</text>
                <line class="grid" x1="0" x2="100%" y1="43.4" y2="43.4"/><text class="label" x="-8" y="43.4" dy="4" text-anchor="end">30</text>
                <line class="grid" x1="0" x2="100%" y1="24.5" y2="24.5"/><text class="label" x="-8" y="24.5" dy="4" text-anchor="end">40</text>
                <line class="grid" x1="0" x2="100%" y1="5.7" y2="5.7"/><text class="label" x="-8" y="5.7" dy="4" text-anchor="end">50</text>
                <line class="tick" x1="0%" x2="0%" y1="100" y2="105"/><text class="label" x="0%" y="119" text-anchor="middle">0</text>
                <line class="tick" x1="20%" x2="20%" y1="100" y2="105"/><text class="label" x="20%" y="119" text-anchor="middle">2s</text>
                <line class="tick" x1="40%" x2="40%" y1="100" y2="105"/><text class="label" x="40%" y="119" text-anchor="middle">4s</text>
                <line class="tick" x1="60%" x2="60%" y1="100" y2="105"/><text class="label" x="60%" y="119" text-anchor="middle">6s</text>
                <line class="tick" x1="80%" x2="80%" y1="100" y2="105"/><text class="label" x="80%" y="119" text-anchor="middle">8s</text>
                <line class="tick" x1="100%" x2="100%" y1="100" y2="105"/><text class="label" x="100%" y="119" text-anchor="middle">10s</text>
                <line class="mark" x1="40%" x2="40%" y1="-4" y2="100"><title>4s cluster: drop 0.5 local</title></line><text class="label" x="40%" y="-8" text-anchor="middle">1</text>
                <svg class="data" width="100%" height="100" viewBox="0 0 10000 53" preserveAspectRatio="none" overflow="visible"><g transform="matrix(1 0 0 -1 0 53)">
                <path class="line c1" data-line="1" d="M500 1 1500 2 2500 3 3500 4 4500 3 5500 2 6500 1"/>
                <path class="line c0" data-line="0" d="M500 0 1500 50 3500 50 4500 25 5500 50M7500 50 7500 50"/>
                </g></svg>
                <line class="guide" x1="0" x2="100%" y1="5.7" y2="5.7"/><text class="label guide-name" x="100%" y="0.7" text-anchor="end">target local 50</text>
                """, plot(0, List.of(Samples.run("local"))));
    }

    @Test
    void whatIsStackedIsDrawnAsAreas() {
        String svg = plot(1, List.of(Samples.run("local")));
        assertTrue(svg.contains("<path class=\"area c0\" data-line=\"0\" d=\"M1500 0 2500 2 3500 1 "), svg);
        assertFalse(svg.contains("class=\"line"), svg);
    }

    @Test
    void twoRunsAreToldApartByColourAndByDash() {
        String level = plot(0, Samples.two());
        assertTrue(level.contains("<path class=\"line a0\" "), level);
        assertTrue(level.contains("<path class=\"line b0 dashed\" "), level);
        assertFalse(level.contains("\"line a0 dashed"), level);
        String discards = plot(1, Samples.two());
        assertEquals(2, discards.split("<path ", -1).length - 1, "the sum of each: " + discards);
    }

    @Test
    void aConstantFarAboveEverythingElseIsNotDrawn() {
        String level = plot(0, List.of(Samples.run("local")));
        assertTrue(level.contains(">target local 50</text>"), level);
        assertFalse(level.contains("cap"), level);
    }

    @ParameterizedTest
    @ValueSource(strings = {"local", "<script>alert(1)</script>", "a\"b'c&d]]>", "\u0000\u001b\ud800", "-->", "😀"})
    void thePictureIsWellFormedWhateverTheNames(String name) throws Exception {
        Document picture = parsed(SvgChart.picture(List.of(Samples.run(name))));
        assertEquals(
                "svg",
                picture.getDocumentElement().getLocalName() == null
                        ? picture.getDocumentElement().getTagName()
                        : picture.getDocumentElement().getLocalName());
        assertEquals(0, picture.getElementsByTagName("script").getLength());
        parsed(SvgChart.picture(List.of(Samples.run(name), Samples.run("other"))));
    }

    @Test
    void thePictureHasLevelAndWaitsAndSaysWhatTheMarksMean() throws Exception {
        String svg = SvgChart.picture(Samples.two());
        assertTrue(svg.contains(">local: reservoir and standard</text>"), svg);
        assertTrue(svg.contains(">Level local (connections)</text>"), svg);
        assertTrue(svg.contains(">Waits (ms)</text>"), svg);
        assertFalse(svg.contains("Discards"), svg);
        assertTrue(svg.contains(">1  at 4s, cluster: drop 0.5 local</text>"), svg);
    }

    @Test
    void aRunWithoutChartsIsAnEmptyPicture() throws Exception {
        parsed(SvgChart.picture(List.of(new Run("empty", Samples.empty(), "x"))));
    }
}
