package swell.jvm;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.logging.log4j.Level;

/** Where log lines go: to the call that runs on their thread, or to a queue that the next answer of any call takes along. */
final class Logs {
    /** Lines that threads of scripts leave between two calls; what is more is counted. */
    private static final int QUEUED = 10_000;

    private static final ThreadLocal<List<LogLine>> OF_CALL = new ThreadLocal<>();
    private static final ArrayDeque<LogLine> QUEUE = new ArrayDeque<>();
    private static volatile boolean queued;
    private static int dropped;
    private static final Map<String, Level> LEVELS = new ConcurrentHashMap<>();

    private Logs() {
    }

    /** From now on the lines of this thread, or of the user that it runs, go there. */
    static void attach(List<LogLine> lines) {
        OF_CALL.set(lines);
    }

    /** Whether a call runs on this thread. */
    static boolean isOfCall() {
        return OF_CALL.get() != null;
    }

    static void add(LogLine line) {
        List<LogLine> lines = OF_CALL.get();
        if (lines != null) {
            lines.add(line);
            return;
        }
        enqueue(line);
    }

    private static void enqueue(LogLine line) {
        synchronized (QUEUE) {
            if (QUEUE.size() < QUEUED) {
                QUEUE.add(line);
            } else {
                dropped++;
            }
            queued = true;
        }
    }

    /** Moves lines of which no answer tells to the queue. */
    static void queue(List<LogLine> lines) {
        lines.forEach(Logs::enqueue);
        lines.clear();
    }

    /** Writes the lines of a call, and those of the queue; forgets both. */
    static void write(Out out, List<LogLine> lines) {
        if (queued) {
            lines.addAll(drain());
        }
        out.i32(lines.size());
        if (!lines.isEmpty()) {
            lines.forEach(line -> line.write(out));
            lines.clear();
        }
    }

    private static List<LogLine> drain() {
        synchronized (QUEUE) {
            List<LogLine> lines = new ArrayList<>(QUEUE);
            QUEUE.clear();
            if (dropped > 0) {
                lines.add(new LogLine(2, Logs.class.getName(), dropped + " lines of the log were dropped", null));
                dropped = 0;
            }
            queued = false;
            return lines;
        }
    }

    /** Sets the level of a category; of "" that of all others. */
    static void setLevel(String category, String level) {
        LEVELS.put(category, Level.toLevel(level, Level.INFO));
    }

    /** The level of a logger: that of the longest category that its name starts with. */
    static Level levelOf(String logger) {
        for (String name = logger; !name.isEmpty(); name = name.substring(0, Math.max(name.lastIndexOf('.'), 0))) {
            Level level = LEVELS.get(name);
            if (level != null) {
                return level;
            }
        }
        return LEVELS.getOrDefault("", Level.INFO);
    }
}
