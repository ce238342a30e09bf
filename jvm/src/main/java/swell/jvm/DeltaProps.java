package swell.jvm;

import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;

/** JMeter's properties on this side. Notes which of them changed, so that those cross with the next answer. */
final class DeltaProps extends Properties {
    private static final long serialVersionUID = 1;

    private final transient Set<Object> changed = ConcurrentHashMap.newKeySet();
    private volatile boolean isChanged;

    DeltaProps(Properties from) {
        super(System.getProperties());
        super.putAll(from);
    }

    private void note(Object key) {
        changed.add(key);
        isChanged = true;
    }

    /** Takes over what changed on the other side. */
    void read(In in) {
        for (int count = in.count(); count > 0; count--) {
            String name = in.string();
            String value = in.string();
            if (value == null) {
                super.remove(name);
            } else {
                super.put(name, value);
            }
        }
    }

    /** Writes what changed here since the last time: texts, nothing of what is gone, and that there is an object. */
    void write(Out out) {
        if (!isChanged) {
            out.i32(0);
            return;
        }
        isChanged = false;
        int hole = out.hole();
        int count = 0;
        for (Object key : changed.toArray()) {
            if (changed.remove(key) && key instanceof String) {
                write(out, (String) key);
                count++;
            }
        }
        out.fill(hole, count);
    }

    private void write(Out out, String name) {
        Object value = get(name);
        out.string(name);
        if (value instanceof String) {
            out.u8(DeltaVars.TEXT);
            out.string((String) value);
        } else if (value == null) {
            out.u8(DeltaVars.REMOVED);
        } else {
            // It stays here; as text it does not exist.
            out.u8(DeltaVars.OBJECT);
            out.string("");
        }
    }

    @Override
    public Object put(Object key, Object value) {
        Object before = super.put(key, value);
        if (!value.equals(before)) {
            note(key);
        }
        return before;
    }

    @Override
    public void putAll(Map<?, ?> from) {
        super.putAll(from);
        from.keySet().forEach(this::note);
    }

    @Override
    public Object remove(Object key) {
        Object result = super.remove(key);
        note(key);
        return result;
    }

    @Override
    public boolean remove(Object key, Object value) {
        boolean result = super.remove(key, value);
        note(key);
        return result;
    }

    @Override
    public void clear() {
        Object[] keys = keySet().toArray();
        super.clear();
        for (Object key : keys) {
            note(key);
        }
    }

    @Override
    public Object putIfAbsent(Object key, Object value) {
        Object result = super.putIfAbsent(key, value);
        note(key);
        return result;
    }

    @Override
    public boolean replace(Object key, Object before, Object after) {
        boolean result = super.replace(key, before, after);
        note(key);
        return result;
    }

    @Override
    public Object replace(Object key, Object value) {
        Object result = super.replace(key, value);
        note(key);
        return result;
    }

    @Override
    public Object computeIfAbsent(Object key, Function<? super Object, ?> value) {
        Object result = super.computeIfAbsent(key, value);
        note(key);
        return result;
    }

    @Override
    public Object computeIfPresent(Object key, BiFunction<? super Object, ? super Object, ?> value) {
        Object result = super.computeIfPresent(key, value);
        note(key);
        return result;
    }

    @Override
    public Object compute(Object key, BiFunction<? super Object, ? super Object, ?> value) {
        Object result = super.compute(key, value);
        note(key);
        return result;
    }

    @Override
    public Object merge(Object key, Object value, BiFunction<? super Object, ? super Object, ?> both) {
        Object result = super.merge(key, value, both);
        note(key);
        return result;
    }
}
