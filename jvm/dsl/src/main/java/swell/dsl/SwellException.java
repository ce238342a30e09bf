package swell.dsl;

import java.io.IOException;

/** The program {@code swell} cannot be started, or ended with an error. */
public final class SwellException extends IOException {
    private static final long serialVersionUID = 1;

    /** No exit status: the program did not start. */
    static final int NOT_STARTED = -1;

    private final int status;

    SwellException(int status, String message) {
        super(message);
        this.status = status;
    }

    /** The exit status of {@code swell run}, such as 99 for a crossed threshold; -1 if the program did not start. */
    public int status() {
        return status;
    }

    /** The meaning of an exit status, as {@code swell run --help} has it. */
    static String meaning(int status) {
        switch (status) {
            case 99:
                return "a threshold was crossed";
            case 104:
                return "bad plan or settings";
            case 105:
                return "interrupted";
            case 107:
                return "a script ended the test";
            case 109:
                return "an internal error";
            case 110:
                return "the verdict is DEGRADED";
            case 111:
                return "the verdict is INVALID";
            case 112:
                return "results could not be written completely";
            case 113:
                return "no sample finished";
            default:
                return "unexpected";
        }
    }
}
