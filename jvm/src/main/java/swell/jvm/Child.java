package swell.jvm;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The program of a child process: requests come on standard input, answers go to standard output. Before each is its length, and a
 * number that says which answer belongs to which request. The process ends when its input does.
 */
public final class Child {
    /** As threads have that call the JVM in the process of Swell. */
    private static final long STACK = 2 << 20;

    private final OutputStream answers = new FileOutputStream(FileDescriptor.out);

    private Child() {
    }

    /** Serves until standard input ends. */
    public static void main(String[] arguments) throws IOException {
        System.setOut(System.err);
        new Child().serve(new DataInputStream(new BufferedInputStream(new FileInputStream(FileDescriptor.in), 1 << 16)));
        // Threads of scripts must not keep a process whose peer is gone.
        System.exit(0);
    }

    private void serve(DataInputStream requests) throws IOException {
        // A call that blocks holds its thread; the other side bounds how many there are.
        ExecutorService threads = Executors.newCachedThreadPool(work -> {
            Thread thread = new Thread(null, work, "jvm-call", STACK);
            thread.setDaemon(true);
            return thread;
        });
        while (true) {
            In in = new In();
            long ticket;
            try {
                int length = Integer.reverseBytes(requests.readInt());
                ticket = Long.reverseBytes(requests.readLong());
                in.bytes = new byte[length];
                requests.readFully(in.bytes);
                in.reset(length);
            } catch (EOFException e) {
                return;
            }
            threads.execute(() -> answer(ticket, in));
        }
    }

    private void answer(long ticket, In in) {
        Out out = new Out();
        int length = out.hole();
        out.i64(ticket);
        Host.answer(in, out);
        out.fill(length, out.at - 12);
        try {
            synchronized (answers) {
                answers.write(out.bytes, 0, out.at);
                answers.flush();
            }
        } catch (IOException e) {
            // The reader is gone.
            Runtime.getRuntime().halt(1);
        }
    }
}
