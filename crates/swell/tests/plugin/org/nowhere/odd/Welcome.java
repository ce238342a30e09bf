package org.nowhere.odd;

import org.apache.jmeter.config.ConfigTestElement;
import org.apache.jmeter.testelement.ThreadListener;
import org.apache.jmeter.threads.JMeterContextService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A config element that gives each user a variable when its thread starts. */
public class Welcome extends ConfigTestElement implements ThreadListener {
    private static final long serialVersionUID = 1;
    private static final Logger LOG = LoggerFactory.getLogger(Welcome.class);

    @Override
    public void threadStarted() {
        JMeterContextService.getContext().getVariables().put("guest", Thread.currentThread().getName());
    }

    @Override
    public void threadFinished() {
        LOG.info("{} leaves", Thread.currentThread().getName());
    }
}
