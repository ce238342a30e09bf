package org.nowhere.odd;

import org.apache.jmeter.control.GenericController;
import org.apache.jmeter.samplers.Sampler;

/** A controller that gives each sampler twice. */
public class Twice extends GenericController {
    private static final long serialVersionUID = 1;
    private transient Sampler again;

    @Override
    public Sampler next() {
        Sampler sampler = again == null ? super.next() : again;
        again = again == null ? sampler : null;
        return sampler;
    }
}
