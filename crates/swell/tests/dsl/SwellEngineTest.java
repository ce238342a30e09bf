package swell.dsl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static us.abstracta.jmeter.javadsl.JmeterDsl.autoStop;
import static us.abstracta.jmeter.javadsl.JmeterDsl.csvDataSet;
import static us.abstracta.jmeter.javadsl.JmeterDsl.dummySampler;
import static us.abstracta.jmeter.javadsl.JmeterDsl.htmlReporter;
import static us.abstracta.jmeter.javadsl.JmeterDsl.httpSampler;
import static us.abstracta.jmeter.javadsl.JmeterDsl.ifController;
import static us.abstracta.jmeter.javadsl.JmeterDsl.jsr223PostProcessor;
import static us.abstracta.jmeter.javadsl.JmeterDsl.jtlWriter;
import static us.abstracta.jmeter.javadsl.JmeterDsl.responseAssertion;
import static us.abstracta.jmeter.javadsl.JmeterDsl.resultsTreeVisualizer;
import static us.abstracta.jmeter.javadsl.JmeterDsl.testPlan;
import static us.abstracta.jmeter.javadsl.JmeterDsl.threadGroup;
import static us.abstracta.jmeter.javadsl.JmeterDsl.transaction;
import static us.abstracta.jmeter.javadsl.core.listeners.AutoStopListener.AutoStopCondition.errors;

import java.io.File;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.http.entity.ContentType;
import org.apache.jmeter.samplers.SampleResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import us.abstracta.jmeter.javadsl.core.DslTestPlan;
import us.abstracta.jmeter.javadsl.core.TestPlanStats;

/** The engine as a test meets it: the program in the variable SWELL, the site in the system property `site`. */
class SwellEngineTest {
    private static final String SITE = System.getProperty("site");

    @TempDir
    Path folder;

    private SwellEngine engine() {
        return new SwellEngine().workingDirectory(folder.toString());
    }

