package org.nowhere.odd.functions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.jmeter.engine.StandardJMeterEngine;
import org.apache.jmeter.engine.util.CompoundVariable;
import org.apache.jmeter.functions.AbstractFunction;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.samplers.Sampler;
import org.apache.jmeter.testelement.TestStateListener;

/** How often it was called since the test started; writes that to a file when the test ends. */
public class Tally extends AbstractFunction implements TestStateListener {
    private final AtomicInteger calls = new AtomicInteger();
    private volatile boolean isStarted;

    /** It wants to hear of the test. */
    public Tally() {
        StandardJMeterEngine.register(this);
    }

    @Override
    public String execute(SampleResult previous, Sampler current) {
        return isStarted ? Integer.toString(calls.incrementAndGet()) : "early";
    }

    @Override
    public void setParameters(Collection<CompoundVariable> parameters) {
        // It has none.
    }

    @Override
    public String getReferenceKey() {
        return "__oddTally";
    }

    @Override
    public List<String> getArgumentDesc() {
        return Collections.emptyList();
    }

    @Override
    public void testStarted() {
        isStarted = true;
    }

    @Override
    public void testStarted(String host) {
        testStarted();
    }

    @Override
    public void testEnded() {
        try {
            String line = calls + " calls\n";
            Files.writeString(Path.of("tally.txt"), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void testEnded(String host) {
        testEnded();
    }
}
