package swell.jvm;

import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.jmeter.samplers.Sampler;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.threads.JMeterContext;
import org.apache.jmeter.threads.JMeterContextService;
import org.apache.jmeter.threads.HostedUser;
import org.apache.jmeter.threads.ThreadCounts;
import org.apache.jmeter.threads.UserThread;

/** A virtual user on this side: its variables, its thread-local values, its own copies of elements. */
final class User {
    private static final VarHandle PREVIOUS_SAMPLER = PrivateFields.of(JMeterContext.class, "previousSampler", Sampler.class);

    final DeltaVars vars = new DeltaVars();
    final List<LogLine> logs = new ArrayList<>();
    /** This user's copies of elements, by their numbers. */
    final Map<Integer, TestElement> elements = new HashMap<>();
    private final ThreadState state = new ThreadState();
    private String threadName = "";
    private ClassLoader loader = User.class.getClassLoader();
    JMeterContext context;
    UserThread thread;
    /** Its copies of the plan's elements; none before it enters a thread group of a hosted plan. */
    HostedUser hosted;
    /** The thread that serves it now; none between calls. */
    private Thread serving;
    /** The sampler before the current one, where this side has not seen that; told for one call. */
    Sampler before;
    /** The package whose sampler was shown last. */
    private long shownPackage = -1;
    /** What the other side has to do: bits of {@link Actions}. */
    int actions;

    /** Whose user this is: name and number of its thread, its group. */
    void read(In in) {
        threadName = in.string();
        int number = in.i32();
        String group = in.string();
        int groupThreads = in.i32();
        thread = new UserThread(this::request, threadName, number, group, groupThreads);
    }

    /** Makes the sampler that the other side has told of the previous one. */
    void putBefore() {
        if (before != null) {
            PREVIOUS_SAMPLER.set(context, before);
        }
    }

    /** A sampler is the current one. If the one before has ended, it stays the previous one. */
    void begin(Sampler sampler) {
        if (context.getCurrentSampler() == null) {
            context.setCurrentSampler(context.getPreviousSampler());
        }
        context.setCurrentSampler(sampler);
    }

    /** A sampler is the current one, instead of what was shown in its package before. */
    void show(Sampler sampler, long samplePackage) {
        if (shownPackage == samplePackage) {
            context.setCurrentSampler(context.getPreviousSampler());
        }
        begin(sampler);
        shownPackage = samplePackage;
    }

    /** This many threads run in its thread group and in all of them. */
    void count(int ofGroup, int ofAll) {
        ThreadCounts.set(context.getThreadGroup(), ofGroup);
        if (Host.countsThreads()) {
            ThreadCounts.setAll(ofAll);
        }
    }

    /** The thread groups of its phase have this many threads, and this many of them have begun. */
    void countPhase(int planned, int started, int running) {
        if (Host.countsThreads()) {
            ThreadCounts.setPhase(planned, started, running);
        }
    }

    /** Has it end, if that is the name of its thread. The other side learns that with its next answer. */
    boolean stopIfNamed(String name) {
        boolean is = threadName.equals(name);
        if (is) {
            request(Actions.STOP_THREAD);
        }
        return is;
    }

    private void request(int action) {
        actions |= action;
    }

    /** From now on the thread that runs is this user's. */
    void enter() {
        Thread current = Thread.currentThread();
        synchronized (this) {
            if (serving != null) {
                throw new BadMessage("user " + threadName + " is served by two threads");
            }
            serving = current;
        }
        state.swap();
        if (!threadName.equals(current.getName())) {
            current.setName(threadName);
        }
        current.setContextClassLoader(loader);
        if (context == null) {
            Logs.attach(logs);
            context = JMeterContextService.getContext();
            context.setVariables(vars.seen);
            context.setSamplingStarted(true);
        }
        if (hosted == null) {
            thread.fill(context);
        }
    }

    /** The thread is its own again. */
    void leave() {
        Thread current = Thread.currentThread();
        loader = current.getContextClassLoader();
        current.setContextClassLoader(User.class.getClassLoader());
        state.swap();
        synchronized (this) {
            serving = null;
            // What came too late must not meet the next user of the thread.
            Thread.interrupted();
        }
    }

    /** Interrupts what runs for this user; the line that its script had reached, 0 if unknown. */
    int interrupt() {
        synchronized (this) {
            if (serving == null) {
                return 0;
            }
            int line = Fault.lineIn(serving.getStackTrace());
            serving.interrupt();
            if (hosted != null) {
                hosted.interrupt();
            }
            return line;
        }
    }
}
