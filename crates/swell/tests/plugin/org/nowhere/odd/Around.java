package org.nowhere.odd;

import org.apache.jmeter.processor.PostProcessor;
import org.apache.jmeter.processor.PreProcessor;
import org.apache.jmeter.testelement.AbstractTestElement;
import org.apache.jmeter.threads.JMeterContextService;
import org.apache.jmeter.threads.JMeterVariables;

/** Called before and after a sampler. */
public class Around extends AbstractTestElement implements PreProcessor, PostProcessor {
    private static final long serialVersionUID = 1;

    @Override
    public void process() {
        JMeterVariables vars = JMeterContextService.getContext().getVariables();
        String before = vars.get("around");
        vars.put("around", (before == null ? "" : before) + "x");
    }
}
