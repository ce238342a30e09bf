//! Links between machines: how long a segment takes, and whether it is lost on the way.

use rand::Rng;
use rand::rngs::SmallRng;

use super::clock::Span;

/// The first retransmission of data on Linux, doubled each time (RFC 6298 with `TCP_RTO_MIN`).
const FIRST_RETRY_NS: i64 = 200_000_000;
/// The longest time between two of them (`TCP_RTO_MAX`).
const LAST_RETRY_NS: i64 = 120_000_000_000;
/// The first retransmission of a SYN.
pub(super) const FIRST_SYN_RETRY_NS: i64 = 1_000_000_000;
/// How many times Linux sends a SYN again (`net.ipv4.tcp_syn_retries`).
pub(super) const SYN_RETRIES: u32 = 6;

/// Both ways between two machines.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// One way, nanoseconds.
    pub latency_ns: i64,
    /// Up to this is added to the way of each segment.
    pub jitter_ns: i64,
    /// The share of segments that are lost, and sent again after the time-out of TCP.
    pub loss: f64,
    /// The share of segments with which the connection breaks, for both sides.
    pub reset: f64,
    /// Bytes a second.
    pub bytes_per_s: f64,
    /// Bytes of a connection that may be on their way or unread.
    pub buffer: usize,
    /// The share of sends and reads that take only a part of what they could.
    pub partial: f64,
    /// The share of arrivals that come within a nanosecond of a timer of their machine, if they can.
    pub near_ties: f64,
    /// Nothing passes during these.
    pub cuts: Vec<Span>,
}

impl Default for Link {
    fn default() -> Self {
        Self {
            latency_ns: 50_000,
            jitter_ns: 10_000,
            loss: 0.0,
            reset: 0.0,
            bytes_per_s: 1.25e9,
            buffer: 65_536,
            partial: 0.0,
            near_ties: 0.0,
            cuts: Vec::new(),
        }
    }
}

impl Link {
    /// A machine to itself.
    pub(super) fn loopback() -> Self {
        Self { latency_ns: 3_000, jitter_ns: 2_000, bytes_per_s: 1e10, ..Self::default() }
    }

    /// One way of a segment, nanoseconds, if it is not lost.
    pub(super) fn way_ns(&self, draws: &mut SmallRng, bytes: usize) -> i64 {
        let jitter_ns = if self.jitter_ns > 0 { draws.random_range(0..=self.jitter_ns) } else { 0 };
        self.latency_ns + jitter_ns + (bytes as f64 / self.bytes_per_s * 1e9) as i64
    }

    /// Whether a segment that leaves at an instant does not arrive. `suspended`: when its
    /// destination is.
    pub(super) fn loses(&self, draws: &mut SmallRng, left_ns: i64, suspended: &[Span]) -> bool {
        let within = |spans: &[Span], at_ns| spans.iter().any(|span| span.contains(at_ns));
        let is_lost = chance(draws, self.loss);
        is_lost || within(&self.cuts, left_ns) || within(suspended, left_ns + self.latency_ns)
    }

    /// When a segment that leaves now arrives, and how many times it had to be sent again.
    pub(super) fn arrival(
        &self,
        draws: &mut SmallRng,
        now_ns: i64,
        bytes: usize,
        suspended: &[Span],
    ) -> (i64, u64) {
        let mut left_ns = now_ns;
        let mut retry_ns = FIRST_RETRY_NS;
        let mut again = 0;
        while self.loses(draws, left_ns, suspended) {
            left_ns += retry_ns;
            retry_ns = (2 * retry_ns).min(LAST_RETRY_NS);
            again += 1;
        }
        (left_ns + self.way_ns(draws, bytes), again)
    }
}

/// True with this probability; draws nothing where it is 0.
pub(super) fn chance(draws: &mut SmallRng, probability: f64) -> bool {
    probability > 0.0 && draws.random_bool(probability.min(1.0))
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    const MS: i64 = 1_000_000;

    #[test]
    fn what_is_lost_is_sent_again_after_twice_the_time_each_time() {
        let cut = Span::new(0, 500 * MS);
        let link = Link { jitter_ns: 0, cuts: vec![cut], ..Link::default() };
        let mut draws = SmallRng::seed_from_u64(1);
        // At 0, 200 and, not 400 but, 600 ms.
        assert_eq!(link.arrival(&mut draws, 0, 0, &[]), (600 * MS + 50_000, 2));
        assert_eq!(link.arrival(&mut draws, 500 * MS, 0, &[]), (500 * MS + 50_000, 0));
        let suspended = [Span::new(500 * MS, 100 * MS)];
        assert_eq!(link.arrival(&mut draws, 599 * MS, 0, &suspended), (799 * MS + 50_000, 1));
    }

    #[test]
    fn the_share_of_lost_segments_is_that_of_the_link() {
        let link = Link { loss: 0.1, ..Link::default() };
        let mut draws = SmallRng::seed_from_u64(7);
        let lost = (0..20_000).filter(|_| link.loses(&mut draws, 0, &[])).count();
        assert!((1_800..2_200).contains(&lost), "{lost}");
    }
}
