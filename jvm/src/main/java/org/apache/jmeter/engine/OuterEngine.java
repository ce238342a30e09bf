package org.apache.jmeter.engine;

import java.util.concurrent.atomic.AtomicInteger;
import swell.jvm.Actions;

/** What scripts see as the engine: a wish to stop the test waits here until an answer takes it outside. */
public final class OuterEngine extends StandardJMeterEngine {
    /** There is one, as in JMeter. */
    public static final OuterEngine INSTANCE = new OuterEngine();

    private final AtomicInteger wishes = new AtomicInteger();

    private OuterEngine() {
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
