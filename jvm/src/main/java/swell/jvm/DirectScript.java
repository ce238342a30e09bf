package swell.jvm;

import java.util.Set;
import javax.script.Bindings;
import javax.script.ScriptEngine;
import javax.script.ScriptException;
import org.apache.jmeter.threads.JMeterContext;
import org.apache.jmeter.threads.JMeterContextService;
import org.apache.jmeter.util.JSR223TestElement;
import org.apache.jorphan.util.JMeterStopTestException;
import org.apache.jorphan.util.JMeterStopTestNowException;
import org.apache.jorphan.util.JMeterStopThreadException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The script of an element of JSR223 in its direct form, where it has one. */
final class DirectScript {
    /** Stands for the engine that is not needed: it makes bindings and nothing else. */
    static final ScriptEngine ENGINE = new BindingsOnly();

    private static final Set<String> GROOVY = Set.of("", "groovy", "Groovy");

    private final String className;
    private String text;
    private String label;
    private DirectGroovy groovy;
    private Logger logger;

    /** @param element JMeter's class, whose name its loggers bear */
    DirectScript(Class<?> element) {
        className = element.getName();
    }

    /** Whether the element's script can run directly. */
    synchronized boolean prepare(JSR223TestElement element) throws ScriptException {
        String now = element.getScript();
        if (now != text) {
            groovy = compile(element, now);
            text = now;
        }
        if (groovy != null && !element.getName().equals(label)) {
            label = element.getName();
            logger = LoggerFactory.getLogger(className + "." + label);
        }
        return groovy != null;
    }

    private static DirectGroovy compile(JSR223TestElement element, String text) throws ScriptException {
        boolean inline = text != null && !text.isEmpty() && element.getFilename().isEmpty();
        if (!inline || !GROOVY.contains(element.getScriptLanguage())) {
            return null;
        }
        // Without the cache each call has a class of its own, and so static fields of its own.
        if ("false".equals(element.getCacheKey()) && text.contains("static")) {
            return null;
        }
        return DirectGroovy.of(text);
    }

    Object run(JSR223TestElement element, Bindings bindings) throws ScriptException {
        JMeterContext context = JMeterContextService.getContext();
        DirectBinding binding = new DirectBinding(element, logger, context, bindings);
        try {
            return groovy.run(binding);
        } catch (JMeterStopTestNowException | JMeterStopTestException | JMeterStopThreadException e) {
            throw e;
        } catch (Exception e) {
            throw new ScriptException(e);
        }
    }
}
