//! The counts of one label.

use serde::{Deserialize, Serialize};

use crate::late::{LATE_NS, LateSamples};
use crate::{FailureKind, Figures, Histogram, Outcomes, Precision};

/// One finished sample as numbers. Times are nanoseconds; a stage that did not happen is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Observation<'a> {
    /// Label of the sample.
    pub label: &'a str,
    /// Made by a Transaction Controller: its own row, not part of the total.
    pub is_transaction: bool,
    /// Good or not.
    pub success: bool,
    /// Start, on the clock of the run.
    pub start_ns: i64,
    /// End, on the clock of the run.
    pub end_ns: i64,
    /// Service time: end minus start, pauses taken off.
    pub elapsed_ns: u64,
    /// The same in whole milliseconds as JMeter counts it (difference of whole milliseconds).
    pub elapsed_ms: u64,
    /// How long the tool took to read what had arrived: its own error, not part of `elapsed_ns`.
    pub read_delay_ns: Option<u64>,
    /// How late the tool started, from when the plan wanted it and the user was free.
    pub start_delay_ns: Option<u64>,
    /// How long the tool took from the start to the kernel's send, where the kernel was asked (a
    /// sample of the samples): its own error, and part of `elapsed_ns`.
    pub send_delay_ns: Option<u64>,
    /// Response time, where the plan sets a rate or arrivals: from its slot to the end.
    pub response_ns: Option<u64>,
    /// Start to connection, where one was made.
    pub connect_ns: Option<u64>,
    /// TLS handshake, where one was made; part of `connect_ns`.
    pub handshake_ns: Option<u64>,
    /// Start to first byte of the response.
    pub first_byte_ns: Option<u64>,
    /// Bytes received.
    pub bytes: u64,
    /// Bytes sent.
    pub sent_bytes: u64,
    /// Requests that went out for it: redirects and embedded resources have their own. 0 of a
    /// transaction.
    pub requests: u32,
    /// Response code, for the table of errors.
    pub code: &'a str,
    /// What went wrong: message of the first failed assertion or of the response.
    pub message: &'a str,
    /// Name of the first assertion that failed; empty where none did.
    pub assertion: &'a str,
    /// Why it failed; of no meaning in a good one.
    pub kind: FailureKind,
}

/// Counts and histograms of one label. All times are nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabelStats {
    /// Service times.
    pub elapsed: Histogram,
    /// Service times of failed samples, which are in `elapsed` too; the difference is those of good
    /// samples.
    pub failed: Histogram,
    /// The tool's delay between arrival and read.
    pub read_delay: Histogram,
    /// The tool's delay before the start.
    pub start_delay: Histogram,
    /// The tool's delay between start and send, measured on a random selection of samples.
    pub send_delay: Histogram,
    /// Response times of samples whose start a rate or arrivals set.
    pub response: Histogram,
    /// Start to connection, of samples that made one.
    pub connect: Histogram,
    /// TLS handshakes.
    pub handshake: Histogram,
    /// Start to first byte.
    pub first_byte: Histogram,
    /// Number of samples.
    pub samples: u64,
    /// Number of samples that failed.
    pub errors: u64,
    /// Bytes received.
    pub bytes: u64,
    /// Bytes sent.
    pub sent_bytes: u64,
    /// Sum of service times.
    pub sum_ns: u128,
    /// Sum of their squares (ns²).
    pub sum_squares_ns2: u128,
    /// Smallest service time; `u64::MAX` if there is no sample.
    pub min_ns: u64,
    /// Largest service time.
    pub max_ns: u64,
    /// Sum of response times.
    pub sum_response_ns: u128,
    /// Largest response time.
    pub max_response_ns: u64,
    /// Largest delay of a read.
    pub max_read_delay_ns: u64,
    /// Largest delay of a send.
    pub max_send_delay_ns: u64,
    /// Largest delay of a start.
    pub max_start_delay_ns: u64,
    /// Sum of JMeter's whole-millisecond times.
    pub sum_ms: u64,
    /// Smallest of them; `u64::MAX` if there is no sample.
    pub min_ms: u64,
    /// Largest of them.
    pub max_ms: u64,
    /// Start of the first sample; `i64::MAX` if there is none.
    pub first_start_ns: i64,
    /// End of the last sample; `i64::MIN` if there is none.
    pub last_end_ns: i64,
    /// Samples by response code and kind of failure. Snapshots encode them apart from the rest,
    /// whose format is older.
    #[serde(skip)]
    pub outcomes: Outcomes,
    /// Custom figures of its samples. A snapshot encodes them apart.
    #[serde(skip)]
    pub figures: Figures,
    /// Those that the tool started late, and those that made a connection; known where they were
    /// counted, and nowhere else.
    #[serde(skip)]
    pub(crate) late: LateSamples,
}

