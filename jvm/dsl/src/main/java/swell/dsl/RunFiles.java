package swell.dsl;

import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Files of one run, which only this user can read, since plans and properties have passwords. */
final class RunFiles implements Closeable {
    private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    /** Columns of a results file that statistics need. */
    private static final String[] COLUMNS = {"time", "label", "successful", "bytes", "sent_bytes"};

    private static final String[] OTHER_COLUMNS = {
        "response_code", "response_message", "thread_name", "data_type", "assertion_results_failure_message",
        "thread_counts", "latency", "connect_time", "idle_time", "url", "hostname", "encoding", "filename", "sample_count",
    };

    private final Path folder;
    private final Path plan;

    private RunFiles(Path folder, Path plan) {
        this.folder = folder;
        this.plan = plan;
    }

    /**
     * @param workingDirectory gets the plan, since Swell and JMeter look for data files next to it
     */
    static RunFiles create(Path workingDirectory) throws IOException {
        Path plan = newPlan(workingDirectory);
        Path folder;
        try {
            folder = Files.createTempDirectory("swell-dsl");
        } catch (IOException e) {
            Files.deleteIfExists(plan);
            throw e;
        }
        RunFiles files = new RunFiles(folder, plan);
        // Also if the JVM of the test is ended during the run.
        plan.toFile().deleteOnExit();
        try {
            files.makePipe();
        } catch (IOException | InterruptedException e) {
            files.close();
            throw new IOException("cannot create a pipe for results in " + folder + ": " + e.getMessage(), e);
        }
        return files;
    }

    /** An empty file named by the test, as the kept run will be. */
    private static Path newPlan(Path folder) throws IOException {
        String name = Caller.name();
        for (int number = 1; ; number++) {
            Path file = folder.resolve(number == 1 ? name + ".jmx" : name + "-" + number + ".jmx");
            try {
                return Files.createFile(file, PRIVATE);
            } catch (FileAlreadyExistsException e) {
                // The next number may be free.
            } catch (IOException e) {
                String hint = "; call SwellEngine.workingDirectory(path) with a folder that can be written";
                throw new IOException("cannot save the plan as " + file + ": " + e + hint, e);
            }
        }
    }

    /** Rows of results go through a pipe: a file would grow with the length of the test. */
    private void makePipe() throws IOException, InterruptedException {
        Process made = new ProcessBuilder("mkfifo", "-m", "600", results().toString()).redirectErrorStream(true).start();
        made.getOutputStream().close();
        byte[] said = new byte[512];
        int length;
        try (InputStream output = made.getInputStream()) {
            length = Math.max(output.read(said), 0);
        }
        if (made.waitFor() != 0) {
            throw new IOException(new String(said, 0, length, StandardCharsets.UTF_8).trim());
        }
    }

    Path plan() {
        return plan;
    }

    Path results() {
        return folder.resolve("results.jtl");
    }

    Path summary() {
        return folder.resolve("summary.json");
    }

    Path log() {
        return folder.resolve("swell.log");
    }

    Path systemProperties() {
        return folder.resolve("system.properties");
    }

    Path properties() {
        return folder.resolve("test.properties");
    }

    /**
     * Writes the properties of the test, and those Java system properties that the saved plan names: in JMeter's own engine
     * a plan sees all of them.
     */
    void writeProperties(Map<String, String> props) throws IOException {
        String text = new String(Files.readAllBytes(plan), StandardCharsets.UTF_8);
        Properties system = new Properties();
        for (String name : System.getProperties().stringPropertyNames()) {
            if (Pattern.compile("(?<![\\w.-])" + Pattern.quote(name) + "(?![\\w.-])").matcher(text).find()) {
                system.setProperty(name, System.getProperty(name));
            }
        }
        write(systemProperties(), system);
        Properties own = new Properties();
        own.putAll(props);
        String column = "jmeter.save.saveservice.";
        own.setProperty(column + "output_format", "csv");
        own.setProperty(column + "timestamp_format", "ms");
        own.setProperty(column + "default_delimiter", ",");
        Arrays.stream(COLUMNS).forEach(name -> own.setProperty(column + name, "true"));
        Arrays.stream(OTHER_COLUMNS).forEach(name -> own.setProperty(column + name, "false"));
        write(properties(), own);
    }

    private static void write(Path file, Properties properties) throws IOException {
        try (BufferedWriter writer = Files.newBufferedWriter(Files.createFile(file, PRIVATE), StandardCharsets.ISO_8859_1)) {
            properties.store(writer, null);
        }
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(plan);
        try (Stream<Path> files = Files.list(folder)) {
            files.forEach(RunFiles::delete);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        Files.deleteIfExists(folder);
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
