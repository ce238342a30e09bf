package swell.jvm;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.jmeter.assertions.Assertion;
import org.apache.jmeter.assertions.AssertionResult;
import org.apache.jmeter.engine.OuterEngine;
import org.apache.jmeter.functions.InvalidVariableException;
import org.apache.jmeter.processor.PostProcessor;
import org.apache.jmeter.processor.PreProcessor;
import org.apache.jmeter.samplers.SampleEvent;
import org.apache.jmeter.samplers.SampleListener;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.samplers.Sampler;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.threads.HostedPlan;
import org.apache.jmeter.threads.HostedUser;
import org.apache.jmeter.threads.JMeterContext;
import org.apache.jmeter.threads.JMeterContext.TestLogicalAction;
import org.apache.jmeter.timers.Timer;
import org.apache.jmeter.util.JMeterUtils;
import org.apache.jorphan.util.JMeterStopTestException;
import org.apache.jorphan.util.JMeterStopTestNowException;
import org.apache.jorphan.util.JMeterStopThreadException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs elements for users. */
final class Runner {
    private static final int SAMPLE_NONE = 1;
    private static final int SAMPLE_FOLLOWS = 2;
    private static final int SAMPLER_FOLLOWS = 4;
    /** The element is about another sample than the previous one. */
    private static final int SUBJECT_FOLLOWS = 8;
    private static final int SAMPLER_BEFORE_FOLLOWS = 16;
    /** The package is another than that of the last call. */
    private static final int PACKAGE_BEGINS = 32;

    /** Among the bits of a script's fields. */
    private static final int PACKAGE_FOLLOWS = 16;

    private static final int RAN = 0;
    private static final int FAILED = 1;
    private static final int THROWN = 2;

    /** JMeter's main class reports uncaught exceptions. */
    private static final Logger LOG = LoggerFactory.getLogger("org.apache.jmeter.JMeter");

    private final Map<Integer, Script> scripts = new ConcurrentHashMap<>();
    private final Map<Integer, TestElement> shared = new ConcurrentHashMap<>();
    private final Functions functions = new Functions();

    void define(int number, In in) {
        Script script = new Script(number, in);
        scripts.put(number, script);
        script.prepare();
        shared.remove(number);
    }

    void defineCall(int number, In in) throws ReflectiveOperationException, InvalidVariableException {
        functions.define(number, in);
    }

    void forget() {
        scripts.clear();
        shared.clear();
        functions.forget();
        DirectGroovy.forget();
    }

    /** What an element gave. */
    private static final class Given {
        int status = RAN;
        /** What assertions judge and listeners hear of, where that is not the previous sample: a transaction. */
        final SampleResult subject;
        Fault fault;
        SampleResult sample;
        AssertionResult assertion;
        long delayMs;
        String text;

        Given(SampleResult subject) {
            this.subject = subject;
        }

        /** The sample that an element is about. */
        SampleResult subject(JMeterContext context) {
            return subject == null ? context.getPreviousResult() : subject;
        }
    }

    /** Runs a script and writes all of the answer. */
    void run(int number, User user, In in, Out out) {
        Script script = scripts.get(number);
        if (script == null) {
            throw new BadMessage("no script " + number);
        }
        int mask = in.u8();
        int overrides = mask & ~PACKAGE_FOLLOWS;
        Script now = overrides == 0 ? script : script.with(overrides, in);
        int sampler = overrides == mask ? -1 : in.i32();
        long samplePackage = overrides == mask ? 0 : in.i64();
        inside(user, in, out, given -> {
            if (sampler >= 0) {
                hostedOf(user).begin(sampler, samplePackage, user.context);
                user.putBefore();
            }
            TestElement element = elementOf(now, user, overrides != 0);
            if (element instanceof Sampler) {
                user.begin((Sampler) element);
                user.putBefore();
            }
            try {
                run(element, user, given);
            } finally {
                if (element instanceof Sampler) {
                    // The end of its package is not reported; what follows may concern another sampler, which this side does not know.
                    user.context.setCurrentSampler(null);
                    // What its script has changed of it holds for one sample. One that is shared cannot be changed, and runs elsewhere too.
                    if (!now.isShared()) {
                        element.recoverRunningVersion();
                    }
                }
            }
        });
    }

