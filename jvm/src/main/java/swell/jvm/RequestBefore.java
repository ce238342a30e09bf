package swell.jvm;

import java.util.Arrays;
import org.apache.jmeter.protocol.http.control.HeaderManager;
import org.apache.jmeter.samplers.Sampler;

/** A sampler's state before an element ran, to find whether it changed. */
final class RequestBefore {
    private final Sampler sampler;
    private final HeaderManager headers;
    private final Out before = new Out();

    RequestBefore(Sampler sampler) {
        this.sampler = sampler;
        headers = Requests.headersOf(sampler);
        Requests.write(before, sampler, headers);
    }

    /** Writes 1 and the sampler if it changed, else 0. */
    void write(Out out) {
        Out now = new Out();
        Requests.write(now, sampler, headers);
        boolean same = Arrays.equals(before.bytes, 0, before.at, now.bytes, 0, now.at);
        out.flag(!same);
        if (!same) {
            out.append(now);
        }
    }
}
