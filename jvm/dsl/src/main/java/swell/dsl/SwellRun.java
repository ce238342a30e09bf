package swell.dsl;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One run of the program. */
final class SwellRun {
    /** The test ran to its end, and no sample succeeded: the statistics say so, as with JMeter's engine. */
    private static final int NOTHING_SUCCEEDED = 98;
    /** Swell aborts running samples ten seconds after SIGTERM. */
    private static final int STOP_SECONDS = 20;

    private final List<String> command;
    private final Path folder;
    private final RunFiles files;
    private final Duration timeout;

    SwellRun(List<String> command, Path folder, RunFiles files, Duration timeout) {
        this.command = command;
        this.folder = folder;
        this.files = files;
        this.timeout = timeout;
    }

    SwellStats toTheEnd() throws IOException, InterruptedException, TimeoutException {
        SwellStats stats = new SwellStats();
        stats.setStart(Instant.now());
        int status;
        Printed errors;
        Printed output;
        ResultsReader rows;
        // This end of the pipe lets the reader open it although the program may never do so.
        try (RandomAccessFile held = new RandomAccessFile(files.results().toFile(), "rw")) {
            rows = ResultsReader.start(files.results(), stats);
            Process process = start();
            errors = Printed.start(process.getErrorStream(), System.err);
            output = Printed.start(process.getInputStream(), System.out);
            status = waitFor(process);
        }
        stats.setEnd(Instant.now());
        errors.join();
        output.join();
        rows.join();
        if (status != 0 && status != NOTHING_SUCCEEDED) {
            throw new SwellException(status, message(status, errors, output));
        }
        rows.check();
        readSummary(stats);
        return stats;
    }

    private Process start() throws SwellException {
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.redirectInput(new File("/dev/null"));
        try {
            return builder.start();
        } catch (IOException e) {
            throw new SwellException(SwellException.NOT_STARTED, "cannot start " + command.get(0) + ": " + e.getMessage());
        }
    }

    private int waitFor(Process process) throws InterruptedException, TimeoutException {
        Thread hook = new Thread(process::destroy);
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            if (timeout == null) {
                return process.waitFor();
            }
            if (process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                return process.exitValue();
            }
            stop(process);
            throw new TimeoutException("the run took longer than " + timeout.toMillis() + " ms, and was stopped");
        } catch (InterruptedException e) {
            stop(process);
            throw e;
        } finally {
            removeHook(hook);
        }
    }

    private static void removeHook(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is ending, and the hook runs.
        }
    }

    /** As Ctrl-C does, so that the program keeps what it has measured. */
    private static void stop(Process process) throws InterruptedException {
        process.destroy();
        try {
            if (process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                return;
            }
        } finally {
            process.destroyForcibly();
        }
        process.waitFor();
    }

    private static String message(int status, Printed errors, Printed output) {
        String said = errors.last();
        if (status == 99) {
            said = output.last() + said;
        }
        return "swell ended with status " + status + ", " + SwellException.meaning(status) + (said.isEmpty() ? "" : ":\n" + said);
    }

    /** Takes from the summary when the test itself began and ended, without the start of the program and its report. */
    private void readSummary(SwellStats stats) throws IOException {
        JsonNode summary = new ObjectMapper().readTree(Files.readAllBytes(files.summary()));
        Instant start = Instant.ofEpochMilli(summary.path("start_ms").asLong());
        stats.setStart(start);
        stats.setEnd(start.plusNanos(Math.round(summary.path("duration_s").asDouble() * 1e9)));
        stats.setVerdict(summary.path("verdict").path("level").asText());
    }
}
