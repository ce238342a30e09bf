package org.nowhere.odd;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.jmeter.config.ConfigTestElement;
import org.apache.jmeter.testelement.TestStateListener;

/** A config element that opens something when the test starts and closes it at the end, even if no other element uses it. */
public class Door extends ConfigTestElement implements TestStateListener {
    @Override
    public void testStarted() {
        write("opened\n");
    }

    @Override
    public void testStarted(String host) {
        testStarted();
    }

    @Override
    public void testEnded() {
        write("closed\n");
    }

    @Override
    public void testEnded(String host) {
        testEnded();
    }

    private static void write(String line) {
        try {
            Files.writeString(Path.of("door.txt"), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
