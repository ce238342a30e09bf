package swell.jvm;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/**
 * Standard output of a run that is traced: what an element prints becomes lines of the log of its call. What other threads print
 * goes where messages go.
 */
final class CallOutput extends OutputStream {
    /** The level of lines that were printed. */
    private static final int PRINTED = 6;

    /** The line that has not ended yet, of each user. */
    private static final ThreadLocal<ByteArrayOutputStream> LINE = ThreadLocal.withInitial(ByteArrayOutputStream::new);

    /** Bytes of a line; a longer one becomes several. */
    private static final int MOST = 1 << 16;

    private static volatile boolean installed;

    private final PrintStream other;

    private CallOutput(PrintStream other) {
        this.other = other;
    }

    /** Makes it standard output. */
    static void install() {
        installed = true;
        System.setOut(new PrintStream(new CallOutput(System.err), true, StandardCharsets.UTF_8));
    }

    /** Standard output as scripts have it. Java loses what is printed to it after the last end of a line; in a trace it is shown. */
    static PrintWriter writer() {
        if (!installed) {
            return new PrintWriter(System.out, true);
        }
        return new PrintWriter(System.out, true) {
            @Override
            public void write(String text, int from, int length) {
                super.write(text, from, length);
                flush();
            }
        };
    }

    /** A call ends: the last line need not have an end. */
    static void endLine() {
        if (!installed) {
            return;
        }
        ByteArrayOutputStream line = LINE.get();
        if (line.size() > 0) {
            take(line);
        }
    }

    @Override
    public void write(int b) {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) {
        if (!Logs.isOfCall()) {
            other.write(bytes, from, length);
            return;
        }
        ByteArrayOutputStream line = LINE.get();
        int begin = from;
        for (int at = from; at < from + length; at++) {
            if (bytes[at] == '\n' || at - begin + line.size() >= MOST) {
                line.write(bytes, begin, at - begin);
                take(line);
                begin = bytes[at] == '\n' ? at + 1 : at;
            }
        }
        line.write(bytes, begin, from + length - begin);
    }

    @Override
    public void flush() {
        other.flush();
    }

    private static void take(ByteArrayOutputStream line) {
        String text = line.toString(StandardCharsets.UTF_8);
        line.reset();
        Logs.add(new LogLine(PRINTED, "", text.endsWith("\r") ? text.substring(0, text.length() - 1) : text, null));
    }
}
