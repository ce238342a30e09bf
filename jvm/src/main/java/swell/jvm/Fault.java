package swell.jvm;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What went wrong in an element: class and message of the exception, the line of the script if it is known. */
final class Fault {
    private static final Pattern SCRIPT_FILE = Pattern.compile("Script\\d+\\.groovy");
    private static final Pattern LINE_IN_TEXT = Pattern.compile(
            "(?:@ line |at Line: |at line number |#|Script\\d+\\.groovy: )(\\d+)");
    private static final Pattern EXCEPTION_IN_TEXT = Pattern.compile("([\\w.$]+(?:Exception|Error)): (.*)", Pattern.DOTALL);
    /** What JMeter's elements write when their script failed. */
    private static final Pattern PROBLEM = Pattern.compile(
            "Problem in (?:JSR223|BSF|BeanShell) script|Error in BeanShellAssertion|Exception executing script\\."
                    + "|BSF error|Problem evaluating the script|Number format exception while decoding"
                    + "|Error running (?:groovy|BSH) script|Error processing Javascript|An error occurred while evaluating");

    private final String className;
    private final String message;
    private final int line;
    private final boolean isError;

    private Fault(String className, String message, int line, boolean isError) {
        this.className = className;
        this.message = message;
        this.line = line;
        this.isError = isError;
    }

    static Fault of(Throwable thrown) {
        Throwable root = rootOf(thrown);
        return new Fault(root.getClass().getName(), root.getMessage(), lineOf(thrown), root instanceof Error);
    }

    /** The throwable that left an element, unchanged: what JMeter does with it depends on its class. The message includes its cause. */
    static Fault thrown(Throwable thrown) {
        Throwable root = rootOf(thrown);
        String message = String.valueOf(thrown.getMessage());
        boolean tells = root == thrown || message.contains(String.valueOf(root.getMessage()));
        String told = tells ? thrown.getMessage() : message + ", caused by " + root;
        return new Fault(thrown.getClass().getName(), told, lineOf(thrown), thrown instanceof Error);
    }

    /** The exception that an element of JMeter swallowed, from its log. */
    static Fault in(List<LogLine> lines) {
        for (LogLine line : lines) {
            if (line.level <= 2 && PROBLEM.matcher(line.text).lookingAt()) {
                return line.thrown == null ? inText(line.text) : of(line.thrown);
            }
        }
        return null;
    }

    private static Fault inText(String text) {
        Matcher exception = EXCEPTION_IN_TEXT.matcher(text);
        boolean named = exception.find();
        Matcher line = LINE_IN_TEXT.matcher(text);
        String name = named ? exception.group(1) : "";
        return new Fault(name, named ? exception.group(2) : text, line.find() ? number(line) : 0, name.endsWith("Error"));
    }

    private static Throwable rootOf(Throwable thrown) {
        Throwable root = thrown;
        for (int depth = 0; root.getCause() != null && root.getCause() != root && depth < 100; depth++) {
            root = root.getCause();
        }
        return root;
    }

    private static int lineOf(Throwable thrown) {
        Throwable cause = thrown;
        for (int depth = 0; cause != null && depth < 100; depth++) {
            int inStack = lineIn(cause.getStackTrace());
            if (inStack > 0) {
                return inStack;
            }
            Matcher line = LINE_IN_TEXT.matcher(String.valueOf(cause.getMessage()));
            if (line.find()) {
                return number(line);
            }
            cause = cause.getCause();
        }
        return 0;
    }

    /**
     * The line of a script that a stack names first; 0 if it names none.
     *
     * <p>Groovy's compiler adds methods that have no lines (tables of call sites, what annotations generate): who called them counts.
     */
    static int lineIn(StackTraceElement[] stack) {
        for (StackTraceElement frame : stack) {
            String file = frame.getFileName();
            if (file != null && frame.getLineNumber() > 0 && SCRIPT_FILE.matcher(file).matches()) {
                return frame.getLineNumber();
            }
        }
        return 0;
    }

    private static int number(Matcher line) {
        String digits = line.group(1);
        return digits.length() > 9 ? 0 : Integer.parseInt(digits);
    }

    void write(Out out) {
        out.string(className);
        out.string(message);
        out.i32(line);
        out.flag(isError);
    }
}
