package org.apache.jmeter.threads;

import java.lang.reflect.Field;
import java.util.concurrent.atomic.AtomicInteger;

/** How many threads run, as scripts ask thread groups and {@link JMeterContextService} for it. */
public final class ThreadCounts {
    private static final Field OF_GROUP = field(AbstractThreadGroup.class, "numberOfThreads");
    private static final AtomicInteger OF_ALL = counter(field(JMeterContextService.class, "NUMBER_OF_ACTIVE_THREADS"), null);

    private static final AtomicInteger PLANNED = counter(field(JMeterContextService.class, "TOTAL_THREADS"), null);
    private static final AtomicInteger STARTED = counter(field(JMeterContextService.class, "NUMBER_OF_THREADS_STARTED"), null);
    private static final AtomicInteger FINISHED = counter(field(JMeterContextService.class, "NUMBER_OF_THREADS_FINISHED"), null);

    private ThreadCounts() {
    }

    /** This many threads of a group run. */
    public static void set(AbstractThreadGroup group, int threads) {
        counter(OF_GROUP, group).set(threads);
    }

    /** This many threads of all groups run. */
    public static void setAll(int threads) {
        OF_ALL.set(threads);
    }

    /** The thread groups of the phase have this many threads; this many have begun, and this many of them run. */
    public static void setPhase(int planned, int started, int running) {
        PLANNED.set(planned);
        STARTED.set(started);
        FINISHED.set(Math.max(0, started - running));
    }

    private static Field field(Class<?> owner, String name) {
        try {
            Field field = owner.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static AtomicInteger counter(Field field, Object owner) {
        try {
            return (AtomicInteger) field.get(owner);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
