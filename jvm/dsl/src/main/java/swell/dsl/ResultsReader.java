package swell.dsl;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.save.CSVSaveService;

/** Counts the rows of a results file while the program writes them. */
final class ResultsReader extends Thread {
    private static final int TIME_STAMP = 0;
    private static final int ELAPSED = 1;
    private static final int LABEL = 2;
    private static final int SUCCESS = 3;
    private static final int BYTES = 4;
    private static final int SENT_BYTES = 5;

    private final Path file;
    private final SwellStats stats;
    private volatile String problem;

    private ResultsReader(Path file, SwellStats stats) {
        super("results of swell");
        this.file = file;
        this.stats = stats;
        setDaemon(true);
    }

    static ResultsReader start(Path file, SwellStats stats) {
        ResultsReader reader = new ResultsReader(file, stats);
        reader.start();
        return reader;
    }

    /** After the end of the run. */
    void check() throws IOException {
        if (problem != null) {
            throw new IOException(problem);
        }
    }

    @Override
    public void run() {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8))) {
            for (String[] row = next(reader); row.length > 0; row = next(reader)) {
                count(row);
            }
        } catch (IOException e) {
            problem = "cannot read the results of swell: " + e.getMessage();
        }
    }

    private static String[] next(BufferedReader reader) throws IOException {
        return CSVSaveService.csvReadFile(reader, ',');
    }

    /** A row that cannot be read is kept as a problem, and reading continues: the program waits while the pipe is full. */
    private void count(String[] row) {
        try {
            long start = Long.parseLong(row[TIME_STAMP]);
            SampleResult result = SampleResult.createTestSample(start, start + Long.parseLong(row[ELAPSED]));
            result.setSampleLabel(row[LABEL]);
            result.setSuccessful(row[SUCCESS].equals("true"));
            result.setBytes(Long.parseLong(row[BYTES]));
            result.setSentBytes(Long.parseLong(row[SENT_BYTES]));
            stats.addSampleResult(result);
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            problem = "unexpected row in the results of swell: " + Arrays.toString(row);
        }
    }
}
