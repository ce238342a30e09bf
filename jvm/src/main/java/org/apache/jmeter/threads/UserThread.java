package org.apache.jmeter.threads;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;
import org.apache.jmeter.control.LoopController;
import org.apache.jmeter.engine.OuterEngine;
import org.apache.jorphan.collections.ListedHashTree;
import swell.jvm.Actions;

/** What scripts see as their thread and thread group. It never runs: a wish to stop it goes to the engine outside. */
public final class UserThread extends JMeterThread {
    private static final ListedHashTree EMPTY = new ListedHashTree(new LoopController());
    private static final Map<String, ThreadGroup> GROUPS = new ConcurrentHashMap<>();

    private final IntConsumer request;
    private final ThreadGroup group;

    /**
     * @param request takes bits of {@link Actions}
     * @param name of the thread
     * @param number of the thread, from 0
     * @param groupName name of the thread group
     * @param groupThreads how many threads the group has
     */
    public UserThread(IntConsumer request, String name, int number, String groupName, int groupThreads) {
        super(EMPTY, thread -> { }, null);
        this.request = request;
        group = GROUPS.computeIfAbsent(groupThreads + " " + groupName, key -> groupOf(groupName, groupThreads));
        setThreadName(name);
        setThreadNum(number);
        setThreadGroup(group);
    }

    private static ThreadGroup groupOf(String name, int threads) {
        ThreadGroup group = new ThreadGroup();
        group.setName(name);
        group.setNumThreads(threads);
        return group;
    }

    /** Puts thread, group and engine into a context. */
    public void fill(JMeterContext context) {
        if (context.getThread() == this) {
            return;
        }
        context.setThread(this);
        context.setThreadNum(getThreadNum());
        context.setThreadGroup(group);
        context.setEngine(OuterEngine.INSTANCE);
    }

    @Override
    public void stop() {
        request.accept(Actions.STOP_THREAD);
    }
}
