package swell.dsl;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.apache.jmeter.samplers.SampleResult;
import us.abstracta.jmeter.javadsl.core.stats.CountMetricSummary;
import us.abstracta.jmeter.javadsl.core.stats.StatsSummary;
import us.abstracta.jmeter.javadsl.core.stats.TimeMetricSummary;

/** Statistics of some samples. Its memory grows with the number of different times, in milliseconds, not of samples. */
final class ExactSummary implements StatsSummary, TimeMetricSummary {
    private static final double NANOS_PER_MS = 1e6;

    private final TreeMap<Long, Long> samplesByMs = new TreeMap<>();
    private final CountMetricSummary samples = new CountMetricSummary();
    private final CountMetricSummary errors = new CountMetricSummary();
    private final CountMetricSummary receivedBytes = new CountMetricSummary();
    private final CountMetricSummary sentBytes = new CountMetricSummary();
    private long firstMs = Long.MAX_VALUE;
    private long endMs = Long.MIN_VALUE;
    private double totalMs;

    @Override
    public void add(SampleResult result) {
        firstMs = Math.min(firstMs, result.getStartTime());
        endMs = Math.max(endMs, result.getEndTime());
        long span = endMs - firstMs;
        samples.increment(1, span);
        // Also a success counts here, as nothing, so that the rate of errors is over the whole time.
        errors.increment(result.isSuccessful() ? 0 : 1, span);
        receivedBytes.increment(result.getBytesAsLong(), span);
        sentBytes.increment(result.getSentBytes(), span);
        samplesByMs.merge(result.getTime(), 1L, Long::sum);
        totalMs += result.getTime();
    }

    @Override
    public Instant firstTime() {
        return Instant.ofEpochMilli(firstMs);
    }

    @Override
    public Instant endTime() {
        return Instant.ofEpochMilli(endMs);
    }

    @Override
    public CountMetricSummary samples() {
        return samples;
    }

    @Override
    public CountMetricSummary errors() {
        return errors;
    }

    @Override
    public TimeMetricSummary sampleTime() {
        return this;
    }

    @Override
    public CountMetricSummary receivedBytes() {
        return receivedBytes;
    }

    @Override
    public CountMetricSummary sentBytes() {
        return sentBytes;
    }

    @Override
    public Duration min() {
        return samplesByMs.isEmpty() ? Duration.ZERO : Duration.ofMillis(samplesByMs.firstKey());
    }

    @Override
    public Duration max() {
        return samplesByMs.isEmpty() ? Duration.ZERO : Duration.ofMillis(samplesByMs.lastKey());
    }

    @Override
    public Duration mean() {
        long count = samples.total();
        return count == 0 ? Duration.ZERO : Duration.ofNanos(Math.round(totalMs / count * NANOS_PER_MS));
    }

    @Override
    public Duration median() {
        return percentile(50);
    }

    @Override
    public Duration perc90() {
        return percentile(90);
    }

    @Override
    public Duration perc95() {
        return percentile(95);
    }

    @Override
    public Duration perc99() {
        return percentile(99);
    }

    private Duration percentile(int percent) {
        // Whole numbers: with fractions, 0.9 * 10 could be more than 9.
        long rank = (samples.total() * percent + 99) / 100;
        long seen = 0;
        for (Map.Entry<Long, Long> entry : samplesByMs.entrySet()) {
            seen += entry.getValue();
            if (seen >= rank) {
                return Duration.ofMillis(entry.getKey());
            }
        }
        return Duration.ZERO;
    }
}
