package org.nowhere.odd;

import org.apache.jmeter.config.ConfigTestElement;
import org.apache.jmeter.engine.event.LoopIterationEvent;
import org.apache.jmeter.engine.event.LoopIterationListener;
import org.apache.jmeter.threads.JMeterContextService;
import org.apache.jorphan.util.JMeterStopThreadException;

/** A data set with a given number of rows: a user that asks for more is stopped. It can also be one that cannot be read. */
public class Rows extends ConfigTestElement implements LoopIterationListener {
    private static final long serialVersionUID = 1;
    private transient int row;

    @Override
    public void iterationStart(LoopIterationEvent event) {
        if (getPropertyAsBoolean("Rows.unreadable")) {
            throw new IllegalArgumentException("unreadable");
        }
        if (row == getPropertyAsInt("Rows.rows")) {
            throw new JMeterStopThreadException("no more rows");
        }
        row++;
        JMeterContextService.getContext().getVariables().put("row", Integer.toString(row));
    }
}
