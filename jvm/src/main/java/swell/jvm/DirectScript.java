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
    /** A substitute for the engine: it only makes bindings. */
    static final ScriptEngine ENGINE = new BindingsOnly();

    static final Set<String> GROOVY = Set.of("", "groovy", "Groovy");

    /** A script with what is made of it; never changes, so that calls need no lock. */
    private static final class Prepared {
        final String text;
        final String label;
        final DirectGroovy groovy;
        final Logger logger;

        Prepared(String text, String label, DirectGroovy groovy, Logger logger) {
            this.text = text;
            this.label = label;
            this.groovy = groovy;
            this.logger = logger;
        }
    }

    private final String className;
    private volatile Prepared prepared;

    /** @param element JMeter's class, whose name its loggers have */
    DirectScript(Class<?> element) {
        className = element.getName();
    }

    /** Whether the element's script can run directly. */
    boolean prepare(JSR223TestElement element) throws ScriptException {
        String text = element.getScript();
        String label = element.getName();
        Prepared known = prepared;
        if (known == null || known.text != text || !known.label.equals(label)) {
            known = renew(element, text, label);
        }
        return known.groovy != null;
    }

    /** Puts the logger of an element into the bindings of a script engine: JMeter names it by the element's class. */
    void putLogger(JSR223TestElement element, Bindings bindings) {
        bindings.put("log", LoggerFactory.getLogger(className + "." + element.getName()));
    }

    private synchronized Prepared renew(JSR223TestElement element, String text, String label) throws ScriptException {
        Prepared known = prepared;
        boolean isSameText = known != null && known.text == text;
        DirectGroovy groovy = isSameText ? known.groovy : compile(element, text);
        Logger logger = groovy == null ? null : LoggerFactory.getLogger(className + "." + label);
        Prepared now = new Prepared(text, label, groovy, logger);
        prepared = now;
        return now;
    }

    private static DirectGroovy compile(JSR223TestElement element, String text) throws ScriptException {
        boolean inline = text != null && !text.isEmpty() && element.getFilename().isEmpty();
        if (!inline || !GROOVY.contains(element.getScriptLanguage())) {
            return null;
        }
        // Without the cache each call has a separate class, and so separate static fields.
        if (isUncached(element) && text.contains("static")) {
            return null;
        }
        return DirectGroovy.of(text);
    }

    private static boolean isUncached(JSR223TestElement element) {
        return "false".equals(element.getCacheKey());
    }

    private static boolean isStop(Exception e) {
        return e instanceof JMeterStopTestNowException || e instanceof JMeterStopTestException || e instanceof JMeterStopThreadException;
    }

    Object run(JSR223TestElement element, Bindings bindings) throws ScriptException {
        JMeterContext context = JMeterContextService.getContext();
        Prepared now = prepared;
        DirectBinding binding = new DirectBinding(element, now.logger, context, bindings);
        try {
            return now.groovy.run(binding);
        } catch (Exception e) {
            if (isUncached(element)) {
                // The engine evaluates the text, and wraps what the class that it made of it throws once more; JMeter then sees no wish to stop.
                throw new ScriptException(new ScriptException(e));
            }
            if (isStop(e)) {
                throw (RuntimeException) e;
            }
            throw new ScriptException(e);
        }
    }
}
