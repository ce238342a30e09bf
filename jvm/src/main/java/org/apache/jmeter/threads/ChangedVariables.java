package org.apache.jmeter.threads;

import java.util.Map;
import java.util.Set;

/** What {@link JMeterVariables} note, and their content without notes. Scripts see no more of variables than JMeter's methods. */
public final class ChangedVariables {
    private ChangedVariables() {
    }

    /** Names of variables that were set or removed; who has told of them clears it. */
    public static Set<String> of(JMeterVariables variables) {
        return variables.changed;
    }

    /** The variables; a change of this is not noted. */
    public static Map<String, Object> content(JMeterVariables variables) {
        return variables.variables;
    }

    /** The thread has begun its group this often. */
    public static void setIteration(JMeterVariables variables, int iteration) {
        variables.iteration = iteration;
    }
}
