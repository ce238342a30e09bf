package swell.dsl;

import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import us.abstracta.jmeter.javadsl.core.DslJmeterEngine;
import us.abstracta.jmeter.javadsl.core.DslTestPlan;

/**
 * Runs test plans with the program {@code swell} on this machine: {@code plan.runIn(new SwellEngine())}.
 *
 * <p>The plan is saved, run by {@code swell run}, and removed. What the program prints appears on the standard output
 * and standard error of the test.
 */
public final class SwellEngine implements DslJmeterEngine {
    private final List<String> args = new ArrayList<>();
    private final List<Path> propertiesFiles = new ArrayList<>();
    private final Map<String, String> props = new LinkedHashMap<>();
    private String program;
    private Path workingDirectory = Paths.get("");
    private Duration timeout;
    private boolean dropsWindows;

    /**
     * Sets the path of the program. The default is the environment variable {@code SWELL}, else {@code swell} on the
     * {@code PATH}.
     */
    public SwellEngine program(String path) {
        program = path;
        return this;
    }

    /**
     * Sets a JMeter property of the test.
     *
     * @param value a text, number or boolean; other objects exist only in the JVM of the test
     * @throws IllegalArgumentException the value is another object
     */
    public SwellEngine prop(String name, Object value) {
        boolean isText = value instanceof CharSequence || value instanceof Character;
        if (!isText && !(value instanceof Number) && !(value instanceof Boolean)) {
            String kind = value == null ? "null" : "an object of " + value.getClass().getName();
            throw new IllegalArgumentException(
                    "invalid property " + name + ": " + kind + "; give a text, number or boolean, since Swell is another process");
        }
        props.put(name, value.toString());
        return this;
    }

    /** Reads JMeter properties from a file. Properties of {@link #prop} replace those of files. */
    public SwellEngine propertiesFile(String path) {
        propertiesFiles.add(Paths.get(path).toAbsolutePath());
        return this;
    }

    /**
     * Sets the folder where relative paths of the plan begin. The default is the working directory of the test. The plan
     * is in this folder during the run.
     */
    public SwellEngine workingDirectory(String path) {
        workingDirectory = Paths.get(path);
        return this;
    }

    /** Adds options of {@code swell run}, such as {@code args("--threshold", "p(95)<500ms")}. */
    public SwellEngine args(String... options) {
        args.addAll(Arrays.asList(options));
        return this;
    }

    /** Sets the longest time for a run. After it, {@link #run} ends the program and throws a {@link TimeoutException}. */
    public SwellEngine timeout(Duration limit) {
        timeout = limit;
        return this;
    }

    /** Leaves out elements that show a window, such as {@code resultsTreeVisualizer()}, instead of refusing the plan. */
    public SwellEngine withoutWindows() {
        dropsWindows = true;
        return this;
    }

    /**
     * Runs the plan to its end.
     *
     * @return the samples of the test, also if they all failed
     * @throws IllegalArgumentException the plan has elements that cannot be saved in a plan; the message lists them, and
     *     nothing has run
     * @throws SwellException the program is missing, or ended with an error or a crossed threshold
     * @throws IOException a file cannot be written or read
     * @throws InterruptedException the thread was interrupted; the program has ended
     * @throws TimeoutException the run took longer than {@link #timeout}; the program has ended
     */
    @Override
    public SwellStats run(DslTestPlan plan) throws IOException, InterruptedException, TimeoutException {
        BuiltPlan built = BuiltPlan.of(plan, dropsWindows);
        String path = Program.find(program, System.getenv());
        Path folder = workingDirectory.toAbsolutePath();
        try (RunFiles files = RunFiles.create(folder)) {
            built.save(files.plan());
            files.writeProperties(props);
            List<String> command = command(path, files);
            SwellStats stats = new SwellRun(command, folder, files, timeout).toTheEnd();
            built.writeReports(path, folder);
            return stats;
        }
    }

    private List<String> command(String path, RunFiles files) {
        List<String> command = new ArrayList<>(Arrays.asList(path, "run", files.plan().toString()));
        command.addAll(Arrays.asList("-l", files.results().toString()));
        command.addAll(Arrays.asList("--summary", files.summary().toString()));
        command.addAll(Arrays.asList("-j", files.log().toString()));
        command.addAll(Arrays.asList("-q", files.systemProperties().toString()));
        for (Path file : propertiesFiles) {
            command.addAll(Arrays.asList("-q", file.toString()));
        }
        command.addAll(Arrays.asList("-q", files.properties().toString()));
        command.addAll(args);
        return command;
    }
}
