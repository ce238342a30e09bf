package swell.jvm;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Answers requests: one operation each, told by its first byte. */
final class Host {
    private static final int START = 1;
    private static final int DEFINE_SCRIPT = 2;
    private static final int DEFINE_CALL = 3;
    private static final int USER_STARTED = 4;
    private static final int RUN_SCRIPT = 5;
    private static final int EVALUATE = 6;
    private static final int USER_ENDED = 7;
    private static final int INTERRUPT = 8;
    private static final int TEST_ENDED = 9;

    private static final int ANSWERED = 0;
    private static final int REFUSED = 1;

    private static final Map<Long, User> USERS = new ConcurrentHashMap<>();
    private static final Runner RUNNER = new Runner();
    private static volatile DeltaProps props;

    private Host() {
    }

    /** JMeter's properties. */
    static DeltaProps props() {
        return props;
    }

    /** Answers a request: 0 and the answer, or 1 with class and message of what went wrong. */
    static void answer(In in, Out out) {
        out.u8(ANSWERED);
        try {
            answer(in.u8(), in, out);
        } catch (Throwable e) {
            out.at = 0;
            out.u8(REFUSED);
            out.string(e.getClass().getName());
            out.string(e instanceof BadMessage ? e.getMessage() : LogLine.stackOf(e));
        }
    }

    private static void answer(int operation, In in, Out out) throws Exception {
        switch (operation) {
            case START:
                props = Startup.start(in);
                Logs.write(out, new java.util.ArrayList<>());
                break;
            case DEFINE_SCRIPT:
                RUNNER.define(in.i32(), in);
                break;
            case DEFINE_CALL:
                RUNNER.defineCall(in.i32(), in);
                break;
            case USER_STARTED:
                USERS.computeIfAbsent(in.i64(), id -> new User()).read(in);
                break;
            case RUN_SCRIPT:
                User user = user(in.i64());
                RUNNER.run(in.i32(), user, in, out);
                break;
            case EVALUATE:
                User caller = user(in.i64());
                RUNNER.evaluate(in.i32(), caller, in, out);
                break;
            case USER_ENDED:
                USERS.remove(in.i64());
                break;
            case INTERRUPT:
                User served = USERS.get(in.i64());
                out.flag(served != null && served.interrupt());
                break;
            case TEST_ENDED:
                USERS.clear();
                RUNNER.forget();
                break;
            default:
                throw new BadMessage("no operation " + operation);
        }
    }

    private static User user(long id) {
        User user = USERS.get(id);
        if (user == null) {
            throw new BadMessage("no user " + id);
        }
        return user;
    }
}
