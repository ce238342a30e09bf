package swell.dsl;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.testelement.property.JMeterProperty;
import org.apache.jmeter.testelement.property.MultiProperty;
import org.apache.jmeter.testelement.property.PropertyIterator;
import org.apache.jmeter.testelement.property.TestElementProperty;
import org.apache.jorphan.collections.HashTree;
import us.abstracta.jmeter.javadsl.core.listeners.DslVisualizer;
import us.abstracta.jmeter.javadsl.core.listeners.autostop.AutoStopTestBean;
import us.abstracta.jmeter.javadsl.core.testelements.DslJsr223TestElement.Jsr223DslLambdaTestElement;
import us.abstracta.jmeter.javadsl.core.util.PropertyScriptBuilder.PropertyScriptVars;

/** Elements that exist only in the JVM of the test, each with its place, the reason, and what to do. */
final class Refusals {
    private static final String DSL = "us.abstracta.jmeter.javadsl.";

    private final List<String> lines = new ArrayList<>();

    void addWindow(DslVisualizer window) {
        lines.add(window.getClass().getSimpleName() + ": it shows a window; remove it, or call SwellEngine.withoutWindows()");
    }

    void addElements(HashTree tree) {
        addBelow(tree, new ArrayDeque<>());
    }

    private void addBelow(HashTree tree, Deque<String> path) {
        for (Object key : tree.list()) {
            if (!(key instanceof TestElement) || !((TestElement) key).isEnabled()) {
                continue;
            }
            TestElement element = (TestElement) key;
            path.addLast(element.getName());
            String reason = reason(element);
            if (reason != null) {
                lines.add(String.join(" > ", path) + ": " + reason);
            }
            addBelow(tree.getTree(key), path);
            path.removeLast();
        }
    }

    private static String reason(TestElement element) {
        if (element instanceof Jsr223DslLambdaTestElement) {
            return "a Java lambda or class; give the script as a string, in Groovy";
        }
        if (element instanceof AutoStopTestBean) {
            return "it stops JMeter's engine; use SwellEngine.args(\"--threshold\", \"errors<5% for 10s abort\")";
        }
        if (element.getClass().getName().startsWith(DSL)) {
            return "JMeter has no such element, only jmeter-java-dsl (" + element.getClass().getSimpleName() + ")";
        }
        return reasonOfProperties(element.propertyIterator());
    }

    private static String reasonOfProperties(PropertyIterator properties) {
        while (properties.hasNext()) {
            String reason = reason(properties.next());
            if (reason != null) {
                return reason;
            }
        }
        return null;
    }

    private static String reason(JMeterProperty property) {
        if (property instanceof TestElementProperty) {
            return reasonOfProperties(((TestElementProperty) property).getElement().propertyIterator());
        }
        if (property instanceof MultiProperty) {
            for (Iterator<JMeterProperty> parts = ((MultiProperty) property).iterator(); parts.hasNext(); ) {
                String reason = reason(parts.next());
                if (reason != null) {
                    return reason;
                }
            }
            return null;
        }
        String text = property.getStringValue();
        if (text == null || !text.contains(DSL)) {
            return null;
        }
        return text.contains(PropertyScriptVars.class.getName())
                ? property.getName() + " is a Java lambda or class; give it as a string, such as ${__groovy(...)}"
                : property.getName() + " uses classes of jmeter-java-dsl, which Swell does not have";
    }

    void check() {
        if (!lines.isEmpty()) {
            String head = lines.size() == 1 ? "an element of the plan cannot" : lines.size() + " elements of the plan cannot";
            throw new IllegalArgumentException(
                    head + " run in Swell, since it exists only in the JVM of the test:\n  " + String.join("\n  ", lines));
        }
    }
}
