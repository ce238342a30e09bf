package swell.jvm;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Samples on their way out, as messages. Threads that bring more than it holds wait, as they do for a listener in JMeter that is slow. */
final class SampleQueue {
    private static final int MOST = 10_000;
    private static final long MOST_BYTES = 64 << 20;
    /** What one call takes along. */
    private static final int AT_ONCE = 1_000;
    private static final long AT_ONCE_BYTES = 4 << 20;

    private final ArrayDeque<byte[]> queue = new ArrayDeque<>();
    private long bytes;
    private boolean isClosed;

    /** Waits for room. What comes after {@link #close} is forgotten. */
    synchronized void put(byte[] sample) throws InterruptedException {
        while (!isClosed && !queue.isEmpty() && (queue.size() >= MOST || bytes + sample.length > MOST_BYTES)) {
            wait();
        }
        if (!isClosed) {
            queue.add(sample);
            bytes += sample.length;
            notifyAll();
        }
    }

    /** Waits for the first sample up to that time, but not where there will be none. */
    synchronized List<byte[]> take(long limitMs) throws InterruptedException {
        long end = System.nanoTime() + limitMs * 1_000_000;
        while (queue.isEmpty() && !isClosed) {
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                break;
            }
            wait(left);
        }
        List<byte[]> taken = new ArrayList<>();
        long takenBytes = 0;
        while (!queue.isEmpty() && taken.size() < AT_ONCE && takenBytes < AT_ONCE_BYTES) {
            byte[] sample = queue.remove();
            takenBytes += sample.length;
            taken.add(sample);
        }
        bytes -= takenBytes;
        notifyAll();
        return taken;
    }

    synchronized boolean isEmpty() {
        return queue.isEmpty();
    }

    /** There will be no more. */
    synchronized void close() {
        isClosed = true;
        notifyAll();
    }
}
