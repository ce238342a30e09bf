//! How far the clock of another machine is off, by requests with four times as in NTP (RFC 5905, section 8).

/// The times of one request: sent, received, answered, back. The middle two are the other machine's. In nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
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
    /// It is wrong by at most so much, in nanoseconds: half of the time on the way.
    pub error_ns: i64,
}

impl Exchange {
    /// Time on the way, both directions.
    pub fn delay_ns(&self) -> i64 {
        (self.back_ns - self.sent_ns) - (self.answered_ns - self.received_ns)
    }

    fn offset_ns(&self) -> i64 {
        i64::midpoint(self.received_ns - self.sent_ns, self.answered_ns - self.back_ns)
    }
}

/// The offset by the exchange that was on its way for the shortest time; none without one.
pub fn estimate(exchanges: &[Exchange]) -> Option<Offset> {
    let best = exchanges.iter().filter(|one| one.delay_ns() >= 0).min_by_key(|one| one.delay_ns())?;
    Some(Offset { offset_ns: best.offset_ns(), error_ns: best.delay_ns() / 2 + 1 })
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
                Exchange { sent_ns, received_ns, answered_ns, back_ns: now }
            }).collect();
            let found = estimate(&exchanges).expect("there are some");
            prop_assert!((found.offset_ns - offset).abs() <= found.error_ns, "{found:?}");
            let shortest = exchanges.iter().map(Exchange::delay_ns).min().expect("some");
            prop_assert_eq!(found.error_ns, shortest / 2 + 1);
        }
    }

    #[test]
    fn nothing_is_known_without_an_exchange() {
        assert_eq!(estimate(&[]), None);
        let impossible = Exchange { sent_ns: 5, received_ns: 0, answered_ns: 9, back_ns: 6 };
        assert_eq!(estimate(&[impossible]), None);
    }
}
