package org.nowhere.odd;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import org.apache.jmeter.samplers.SampleEvent;
import org.apache.jmeter.samplers.SampleListener;
import org.apache.jmeter.testelement.AbstractTestElement;

/** A listener that writes labels into a file of its own. */
public class Ledger extends AbstractTestElement implements SampleListener {
    private static final long serialVersionUID = 1;

    @Override
    public synchronized void sampleOccurred(SampleEvent event) {
        byte[] line = (event.getResult().getSampleLabel() + "\n").getBytes(StandardCharsets.UTF_8);
        try {
            Files.write(Paths.get(getPropertyAsString("Ledger.file")), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void sampleStarted(SampleEvent event) {
        // Nobody calls it.
    }

    @Override
    public void sampleStopped(SampleEvent event) {
        // Nobody calls it.
    }
}
