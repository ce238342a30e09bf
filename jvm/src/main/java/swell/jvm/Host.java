package swell.jvm;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.jmeter.engine.OuterEngine;
import org.apache.jmeter.threads.HostedPlan;
import org.apache.jmeter.threads.JMeterContextService;

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
    private static final int PLAN = 10;
    private static final int ENTER_GROUP = 11;
    private static final int START_ITERATION = 12;
    private static final int RUN_ELEMENT = 13;
    private static final int GROUPS = 20;
    private static final int START_GROUP = 21;
    private static final int TAKE_SAMPLES = 22;
    private static final int STOP_GROUP = 23;
    private static final int GROUPS_ENDED = 24;

    private static final int ANSWERED = 0;
    private static final int REFUSED = 1;

    private static final Map<Long, User> USERS = new ConcurrentHashMap<>();
    private static final Runner RUNNER = new Runner();
    private static volatile DeltaProps props;
    private static volatile HostedPlan plan;
    /** The plan of thread groups that run whole. */
    private static volatile HostedPlan groups;

    private Host() {
    }

    /** Whether only the other side counts threads: no thread group runs whole here. */
    static boolean countsThreads() {
        return groups == null;
    }

    /** JMeter's properties. */
    static DeltaProps props() {
        return props;
    }

    /** Answers a request: 0 and the answer, or 1 with class and message of what went wrong. */
    static void answer(In in, Out out) {
        int begin = out.at;
        out.u8(ANSWERED);
        try {
            answer(in.u8(), in, out);
        } catch (Throwable e) {
            out.at = begin;
            out.u8(REFUSED);
            out.string(e.getClass().getName());
            out.string(e instanceof BadMessage ? e.getMessage() : LogLine.stackOf(e));
        }
    }

    private static void answer(int operation, In in, Out out) throws Exception {
        switch (operation) {
            case START:
                props = Startup.start(in);
                OuterEngine.INSTANCE.know(Host::stopUser);
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
                User ended = USERS.remove(in.i64());
                if (ended != null) {
                    Runner.finish(ended);
                }
                break;
            case INTERRUPT:
                User served = USERS.get(in.i64());
                out.i32(served == null ? 0 : served.interrupt());
                break;
            case TEST_ENDED:
                finishUsers();
                RUNNER.forget();
                endPlan();
                endGroups();
                Logs.write(out, new java.util.ArrayList<>());
                break;
            case PLAN:
                endPlan();
                plan = new HostedPlan(in.blob(), in.string());
                break;
            case ENTER_GROUP:
            case START_ITERATION:
            case RUN_ELEMENT:
                hosted(operation, user(in.i64()), in, out);
                break;
            case GROUPS:
            case START_GROUP:
            case TAKE_SAMPLES:
            case STOP_GROUP:
            case GROUPS_ENDED:
                group(operation, in, out);
                break;
            default:
                throw new BadMessage("no operation " + operation);
        }
    }

    /** Has the user whose thread has that name end after its sample; false if none here has. */
    private static boolean stopUser(String threadName) {
        for (User user : USERS.values()) {
            if (user.stopIfNamed(threadName)) {
                return true;
            }
        }
        return GroupRun.stopThread(threadName);
    }

    private static void group(int operation, In in, Out out) throws Exception {
        if (operation == GROUPS) {
            endGroups();
            props.read(in);
            JMeterContextService.startTest();
            groups = new HostedPlan(in.blob(), in.string());
        } else if (operation == START_GROUP) {
            props.read(in);
            GroupRun.start(groups, in.i32(), in.i32(), in.i64(), in.i32());
        } else if (operation == TAKE_SAMPLES) {
            props.read(in);
            GroupRun.of(in.i32()).take(in.i64(), out);
        } else if (operation == STOP_GROUP) {
            GroupRun.of(in.i32()).stop(in.flag());
        } else {
            endGroups();
            Logs.write(out, new java.util.ArrayList<>());
        }
    }

    private static synchronized void endGroups() {
        GroupRun.forgetAll();
        HostedPlan ended = groups;
        groups = null;
        if (ended != null) {
            ended.end();
        }
    }

    private static void hosted(int operation, User user, In in, Out out) {
        if (operation == START_ITERATION) {
            RUNNER.startIteration(user, in, out);
        } else if (operation == RUN_ELEMENT) {
            RUNNER.runElement(in.i32(), user, in, out);
        } else if (plan == null) {
            throw new BadMessage("no plan");
        } else {
            RUNNER.enterGroup(in.i32(), plan, user, in, out);
        }
    }

    /** Users without a regular end: those that were stopped at once. */
    private static void finishUsers() {
        for (User user : USERS.values()) {
            try {
                Runner.finish(user);
            } catch (BadMessage e) {
                // A call of it has not ended; it is no longer awaited.
                continue;
            } catch (RuntimeException e) {
                // The log of the run takes nothing any more.
                e.printStackTrace();
            }
        }
        USERS.clear();
    }

    private static synchronized void endPlan() {
        HostedPlan ended = plan;
        plan = null;
        if (ended != null) {
            ended.end();
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
