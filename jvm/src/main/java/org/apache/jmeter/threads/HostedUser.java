package org.apache.jmeter.threads;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.jmeter.assertions.Assertion;
import org.apache.jmeter.assertions.AssertionResult;
import org.apache.jmeter.control.Controller;
import org.apache.jmeter.engine.event.LoopIterationEvent;
import org.apache.jmeter.engine.event.LoopIterationListener;
import org.apache.jmeter.samplers.Interruptible;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.samplers.Sampler;
import org.apache.jmeter.testbeans.TestBeanHelper;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.testelement.TestIterationListener;
import org.apache.jorphan.collections.HashTree;
import org.apache.jorphan.collections.HashTreeTraverser;
import org.apache.jorphan.collections.ListedHashTree;
import org.apache.jorphan.util.JMeterError;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A user's own copies of the elements of its thread group, and what {@code JMeterThread} does with them. The user has entered. */
public final class HostedUser {
    private static final Logger LOG = LoggerFactory.getLogger(JMeterThread.class);
    private static final MethodHandle CHECK;

    private final ListedHashTree tree;
    private final TestCompiler compiler;
    private final UserThread thread;
    private final Map<Integer, TestElement> elements = new HashMap<>();
    /** The innermost controller above an element, and how many of its iterations the element has heard of. */
    private final Map<Integer, TestElement> controllers = new HashMap<>();
    private final Map<Integer, Integer> iterations = new HashMap<>();
    private final List<TestIterationListener> iterationListeners = new ArrayList<>();
    private volatile SamplePackage pack;
    private long packNumber = -1;

