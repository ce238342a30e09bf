package org.apache.jmeter.engine;

import java.util.function.Predicate;
import org.apache.jmeter.threads.AbstractThreadGroup;
import org.apache.jmeter.threads.JMeterThread;
import org.apache.jmeter.threads.ListenerNotifier;
import org.apache.jorphan.collections.ListedHashTree;

/** The users of the other side, as JMeter's engine looks for one by the name of its thread ({@code StandardJMeterEngine.stopThread}). */
final class OuterUsers extends AbstractThreadGroup {
    private static final long serialVersionUID = 1;
    private final transient Predicate<String> stop;

    OuterUsers(Predicate<String> stop) {
        this.stop = stop;
    }

    @Override
    public boolean stopThread(String name, boolean now) {
        return stop.test(name);
    }

    @Override
    public int numberOfActiveThreads() {
        return 0;
    }

    @Override
    public void start(int number, ListenerNotifier notifier, ListedHashTree tree, StandardJMeterEngine engine) {
        // They are started elsewhere.
    }

    @Override
    public JMeterThread addNewThread(int delay, StandardJMeterEngine engine) {
        throw new UnsupportedOperationException("threads are started elsewhere");
    }

    @Override
    public boolean verifyThreadsStopped() {
        return true;
    }

    @Override
    public void waitThreadsStopped() {
        // They are not awaited here.
    }

    @Override
    public void tellThreadsToStop() {
        // The engine outside does that.
    }

    @Override
    public void stop() {
        // The engine outside does that.
    }

    @Override
    public void threadFinished(JMeterThread thread) {
        // None of them is a thread of this.
    }
}