    private static String[] list(Path folder) throws Exception {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toArray(String[]::new);
        }
    }

    /** Whatever happens, the plan is gone after the run. */
    @AfterEach
    void noPlanIsLeft() throws Exception {
        for (String name : list(folder)) {
            assertFalse(name.endsWith(".jmx"), name);
        }
    }

    private static DslTestPlan mixedPlan() {
        return testPlan(
                threadGroup(2, 3,
                        transaction("a, \"b\"",
                                httpSampler("first", SITE + "/bytes/100"),
                                httpSampler("second", SITE + "/status/404")),
                        httpSampler("third", SITE + "/bytes/10").children(responseAssertion().containsSubstrings("absent"))));
    }

    @Test
    void countsTheSamplesThatJMetersEngineCounts() throws Exception {
        TestPlanStats ours = mixedPlan().runIn(engine());
        TestPlanStats jmeters = mixedPlan().run();
        assertEquals(new TreeSet<>(jmeters.labels()), new TreeSet<>(ours.labels()));
        assertEquals(jmeters.overall().samplesCount(), ours.overall().samplesCount());
        assertEquals(jmeters.overall().errorsCount(), ours.overall().errorsCount());
        for (String label : jmeters.labels()) {
            assertEquals(jmeters.byLabel(label).samplesCount(), ours.byLabel(label).samplesCount(), label);
            assertEquals(jmeters.byLabel(label).errorsCount(), ours.byLabel(label).errorsCount(), label);
            assertEquals(jmeters.byLabel(label).receivedBytes().total(), ours.byLabel(label).receivedBytes().total(), label);
        }
        assertEquals(24, ours.overall().samplesCount());
        assertEquals(6 + 6 + 6, ours.overall().errorsCount());
        assertFalse(ours.duration().isNegative());
        assertFalse(ours.overall().endTime().isBefore(ours.overall().firstTime()));
        assertTrue(Arrays.asList("VALID", "DEGRADED", "INVALID").contains(((SwellStats) ours).verdict()));
    }

    @Test
    void threadCountsPropertiesAndTheWorkingDirectoryReachThePlan() throws Exception {
        Files.write(folder.resolve("items.csv"), "item\npen\npaper\nink\n".getBytes(StandardCharsets.UTF_8));
        Path file = folder.resolve("site.properties");
        Files.write(file, "from.file=file\nfrom.prop=file\n".getBytes(StandardCharsets.UTF_8));
        System.setProperty("swell.test.of.system", "system");
        String label = "${__threadNum} ${__P(swell.test.of.system)} ${__P(from.file)} ${__P(from.prop)}";
        DslTestPlan plan = testPlan(
                csvDataSet("items.csv"),
                threadGroup(3, 1, httpSampler(label, SITE + "/bytes/${__P(size)}"), httpSampler("${item}", SITE + "/bytes/1")));
        TestPlanStats stats =
                plan.runIn(engine().propertiesFile(file.toString()).prop("from.prop", "ä b=c").prop("size", 7));
        List<String> labels = new ArrayList<>(new TreeSet<>(stats.labels()));
        assertEquals(
                Arrays.asList("1 system file ä b=c", "2 system file ä b=c", "3 system file ä b=c", "ink", "paper", "pen"), labels);
        assertEquals(0, stats.overall().errorsCount());
    }

    @Test
    void objectsAreRefusedAsProperties() {
        Exception refused = assertThrows(IllegalArgumentException.class, () -> engine().prop("cache", new ArrayList<>()));
        assertTrue(refused.getMessage().contains("cache: an object of java.util.ArrayList"), refused.getMessage());
    }

    @Test
    void elementsThatCannotTravelAreRefusedWithTheirNamesBeforeAnythingRuns() {
        DslTestPlan plan = testPlan(
                threadGroup(1, 1,
                        httpSampler("by a function", SITE).post(s -> "body", ContentType.TEXT_PLAIN),
                        httpSampler("checked", SITE).children(jsr223PostProcessor("look", s -> s.prev.setSuccessful(true))),
                        ifController(s -> true, dummySampler("inside", "ok")),
                        transaction("pages", httpSampler("shown", SITE).children(resultsTreeVisualizer()))),
                autoStop().when(errors().total().greaterThan(0L)));
        // Without a program: what is refused does not even look for it.
        Exception refused = assertThrows(IllegalArgumentException.class, () -> plan.runIn(engine().program("/absent")));
        String message = refused.getMessage();
        for (String part : Arrays.asList(
                "5 elements of the plan cannot run in Swell",
                "DslViewResultsTree: it shows a window",
                "by a function",
                "Thread Group > checked > look: a Java lambda or class",
                "IfController.condition is a Java lambda or class",
                "AutoStop: it stops JMeter's engine")) {
            assertTrue(message.contains(part), part + " is not in: " + message);
        }
    }

    @Test
    void windowsAreLeftOutOnDemand() throws Exception {
        DslTestPlan plan = testPlan(threadGroup(1, 1, httpSampler("page", SITE + "/bytes/1")), resultsTreeVisualizer());
        assertThrows(IllegalArgumentException.class, () -> plan.runIn(engine()));
        assertEquals(1, plan.runIn(engine().withoutWindows()).overall().samplesCount());
    }

    private static DslTestPlan onePage() {
        return testPlan(threadGroup(1, 1, httpSampler("page", SITE + "/bytes/1")));
    }

    @Test
    void aMissingProgramIsNamed() {
        SwellException missing = assertThrows(SwellException.class, () -> onePage().runIn(engine().program("/absent/swell")));
        assertTrue(missing.getMessage().contains("there is no program `/absent/swell`"), missing.getMessage());
        assertEquals(-1, missing.status());
        missing = assertThrows(SwellException.class, () -> Program.find(null, java.util.Collections.singletonMap("PATH", "/absent")));
        assertTrue(missing.getMessage().contains("set the environment variable SWELL"), missing.getMessage());
    }

    @Test
    void anErrorOfTheProgramIsTheMessage() {
        SwellException failed = assertThrows(SwellException.class, () -> onePage().runIn(engine().args("--no-such-option")));
        assertEquals(104, failed.status());
        assertTrue(failed.getMessage().contains("--no-such-option"), failed.getMessage());
        failed = assertThrows(SwellException.class, () -> onePage().runIn(engine().args("--threshold", "samples>5")));
        assertEquals(99, failed.status());
        assertTrue(failed.getMessage().contains("samples>5"), failed.getMessage());
    }

    @Test
    void aServerThatIsDownGivesStatisticsOfErrors() throws Exception {
        int closed;
        try (ServerSocket socket = new ServerSocket(0)) {
            closed = socket.getLocalPort();
        }
        TestPlanStats stats = testPlan(threadGroup(1, 2, httpSampler("http://127.0.0.1:" + closed))).runIn(engine());
        assertEquals(2, stats.overall().errorsCount());
    }

    @Test
    void writersOfThePlanWriteInTheWorkingDirectory() throws Exception {
        DslTestPlan plan = testPlan(
                threadGroup(1, 2, httpSampler("page", SITE + "/bytes/1")),
                jtlWriter(folder.toString(), "own.jtl"),
                htmlReporter(folder.toString(), "report"));
        plan.runIn(engine());
        List<String> rows = Files.readAllLines(folder.resolve("own.jtl"));
        assertEquals(3, rows.size(), rows.toString());
        assertTrue(rows.get(0).contains("responseCode"), rows.get(0));
        assertTrue(Files.exists(folder.resolve("report/index.html")), String.join(" ", list(folder)));
    }

    @Test
    void aRunThatIsTooLongOrInterruptedIsStopped() throws Exception {
        DslTestPlan plan = testPlan(threadGroup(1, 1_000_000, httpSampler("page", SITE + "/bytes/1")));
        assertThrows(TimeoutException.class, () -> plan.runIn(engine().timeout(Duration.ofMillis(300))));
        Thread test = Thread.currentThread();
        Path jtl = folder.resolve("started.jtl");
        DslTestPlan watched = testPlan(
                threadGroup(1, 1_000_000, httpSampler("page", SITE + "/bytes/1")), jtlWriter(folder.toString(), "started.jtl"));
        Thread watcher = new Thread(() -> {
            while (!new File(jtl.toString()).exists()) {
                Thread.yield();
            }
            test.interrupt();
        });
        watcher.setDaemon(true);
        watcher.start();
        assertThrows(InterruptedException.class, () -> watched.runIn(engine()));
        watcher.join();
    }

    @Test
    void percentilesAreTheSmallestTimesThatTheShareDoesNotExceed() {
        ExactSummary times = new ExactSummary();
        assertEquals(Duration.ZERO, times.perc99());
        for (long ms = 1; ms <= 10; ms++) {
            times.add(SampleResult.createTestSample(1_000, 1_000 + ms));
        }
        List<Long> found = Stream.of(times.min(), times.median(), times.perc90(), times.perc95(), times.perc99(), times.max())
                .map(Duration::toMillis)
                .collect(Collectors.toList());
        assertEquals(Arrays.asList(1L, 5L, 9L, 10L, 10L, 10L), found);
        assertEquals(Duration.ofNanos(5_500_000), times.mean());
    }
}
