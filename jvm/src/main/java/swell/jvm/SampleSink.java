package swell.jvm;

import org.apache.jmeter.engine.util.NoThreadClone;
import org.apache.jmeter.samplers.SampleEvent;
import org.apache.jmeter.samplers.SampleListener;
import org.apache.jmeter.testelement.AbstractTestElement;
import org.apache.jmeter.testelement.ThreadListener;
import org.apache.jmeter.threads.HostedPlan;

/**
 * The substitute for a listener that the other side calls with samples. One more is below the Test Plan, after all others; what
 * that receives, the other side counts.
 */
public final class SampleSink extends AbstractTestElement implements SampleListener, ThreadListener, NoThreadClone {
    private static final long serialVersionUID = 1;
    private static final String LAST = "SampleSink.last";

    @Override
    public void sampleOccurred(SampleEvent event) {
        boolean isLast = getPropertyAsBoolean(LAST);
        GroupRun.ofThread().heard(event, isLast ? -1 : getPropertyAsInt(HostedPlan.NUMBER));
    }

    @Override
    public void threadStarted() {
        if (getPropertyAsBoolean(LAST)) {
            GroupRun.ofThread().threadStarted();
        }
    }

    @Override
    public void threadFinished() {
        if (getPropertyAsBoolean(LAST)) {
            GroupRun.ofThread().threadFinished();
        }
    }

    @Override
    public void sampleStarted(SampleEvent event) {
        // Only its end counts.
    }

    @Override
    public void sampleStopped(SampleEvent event) {
        // Only what occurred counts.
    }
}
