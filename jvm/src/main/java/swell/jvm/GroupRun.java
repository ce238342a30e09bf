package swell.jvm;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.jmeter.engine.OuterEngine;
import org.apache.jmeter.samplers.SampleEvent;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.threads.AbstractThreadGroup;
import org.apache.jmeter.threads.HostedPlan;
import org.apache.jmeter.threads.JMeterContext;
import org.apache.jmeter.threads.JMeterContextService;
import org.apache.jmeter.threads.ListenerNotifier;
import org.apache.jmeter.util.JMeterUtils;
import org.apache.jorphan.collections.ListedHashTree;

/** A thread group that runs whole, on threads that JMeter starts for it. */
final class GroupRun {
    private static final long STACK = 2 << 20;
    private static final int IS_TRANSACTION = 1;
    private static final int COUNTS = 2;
    private static final Map<Integer, GroupRun> RUNS = new ConcurrentHashMap<>();
    private static final ThreadLocal<Heard> HEARD = ThreadLocal.withInitial(Heard::new);

    private final HostedPlan plan;
    private final AbstractThreadGroup group;
    private final int number;
    private final int without;
    private final SampleQueue queue = new SampleQueue();
    private final AtomicInteger started = new AtomicInteger();
    private final AtomicInteger finished = new AtomicInteger();
    private volatile boolean isStopped;
    private volatile boolean isOver;
    private volatile String problem;

    /** A sample that its thread's listeners receive one after the other. */
    private static final class Heard {
        GroupRun run;
        SampleResult sample;
        SampleEvent event;
        final List<Integer> listeners = new ArrayList<>();
    }

    private GroupRun(HostedPlan plan, AbstractThreadGroup group, int number, int without) {
        this.plan = plan;
        this.group = group;
        this.number = number;
        this.without = without;
    }

    /** Starts the group with that id; {@code without} are fields of samples that are not read. */
    static void start(HostedPlan plan, int id, int number, long delayMs, int without) {
        ListedHashTree tree = plan.treeOf(id);
        if (tree == null) {
            throw new BadMessage("no thread group " + id);
        }
        GroupRun run = new GroupRun(plan, (AbstractThreadGroup) tree.getArray()[0], number, without);
        RUNS.put(id, run);
        run.daemon("group-" + id, () -> run.run(tree, delayMs)).start();
    }

    static GroupRun of(int id) {
        GroupRun run = RUNS.get(id);
        if (run == null) {
            throw new BadMessage("no running thread group " + id);
        }
        return run;
    }

    /** The receiver of samples is gone. */
    static void forgetAll() {
        for (GroupRun run : RUNS.values()) {
            run.stop(true);
            run.queue.close();
        }
        RUNS.clear();
    }

    /** That whose thread this is. */
    static GroupRun ofThread() {
        Heard heard = HEARD.get();
        if (heard.run == null) {
            AbstractThreadGroup group = JMeterContextService.getContext().getThreadGroup();
            heard.run = group == null ? null : RUNS.get(group.getPropertyAsInt(HostedPlan.NUMBER, -1));
            if (heard.run == null && RUNS.size() == 1) {
                // A thread that a sampler has started for itself.
                heard.run = RUNS.values().iterator().next();
            }
            if (heard.run == null) {
                throw new IllegalStateException("a sample of no running thread group");
            }
        }
        return heard.run;
    }

    /** Has the thread of that name end after its sample; false if no group has it. */
    static boolean stopThread(String name) {
        return RUNS.values().stream().anyMatch(run -> run.group.stopThread(name, false));
    }

    private Thread daemon(String name, Runnable work) {
        Thread thread = new Thread(null, work, name, STACK);
        thread.setDaemon(true);
        thread.setContextClassLoader(GroupRun.class.getClassLoader());
        return thread;
    }