impl Default for LabelStats {
    fn default() -> Self {
        Self {
            elapsed: Histogram::new(Precision::Three),
            failed: Histogram::new(Precision::Three),
            read_delay: Histogram::new(Precision::Two),
            start_delay: Histogram::new(Precision::Two),
            send_delay: Histogram::new(Precision::Two),
            response: Histogram::new(Precision::Three),
            connect: Histogram::new(Precision::Three),
            handshake: Histogram::new(Precision::Three),
            first_byte: Histogram::new(Precision::Three),
            samples: 0,
            errors: 0,
            bytes: 0,
            sent_bytes: 0,
            sum_ns: 0,
            sum_squares_ns2: 0,
            min_ns: u64::MAX,
            max_ns: 0,
            sum_response_ns: 0,
            max_response_ns: 0,
            max_read_delay_ns: 0,
            max_send_delay_ns: 0,
            max_start_delay_ns: 0,
            sum_ms: 0,
            min_ms: u64::MAX,
            max_ms: 0,
            first_start_ns: i64::MAX,
            last_end_ns: i64::MIN,
            outcomes: Outcomes::default(),
            figures: Figures::default(),
            late: LateSamples::default(),
        }
    }
}

impl LabelStats {
    /// Adds a sample.
    #[inline]
    pub fn record(&mut self, seen: &Observation<'_>) {
        self.samples += 1;
        if !seen.success {
            self.errors += 1;
            self.failed.record(seen.elapsed_ns);
        }
        self.outcomes.record(seen.code, (!seen.success).then_some(seen.kind));
        self.bytes += seen.bytes;
        self.sent_bytes += seen.sent_bytes;
        self.record_elapsed(seen);
        self.first_start_ns = self.first_start_ns.min(seen.start_ns);
        self.last_end_ns = self.last_end_ns.max(seen.end_ns);
        if let Some(delay_ns) = seen.read_delay_ns {
            self.read_delay.record(delay_ns);
            self.max_read_delay_ns = self.max_read_delay_ns.max(delay_ns);
        }
        if let Some(delay_ns) = seen.start_delay_ns {
            self.start_delay.record(delay_ns);
            self.max_start_delay_ns = self.max_start_delay_ns.max(delay_ns);
            if delay_ns > LATE_NS {
                self.late.known().record(
                    delay_ns,
                    seen.elapsed_ns,
                    seen.response_ns,
                    seen.connect_ns.is_some(),
                );
            }
        }
        if let Some(delay_ns) = seen.send_delay_ns {
            self.send_delay.record(delay_ns);
            self.max_send_delay_ns = self.max_send_delay_ns.max(delay_ns);
        }
        if let Some(response_ns) = seen.response_ns {
            self.response.record(response_ns);
            self.sum_response_ns += u128::from(response_ns);
            self.max_response_ns = self.max_response_ns.max(response_ns);
        }
        if let Some(connect_ns) = seen.connect_ns {
            self.connect.record(connect_ns);
            self.late.known().record_connected(seen.elapsed_ns);
        }
        if let Some(handshake_ns) = seen.handshake_ns {
            self.handshake.record(handshake_ns);
        }
        if let Some(first_byte_ns) = seen.first_byte_ns {
            self.first_byte.record(first_byte_ns);
        }
    }

