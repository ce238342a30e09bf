package swell.jvm;

import org.apache.jmeter.assertions.BSFAssertion;
import org.apache.jmeter.assertions.BeanShellAssertion;
import org.apache.jmeter.assertions.JSR223Assertion;
import org.apache.jmeter.extractor.BSFPostProcessor;
import org.apache.jmeter.extractor.BeanShellPostProcessor;
import org.apache.jmeter.extractor.JSR223PostProcessor;
import org.apache.jmeter.modifiers.BSFPreProcessor;
import org.apache.jmeter.modifiers.BeanShellPreProcessor;
import org.apache.jmeter.modifiers.JSR223PreProcessor;
import org.apache.jmeter.protocol.java.sampler.BSFSampler;
import org.apache.jmeter.protocol.java.sampler.BeanShellSampler;
import org.apache.jmeter.protocol.java.sampler.JSR223Sampler;
import org.apache.jmeter.samplers.Sampler;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.timers.BSFTimer;
import org.apache.jmeter.timers.BeanShellTimer;
import org.apache.jmeter.timers.JSR223Timer;
import org.apache.jmeter.util.BSFTestElement;
import org.apache.jmeter.util.BeanShellTestElement;
import org.apache.jmeter.util.JSR223TestElement;
import org.apache.jmeter.util.ScriptingTestElement;
import org.apache.jmeter.visualizers.BSFListener;
import org.apache.jmeter.visualizers.BeanShellListener;
import org.apache.jmeter.visualizers.JSR223Listener;

/** Makes JMeter's elements of scripts. */
final class Elements {
    private Elements() {
    }

    /** The element of a script, with its fields set. */
    static TestElement of(Script script) {
        TestElement element = make(script);
        fill(element, script);
        element.setRunningVersion(element instanceof Sampler);
        return element;
    }

    private static TestElement make(Script script) {
        switch (script.family) {
            case Script.JSR223:
                return script.strict ? plainJsr223(script.role) : FastJsr223.of(script.role);
            case Script.BEANSHELL:
                return script.strict ? plainBeanShell(script.role) : FastBeanShell.of(script.role);
            case Script.BSF:
                return bsf(script.role);
            default:
                throw new BadMessage("no family of scripts " + script.family);
        }
    }

    private static TestElement plainJsr223(int role) {
        switch (role) {
            case Script.SAMPLER:
                return new JSR223Sampler();
            case Script.PRE_PROCESSOR:
                return new JSR223PreProcessor();
            case Script.POST_PROCESSOR:
                return new JSR223PostProcessor();
            case Script.ASSERTION:
                return new JSR223Assertion();
            case Script.LISTENER:
                return new JSR223Listener();
            case Script.TIMER:
                return new JSR223Timer();
            default:
                throw noRole(role);
        }
    }

    private static TestElement plainBeanShell(int role) {
        switch (role) {
            case Script.SAMPLER:
                return new BeanShellSampler();
            case Script.PRE_PROCESSOR:
                return new BeanShellPreProcessor();
            case Script.POST_PROCESSOR:
                return new BeanShellPostProcessor();
            case Script.ASSERTION:
                return new BeanShellAssertion();
            case Script.LISTENER:
                return new BeanShellListener();
            case Script.TIMER:
                return new BeanShellTimer();
            default:
                throw noRole(role);
        }
    }

    private static TestElement bsf(int role) {
        switch (role) {
            case Script.SAMPLER:
                return new BSFSampler();
            case Script.PRE_PROCESSOR:
                return new BSFPreProcessor();
            case Script.POST_PROCESSOR:
                return new BSFPostProcessor();
            case Script.ASSERTION:
                return new BSFAssertion();
            case Script.LISTENER:
                return new BSFListener();
            case Script.TIMER:
                return new BSFTimer();
            default:
                throw noRole(role);
        }
    }

    static BadMessage noRole(int role) {
        return new BadMessage("no role of scripts " + role);
    }

    /** Sets what a plan sets: fields of test beans, properties of the two elements that are none. */
    static void fill(TestElement element, Script script) {
        element.setName(script.label);
        if (element instanceof ScriptingTestElement) {
            ScriptingTestElement scripting = (ScriptingTestElement) element;
            scripting.setScript(script.text);
            scripting.setFilename(script.file);
            scripting.setParameters(script.parameters);
            if (element instanceof JSR223TestElement) {
                ((JSR223TestElement) element).setScriptLanguage(script.language);
                ((JSR223TestElement) element).setCacheKey(script.cacheKey);
            } else {
                ((BSFTestElement) element).setScriptLanguage(script.language);
            }
        } else if (element instanceof BeanShellSampler || element instanceof BeanShellAssertion) {
            String prefix = element instanceof BeanShellSampler ? "BeanShellSampler." : "BeanShellAssertion.";
            element.setProperty(prefix + "query", script.text);
            element.setProperty(prefix + "filename", script.file);
            element.setProperty(prefix + "parameters", script.parameters);
            element.setProperty(prefix + "resetInterpreter", script.resetInterpreter);
        } else {
            BeanShellTestElement beanShell = (BeanShellTestElement) element;
            beanShell.setScript(script.text);
            beanShell.setFilename(script.file);
            beanShell.setParameters(script.parameters);
            beanShell.setResetInterpreter(script.resetInterpreter);
        }
    }
}