    static {
        try {
            CHECK = MethodHandles.privateLookupIn(JMeterThread.class, MethodHandles.lookup()).findStatic(JMeterThread.class,
                    "checkAssertions", MethodType.methodType(void.class, List.class, SampleResult.class, JMeterContext.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Source: {@code JMeterThread.initRun}. */
    public HostedUser(HostedPlan plan, int group, UserThread known, JMeterContext context) {
        tree = plan.cloneOf(group);
        if (tree == null) {
            throw new IllegalArgumentException("no thread group " + group + " in the plan");
        }
        tree.traverse(new Index());
        // As in JMeter the group itself, though its elements are copies.
        thread = known.with(tree, (AbstractThreadGroup) plan.treeOf(group).getArray()[0], context.getVariables());
        compiler = thread.compiler();
        thread.fill(context);
        tree.traverse(compiler);
        context.setSamplingStarted(true);
        ((Controller) tree.getArray()[0]).initialize();
        JMeterContextService.incrNumberOfThreads();
        tree.traverse(new JMeterThread.ThreadListenerTraverser(true));
    }

    private final class Index implements HashTreeTraverser {
        private final Deque<Object> path = new ArrayDeque<>();
        private final Deque<TestElement> above = new ArrayDeque<>();

        @Override
        public void addNode(Object node, HashTree subTree) {
            path.push(node);
            TestElement element = (TestElement) node;
            int number = element.getPropertyAsInt(HostedPlan.NUMBER, -1);
            if (number >= 0) {
                elements.put(number, element);
            }
            if (node instanceof LoopIterationListener) {
                controllers.put(number, above.peek());
            }
            if (node instanceof Controller) {
                above.push(element);
            }
            if (node instanceof TestIterationListener) {
                iterationListeners.add((TestIterationListener) node);
            }
        }

        @Override
        public void subtractNode() {
            if (path.pop() instanceof Controller) {
                above.pop();
            }
        }

        @Override
        public void processPath() {
            // Nor on the leaves.
        }
    }

    /** The user begins its thread group once more. Source: {@code JMeterThread.notifyTestListeners}. */
    public void startIteration(int iteration) {
        LoopIterationEvent event = new LoopIterationEvent((TestElement) tree.getArray()[0], iteration);
        for (TestIterationListener listener : iterationListeners) {
            TestBeanHelper.prepare((TestElement) listener);
            listener.testIterationStart(event);
        }
    }

    /**
     * The innermost controller above an element begins once more, this many times; none of them is notified if the element is not of this
     * thread group. Source: {@code GenericController.fireIterationStart}.
     */
    public void startIterations(int number, int times) {
        TestElement element = elements.get(number);
        if (!(element instanceof LoopIterationListener)) {
            return;
        }
        for (int i = 0; i < times; i++) {
            int iteration = iterations.merge(number, 1, Integer::sum);
            TestBeanHelper.prepare(element);
            ((LoopIterationListener) element).iterationStart(new LoopIterationEvent(controllers.get(number), iteration));
        }
    }

    /** This user's copy of an element, ready to run. */
    public TestElement prepared(int number) {
        TestElement element = elements.get(number);
        if (element == null) {
            throw new IllegalArgumentException("no element " + number + " in the thread group");
        }
        TestBeanHelper.prepare(element);
        return element;
    }

    /**
     * The package of that number begins, if it has not: configuration elements are merged into its sampler
     * ({@code JMeterThread.executeSamplePackage}).
     */
    public void begin(int sampler, long number, JMeterContext context) {
        if (pack != null && packNumber == number) {
            return;
        }
        end();
        TestElement element = elements.get(sampler);
        if (!(element instanceof Sampler)) {
            throw new IllegalArgumentException("no sampler " + sampler + " in the thread group");
        }
        context.setCurrentSampler((Sampler) element);
        pack = compiler.configureSampler((Sampler) element);
        context.getVariables().putObject(JMeterThread.PACKAGE_OBJECT, pack);
        packNumber = number;
    }

    /** The package of the sampler before ends: what only it had set in the sampler is undone. */
    public void end() {
        if (pack != null) {
            compiler.done(pack);
            pack = null;
        }
    }

    /** Takes the sample of the package that has begun ({@code JMeterThread.doSampling}). */
    public SampleResult sample(JMeterContext context) {
        Sampler sampler = pack.getSampler();
        sampler.setThreadContext(context);
        if (!thread.getThreadName().equals(sampler.getThreadName())) {
            sampler.setThreadName(thread.getThreadName());
        }
        TestBeanHelper.prepare(sampler);
        SampleResult result = sampler.sample(null);
        if (result != null && !result.isIgnore()) {
            fill(result);
            context.setPreviousResult(result);
        }
        return result;
    }

    private void fill(SampleResult result) {
        result.setThreadName(thread.getThreadName());
        SampleResult[] parts = result.getSubResults();
        if (parts != null) {
            for (SampleResult part : parts) {
                part.setThreadName(thread.getThreadName());
            }
        }
    }

    /** Judges a sample and those below it, as far as the assertion asks for them ({@code JMeterThread.checkAssertions}). */
    public static void check(Assertion assertion, SampleResult sample, JMeterContext context) {
        try {
            CHECK.invokeExact(Collections.singletonList(assertion), sample, context);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * What an assertion finds, or that it threw: a failed {@code assert} is a failure, exceptions are errors. Other errors end the user
     * ({@code JMeterThread.processAssertion}).
     */
    public static AssertionResult resultOf(Assertion assertion, SampleResult sample) {
        try {
            return assertion.getResult(sample);
        } catch (AssertionError e) {
            LOG.debug("Error processing Assertion.", e);
            AssertionResult failed = new AssertionResult("Assertion failed! See log file (debug level, only).");
            failed.setFailure(true);
            failed.setFailureMessage(e.toString());
            return failed;
        } catch (JMeterError | Exception e) {
            LOG.error("{} processing Assertion.", e instanceof Exception ? "Exception" : "Error", e);
            AssertionResult wrong = new AssertionResult("Assertion failed! See log file.");
            wrong.setError(true);
            wrong.setFailureMessage(e.toString());
            return wrong;
        }
    }

    /** Interrupts the sampler that runs, as JMeter's Sample Timeout and its stopping at once do. */
    public void interrupt() {
        SamplePackage running = pack;
        if (running != null && running.getSampler() instanceof Interruptible) {
            ((Interruptible) running.getSampler()).interrupt();
        }
    }

    /** The user has ended. */
    public void finish() {
        end();
        tree.traverse(new JMeterThread.ThreadListenerTraverser(false));
        JMeterContextService.decrNumberOfThreads();
    }
}
