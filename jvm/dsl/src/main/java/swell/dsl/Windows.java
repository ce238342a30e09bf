package swell.dsl;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import us.abstracta.jmeter.javadsl.core.DslTestElement;
import us.abstracta.jmeter.javadsl.core.listeners.DslVisualizer;

/**
 * Finds elements that show a window. On a machine without a screen they are missing in the built tree, so this looks at
 * the objects of the plan. jmeter-java-dsl gives no access to children, hence the reflection.
 */
final class Windows {
    private final List<DslVisualizer> found = new ArrayList<>();
    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());

    private Windows() {}

    static List<DslVisualizer> of(DslTestElement plan) {
        Windows windows = new Windows();
        windows.look(plan);
        return windows.found;
    }

    private void look(Object object) {
        if (object instanceof Collection) {
            ((Collection<?>) object).forEach(this::look);
        } else if (object instanceof DslTestElement && seen.add(object)) {
            if (object instanceof DslVisualizer) {
                found.add((DslVisualizer) object);
            }
            for (Class<?> type = object.getClass(); type != Object.class; type = type.getSuperclass()) {
                lookAtFields(object, type);
            }
        }
    }

    private void lookAtFields(Object object, Class<?> type) {
        for (Field field : type.getDeclaredFields()) {
            boolean canHold =
                    Collection.class.isAssignableFrom(field.getType()) || DslTestElement.class.isAssignableFrom(field.getType());
            if (canHold && !Modifier.isStatic(field.getModifiers())) {
                look(value(object, field));
            }
        }
    }

    private static Object value(Object object, Field field) {
        try {
            field.setAccessible(true);
            return field.get(object);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("cannot look into " + object.getClass().getName(), e);
        }
    }
}
