package swell.jvm;

/** A request that this side does not understand: the two halves of the bridge do not belong together. */
final class BadMessage extends RuntimeException {
    private static final long serialVersionUID = 1;

    BadMessage(String what) {
        super(what);
    }
}