    #[inline]
    fn record_elapsed(&mut self, seen: &Observation<'_>) {
        let elapsed_ns = seen.elapsed_ns;
        self.elapsed.record(elapsed_ns);
        self.sum_ns += u128::from(elapsed_ns);
        self.sum_squares_ns2 += u128::from(elapsed_ns) * u128::from(elapsed_ns);
        self.min_ns = self.min_ns.min(elapsed_ns);
        self.max_ns = self.max_ns.max(elapsed_ns);
        self.sum_ms += seen.elapsed_ms;
        self.min_ms = self.min_ms.min(seen.elapsed_ms);
        self.max_ms = self.max_ms.max(seen.elapsed_ms);
    }

    /// Adds all that another has counted. Exact, associative and commutative.
    pub fn merge(&mut self, other: &Self) {
        self.elapsed.merge(&other.elapsed);
        self.failed.merge(&other.failed);
        self.read_delay.merge(&other.read_delay);
        self.start_delay.merge(&other.start_delay);
        self.send_delay.merge(&other.send_delay);
        self.response.merge(&other.response);
        self.connect.merge(&other.connect);
        self.handshake.merge(&other.handshake);
        self.first_byte.merge(&other.first_byte);
        self.samples += other.samples;
        self.errors += other.errors;
        self.bytes += other.bytes;
        self.sent_bytes += other.sent_bytes;
        self.sum_ns += other.sum_ns;
        self.sum_squares_ns2 += other.sum_squares_ns2;
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
        self.sum_response_ns += other.sum_response_ns;
        self.max_response_ns = self.max_response_ns.max(other.max_response_ns);
        self.max_read_delay_ns = self.max_read_delay_ns.max(other.max_read_delay_ns);
        self.max_send_delay_ns = self.max_send_delay_ns.max(other.max_send_delay_ns);
        self.max_start_delay_ns = self.max_start_delay_ns.max(other.max_start_delay_ns);
        self.sum_ms += other.sum_ms;
        self.min_ms = self.min_ms.min(other.min_ms);
        self.max_ms = self.max_ms.max(other.max_ms);
        self.first_start_ns = self.first_start_ns.min(other.first_start_ns);
        self.last_end_ns = self.last_end_ns.max(other.last_end_ns);
        self.outcomes.merge(&other.outcomes);
        self.figures.merge(&other.figures);
        if let Some(late) = other.late.get() {
            self.late.known().merge(late);
        }
    }