    private void run(ListedHashTree tree, long delayMs) {
        try {
            Thread.sleep(delayMs);
            if (!isStopped) {
                JMeterContext context = JMeterContextService.getContext();
                context.setVariables(plan.variables());
                context.setSamplingStarted(true);
                JMeterContextService.addTotalThreads(group.getNumThreads());
                group.start(number, new ListenerNotifier(), tree, OuterEngine.INSTANCE);
                if (isStopped) {
                    group.stop();
                }
                group.waitThreadsStopped();
            }
        } catch (InterruptedException e) {
            problem = "it was interrupted";
        } catch (Throwable e) {
            problem = LogLine.stackOf(e);
        }
        if (!isOver) {
            isOver = true;
            queue.close();
        }
    }

    /** Asks its threads to stop, and does not wait for them. */
    void stop(boolean now) {
        isStopped = true;
        if (now) {
            daemon("group-stop", this::stopNow).start();
        } else {
            group.stop();
        }
    }

    /** Source: {@code StandardJMeterEngine.StopTest}. Waits for all threads together as long as JMeter waits for each. */
    private void stopNow() {
        group.tellThreadsToStop();
        long end = System.nanoTime() + JMeterUtils.getPropDefault("jmeterengine.threadstop.wait", 5_000) * 1_000_000L;
        try {
            while (!isOver && System.nanoTime() < end) {
                Thread.sleep(10);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!isOver) {
            problem = group.numberOfActiveThreads() + " of its threads did not end when they were interrupted, and were left behind";
            isOver = true;
            queue.close();
        }
    }

    void threadStarted() {
        started.incrementAndGet();
    }

    void threadFinished() {
        tell(HEARD.get(), false);
        HEARD.remove();
        finished.incrementAndGet();
    }

    /** A listener of the plan hears of a sample, or, as the last, the sink below the Test Plan, whose number is negative. */
    void heard(SampleEvent event, int listener) {
        Heard heard = HEARD.get();
        if (heard.sample != event.getResult()) {
            tell(heard, false);
            heard.sample = event.getResult();
            heard.event = event;
        }
        if (listener < 0) {
            tell(heard, true);
        } else {
            heard.listeners.add(listener);
        }
    }

    private void tell(Heard heard, boolean counts) {
        if (heard.sample == null) {
            return;
        }
        Out out = new Out();
        out.u8((heard.event.isTransactionSampleEvent() ? IS_TRANSACTION : 0) | (counts ? COUNTS : 0));
        out.i32(heard.listeners.size());
        heard.listeners.forEach(out::i32);
        out.i32(SampleEvent.getVarCount());
        for (int i = 0; i < SampleEvent.getVarCount(); i++) {
            out.string(SampleEvent.getVarName(i));
            out.string(heard.event.getVarValue(i));
        }
        Samples.writeWithout(out, heard.sample, without);
        heard.sample = null;
        heard.event = null;
        heard.listeners.clear();
        try {
            queue.put(java.util.Arrays.copyOf(out.bytes, out.at));
        } catch (InterruptedException e) {
            // Its thread is to stop; this sample was taken after that.
            Thread.currentThread().interrupt();
        }
    }

    /** Writes what happened since the last call; waits for it up to that time. */
    void take(long limitMs, Out out) throws InterruptedException {
        // Before the samples: what comes later is for the next call.
        boolean wasOver = isOver;
        List<byte[]> samples = queue.take(limitMs);
        out.i32(samples.size());
        samples.forEach(out::append);
        // `stopNow` may have given up threads that are still there.
        int active = isOver ? 0 : group.numberOfActiveThreads();
        out.i32(active);
        out.i32(started.get());
        out.i32(isOver ? started.get() : finished.get());
        out.i32(Math.max(group.getNumThreads(), started.get()));
        out.flag(wasOver && queue.isEmpty());
        out.string(problem);
        out.u8(OuterEngine.INSTANCE.takeWishes());
        Host.props().write(out);
        Logs.write(out, new ArrayList<>());
    }
}
