package swell.jvm;

import java.net.MalformedURLException;
import java.net.URL;
import org.apache.jmeter.assertions.AssertionResult;
import org.apache.jmeter.protocol.http.sampler.HTTPSampleResult;
import org.apache.jmeter.samplers.SampleFields;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.threads.JMeterContext.TestLogicalAction;

/** Samples as messages: a mask of the fields that follow, then these in the order of their bits. */
final class Samples {
    static final int LABEL = 1;
    static final int CODE = 1 << 1;
    static final int MESSAGE = 1 << 2;
    static final int SUCCESS = 1 << 3;
    static final int DATA_TYPE = 1 << 4;
    static final int BODY = 1 << 5;
    static final int RESPONSE_HEADERS = 1 << 6;
    static final int REQUEST_HEADERS = 1 << 7;
    static final int SAMPLER_DATA = 1 << 8;
    static final int CONTENT_TYPE = 1 << 9;
    static final int ENCODING = 1 << 10;
    static final int URL = 1 << 11;
    static final int TIMES = 1 << 12;
    static final int SIZES = 1 << 13;
    static final int THREAD = 1 << 14;
    static final int FLAGS = 1 << 15;
    static final int ACTION = 1 << 16;
    static final int HTTP = 1 << 17;
    static final int ASSERTIONS = 1 << 18;
    static final int SUB_RESULTS = 1 << 19;
    static final int FILE = 1 << 20;
    static final int COUNTS = 1 << 21;
    static final int ALL = (1 << 22) - 1;

    private static final int IGNORE = 1;
    private static final int STOP_THREAD = 2;
    private static final int STOP_TEST = 4;
    private static final int STOP_TEST_NOW = 8;
    private static final SampleResult[] NO_SUB_RESULTS = {};
    private static final TestLogicalAction[] ACTIONS = TestLogicalAction.values();

    private Samples() {
    }

    /** Reads a sample: an {@link HTTPSampleResult} if it has that part. */
    static SampleResult read(In in) {
        int mask = in.i32();
        SampleResult sample = (mask & HTTP) != 0 ? new HTTPSampleResult() : new SampleResult();
        readTexts(in, mask, sample);
        if ((mask & TIMES) != 0) {
            SampleFields.setTimes(sample, in.i64(), in.i64(), in.i64());
            sample.setLatency(in.i64());
            sample.setConnectTime(in.i64());
        }
        if ((mask & SIZES) != 0) {
            sample.setBytes(in.i64());
            sample.setSentBytes(in.i64());
            sample.setHeadersSize(in.i32());
            sample.setBodySize(in.i64());
        }
        if ((mask & THREAD) != 0) {
            sample.setThreadName(in.string());
            sample.setGroupThreads(in.i32());
            sample.setAllThreads(in.i32());
        }
        if ((mask & FLAGS) != 0) {
            setFlags(sample, in.u8());
        }
        if ((mask & ACTION) != 0) {
            sample.setTestLogicalAction(ACTIONS[in.u8() % ACTIONS.length]);
        }
        if ((mask & HTTP) != 0) {
            readHttp(in, (HTTPSampleResult) sample);
        }
        readLists(in, mask, sample);
        return sample;
    }

    private static void readTexts(In in, int mask, SampleResult sample) {
        if ((mask & LABEL) != 0) {
            sample.setSampleLabel(in.string());
        }
        if ((mask & CODE) != 0) {
            sample.setResponseCode(constant(in.string(), mask));
        }
        if ((mask & MESSAGE) != 0) {
            sample.setResponseMessage(constant(in.string(), mask));
        }
        if ((mask & SUCCESS) != 0) {
            sample.setSuccessful(in.flag());
        }
        if ((mask & DATA_TYPE) != 0) {
            sample.setDataType(in.string());
        }
        if ((mask & BODY) != 0) {
            sample.setResponseData(in.blob());
        }
        if ((mask & RESPONSE_HEADERS) != 0) {
            sample.setResponseHeaders(in.string());
        }
        if ((mask & REQUEST_HEADERS) != 0) {
            sample.setRequestHeaders(in.string());
        }
        if ((mask & SAMPLER_DATA) != 0) {
            sample.setSamplerData(in.string());
        }
        if ((mask & CONTENT_TYPE) != 0) {
            sample.setContentType(in.string());
        }
        if ((mask & ENCODING) != 0) {
            sample.setDataEncoding(in.string());
        }
        if ((mask & URL) != 0) {
            sample.setURL(urlOf(in.string()));
        }
    }

    /**
     * What samplers other than HTTP's say of a success is a constant of JMeter's, and that is how BeanShell finds it: its {@code ==} asks
     * whether two texts are the same object.
     */
    private static String constant(String text, int mask) {
        if ((mask & HTTP) != 0) {
            return text;
        }
        if ("OK".equals(text)) {
            return "OK";
        }
        return "200".equals(text) ? "200" : text;
    }

    private static void readHttp(In in, HTTPSampleResult sample) {
        sample.setHTTPMethod(in.string());
        sample.setQueryString(in.string());
        sample.setCookies(in.string());
        sample.setRedirectLocation(in.string());
    }

    private static void readLists(In in, int mask, SampleResult sample) {
        if ((mask & ASSERTIONS) != 0) {
            for (int count = in.count(); count > 0; count--) {
                AssertionResult result = new AssertionResult(in.string());
                int flags = in.u8();
                result.setFailure((flags & 1) != 0);
                result.setError((flags & 2) != 0);
                result.setFailureMessage(in.string());
                sample.addAssertionResult(result);
            }
        }
        if ((mask & SUB_RESULTS) != 0) {
            for (int count = in.count(); count > 0; count--) {
                // Without renaming: the labels are those that the other side gave.
                sample.storeSubResult(read(in), false);
            }
        }
        if ((mask & FILE) != 0) {
            sample.setResultFileName(in.string());
        }
        if ((mask & COUNTS) != 0) {
            sample.setSampleCount(in.i32());
            sample.setErrorCount(in.i32());
        }
    }

