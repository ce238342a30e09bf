package org.nowhere.odd;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.visualizers.backend.AbstractBackendListenerClient;
import org.apache.jmeter.visualizers.backend.BackendListenerContext;

/** A client of the Backend Listener that sends labels to a file. */
public class Beacon extends AbstractBackendListenerClient {
    @Override
    public void handleSampleResults(List<SampleResult> results, BackendListenerContext context) {
        results.forEach(result -> write(context, result.getSampleLabel() + " " + result.getResponseCode()));
    }

    @Override
    public void teardownTest(BackendListenerContext context) throws Exception {
        write(context, "out");
        super.teardownTest(context);
    }

    private static void write(BackendListenerContext context, String line) {
        try {
            Path file = Path.of(context.getParameter("file"));
            Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
