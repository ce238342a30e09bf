package swell.jvm;

import java.util.Arrays;
import java.util.Objects;
import org.apache.jmeter.assertions.AssertionResult;
import org.apache.jmeter.protocol.http.sampler.HTTPSampleResult;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.samplers.SampleFields;
import org.apache.jmeter.threads.JMeterContext.TestLogicalAction;

/** A sample's fields before an element ran, to find those that it changed. References are compared where a setter replaces them. */
final class SampleBefore {
    private final String[] texts;
    private final long[] numbers;
    private final byte[] body;
    private final Object url;
    private final TestLogicalAction action;
    private final String[] http;
    private final Object[] assertions;
    private final SampleResult[] subs;
    private final SampleBefore[] subsBefore;

    SampleBefore(SampleResult sample) {
        texts = textsOf(sample);
        numbers = numbersOf(sample);
        body = sample.getResponseData();
        url = sample.getURL();
        action = sample.getTestLogicalAction();
        http = httpOf(sample);
        assertions = factsOf(sample.getAssertionResults());
        subs = Samples.subResultsOf(sample);
        subsBefore = new SampleBefore[subs.length];
        for (int i = 0; i < subs.length; i++) {
            subsBefore[i] = new SampleBefore(subs[i]);
        }
    }

    private static final int[] TEXT_BITS = {
        Samples.LABEL, Samples.CODE, Samples.MESSAGE, Samples.DATA_TYPE, Samples.RESPONSE_HEADERS, Samples.REQUEST_HEADERS,
        Samples.CONTENT_TYPE, Samples.ENCODING, Samples.THREAD, Samples.FILE, Samples.SAMPLER_DATA,
    };

    private static String[] textsOf(SampleResult s) {
        return new String[] {
            s.getSampleLabel(), s.getResponseCode(), s.getResponseMessage(), s.getDataType(), s.getResponseHeaders(),
            s.getRequestHeaders(), s.getContentType(), SampleFields.encodingOf(s), s.getThreadName(), s.getResultFileName(),
            // That of HTTP samples is put together from other fields.
            s instanceof HTTPSampleResult ? null : s.getSamplerData(),
        };
    }

    private static final int[] NUMBER_BITS = {
        Samples.SUCCESS, Samples.FLAGS, Samples.TIMES, Samples.TIMES, Samples.TIMES, Samples.TIMES, Samples.TIMES,
        Samples.SIZES, Samples.SIZES, Samples.SIZES, Samples.SIZES, Samples.THREAD, Samples.THREAD, Samples.COUNTS, Samples.COUNTS,
    };

    private static long[] numbersOf(SampleResult s) {
        return new long[] {
            s.isSuccessful() ? 1 : 0, Samples.flagsOf(s), s.getStartTime(), s.getEndTime(), s.getIdleTime(), s.getLatency(),
            s.getConnectTime(), s.getBytesAsLong(), s.getSentBytes(), s.getHeadersSize(), s.getBodySizeAsLong(),
            s.getGroupThreads(), s.getAllThreads(), s.getSampleCount(), s.getErrorCount(),
        };
    }

    private static String[] httpOf(SampleResult sample) {
        if (!(sample instanceof HTTPSampleResult)) {
            return null;
        }
        HTTPSampleResult http = (HTTPSampleResult) sample;
        return new String[] {http.getHTTPMethod(), http.getQueryString(), http.getCookies(), http.getRedirectLocation()};
    }

    /** What results of assertions say: scripts change results that are there. */
    private static Object[] factsOf(AssertionResult[] results) {
        Object[] facts = new Object[4 * results.length];
        for (int i = 0; i < results.length; i++) {
            facts[4 * i] = results[i].getName();
            facts[4 * i + 1] = results[i].isFailure();
            facts[4 * i + 2] = results[i].isError();
            facts[4 * i + 3] = results[i].getFailureMessage();
        }
        return facts;
    }

    /** The fields that differ now. */
    int changed(SampleResult now) {
        int mask = 0;
        String[] textsNow = textsOf(now);
        for (int i = 0; i < texts.length; i++) {
            mask |= Objects.equals(texts[i], textsNow[i]) ? 0 : TEXT_BITS[i];
        }
        long[] numbersNow = numbersOf(now);
        for (int i = 0; i < numbers.length; i++) {
            mask |= numbers[i] == numbersNow[i] ? 0 : NUMBER_BITS[i];
        }
        mask |= body == now.getResponseData() ? 0 : Samples.BODY;
        mask |= url == now.getURL() ? 0 : Samples.URL;
        mask |= action == now.getTestLogicalAction() ? 0 : Samples.ACTION;
        mask |= Arrays.equals(http, httpOf(now)) ? 0 : Samples.HTTP;
        mask |= Arrays.equals(assertions, factsOf(now.getAssertionResults())) ? 0 : Samples.ASSERTIONS;
        return mask | (haveSubsChanged(now) ? Samples.SUB_RESULTS : 0);
    }

    private boolean haveSubsChanged(SampleResult now) {
        SampleResult[] subsNow = Samples.subResultsOf(now);
        if (!Arrays.equals(subs, subsNow)) {
            return true;
        }
        for (int i = 0; i < subs.length; i++) {
            if (subsBefore[i].changed(subsNow[i]) != 0) {
                return true;
            }
        }
        return false;
    }
}
