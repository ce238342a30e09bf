//! How far the clock of another machine is off, by requests with four times as in NTP (RFC 5905,
//! section 8).

/// The times of one request: sent, received, answered, back. The middle two are the other
/// machine's. In nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockExchange {
    /// Sent, here.
    pub sent_ns: i64,
    /// Received, there.
    pub received_ns: i64,
    /// Answered, there.
    pub answered_ns: i64,
    /// Back, here.
    pub back_ns: i64,
}

/// How far a clock is off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Offset {
    /// What has to be added to this clock to get the other, in nanoseconds.
    pub offset_ns: i64,
    /// It is wrong by at most so much, in nanoseconds: half of what the times on the way leave
    /// open.
    pub error_ns: i64,
}

impl ClockExchange {
    /// Time on the way, both directions.
    pub fn delay_ns(&self) -> i64 {
        (self.back_ns - self.sent_ns) - (self.answered_ns - self.received_ns)
    }

    fn offset_ns(&self) -> i64 {
        i64::midpoint(self.received_ns - self.sent_ns, self.answered_ns - self.back_ns)
    }
}

/// Clocks drift apart by no more than a ten-thousandth.
const DRIFT: i64 = 10_000;

/// The offset by all exchanges; none without one. A request comes after it was sent, and an answer
/// too, so each leaves a range of offsets: the true one is in all of them. Where many ask at once,
/// one request may be quick and the answer to another.
pub fn estimate(exchanges: &[ClockExchange]) -> Option<Offset> {
    let exchanges = || exchanges.iter().filter(|one| one.delay_ns() >= 0);
    let last_ns = exchanges().map(|one| one.back_ns).max()?;
    let drift_ns = |one: &ClockExchange| (last_ns - one.back_ns) / DRIFT;
    let least = exchanges().map(|one| one.answered_ns - one.back_ns - drift_ns(one)).max()?;
    let most = exchanges().map(|one| one.received_ns - one.sent_ns + drift_ns(one)).min()?;
    if least <= most {
        return Some(Offset { offset_ns: i64::midpoint(least, most), error_ns: (most - least) / 2 + 1 });
    }
    // A clock was set meanwhile.
    let best = exchanges().min_by_key(|one| one.delay_ns())?;
    Some(Offset { offset_ns: best.offset_ns(), error_ns: best.delay_ns() / 2 + 1 })
}

/// An error that is small compared with what a test measures.
const GOOD_NS: i64 = 100_000;
/// An error that this many rounds of requests have not made smaller by a tenth stays as it is.
const SAME: usize = 3;

/// Whether an offset is known as well as it can be, by its errors after each round of requests.
/// While many ask at once and wait for each other, a round that finds nothing better says little:
/// `calm` is the number of rounds since the last such one.
pub fn is_settled(errors_ns: &[i64], calm: usize) -> bool {
    let Some(last) = errors_ns.last() else { return false };
    let before = errors_ns.len().checked_sub(1 + SAME).map(|place| errors_ns[place]);
    *last <= GOOD_NS || calm > SAME && before.is_some_and(|before| *last > before - before / 10)
}

/// A request that takes no longer has not waited for others.
const QUICK_NS: i64 = 1_000_000;

/// Whether the requests of a round mostly waited: half of them were on the way for more than a
/// millisecond and twice as long as the quickest of all. A long way alone, as to another continent,
/// takes all of them equally long.
pub fn is_crowded(all: &[ClockExchange], round: &[ClockExchange]) -> bool {
    let mut delays_ns: Vec<_> = round.iter().map(ClockExchange::delay_ns).collect();
    delays_ns.sort_unstable();
    let quickest_ns = all.iter().map(ClockExchange::delay_ns).min();
    let limit_ns = quickest_ns.map(|quickest| QUICK_NS.max(2 * quickest));
    limit_ns.zip(delays_ns.get(delays_ns.len() / 2)).is_some_and(|(limit, usual)| *usual > limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_true_offset_is_within_the_error(
            offset in -5_000_000_000_i64..5_000_000_000,
            ways in proptest::collection::vec((0_i64..2_000_000, 0_i64..100_000, 0_i64..2_000_000), 1..20),
        ) {
            let mut now = 0;
            let exchanges: Vec<_> = ways.into_iter().map(|(there, answering, back)| {
                let sent_ns = now;
                let received_ns = sent_ns + there + offset;
                let answered_ns = received_ns + answering;
                now = answered_ns - offset + back;
                ClockExchange { sent_ns, received_ns, answered_ns, back_ns: now }
            }).collect();
            let found = estimate(&exchanges).expect("there are some");
            prop_assert!((found.offset_ns - offset).abs() <= found.error_ns, "{found:?}");
            let shortest = exchanges.iter().map(ClockExchange::delay_ns).min().expect("some");
            prop_assert!(found.error_ns <= shortest / 2 + 1 + now / DRIFT, "{found:?}, {shortest}");
        }
    }

    #[test]
    fn a_quick_request_and_a_quick_answer_to_another_tell_the_offset() {
        let slow_back = ClockExchange { sent_ns: 0, received_ns: 1_010, answered_ns: 1_010, back_ns: 900 };
        let slow_there =
            ClockExchange { sent_ns: 1_000, received_ns: 2_900, answered_ns: 2_900, back_ns: 1_910 };
        assert_eq!(estimate(&[slow_back]).map(|found| found.error_ns), Some(451));
        let found = estimate(&[slow_back, slow_there]).expect("there are two");
        assert_eq!(found, Offset { offset_ns: 1_000, error_ns: 11 });
    }

    #[test]
    fn a_clock_is_asked_until_it_is_known_well_or_nothing_changes() {
        // If no other agent asks, and three rounds after a crowd.
        let table: [(&[i64], [bool; 2]); 5] = [
            (&[], [false, false]),
            (&[9_000_000, 4_000_000], [false, false]),
            (&[9_000_000, 90_000], [true, true]),
            (&[9_000_000, 5_000_000, 3_000_000, 2_000_000, 1_500_000], [false, false]),
            (&[9_000_000, 5_000_000, 4_900_000, 4_800_000, 4_700_000], [true, false]),
        ];
        for (errors_ns, settled) in table {
            assert_eq!([5, 3].map(|calm| is_settled(errors_ns, calm)), settled, "{errors_ns:?}");
        }
    }

    #[test]
    fn a_crowd_is_told_from_a_long_way() {
        let of = |delays_ns: &[i64]| -> Vec<_> {
            let exchange =
                |delay: &i64| ClockExchange { sent_ns: 0, received_ns: 0, answered_ns: 0, back_ns: *delay };
            delays_ns.iter().map(exchange).collect()
        };
        let crowd = of(&[200_000, 900_000, 4_000_000, 5_000_000]);
        assert!(is_crowded(&crowd, &crowd));
        assert!(is_crowded(&crowd, &of(&[1_900_000, 1_800_000])), "the quickest was in another round");
        let far = of(&[40_000_000, 41_000_000, 42_000_000, 70_000_000]);
        assert!(!is_crowded(&far, &far));
        let uneven = of(&[100_000, 400_000, 700_000, 800_000]);
        assert!(!is_crowded(&uneven, &uneven), "as on a network that is near");
        assert!(!is_crowded(&[], &[]));
    }

    #[test]
    fn nothing_is_known_without_an_exchange() {
        assert_eq!(estimate(&[]), None);
        let impossible = ClockExchange { sent_ns: 5, received_ns: 0, answered_ns: 9, back_ns: 6 };
        assert_eq!(estimate(&[impossible]), None);
    }
}
