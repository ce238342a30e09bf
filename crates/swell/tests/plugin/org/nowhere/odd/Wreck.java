package org.nowhere.odd;

import java.lang.reflect.Field;

import org.apache.jmeter.config.ConfigTestElement;
import org.apache.jmeter.testelement.TestStateListener;

/** A config element that ends the JVM when the test ends, in the way that its name says. */
public class Wreck extends ConfigTestElement implements TestStateListener {
    private static final long serialVersionUID = 1;

    @Override
    public void testStarted() {
        // Nothing to do.
    }

    @Override
    public void testStarted(String host) {
        testStarted();
    }

    @Override
    public void testEnded() {
        switch (getName()) {
            case "halt":
                Runtime.getRuntime().halt(3);
                break;
            case "exit":
                System.exit(3);
                break;
            default:
                crash();
        }
    }

    @Override
    public void testEnded(String host) {
        testEnded();
    }

    /** Writes to address 0. */
    private static void crash() {
        try {
            Class<?> type = Class.forName("sun.misc.Unsafe");
            Field field = type.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            type.getMethod("putAddress", long.class, long.class).invoke(field.get(null), 0L, 0L);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
