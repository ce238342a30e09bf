package org.apache.jmeter.samplers;

import java.lang.invoke.VarHandle;
import swell.jvm.PrivateFields;

/** Fields of samples without what their getters and setters add. It is in this package since the setter of the start is not open. */
public final class SampleFields {
    private static final VarHandle ENCODING = PrivateFields.of(SampleResult.class, "dataEncoding", String.class);

    private SampleFields() {
    }

    /** Sets the times of a sample that was taken elsewhere: milliseconds since the epoch, and of the pause. */
    public static void setTimes(SampleResult sample, long startMs, long endMs, long idleMs) {
        sample.setIdleTime(idleMs);
        sample.setStartTime(startMs);
        if (startMs != 0) {
            sample.setEndTime(endMs);
        }
    }

    /** The charset that was set; the getter of HTTP samples searches the body for one. */
    public static String encodingOf(SampleResult sample) {
        return (String) ENCODING.get(sample);
    }
}