    /// The application performance index: (good samples up to `satisfied_ns` + half of those up to
    /// `tolerated_ns`) / samples, as JMeter counts it. None if there is no sample.
    pub fn apdex(&self, satisfied_ns: u64, tolerated_ns: u64) -> Option<f64> {
        let good_up_to = |ns| (self.elapsed.count_up_to(ns) - self.failed.count_up_to(ns)) as f64;
        let satisfied = good_up_to(satisfied_ns);
        let tolerated = good_up_to(tolerated_ns.max(satisfied_ns)) - satisfied;
        (self.samples > 0).then(|| (satisfied + tolerated / 2.0) / self.samples as f64)
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Mean service time in nanoseconds, 0 if there is no sample.
    pub fn mean_ns(&self) -> f64 {
        if self.samples == 0 { 0.0 } else { self.sum_ns as f64 / self.samples as f64 }
    }

    /// Standard deviation of service times in nanoseconds over `n - 1`, 0 for fewer than two
    /// samples.
    pub fn sd_ns(&self) -> f64 {
        if self.samples < 2 {
            return 0.0;
        }
        let n = u128::from(self.samples);
        // n·Σx² − (Σx)² in whole numbers: no cancellation. Falls back to floats where that would
        // overflow.
        let spread = match (n.checked_mul(self.sum_squares_ns2), self.sum_ns.checked_mul(self.sum_ns)) {
            (Some(left), Some(right)) => (left - right) as f64,
            _ => (n as f64 * self.sum_squares_ns2 as f64 - (self.sum_ns as f64).powi(2)).max(0.0),
        };
        (spread / (n as f64 * (n - 1) as f64)).sqrt()
    }

    /// A quantile of service times in nanoseconds, within the exact smallest and largest.
    pub fn quantile_ns(&self, quantile: f64) -> u64 {
        if self.samples == 0 { 0 } else { self.elapsed.quantile(quantile).clamp(self.min_ns, self.max_ns) }
    }

    /// From the start of the first to the end of the last sample in seconds, 0 if there is no
    /// sample.
    pub fn span_s(&self) -> f64 {
        if self.samples == 0 { 0.0 } else { (self.last_end_ns - self.first_start_ns) as f64 / 1e9 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stats(times_ns: &[u64]) -> LabelStats {
        let mut stats = LabelStats::default();
        for (&elapsed_ns, start_ns) in times_ns.iter().zip((0..).step_by(1000)) {
            let end_ns = start_ns + elapsed_ns as i64;
            let elapsed_ms = elapsed_ns / 1_000_000;
            let connect_ns = Some(elapsed_ns / 3);
            let read_delay_ns = Some(elapsed_ns % 977);
            stats.record(&Observation {
                elapsed_ns,
                elapsed_ms,
                start_ns,
                end_ns,
                connect_ns,
                read_delay_ns,
                bytes: 10,
                success: elapsed_ns % 2 == 0,
                ..Observation::default()
            });
        }
        stats
    }

    fn times() -> impl Strategy<Value = Vec<u64>> {
        proptest::collection::vec(0..60_000_000_000_u64, 0..50)
    }

    proptest! {
        #[test]
        fn parts_merged_equal_the_whole(a in times(), b in times()) {
            let mut whole = stats(&a);
            whole.merge(&stats(&b));
            let mut other_way = stats(&b);
            other_way.merge(&stats(&a));
            prop_assert_eq!(&whole, &other_way);
            let all: Vec<u64> = a.iter().chain(&b).copied().collect();
            let direct = stats(&all);
            prop_assert_eq!((&whole.elapsed, &whole.failed), (&direct.elapsed, &direct.failed));
            prop_assert_eq!(whole.sum_squares_ns2, direct.sum_squares_ns2);
            prop_assert_eq!((whole.samples, whole.errors, whole.min_ns, whole.max_ns),
                            (direct.samples, direct.errors, direct.min_ns, direct.max_ns));
        }

        #[test]
        fn mean_and_deviation_equal_the_textbook(a in proptest::collection::vec(0..60_000_000_000_u64, 2..50)) {
            let n = a.len() as f64;
            let mean = a.iter().map(|&x| x as f64).sum::<f64>() / n;
            let variance = a.iter().map(|&x| (x as f64 - mean).powi(2)).sum::<f64>() / (n - 1.0);
            let stats = stats(&a);
            prop_assert!((stats.mean_ns() - mean).abs() <= 1e-9 * mean.max(1.0));
            prop_assert!((stats.sd_ns() - variance.sqrt()).abs() <= 1e-6 * variance.sqrt().max(1.0));
        }
    }

    #[test]
    fn nothing_recorded_is_all_zero() {
        let stats = LabelStats::default();
        assert!([stats.mean_ns(), stats.sd_ns(), stats.span_s()].iter().all(|&x| x == 0.0));
        assert_eq!(stats.quantile_ns(0.99), 0);
    }

    #[test]
    fn apdex_counts_good_samples_by_two_thresholds_and_failed_ones_as_lost() {
        let mut stats = LabelStats::default();
        assert_eq!(stats.apdex(500_000_000, 1_500_000_000), None);
        for (elapsed_ms, success) in [(100, true), (400, true), (400, false), (900, true), (2000, true)] {
            stats.record(&Observation {
                elapsed_ns: elapsed_ms * 1_000_000,
                success,
                ..Observation::default()
            });
        }
        assert_eq!(stats.apdex(500_000_000, 1_500_000_000), Some(0.5));
        assert_eq!(stats.apdex(500_000_000, 0), Some(0.4), "a second threshold below the first is the first");
    }

    #[test]
    fn the_deviation_of_equal_large_times_is_zero() {
        assert!(stats(&[3_600_000_000_001; 1000]).sd_ns() == 0.0);
    }

    #[test]
    fn a_quantile_does_not_leave_the_range_of_the_samples() {
        let stats = stats(&[1_000_001, 1_000_003]);
        assert_eq!(stats.quantile_ns(1.0), 1_000_003);
    }
}
