package swell.jvm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Private fields of JMeter's classes, without an accessor. */
public final class PrivateFields {
    private PrivateFields() {
    }

    /** The field of that name and type that each object of a class has; an error of initialization where it has none. */
    public static VarHandle of(Class<?> owner, String name, Class<?> type) {
        try {
            return lookup(owner).findVarHandle(owner, name, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The same of a static field. */
    public static VarHandle ofStatic(Class<?> owner, String name, Class<?> type) {
        try {
            return lookup(owner).findStaticVarHandle(owner, name, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static MethodHandles.Lookup lookup(Class<?> owner) throws IllegalAccessException {
        return MethodHandles.privateLookupIn(owner, MethodHandles.lookup());
    }
}
