package org.nowhere.odd;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.jmeter.config.Arguments;

/** User defined variables, and one that no plan defines. */
public class Gifts extends Arguments {
    private static final long serialVersionUID = 1;

    @Override
    public Map<String, String> getArgumentsAsMap() {
        Map<String, String> all = new LinkedHashMap<>(super.getArgumentsAsMap());
        all.put("gift", "clock");
        return all;
    }
}
