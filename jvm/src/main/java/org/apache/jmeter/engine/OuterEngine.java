package org.apache.jmeter.engine;

import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.apache.jmeter.threads.AbstractThreadGroup;
import swell.jvm.Actions;
import swell.jvm.PrivateFields;

/** What scripts see as the engine: a wish to stop the test waits here until an answer takes it outside. */
public final class OuterEngine extends StandardJMeterEngine {
    private static final VarHandle GROUPS = PrivateFields.of(StandardJMeterEngine.class, "groups", List.class);

    /** There is one, as in JMeter. */
    public static final OuterEngine INSTANCE = new OuterEngine();

    private final AtomicInteger wishes = new AtomicInteger();

    private OuterEngine() {
    }

    /** These are the users that it can be asked to stop by the names of their threads, until it receives others. */
    @SuppressWarnings("unchecked")
    public void know(Predicate<String> stop) {
        List<AbstractThreadGroup> groups = (List<AbstractThreadGroup>) GROUPS.get(this);
        groups.clear();
        groups.add(new OuterUsers(stop));
    }

    /** The bits of {@link Actions} that were asked for since the last time. */
    public int takeWishes() {
        return wishes.get() == 0 ? 0 : wishes.getAndSet(0);
    }

    @Override
    public void stopTest() {
        stopTest(true);
    }

    @Override
    public void stopTest(boolean now) {
        wish(now ? Actions.STOP_TEST_NOW : Actions.STOP_TEST);
    }

    @Override
    public void askThreadsToStop() {
        wish(Actions.STOP_TEST);
    }

    private void wish(int action) {
        wishes.accumulateAndGet(action, (a, b) -> a | b);
    }

    @Override
    public boolean isActive() {
        return true;
    }
}
