package org.apache.jmeter.threads;

import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.jmeter.util.JMeterUtils;

/**
 * JMeter's variables of a thread, which also note what changed, so that only that crosses. It takes the place of JMeter's own class, since
 * scripts show its name: messages of exceptions hold it. {@link ChangedVariables} reads the notes.
 */
public class JMeterVariables {
    static final String VAR_IS_SAME_USER_KEY = "__jmv_SAME_USER";
    private static final String[] FROM_PROPERTIES = {"START.MS", "START.YMD", "START.HMS", "TESTSTART.MS"};

    final Map<String, Object> variables = new HashMap<>();
    /** Threads that elements start for themselves may set variables while an answer is written. */
    final Set<String> changed = ConcurrentHashMap.newKeySet();
    int iteration;

    /** Variables with the start of the test. */
    public JMeterVariables() {
        for (String name : FROM_PROPERTIES) {
            String value = JMeterUtils.getProperty(name);
            if (value != null) {
                variables.put(name, value);
            }
        }
    }

    /** Name of the thread that asks. */
    public String getThreadName() {
        return Thread.currentThread().getName();
    }

    /** How often the thread has begun its group. */
    public int getIteration() {
        return iteration;
    }

    /** The thread begins its group once more. */
    public void incIteration() {
        iteration++;
    }

    /** Removes a variable; what it was. */
    public Object remove(String key) {
        note(key);
        return variables.remove(key);
    }

    /** Sets a variable to a text. */
    public void put(String key, String value) {
        Object before = variables.put(key, value);
        if (value == null || !value.equals(before)) {
            note(key);
        }
    }

    private void note(String key) {
        // No variable of the other side has no name.
        if (key != null) {
            changed.add(key);
        }
    }

    /** Sets a variable to anything. */
    public void putObject(String key, Object value) {
        if (!JMeterThread.PACKAGE_OBJECT.equals(key)) {
            note(key);
        }
        variables.put(key, value);
    }

    /** Sets variables. */
    public void putAll(Map<String, ?> vars) {
        vars.keySet().forEach(this::note);
        variables.putAll(vars);
    }

    /** Sets the variables that another thread has. */
    public void putAll(JMeterVariables vars) {
        putAll(vars.variables);
        changed.remove(JMeterThread.PACKAGE_OBJECT);
    }

    /** The text of a variable; null if it does not exist. */
    public String get(String key) {
        Object value = variables.get(key);
        return value == null ? null : value.toString();
    }

    /** The value of a variable; null if it does not exist. */
    public Object getObject(String key) {
        return variables.get(key);
    }

    /** All variables, which this cannot change. */
    public Iterator<Map.Entry<String, Object>> getIterator() {
        return entrySet().iterator();
    }

    /** All variables, which this cannot change. */
    public Set<Map.Entry<String, Object>> entrySet() {
        return Collections.unmodifiableMap(variables).entrySet();
    }

    /** Whether the next iteration is the same user's. */
    public boolean isSameUserOnNextIteration() {
        // From the other side it comes as a text.
        return Boolean.parseBoolean(get(VAR_IS_SAME_USER_KEY));
    }
}
