package swell.jvm;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.jmeter.engine.util.CompoundVariable;
import org.apache.jmeter.functions.Function;
import org.apache.jmeter.functions.InvalidVariableException;
import org.apache.jmeter.testelement.TestStateListener;
import org.apache.jmeter.threads.HostedPlan;

/** Calls of JMeter's functions. A call in a plan has one object for all users, as in JMeter; its parameters come evaluated. */
final class Functions {
    private final Map<Integer, Call> calls = new ConcurrentHashMap<>();

    /** The parameters of the call that a thread evaluates. */
    private static final ThreadLocal<String[]> PARAMETERS = new ThreadLocal<>();

    /** A parameter whose value the other side has evaluated. */
    private static final class Value extends CompoundVariable {
        private final int index;

        Value(int index) {
            this.index = index;
        }

        @Override
        public String execute() {
            String[] parameters = PARAMETERS.get();
            return parameters == null ? "" : parameters[index];
        }

        @Override
        public String getRawParameters() {
            return execute();
        }
    }

    private static final class Call {
        final Function function;
        final int parameters;
        /** What the function has put up to hear of the test. */
        final List<TestStateListener> listeners;
        private boolean isStarted;

        Call(Function function, int parameters, List<TestStateListener> listeners) {
            this.function = function;
            this.parameters = parameters;
            this.listeners = listeners;
        }

        /** A call that is never made gets no arguments: it may only have been looked up. */
        synchronized void start() {
            if (!isStarted) {
                isStarted = true;
                listeners.forEach(TestStateListener::testStarted);
            }
        }

        synchronized void end() {
            if (isStarted) {
                listeners.forEach(HostedPlan::tellEnd);
            }
        }
    }

    /** Makes the function of a call: its name as {@code __name}, how many parameters. */
    void define(int number, In in) throws ReflectiveOperationException, InvalidVariableException {
        String name = in.string();
        int count = in.u8();
        Function function = Condition.NAME.equals(name) ? new Condition() : make(name);
        List<CompoundVariable> parameters = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            parameters.add(new Value(i));
        }
        List<TestStateListener> listeners;
        try {
            function.setParameters(parameters);
        } finally {
            listeners = HostedPlan.takeRegistered();
        }
        calls.put(number, new Call(function, count, listeners));
    }

    private static Function make(String name) throws ReflectiveOperationException, InvalidVariableException {
        Class<? extends Function> type = CompoundVariable.getFunctionClass(name);
        if (type == null) {
            throw new InvalidVariableException("no function " + name + " on the class path");
        }
        return type.getDeclaredConstructor().newInstance();
    }

    /** Evaluates a call for the user that has entered. */
    String evaluate(int number, User user, String[] parameters) throws InvalidVariableException {
        Call call = calls.get(number);
        if (call == null || call.parameters != parameters.length) {
            throw new BadMessage("no call " + number + " with " + parameters.length + " parameters");
        }
        PARAMETERS.set(parameters);
        if (!call.listeners.isEmpty()) {
            call.start();
        }
        return call.function.execute(user.context.getPreviousResult(), user.context.getCurrentSampler());
    }

    void forget() {
        calls.values().forEach(Call::end);
        calls.clear();
    }
}
