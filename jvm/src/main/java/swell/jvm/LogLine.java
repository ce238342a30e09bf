package swell.jvm;

import java.io.PrintWriter;
import java.io.StringWriter;

/** One line of a log. */
final class LogLine {
    final int level;
    final String logger;
    final String text;
    final Throwable thrown;

    /** @param level 1 error, 2 warning, 3 information, 4 debug, 5 trace, 6 printed */
    LogLine(int level, String logger, String text, Throwable thrown) {
        this.level = level;
        this.logger = logger;
        this.text = text;
        this.thrown = thrown;
    }

    void write(Out out) {
        out.u8(level);
        out.string(logger);
        out.string(text);
        out.string(thrown == null ? null : stackOf(thrown));
    }

    static String stackOf(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
