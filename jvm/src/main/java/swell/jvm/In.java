package swell.jvm;

import java.nio.charset.StandardCharsets;

/** Reads a message: little-endian numbers, strings and byte strings after their length. */
final class In {
    /** The length that means "none". */
    static final int NONE = -1;

    byte[] bytes = new byte[4096];
    int at;
    int end;

    void reset(int length) {
        at = 0;
        end = length;
    }

    int u8() {
        need(1);
        return bytes[at++] & 0xff;
    }

    boolean flag() {
        return u8() != 0;
    }

    int i32() {
        need(4);
        int value = (bytes[at] & 0xff) | (bytes[at + 1] & 0xff) << 8 | (bytes[at + 2] & 0xff) << 16 | bytes[at + 3] << 24;
        at += 4;
        return value;
    }

    long i64() {
        return (i32() & 0xffff_ffffL) | (long) i32() << 32;
    }

    /** A string; null where there is none. */
    String string() {
        int length = i32();
        if (length == NONE) {
            return null;
        }
        need(length);
        String value = new String(bytes, at, length, StandardCharsets.UTF_8);
        at += length;
        return value;
    }

    /** Bytes; null where there are none. */
    byte[] blob() {
        int length = i32();
        if (length == NONE) {
            return null;
        }
        need(length);
        byte[] value = java.util.Arrays.copyOfRange(bytes, at, at + length);
        at += length;
        return value;
    }

    /** A count of things that take at least a byte each. */
    int count() {
        int count = i32();
        if (count < 0 || count > end - at) {
            throw new BadMessage("a list of " + count + " entries in the last " + (end - at) + " bytes");
        }
        return count;
    }

    private void need(int length) {
        if (length < 0 || length > end - at) {
            throw new BadMessage("a field of " + length + " bytes where " + (end - at) + " are left");
        }
    }
}