    /** Evaluates a call of a function and writes all of the answer. */
    void evaluate(int number, User user, In in, Out out) {
        String[] parameters = new String[in.count()];
        for (int i = 0; i < parameters.length; i++) {
            parameters[i] = in.string();
        }
        inside(user, in, out, given -> given.text = functions.evaluate(number, user, parameters));
    }

    /** The user gets its copies of the elements of a thread group, and its thread starts for them. */
    void enterGroup(int group, HostedPlan plan, User user, In in, Out out) {
        inside(user, in, out, given -> {
            user.vars.adopt(plan.kept());
            user.hosted = new HostedUser(plan, group, user.thread, user.context);
        });
    }

    /** Iterations begin: of the user's thread group, and of controllers above elements. */
    void startIteration(User user, In in, Out out) {
        boolean ofGroup = in.flag();
        int[][] ofElements = new int[in.count()][];
        for (int i = 0; i < ofElements.length; i++) {
            ofElements[i] = new int[] {in.i32(), in.i32()};
        }
        inside(user, in, out, given -> {
            HostedUser hosted = hostedOf(user);
            if (ofGroup) {
                hosted.startIteration(user.vars.seen.getIteration());
            }
            for (int[] element : ofElements) {
                hosted.startIterations(element[0], element[1]);
            }
        });
    }

    /** Runs a hosted element of any kind; an element that belongs to a sampler runs in that sampler's package. */
    void runElement(int number, User user, In in, Out out) {
        int sampler = in.i32();
        long samplePackage = in.i64();
        inside(user, in, out, given -> {
            HostedUser hosted = hostedOf(user);
            if (sampler >= 0) {
                hosted.begin(sampler, samplePackage, user.context);
                user.putBefore();
            }
            if (number == sampler) {
                given.sample = hosted.sample(user.context);
            } else {
                runHosted(hosted.prepared(number), user, given);
            }
        });
    }

    private static void runHosted(TestElement element, User user, Given given) {
        SampleResult judged = given.subject(user.context);
        if (element instanceof Assertion && judged != null) {
            HostedUser.check((Assertion) element, judged, user.context);
        } else if (!(element instanceof Sampler)) {
            run(element, user, given);
        }
    }

    private static HostedUser hostedOf(User user) {
        if (user.hosted == null) {
            throw new BadMessage("the user has entered no thread group");
        }
        return user.hosted;
    }

    /** The user has ended. */
    static void finish(User user) {
        if (user.hosted == null) {
            return;
        }
        user.enter();
        try {
            user.hosted.finish();
        } catch (RuntimeException | LinkageError e) {
            LOG.error("Uncaught exception in thread {}", Thread.currentThread(), e);
        } finally {
            user.leave();
            Logs.queue(user.logs);
        }
    }

    /** What is done for a user. */
    private interface Work {
        void run(Given given) throws Exception;
    }

    private static void inside(User user, In in, Out out, Work work) {
        int flags = in.u8();
        user.vars.setIteration(in.i32());
        int groupThreads = in.i32();
        int allThreads = in.i32();
        int planned = in.i32();
        int started = in.i32();
        user.vars.read(in);
        Host.props().read(in);
        SampleResult sample = (flags & SAMPLE_FOLLOWS) == 0 ? null : Samples.read(in);
        SampleResult subject = (flags & SUBJECT_FOLLOWS) == 0 ? null : Samples.read(in);
        long samplePackage = (flags & SAMPLER_FOLLOWS) == 0 ? 0 : in.i64();
        Sampler sampler = (flags & SAMPLER_FOLLOWS) == 0 ? null : Requests.read(in);
        user.before = (flags & SAMPLER_BEFORE_FOLLOWS) == 0 ? null : Requests.read(in);
        user.enter();
        try {
            JMeterContext context = user.context;
            if ((flags & (SAMPLE_FOLLOWS | SAMPLE_NONE)) != 0) {
                context.setPreviousResult(sample);
            }
            if ((flags & PACKAGE_BEGINS) != 0) {
                context.getSamplerContext().clear();
            }
            user.count(groupThreads, allThreads);
            user.countPhase(planned, started, allThreads);
            if (sampler != null) {
                sampler.setThreadName(user.thread.getThreadName());
                user.show(sampler, samplePackage);
            }
            user.putBefore();
            run(user, new Given(subject), sampler, work, out);
        } finally {
            user.leave();
        }
    }

