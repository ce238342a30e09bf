package swell.jvm;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.jmeter.threads.ChangedVariables;
import org.apache.jmeter.threads.JMeterVariables;

/** A user's variables on this side; only those that changed cross. */
final class DeltaVars {
    static final int REMOVED = 0;
    static final int TEXT = 1;
    private static final int NULL = 2;
    static final int OBJECT = 3;
    /** Up to this many characters the text of an object is compared after each call, since what is in it may have changed. */
    private static final int FOLLOWED = 4096;

    /** As JMeter's elements and scripts see them. */
    final JMeterVariables seen = new JMeterVariables();
    private final Map<String, Object> content = ChangedVariables.content(seen);
    private final Set<String> changed = ChangedVariables.of(seen);
    /** Variables that hold objects, with the text that the other side has of them. */
    private final Map<String, String> objects = new HashMap<>();

    void setIteration(int iterations) {
        ChangedVariables.setIteration(seen, iterations);
    }

    /** Takes what is not there yet from others. */
    void adopt(Map<String, Object> others) {
        for (Map.Entry<String, Object> entry : others.entrySet()) {
            if (content.get(entry.getKey()) == null) {
                seen.putObject(entry.getKey(), entry.getValue());
            }
        }
    }

    /** Takes over what changed on the other side. */
    void read(In in) {
        for (int count = in.count(); count > 0; count--) {
            String name = in.string();
            int kind = in.u8();
            objects.remove(name);
            if (kind == REMOVED) {
                content.remove(name);
            } else if (kind == NULL) {
                content.put(name, null);
            } else {
                content.put(name, in.string());
            }
        }
    }

    /** Writes what changed here since the last time. */
    void write(Out out) {
        if (!objects.isEmpty()) {
            objects.forEach(this::follow);
        }
        if (changed.isEmpty()) {
            out.i32(0);
            return;
        }
        // Other threads may continue to set variables: later changes are for the next answer.
        String[] names = changed.toArray(new String[0]);
        out.i32(names.length);
        for (String name : names) {
            changed.remove(name);
            write(out, name);
        }
    }

    private void write(Out out, String name) {
        Object value = content.get(name);
        out.string(name);
        objects.remove(name);
        if (value == null) {
            out.u8(content.containsKey(name) ? NULL : REMOVED);
        } else if (value instanceof String) {
            out.u8(TEXT);
            out.string((String) value);
        } else {
            String text = textOf(value);
            objects.put(name, text);
            out.u8(OBJECT);
            out.string(text);
        }
    }

    private void follow(String name, String sent) {
        if (sent.length() <= FOLLOWED && !Objects.equals(textOf(content.get(name)), sent)) {
            changed.add(name);
        }
    }

    private static String textOf(Object value) {
        try {
            return String.valueOf(value);
        } catch (RuntimeException | StackOverflowError e) {
            return value.getClass().getName() + " whose toString failed: " + e;
        }
    }
}
