package swell.jvm;

import groovy.lang.Binding;
import java.util.Map;
import javax.script.Bindings;
import org.apache.jmeter.threads.JMeterContext;
import org.apache.jmeter.util.JMeterUtils;
import org.apache.jmeter.util.JSR223TestElement;
import org.apache.jorphan.util.JOrphanUtils;
import org.slf4j.Logger;

/** JMeter's bindings of a script ({@code JSR223TestElement.populateBindings}), each made when the script asks for it. */
final class DirectBinding extends Binding {
    private static final String[] NAMES = {
        "log", "Label", "FileName", "Parameters", "args", "ctx", "vars", "props", "OUT", "sampler", "prev", "out",
    };
    private static final Object NONE = new Object();

    private final JSR223TestElement element;
    /** As it was before the script ran. */
    private final String label;
    private final Logger logger;
    private final JMeterContext context;
    private final Map<String, Object> more;
    private boolean isSet;

    DirectBinding(JSR223TestElement element, Logger logger, JMeterContext context, Bindings more) {
        this.element = element;
        label = element.getName();
        this.logger = logger;
        this.context = context;
        this.more = more;
    }

    @Override
    public Object getVariable(String name) {
        if (isSet && super.hasVariable(name)) {
            return super.getVariable(name);
        }
        Object value = ofJMeter(name);
        if (value != NONE) {
            return value;
        }
        if (more != null && more.containsKey(name)) {
            return more.get(name);
        }
        // Throws what Groovy throws.
        return super.getVariable(name);
    }

    private Object ofJMeter(String name) {
        switch (name) {
            case "vars":
                return context.getVariables();
            case "log":
                return logger;
            case "ctx":
                return context;
            case "prev":
                return context.getPreviousResult();
            case "sampler":
                return context.getCurrentSampler();
            case "props":
                return JMeterUtils.getJMeterProperties();
            case "Label":
                return label;
            case "FileName":
                return element.getFilename();
            case "Parameters":
                return element.getParameters();
            case "args":
                String[] args = JOrphanUtils.split(element.getParameters(), " ");
                setVariable("args", args);
                return args;
            case "OUT":
                return System.out;
            case "out":
                // The engine's own, over the standard output.
                return CallOutput.writer();
            default:
                return NONE;
        }
    }

    @Override
    public void setVariable(String name, Object value) {
        isSet = true;
        super.setVariable(name, value);
    }

    @Override
    public boolean hasVariable(String name) {
        return isSet && super.hasVariable(name) || ofJMeter(name) != NONE || more != null && more.containsKey(name);
    }

    @Override
    @SuppressWarnings("rawtypes")
    public Map getVariables() {
        for (String name : NAMES) {
            if (!(isSet && super.hasVariable(name))) {
                setVariable(name, ofJMeter(name));
            }
        }
        if (more != null) {
            more.forEach((name, value) -> {
                if (!super.hasVariable(name)) {
                    setVariable(name, value);
                }
            });
        }
        return super.getVariables();
    }
}
