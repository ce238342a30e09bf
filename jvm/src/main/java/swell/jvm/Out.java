package swell.jvm;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writes a message; the counterpart of {@link In}. */
final class Out {
    /** What a buffer may keep between calls. */
    private static final int KEPT = 1 << 20;

    byte[] bytes = new byte[4096];
    int at;

    void reset() {
        at = 0;
        if (bytes.length > KEPT) {
            bytes = new byte[4096];
        }
    }

    void u8(int value) {
        room(1);
        bytes[at++] = (byte) value;
    }

    void flag(boolean value) {
        u8(value ? 1 : 0);
    }

    void i32(int value) {
        room(4);
        put(at, value);
        at += 4;
    }

    void i64(long value) {
        i32((int) value);
        i32((int) (value >>> 32));
    }

    void string(String value) {
        if (value == null) {
            i32(In.NONE);
        } else {
            blob(value.getBytes(StandardCharsets.UTF_8));
        }
    }

    void blob(byte[] value) {
        if (value == null) {
            i32(In.NONE);
            return;
        }
        i32(value.length);
        room(value.length);
        System.arraycopy(value, 0, bytes, at, value.length);
        at += value.length;
    }

    /** Appends a message that is whole. */
    void append(byte[] message) {
        room(message.length);
        System.arraycopy(message, 0, bytes, at, message.length);
        at += message.length;
    }

    /** Appends what another holds. */
    void append(Out other) {
        room(other.at);
        System.arraycopy(other.bytes, 0, bytes, at, other.at);
        at += other.at;
    }

    /** Leaves room for a number that {@link #fill} sets. */
    int hole() {
        i32(0);
        return at - 4;
    }

    void fill(int hole, int value) {
        put(hole, value);
    }

    private void put(int place, int value) {
        bytes[place] = (byte) value;
        bytes[place + 1] = (byte) (value >>> 8);
        bytes[place + 2] = (byte) (value >>> 16);
        bytes[place + 3] = (byte) (value >>> 24);
    }

    private void room(int length) {
        if (bytes.length - at < length) {
            bytes = Arrays.copyOf(bytes, Math.addExact(Math.max(bytes.length * 2, at), length));
        }
    }
}
