package org.nowhere.odd;

import org.apache.jmeter.engine.StandardJMeterEngine;
import org.apache.jmeter.samplers.AbstractSampler;
import org.apache.jmeter.samplers.Entry;
import org.apache.jmeter.samplers.SampleResult;

/** A sampler that has its own user stopped by the name of its thread; its message is what that gave. */
public class Farewell extends AbstractSampler {
    private static final long serialVersionUID = 1;

    @Override
    public SampleResult sample(Entry entry) {
        SampleResult result = new SampleResult();
        result.setSampleLabel(getName());
        result.sampleStart();
        String name = getThreadContext().getThread().getThreadName();
        String stopped = StandardJMeterEngine.stopThread("nobody") + " " + StandardJMeterEngine.stopThread(name);
        result.setResponseMessage(stopped);
        result.setSuccessful(true);
        result.sampleEnd();
        return result;
    }
}
