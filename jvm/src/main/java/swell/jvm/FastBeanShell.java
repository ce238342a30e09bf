package swell.jvm;

import org.apache.jmeter.assertions.BeanShellAssertion;
import org.apache.jmeter.extractor.BeanShellPostProcessor;
import org.apache.jmeter.modifiers.BeanShellPreProcessor;
import org.apache.jmeter.protocol.java.sampler.BeanShellSampler;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.timers.BeanShellTimer;
import org.apache.jmeter.util.BeanShellInterpreter;
import org.apache.jmeter.util.BeanShellTestElement;
import org.apache.jmeter.visualizers.BeanShellListener;
import org.apache.jorphan.util.JMeterException;

/** JMeter's BeanShell elements with one method replaced: a script is parsed once a user ({@link ParsedBeanShell}), not in each call. */
final class FastBeanShell {
    private FastBeanShell() {
    }

    static BeanShellTestElement of(int role) {
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


    private static final class Sampler extends BeanShellSampler {
        private static final long serialVersionUID = 1;
        private final transient ParsedBeanShell parsed = new ParsedBeanShell();

        @Override
        protected Object processFileOrScript(BeanShellInterpreter bsh, SampleResult sample) throws JMeterException {
            return getFilename().isEmpty() ? parsed.run(this, bsh, sample) : super.processFileOrScript(bsh, sample);
        }
    }

    private static final class PreProcessor extends BeanShellPreProcessor {
        private static final long serialVersionUID = 1;
        private final transient ParsedBeanShell parsed = new ParsedBeanShell();

        @Override
        protected Object processFileOrScript(BeanShellInterpreter bsh, SampleResult sample) throws JMeterException {
            return getFilename().isEmpty() ? parsed.run(this, bsh, sample) : super.processFileOrScript(bsh, sample);
        }
    }

    private static final class PostProcessor extends BeanShellPostProcessor {
        private static final long serialVersionUID = 1;
        private final transient ParsedBeanShell parsed = new ParsedBeanShell();

        @Override
        protected Object processFileOrScript(BeanShellInterpreter bsh, SampleResult sample) throws JMeterException {
            return getFilename().isEmpty() ? parsed.run(this, bsh, sample) : super.processFileOrScript(bsh, sample);
        }
    }

    private static final class Assertion extends BeanShellAssertion {
        private static final long serialVersionUID = 1;
        private final transient ParsedBeanShell parsed = new ParsedBeanShell();

        @Override
        protected Object processFileOrScript(BeanShellInterpreter bsh, SampleResult sample) throws JMeterException {
            return getFilename().isEmpty() ? parsed.run(this, bsh, sample) : super.processFileOrScript(bsh, sample);
        }
    }

    private static final class Listener extends BeanShellListener {
        private static final long serialVersionUID = 1;
        private final transient ParsedBeanShell parsed = new ParsedBeanShell();

        @Override
        protected Object processFileOrScript(BeanShellInterpreter bsh, SampleResult sample) throws JMeterException {
            return getFilename().isEmpty() ? parsed.run(this, bsh, sample) : super.processFileOrScript(bsh, sample);
        }
    }

    private static final class Timer extends BeanShellTimer {
        private static final long serialVersionUID = 1;
        private final transient ParsedBeanShell parsed = new ParsedBeanShell();

        @Override
        protected Object processFileOrScript(BeanShellInterpreter bsh, SampleResult sample) throws JMeterException {
            return getFilename().isEmpty() ? parsed.run(this, bsh, sample) : super.processFileOrScript(bsh, sample);
        }
    }
}
