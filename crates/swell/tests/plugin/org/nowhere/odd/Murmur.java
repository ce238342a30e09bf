package org.nowhere.odd;

import org.apache.jmeter.processor.PreProcessor;
import org.apache.jmeter.testelement.AbstractTestElement;
import org.apache.jmeter.testelement.ThreadListener;
import org.apache.jmeter.threads.JMeterContextService;
import org.apache.jmeter.threads.JMeterVariables;

/** A pre-processor with a thread of its own for each user, which sets variables of the user all the time. */
public class Murmur extends AbstractTestElement implements PreProcessor, ThreadListener {
    private static final long serialVersionUID = 1;
    private static final int NAMES = 64;
    private transient volatile Thread murmurs;

    @Override
    public void threadStarted() {
        JMeterVariables variables = JMeterContextService.getContext().getVariables();
        for (int i = 0; i < NAMES; i++) {
            // The map itself does not grow later: that JMeter's cannot bear either.
            variables.put("murmur" + i, "");
        }
        murmurs = new Thread(() -> murmur(variables));
        murmurs.setDaemon(true);
        murmurs.start();
    }

    private void murmur(JMeterVariables variables) {
        for (int i = 0; murmurs != null; i++) {
            variables.put("murmur" + i % NAMES, Integer.toString(i));
            Thread.yield();
        }
    }

    @Override
    public void threadFinished() {
        murmurs = null;
    }

    @Override
    public void process() {
        // Its thread does all.
    }
}
