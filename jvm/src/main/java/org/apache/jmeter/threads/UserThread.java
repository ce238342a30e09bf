package org.apache.jmeter.threads;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
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
    private static final VarHandle COMPILER;
    private static final Field VARIABLES;

    static {
        try {
            COMPILER = MethodHandles.privateLookupIn(JMeterThread.class, MethodHandles.lookup())
                    .findVarHandle(JMeterThread.class, "compiler", TestCompiler.class);
            VARIABLES = JMeterThread.class.getDeclaredField("threadVars");
            VARIABLES.setAccessible(true);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final IntConsumer request;
    private final AbstractThreadGroup group;

    /**
     * @param request takes bits of {@link Actions}
     * @param name of the thread
     * @param number of the thread, from 0
     * @param groupName name of the thread group
     * @param groupThreads how many threads the group has
     */
    public UserThread(IntConsumer request, String name, int number, String groupName, int groupThreads) {
        this(EMPTY, request, name, number,
                GROUPS.computeIfAbsent(groupThreads + " " + groupName, key -> groupOf(groupName, groupThreads)));
    }

    private UserThread(ListedHashTree tree, IntConsumer request, String name, int number, AbstractThreadGroup group) {
        super(tree, thread -> { }, new ListenerNotifier());
        this.request = request;
        this.group = group;
        setThreadName(name);
        setThreadNum(number);
        setThreadGroup(group);
    }

    private static ThreadGroup groupOf(String name, int threads) {
        ThreadGroup group = new ThreadGroup();
        group.setName(name);
        group.setNumThreads(threads);
        // Without it the group tells nothing of its times either.
        group.setSamplerController(new LoopController());
        return group;
    }

    /** The same thread over the elements of its group. Some plug-ins copy the private fields of a thread, so these are set too. */
    UserThread with(ListedHashTree tree, AbstractThreadGroup ofPlan, JMeterVariables variables) {
        UserThread thread = new UserThread(tree, request, getThreadName(), getThreadNum(), ofPlan);
        try {
            VARIABLES.set(thread, variables);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
        return thread;
    }

    /** What merges configuration elements into samplers. */
    TestCompiler compiler() {
        return (TestCompiler) COMPILER.get(this);
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
