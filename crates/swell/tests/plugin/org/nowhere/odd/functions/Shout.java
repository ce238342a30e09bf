package org.nowhere.odd.functions;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.apache.jmeter.engine.util.CompoundVariable;
import org.apache.jmeter.functions.AbstractFunction;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.samplers.Sampler;

/** Its argument in capitals, with an exclamation mark. */
public class Shout extends AbstractFunction {
    private CompoundVariable text;

    @Override
    public String execute(SampleResult previous, Sampler current) {
        return text.execute().toUpperCase(Locale.ROOT) + "!";
    }

    @Override
    public void setParameters(Collection<CompoundVariable> parameters) {
        text = parameters.iterator().next();
    }

    @Override
    public String getReferenceKey() {
        return "__oddShout";
    }

    @Override
    public List<String> getArgumentDesc() {
        return Collections.singletonList("text");
    }
}
