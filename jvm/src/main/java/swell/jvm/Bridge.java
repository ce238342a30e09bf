package swell.jvm;

import java.nio.ByteBuffer;

/** The entry for native threads of the same process: a request in one direct buffer, the answer in another. */
public final class Bridge {
    private static final ThreadLocal<Buffers> BUFFERS = ThreadLocal.withInitial(Buffers::new);

    private Bridge() {
    }

    private static final class Buffers {
        final In in = new In();
        final Out out = new Out();

        Buffers() {
            // Native threads have none, and without it no script engine is found.
            Thread.currentThread().setContextClassLoader(Bridge.class.getClassLoader());
        }
    }

    /**
     * Answers a request.
     *
     * @param request its bytes
     * @param length how many
     * @param answer where the answer goes if it fits
     * @return the length of the answer; if it does not fit, that length as a negative number, and {@link #fetch} brings it
     */
    public static int call(ByteBuffer request, int length, ByteBuffer answer) {
        Buffers buffers = BUFFERS.get();
        In in = buffers.in;
        if (in.bytes.length < length) {
            in.bytes = new byte[Math.max(length, in.bytes.length * 2)];
        }
        request.clear();
        request.get(in.bytes, 0, length);
        in.reset(length);
        buffers.out.reset();
        Host.answer(in, buffers.out);
        return deliver(buffers.out, answer);
    }

    /** Brings the answer of the call before into a larger buffer. */
    public static int fetch(ByteBuffer answer) {
        return deliver(BUFFERS.get().out, answer);
    }

    private static int deliver(Out out, ByteBuffer answer) {
        if (out.at > answer.capacity()) {
            return -out.at;
        }
        answer.clear();
        answer.put(out.bytes, 0, out.at);
        return out.at;
    }
}