    private static void run(User user, Given given, Sampler sampler, Work work, Out out) {
        JMeterContext context = user.context;
        SampleResult previous = given.subject(context);
        SampleBefore before = previous == null ? null : new SampleBefore(previous);
        RequestBefore request = sampler == null ? null : new RequestBefore(sampler);
        attempt(user, work, given);
        CallOutput.endLine();
        write(given, user, out);
        writeSample(given.sample, given.subject(context), previous, before, out);
        if (request == null) {
            out.u8(0);
        } else {
            request.write(out);
        }
    }

    private static void attempt(User user, Work work, Given given) {
        try {
            work.run(given);
        } catch (JMeterStopTestException e) {
            user.actions |= Actions.STOP_TEST;
        } catch (JMeterStopTestNowException e) {
            user.actions |= Actions.STOP_TEST_NOW;
        } catch (Throwable e) {
            given.status = THROWN;
            given.fault = Fault.thrown(e);
        }
        if (given.status == RAN && !user.logs.isEmpty()) {
            given.fault = Fault.in(user.logs);
            given.status = given.fault == null ? RAN : FAILED;
        }
    }

    private TestElement elementOf(Script script, User user, boolean isOverridden) {
        if (script.isShared() && !isOverridden) {
            return shared.computeIfAbsent(script.number, number -> Elements.of(script));
        }
        TestElement element = user.elements.computeIfAbsent(script.number, number -> Elements.of(script));
        if (isOverridden) {
            Elements.fill(element, script);
        }
        return element;
    }

    private static void run(TestElement element, User user, Given given) {
        if (element instanceof Sampler) {
            given.sample = ((Sampler) element).sample(null);
        } else if (element instanceof PreProcessor) {
            ((PreProcessor) element).process();
        } else if (element instanceof PostProcessor) {
            ((PostProcessor) element).process();
        } else if (element instanceof Assertion) {
            given.assertion = HostedUser.resultOf((Assertion) element, given.subject(user.context));
        } else if (element instanceof Timer) {
            given.delayMs = delayOf((Timer) element);
        } else if (element instanceof SampleListener) {
            String group = user.context.getThreadGroup().getName();
            SampleResult sample = given.subject(user.context);
            // Source: {@code TransactionController.triggerEndTransaction}; one that is the parent of its samples tells nothing of itself.
            boolean isTransaction = given.subject != null && Samples.subResultsOf(sample).length == 0;
            SampleEvent event = new SampleEvent(sample, group, user.vars.seen, isTransaction);
            ((SampleListener) element).sampleOccurred(event);
        }
    }

    /** Source: {@code JMeterThread.delay}. */
    private static long delayOf(Timer timer) {
        long delay = timer.delay();
        float factor = JMeterUtils.getPropDefault("timer.factor", 1.0f);
        return factor == 1.0f || !timer.isModifiable() ? delay : Math.round(delay * factor);
    }

    private static void write(Given given, User user, Out out) {
        out.u8(given.status);
        if (given.fault != null) {
            given.fault.write(out);
        }
        user.vars.write(out);
        Host.props().write(out);
        out.u8(user.actions | OuterEngine.INSTANCE.takeWishes());
        user.actions = 0;
        TestLogicalAction action = user.context.getTestLogicalAction();
        out.u8(action.ordinal());
        if (action != TestLogicalAction.CONTINUE) {
            user.context.setTestLogicalAction(TestLogicalAction.CONTINUE);
        }
        Logs.write(out, user.logs);
        out.string(given.text);
        out.i64(given.delayMs);
        out.flag(given.assertion != null);
        if (given.assertion != null) {
            Samples.write(out, given.assertion);
        }
    }

    /** Writes the sample that a sampler made, else what the element changed in the one before. */
    private static void writeSample(
            SampleResult made, SampleResult now, SampleResult previous, SampleBefore before, Out out) {
        int mask = 0;
        // The sample of a hosted sampler is the previous one already, and comes whole below.
        if (now != null && now != made) {
            mask = now == previous ? before.changed(now) : Samples.maskOf(now);
        }
        out.flag(mask != 0);
        if (mask != 0) {
            Samples.write(out, now, mask);
        }
        out.flag(made != null);
        if (made != null) {
            Samples.write(out, made, Samples.maskOf(made));
        }
    }
}
