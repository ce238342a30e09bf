package swell.jvm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The thread-local values of a thread. To JMeter's classes a user is a thread: counters, connections and contexts are thread-locals.
 * So each user has its own, whatever thread serves it.
 */
final class ThreadState {
    private static final VarHandle LOCALS = handle("threadLocals");
    private static final VarHandle INHERITABLE = handle("inheritableThreadLocals");

    private Object locals;
    private Object inheritable;

    /** Exchanges these values with those of the thread that runs. */
    void swap() {
        Thread thread = Thread.currentThread();
        Object before = LOCALS.get(thread);
        LOCALS.set(thread, locals);
        locals = before;
        before = INHERITABLE.get(thread);
        INHERITABLE.set(thread, inheritable);
        inheritable = before;
    }

    private static VarHandle handle(String field) {
        try {
            Class<?> map = Class.forName("java.lang.ThreadLocal$ThreadLocalMap");
            return MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup()).findVarHandle(Thread.class, field, map);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
