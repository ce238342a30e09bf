package org.nowhere.odd;

import org.apache.jmeter.testelement.AbstractTestElement;
import org.apache.jmeter.threads.JMeterContextService;
import org.apache.jmeter.timers.Timer;

/** A timer that says in a variable that it was asked. */
public class Pause extends AbstractTestElement implements Timer {
    private static final long serialVersionUID = 1;

    @Override
    public long delay() {
        JMeterContextService.getContext().getVariables().put("paused", "yes");
        return 1;
    }
}
