package org.nowhere.odd;

import org.apache.jmeter.config.ConfigTestElement;
import org.apache.jmeter.testelement.TestStateListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A config element that says when the test ends, and throws then. */
public class Slam extends ConfigTestElement implements TestStateListener {
    private static final long serialVersionUID = 1;
    private static final Logger LOG = LoggerFactory.getLogger(Slam.class);

    @Override
    public void testStarted() {
        LOG.info("{} is open", getName());
    }

    @Override
    public void testStarted(String host) {
        testStarted();
    }

    @Override
    public void testEnded() {
        LOG.info("{} shuts", getName());
        throw new IllegalStateException("slammed");
    }

    @Override
    public void testEnded(String host) {
        testEnded();
    }
}
