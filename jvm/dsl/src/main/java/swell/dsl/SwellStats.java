package swell.dsl;

import us.abstracta.jmeter.javadsl.core.TestPlanStats;

/**
 * Statistics of a run: the same samples that JMeter's engine counts, in milliseconds. Percentiles are exact: the smallest
 * time that at least this share of the samples does not exceed.
 */
public final class SwellStats extends TestPlanStats {
    private String verdict = "";

    SwellStats() {
        super(ExactSummary::new);
    }

    /**
     * How well the times were measured: {@code VALID}, {@code DEGRADED} or {@code INVALID}; empty if the run gave none. It
     * says nothing about the server.
     */
    public String verdict() {
        return verdict;
    }

    void setVerdict(String level) {
        verdict = level;
    }
}
