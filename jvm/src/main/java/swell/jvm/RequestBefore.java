package swell.jvm;

import java.util.Arrays;
import org.apache.jmeter.samplers.Sampler;

/** A sampler's state before an element ran, to find whether it changed. */
final class RequestBefore {
    private final Sampler sampler;
    private final Out before = new Out();

    RequestBefore(Sampler sampler) {
        this.sampler = sampler;
        Requests.write(before, sampler);
    }

    /** Writes 1 and the sampler if it changed, else 0. */
    void write(Out out) {
        Out now = new Out();
        Requests.write(now, sampler);
        boolean same = Arrays.equals(before.bytes, 0, before.at, now.bytes, 0, now.at);
        out.flag(!same);
        if (!same) {
            Requests.write(out, sampler);
        }
    }
}
