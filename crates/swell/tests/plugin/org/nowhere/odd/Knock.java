package org.nowhere.odd;

import org.apache.jmeter.samplers.AbstractSampler;
import org.apache.jmeter.samplers.Entry;
import org.apache.jmeter.samplers.SampleResult;

/** A sampler whose message is its field. */
public class Knock extends AbstractSampler {
    private static final long serialVersionUID = 1;

    @Override
    public SampleResult sample(Entry entry) {
        SampleResult result = new SampleResult();
        result.setSampleLabel(getName());
        result.sampleStart();
        result.setResponseData("who is there?", "UTF-8");
        result.setResponseCode("77");
        // Without the field as the message of an exception that has none.
        result.setResponseMessage(getPropertyAsString("Knock.text", null));
        result.setSuccessful(true);
        result.sampleEnd();
        return result;
    }
}
