package swell.jvm;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.jmeter.threads.JMeterThread;
import org.apache.jmeter.threads.JMeterVariables;

/** A user's variables on this side. Notes which of them changed, so that only those cross. */
final class DeltaVars extends JMeterVariables {
    private static final int REMOVED = 0;
    private static final int TEXT = 1;
    private static final int NULL = 2;
    private static final int OBJECT = 3;
    /** Up to this many characters the text of an object is compared after each call, since what is in it may have changed. */
    private static final int FOLLOWED = 4096;

    private final Set<String> changed = new HashSet<>();
    /** Variables that hold objects, with the text that the other side has of them. */
    private final Map<String, String> objects = new HashMap<>();

    private int iterations;

    void setIteration(int iterations) {
        this.iterations = iterations;
    }

    @Override
    public int getIteration() {
        return iterations;
    }

    /** What JMeter's own class gives, such as in the message of a failed {@code assert} of Groovy. */
    @Override
    public String toString() {
        return JMeterVariables.class.getName() + '@' + Integer.toHexString(hashCode());
    }

    @Override
    public Object remove(String key) {
        changed.add(key);
        return super.remove(key);
    }

    @Override
    public void put(String key, String value) {
        if (value == null || !value.equals(getObject(key))) {
            changed.add(key);
        }
        super.put(key, value);
    }

    /** Takes what is not there yet from others. */
    void adopt(Map<String, Object> others) {
        for (Map.Entry<String, Object> entry : others.entrySet()) {
            if (getObject(entry.getKey()) == null) {
                putObject(entry.getKey(), entry.getValue());
            }
        }
    }

    @Override
    public void putObject(String key, Object value) {
        if (!JMeterThread.PACKAGE_OBJECT.equals(key)) {
            changed.add(key);
        }
        super.putObject(key, value);
    }

    @Override
    public void putAll(Map<String, ?> vars) {
        changed.addAll(vars.keySet());
        super.putAll(vars);
    }

    @Override
    public void putAll(JMeterVariables vars) {
        for (Map.Entry<String, Object> entry : vars.entrySet()) {
            putObject(entry.getKey(), entry.getValue());
        }
    }

    /** Takes over what changed on the other side. */
    void read(In in) {
        for (int count = in.count(); count > 0; count--) {
            String name = in.string();
            int kind = in.u8();
            objects.remove(name);
            if (kind == REMOVED) {
                super.remove(name);
            } else if (kind == NULL) {
                super.put(name, null);
            } else {
                super.put(name, in.string());
            }
        }
    }

    /** Writes what changed here since the last time. */
    void write(Out out) {
        if (!objects.isEmpty()) {
            objects.forEach(this::follow);
        }
        out.i32(changed.size());
        if (changed.isEmpty()) {
            return;
        }
        Set<String> present = changed.stream().anyMatch(name -> getObject(name) == null) ? names() : null;
        for (String name : changed) {
            write(out, name, present);
        }
        changed.clear();
    }

    private void write(Out out, String name, Set<String> present) {
        Object value = getObject(name);
        out.string(name);
        objects.remove(name);
        if (value == null) {
            out.u8(present.contains(name) ? NULL : REMOVED);
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
        if (sent.length() <= FOLLOWED && !Objects.equals(textOf(getObject(name)), sent)) {
            changed.add(name);
        }
    }

    private Set<String> names() {
        Set<String> names = new HashSet<>();
        entrySet().forEach(entry -> names.add(entry.getKey()));
        return names;
    }

    private static String textOf(Object value) {
        try {
            return String.valueOf(value);
        } catch (RuntimeException | StackOverflowError e) {
            return value.getClass().getName() + " whose toString failed: " + e;
        }
    }
}
