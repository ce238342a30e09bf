package org.nowhere.odd;

import org.apache.jmeter.samplers.SampleEvent;
import org.apache.jmeter.samplers.SampleListener;
import org.apache.jmeter.testelement.AbstractTestElement;

/** A listener that throws. */
public class Grumble extends AbstractTestElement implements SampleListener {
    private static final long serialVersionUID = 1;

    @Override
    public void sampleOccurred(SampleEvent event) {
        throw new IllegalStateException("not " + event.getResult().getSampleLabel() + " again");
    }

    @Override
    public void sampleStarted(SampleEvent event) {
        // Nobody calls it.
    }

    @Override
    public void sampleStopped(SampleEvent event) {
        // Nobody calls it.
    }
}
