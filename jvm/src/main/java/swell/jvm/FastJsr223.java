package swell.jvm;

import java.io.IOException;
import javax.script.Bindings;
import javax.script.ScriptEngine;
import javax.script.ScriptException;
import org.apache.jmeter.assertions.JSR223Assertion;
import org.apache.jmeter.extractor.JSR223PostProcessor;
import org.apache.jmeter.modifiers.JSR223PreProcessor;
import org.apache.jmeter.protocol.java.sampler.JSR223Sampler;
import org.apache.jmeter.timers.JSR223Timer;
import org.apache.jmeter.util.JSR223TestElement;
import org.apache.jmeter.visualizers.JSR223Listener;

/**
 * JMeter's elements with two methods replaced: where a Groovy script can run directly ({@link DirectGroovy}), it does. JMeter makes a
 * script engine and a meta class for each call, which takes ten times as long.
 */
final class FastJsr223 {
    private FastJsr223() {
    }

    static JSR223TestElement of(int role) {
        switch (role) {
            case Script.SAMPLER:
                return new Sampler();
            case Script.PRE_PROCESSOR:
                return new PreProcessor();
            case Script.POST_PROCESSOR:
                return new PostProcessor();
            case Script.ASSERTION:
                return new Assertion();
            case Script.LISTENER:
                return new Listener();
            case Script.TIMER:
                return new Timer();
            default:
                throw Elements.noRole(role);
        }
    }


    private static final class Sampler extends JSR223Sampler {
        private static final long serialVersionUID = 1;
        private final transient DirectScript direct = new DirectScript(JSR223Sampler.class);

        /** Users may share it, so it has no name. */
        @Override
        public String getThreadName() {
            return Thread.currentThread().getName();
        }

        @Override
        protected ScriptEngine getScriptEngine() throws ScriptException {
            return direct.prepare(this) ? DirectScript.ENGINE : super.getScriptEngine();
        }

        @Override
        protected void populateBindings(Bindings bindings) {
            super.populateBindings(bindings);
            direct.putLogger(this, bindings);
        }

        @Override
        protected Object processFileOrScript(ScriptEngine engine, Bindings bindings) throws IOException, ScriptException {
            return engine == DirectScript.ENGINE ? direct.run(this, bindings) : super.processFileOrScript(engine, bindings);
        }
    }

    private static final class PreProcessor extends JSR223PreProcessor {
        private static final long serialVersionUID = 1;
        private final transient DirectScript direct = new DirectScript(JSR223PreProcessor.class);

        @Override
        protected ScriptEngine getScriptEngine() throws ScriptException {
            return direct.prepare(this) ? DirectScript.ENGINE : super.getScriptEngine();
        }

        @Override
        protected void populateBindings(Bindings bindings) {
            super.populateBindings(bindings);
            direct.putLogger(this, bindings);
        }

        @Override
        protected Object processFileOrScript(ScriptEngine engine, Bindings bindings) throws IOException, ScriptException {
            return engine == DirectScript.ENGINE ? direct.run(this, bindings) : super.processFileOrScript(engine, bindings);
        }
    }

    private static final class PostProcessor extends JSR223PostProcessor {
        private static final long serialVersionUID = 1;
        private final transient DirectScript direct = new DirectScript(JSR223PostProcessor.class);

        @Override
        protected ScriptEngine getScriptEngine() throws ScriptException {
            return direct.prepare(this) ? DirectScript.ENGINE : super.getScriptEngine();
        }

        @Override
        protected void populateBindings(Bindings bindings) {
            super.populateBindings(bindings);
            direct.putLogger(this, bindings);
        }

        @Override
        protected Object processFileOrScript(ScriptEngine engine, Bindings bindings) throws IOException, ScriptException {
            return engine == DirectScript.ENGINE ? direct.run(this, bindings) : super.processFileOrScript(engine, bindings);
        }
    }

    private static final class Assertion extends JSR223Assertion {
        private static final long serialVersionUID = 1;
        private final transient DirectScript direct = new DirectScript(JSR223Assertion.class);

        @Override
        protected ScriptEngine getScriptEngine() throws ScriptException {
            return direct.prepare(this) ? DirectScript.ENGINE : super.getScriptEngine();
        }

        @Override
        protected void populateBindings(Bindings bindings) {
            super.populateBindings(bindings);
            direct.putLogger(this, bindings);
        }

        @Override
        protected Object processFileOrScript(ScriptEngine engine, Bindings bindings) throws IOException, ScriptException {
            return engine == DirectScript.ENGINE ? direct.run(this, bindings) : super.processFileOrScript(engine, bindings);
        }
    }

    private static final class Listener extends JSR223Listener {
        private static final long serialVersionUID = 1;
        private final transient DirectScript direct = new DirectScript(JSR223Listener.class);

        @Override
        protected ScriptEngine getScriptEngine() throws ScriptException {
            return direct.prepare(this) ? DirectScript.ENGINE : super.getScriptEngine();
        }

        @Override
        protected void populateBindings(Bindings bindings) {
            super.populateBindings(bindings);
            direct.putLogger(this, bindings);
        }

        @Override
        protected Object processFileOrScript(ScriptEngine engine, Bindings bindings) throws IOException, ScriptException {
            return engine == DirectScript.ENGINE ? direct.run(this, bindings) : super.processFileOrScript(engine, bindings);
        }
    }

    private static final class Timer extends JSR223Timer {
        private static final long serialVersionUID = 1;
        private final transient DirectScript direct = new DirectScript(JSR223Timer.class);

        @Override
        protected ScriptEngine getScriptEngine() throws ScriptException {
            return direct.prepare(this) ? DirectScript.ENGINE : super.getScriptEngine();
        }

        @Override
        protected void populateBindings(Bindings bindings) {
            super.populateBindings(bindings);
            direct.putLogger(this, bindings);
        }

        @Override
        protected Object processFileOrScript(ScriptEngine engine, Bindings bindings) throws IOException, ScriptException {
            return engine == DirectScript.ENGINE ? direct.run(this, bindings) : super.processFileOrScript(engine, bindings);
        }
    }
}
