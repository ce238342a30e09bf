package swell.dsl;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;

/** What the program prints on one stream: copied line by line, and the last lines kept for messages. */
final class Printed extends Thread {
    private static final int KEPT_LINES = 40;

    private final InputStream from;
    private final PrintStream to;
    private final ArrayDeque<String> lines = new ArrayDeque<>();

    private Printed(InputStream from, PrintStream to) {
        super("output of swell");
        this.from = from;
        this.to = to;
        setDaemon(true);
    }

    static Printed start(InputStream from, PrintStream to) {
        Printed printed = new Printed(from, to);
        printed.start();
        return printed;
    }

    @Override
    public void run() {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(from, StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                to.println(line);
                keep(line);
            }
        } catch (IOException e) {
            keep("(the output of swell cannot be read: " + e.getMessage() + ")");
        }
    }

    private synchronized void keep(String line) {
        lines.add(line);
        if (lines.size() > KEPT_LINES) {
            lines.remove();
        }
    }

    /** The last lines, each with its end. */
    synchronized String last() {
        StringBuilder text = new StringBuilder();
        lines.forEach(line -> text.append(line).append('\n'));
        return text.toString();
    }
}
