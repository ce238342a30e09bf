package swell.dsl;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.jmeter.reporters.ResultCollector;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.testelement.property.PropertyIterator;
import org.apache.jorphan.collections.HashTree;
import org.apache.jorphan.collections.ListedHashTree;
import us.abstracta.jmeter.javadsl.core.BuildTreeContext;
import us.abstracta.jmeter.javadsl.core.DslTestPlan;
import us.abstracta.jmeter.javadsl.core.engines.EmbeddedJmeterEngine.EmbeddedJMeterEngineStopper;
import us.abstracta.jmeter.javadsl.core.engines.JmeterEnvironment;
import us.abstracta.jmeter.javadsl.core.listeners.HtmlReporter.AutoFlushingResultCollector;

/** A plan as a tree of JMeter's own elements, which can be saved. */
final class BuiltPlan {
    private final JmeterEnvironment environment;
    private final HashTree tree;
    /** Results files of `htmlReporter()`. JMeter's engine makes the reports in the JVM of the test. */
    private final List<String> reportedFiles = new ArrayList<>();

    private BuiltPlan(JmeterEnvironment environment, HashTree tree) {
        this.environment = environment;
        this.tree = tree;
    }

    /**
     * @throws IllegalArgumentException some elements cannot be saved
     */
    static BuiltPlan of(DslTestPlan plan, boolean dropsWindows) throws IOException {
        Refusals refusals = new Refusals();
        if (!dropsWindows) {
            Windows.of(plan).forEach(refusals::addWindow);
        }
        JmeterEnvironment environment = new JmeterEnvironment();
        HashTree tree = new ListedHashTree();
        BuildTreeContext context = new BuildTreeContext();
        // Elements ask for it while they are built; those that use it are refused.
        context.setTestStopper(new EmbeddedJMeterEngineStopper());
        context.buildTreeFor(plan, tree);
        BuiltPlan built = new BuiltPlan(environment, tree);
        built.replaceReporters(tree);
        refusals.addElements(tree);
        refusals.check();
        return built;
    }

    private void replaceReporters(HashTree parent) {
        for (Object key : new ArrayList<>(parent.list())) {
            replaceReporters(parent.getTree(key));
            if (key instanceof AutoFlushingResultCollector) {
                ResultCollector reporter = (ResultCollector) key;
                parent.replaceKey(key, writerOf(reporter));
                reportedFiles.add(reporter.getFilename());
            }
        }
    }

    /** JMeter's own element with the settings of an element of jmeter-java-dsl. */
    private static ResultCollector writerOf(ResultCollector reporter) {
        ResultCollector writer = new ResultCollector();
        for (PropertyIterator properties = reporter.propertyIterator(); properties.hasNext(); ) {
            writer.setProperty(properties.next());
        }
        writer.setProperty(TestElement.TEST_CLASS, ResultCollector.class.getName());
        return writer;
    }

    void save(Path file) throws IOException {
        try (FileOutputStream output = new FileOutputStream(file.toFile())) {
            environment.saveTree(tree, output);
        }
    }

    /** Makes the reports of `htmlReporter()`, next to their results files. */
    void writeReports(String program, Path workingDirectory) throws IOException, InterruptedException {
        for (String file : reportedFiles) {
            Path results = workingDirectory.resolve(Paths.get(file));
            List<String> command =
                    Arrays.asList(program, "report", results.toString(), "-f", "-o", results.getParent().toString());
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            Printed printed = Printed.start(process.getInputStream(), System.out);
            int status = process.waitFor();
            printed.join();
            if (status != 0) {
                throw new SwellException(status, "swell cannot make a report of " + results + ":\n" + printed.last());
            }
        }
    }
}
