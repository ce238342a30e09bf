package swell.dsl;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/** The test that runs a plan. */
final class Caller {
    private static final Set<String> ENGINE =
            new HashSet<>(Arrays.asList(Caller.class.getName(), RunFiles.class.getName(), SwellEngine.class.getName()));

    private Caller() {}

    /** Its class and method as a file name, such as {@code CartTest.checkout}. */
    static String name() {
        for (StackTraceElement frame : new Throwable().getStackTrace()) {
            String type = frame.getClassName();
            if (!ENGINE.contains(type) && !type.startsWith("us.abstracta.jmeter.")) {
                String simple = type.substring(type.lastIndexOf('.') + 1);
                return (simple + "." + method(frame.getMethodName())).replaceAll("[^\\w.-]+", "-");
            }
        }
        return "plan";
    }

    /** The method that has a lambda, as in {@code lambda$checkout$0}. */
    private static String method(String name) {
        String[] parts = name.split("\\$");
        return parts.length == 3 && parts[0].equals("lambda") ? parts[1] : name;
    }
}