    /** Writes all of a sample, but for these fields of it and of its parts. */
    static void writeWithout(Out out, SampleResult sample, int without) {
        write(out, sample, maskOf(sample) & ~without, without);
    }

    /** Writes what is in the mask. */
    static void write(Out out, SampleResult sample, int mask) {
        write(out, sample, mask, 0);
    }

    private static void write(Out out, SampleResult sample, int mask, int withoutInParts) {
        out.i32(mask);
        writeTexts(out, sample, mask);
        if ((mask & TIMES) != 0) {
            out.i64(sample.getStartTime());
            out.i64(sample.getEndTime());
            out.i64(sample.getIdleTime());
            out.i64(sample.getLatency());
            out.i64(sample.getConnectTime());
        }
        if ((mask & SIZES) != 0) {
            out.i64(sample.getBytesAsLong());
            out.i64(sample.getSentBytes());
            out.i32(sample.getHeadersSize());
            out.i64(sample.getBodySizeAsLong());
        }
        if ((mask & THREAD) != 0) {
            out.string(sample.getThreadName());
            out.i32(sample.getGroupThreads());
            out.i32(sample.getAllThreads());
        }
        if ((mask & FLAGS) != 0) {
            out.u8(flagsOf(sample));
        }
        if ((mask & ACTION) != 0) {
            out.u8(sample.getTestLogicalAction().ordinal());
        }
        if ((mask & HTTP) != 0) {
            HTTPSampleResult http = (HTTPSampleResult) sample;
            out.string(http.getHTTPMethod());
            out.string(http.getQueryString());
            out.string(http.getCookies());
            out.string(http.getRedirectLocation());
        }
        writeLists(out, sample, mask, withoutInParts);
    }

    private static void writeTexts(Out out, SampleResult sample, int mask) {
        if ((mask & LABEL) != 0) {
            out.string(sample.getSampleLabel());
        }
        if ((mask & CODE) != 0) {
            out.string(sample.getResponseCode());
        }
        if ((mask & MESSAGE) != 0) {
            out.string(sample.getResponseMessage());
        }
        if ((mask & SUCCESS) != 0) {
            out.flag(sample.isSuccessful());
        }
        if ((mask & DATA_TYPE) != 0) {
            out.string(sample.getDataType());
        }
        if ((mask & BODY) != 0) {
            out.blob(sample.getResponseData());
        }
        if ((mask & RESPONSE_HEADERS) != 0) {
            out.string(sample.getResponseHeaders());
        }
        if ((mask & REQUEST_HEADERS) != 0) {
            out.string(sample.getRequestHeaders());
        }
        if ((mask & SAMPLER_DATA) != 0) {
            out.string(sample.getSamplerData());
        }
        if ((mask & CONTENT_TYPE) != 0) {
            out.string(sample.getContentType());
        }
        if ((mask & ENCODING) != 0) {
            out.string(SampleFields.encodingOf(sample));
        }
        if ((mask & URL) != 0) {
            out.string(sample.getURL() == null ? null : sample.getUrlAsString());
        }
    }

    private static void writeLists(Out out, SampleResult sample, int mask, int withoutInParts) {
        if ((mask & ASSERTIONS) != 0) {
            AssertionResult[] results = sample.getAssertionResults();
            out.i32(results.length);
            for (AssertionResult result : results) {
                write(out, result);
            }
        }
        if ((mask & SUB_RESULTS) != 0) {
            SampleResult[] subs = subResultsOf(sample);
            out.i32(subs.length);
            for (SampleResult sub : subs) {
                writeWithout(out, sub, withoutInParts);
            }
        }
        if ((mask & FILE) != 0) {
            out.string(sample.getResultFileName());
        }
        if ((mask & COUNTS) != 0) {
            out.i32(sample.getSampleCount());
            out.i32(sample.getErrorCount());
        }
    }

    static void write(Out out, AssertionResult result) {
        out.string(result.getName());
        out.u8((result.isFailure() ? 1 : 0) | (result.isError() ? 2 : 0));
        out.string(result.getFailureMessage());
    }

    /** All fields that a sample of its class has. */
    static int maskOf(SampleResult sample) {
        return sample instanceof HTTPSampleResult ? ALL : ALL & ~HTTP;
    }

    static SampleResult[] subResultsOf(SampleResult sample) {
        SampleResult[] subs = sample.getSubResults();
        return subs == null ? NO_SUB_RESULTS : subs;
    }

    static int flagsOf(SampleResult sample) {
        return (sample.isIgnore() ? IGNORE : 0) | (sample.isStopThread() ? STOP_THREAD : 0)
                | (sample.isStopTest() ? STOP_TEST : 0) | (sample.isStopTestNow() ? STOP_TEST_NOW : 0);
    }

    private static void setFlags(SampleResult sample, int flags) {
        if ((flags & IGNORE) != 0) {
            sample.setIgnore();
        }
        sample.setStopThread((flags & STOP_THREAD) != 0);
        sample.setStopTest((flags & STOP_TEST) != 0);
        sample.setStopTestNow((flags & STOP_TEST_NOW) != 0);
    }

    private static URL urlOf(String text) {
        try {
            return text == null ? null : new URL(text);
        } catch (MalformedURLException e) {
            return null;
        }
    }
}
