package org.apache.jmeter.threads;

import java.io.File;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.jmeter.JMeter;
import org.apache.jmeter.control.ReplaceableController;
import org.apache.jmeter.engine.OuterEngine;
import org.apache.jmeter.engine.PreCompiler;
import org.apache.jmeter.engine.StandardJMeterEngine;
import org.apache.jmeter.engine.TurnElementsOn;
import org.apache.jmeter.exceptions.IllegalUserActionException;
import org.apache.jmeter.gui.tree.JMeterTreeModel;
import org.apache.jmeter.gui.tree.JMeterTreeNode;
import org.apache.jmeter.samplers.SampleEvent;
import org.apache.jmeter.save.SaveService;
import org.apache.jmeter.services.FileServer;
import org.apache.jmeter.testbeans.TestBeanHelper;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.testelement.TestPlan;
import org.apache.jmeter.testelement.TestStateListener;
import org.apache.jorphan.collections.HashTree;
import org.apache.jorphan.collections.ListedHashTree;
import org.apache.jorphan.collections.SearchByClass;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import swell.jvm.PrivateFields;

/**
 * A plan whose foreign elements run here, on threads of others. It does what {@code StandardJMeterEngine.run} does before and after the
 * thread groups. It is in this package since parts of JMeter's threads are not open.
 */
public final class HostedPlan {
    /** The property by which both sides name an element: its number in the plan. It survives clones. */
    public static final String NUMBER = "swell.id";

    private static final Logger LOG = LoggerFactory.getLogger(StandardJMeterEngine.class);
    private static final VarHandle REGISTERED = PrivateFields.ofStatic(StandardJMeterEngine.class, "testList", List.class);

    private final List<TestStateListener> listeners = new ArrayList<>();
    private final Map<Integer, ListedHashTree> groups = new HashMap<>();
    private JMeterVariables variables;
    private final Map<String, Object> kept = new HashMap<>();

    /**
     * Loads a plan and starts its elements.
     *
     * @param jmx the plan, each element with its {@link #NUMBER}
     * @param file where it came from, which relative names of files count from
     */
    public HostedPlan(byte[] jmx, String file) throws IOException {
        FileServer.getFileServer().setBaseForScript(new File(file).getAbsoluteFile());
        HashTree tree = load(jmx);
        JMeterTreeModel model = new JMeterTreeModel(new Object());
        replaceControllers(tree, model);
        HashTree converted = JMeter.convertSubTree(tree, true);
        start(converted);
        collectGroups(converted);
    }

    private static HashTree load(byte[] jmx) throws IOException {
        // SaveService reads files only.
        File file = File.createTempFile("swell", ".jmx");
        try {
            Files.write(file.toPath(), jmx);
            return SaveService.loadTree(file);
        } finally {
            Files.delete(file.toPath());
        }
    }

    private static void replaceControllers(HashTree tree, JMeterTreeModel model) {
        try {
            model.addSubTree(tree, (JMeterTreeNode) model.getRoot());
        } catch (IllegalUserActionException e) {
            throw new IllegalStateException(e);
        }
        SearchByClass<ReplaceableController> controllers = new SearchByClass<>(ReplaceableController.class);
        tree.traverse(controllers);
        for (ReplaceableController controller : controllers.getSearchResults()) {
            controller.resolveReplacementSubTree((JMeterTreeNode) model.getRoot());
        }
    }

    /** The listeners that functions have put up since the last time ({@code StandardJMeterEngine.register}). */
    @SuppressWarnings("unchecked")
    public static List<TestStateListener> takeRegistered() {
        List<TestStateListener> registered = (List<TestStateListener>) REGISTERED.get();
        synchronized (registered) {
            List<TestStateListener> taken = new ArrayList<>(registered);
            registered.clear();
            return taken;
        }
    }

    private void start(HashTree tree) {
        OuterEngine.INSTANCE.configure(tree);
        SampleEvent.initSampleVariables();
        JMeterContext context = JMeterContextService.getContext();
        context.setVariables(new JMeterVariables());
        tree.traverse(new PreCompiler());
        // The compiler has put others there, with those that the plan defines; users bring these along as they are by then.
        variables = context.getVariables();
        // Those of the Test Plan came from the other side; classes of plug-ins may have brought more.
        Map<String, String> defined = ((TestPlan) tree.getArray()[0]).getUserDefinedVariables();
        SearchByClass<TestStateListener> found = new SearchByClass<>(TestStateListener.class);
        tree.traverse(found);
        listeners.addAll(found.getSearchResults());
        listeners.addAll(takeRegistered());
        tree.traverse(new TurnElementsOn());
        for (TestStateListener listener : listeners) {
            if (listener instanceof TestElement) {
                TestBeanHelper.prepare((TestElement) listener);
            }
            listener.testStarted();
        }
        variables.entrySet().forEach(entry -> keep(entry.getKey(), entry.getValue(), defined));
        TestCompiler.initialize();
        JMeterContextService.clearTotalThreads();
        context.setSamplingStarted(true);
    }

    private void keep(String name, Object value, Map<String, String> defined) {
        if (value != null && !value.equals(defined.get(name))) {
            kept.put(name, value);
        }
    }

    private void collectGroups(HashTree tree) {
        Object plan = tree.getArray()[0];
        List<Object> ofPlan = new ArrayList<>(tree.list(plan));
        ofPlan.removeIf(element -> element instanceof AbstractThreadGroup);
        SearchByClass<AbstractThreadGroup> found = new SearchByClass<>(AbstractThreadGroup.class);
        tree.traverse(found);
        for (AbstractThreadGroup group : found.getSearchResults()) {
            ListedHashTree ofGroup = (ListedHashTree) found.getSubTree(group);
            ofGroup.add(group, ofPlan);
            groups.put(group.getPropertyAsInt(NUMBER, -1), ofGroup);
        }
        if (!(plan instanceof TestPlan)) {
            throw new IllegalArgumentException("the plan has no Test Plan");
        }
    }

    /** The elements of a thread group, for one user; null if the group does not exist. */
    ListedHashTree cloneOf(int group) {
        ListedHashTree tree = groups.get(group);
        return tree == null ? null : AbstractThreadGroup.cloneTree(tree);
    }

    /** The elements of a thread group, with those of the Test Plan level; null if the group does not exist. */
    public ListedHashTree treeOf(int group) {
        return groups.get(group);
    }

    /** What the plan defines and starting elements have set. */
    public JMeterVariables variables() {
        return variables;
    }

    /** The variables that elements have set, such as pools of connections; not those that the Test Plan defines. */
    public Map<String, Object> kept() {
        return kept;
    }

    /** Tells its elements that the test has ended. Source: {@code StandardJMeterEngine.notifyTestListenersOfEnd}. */
    public void end() {
        listeners.forEach(HostedPlan::tellEnd);
        JMeterContextService.endTest();
    }

    /** Tells one that the test has ended; what it throws keeps it from no other. */
    public static void tellEnd(TestStateListener listener) {
        try {
            if (listener instanceof TestElement) {
                TestBeanHelper.prepare((TestElement) listener);
            }
            listener.testEnded();
        } catch (Exception | LinkageError | AssertionError e) {
            LOG.warn("Error encountered during shutdown of {}", listener, e);
        }
    }
}
