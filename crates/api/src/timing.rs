//! When what happened in a sample, and the times that follow from it.

/// Times of a sample, in nanoseconds on one clock: the monotonic clock, shifted to the epoch once
/// at the start of the run, so that differences never jump and values can be shown as dates. 0
/// means "did not happen".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// When the plan wanted it to start (schedule, or end of the think time); equals `start_ns`
    /// where the plan says nothing.
    pub intended_ns: i64,
    /// When it could start: `intended_ns`, or when its user was done with what it did before if
    /// that was later; of a user that is busy because the tool was late with that, when it would
    /// have been done. What passes until `start_ns` is the tool's delay.
    pub ready_ns: i64,
    /// Start: just before the connect or, on an open connection, the send.
    pub start_ns: i64,
    /// End: arrival of the last byte at the kernel, or the user-space time of whatever else ended
    /// it.
    pub end_ns: i64,
    /// Arrival of the first byte of the response at the kernel.
    pub first_byte_ns: i64,
    /// Connection made, TLS handshake included; 0 if it was open already.
    pub connected_ns: i64,
    /// How long the TLS handshake took, the last part of the connection; 0 without one.
    pub handshake_ns: i64,
    /// The kernel handed the last byte of the request to the device; 0 if it was not measured. Only
    /// some samples are measured.
    pub sent_ns: i64,
    /// Arrival of the last byte at the kernel, where that need not be `end_ns` (`--clock user`); 0
    /// if it is.
    pub arrived_ns: i64,
    /// Read by this process, after `arrived_ns`: what passes between is the tool's own delay. 0
    /// where no answer was read.
    pub read_ns: i64,
    /// Pauses inside the sample that do not count (`IdleTime`).
    pub idle_ns: i64,
    /// The plan set a rate or arrivals, and `intended_ns` is its slot, whatever the server did:
    /// response time counts from there.
    pub scheduled: bool,
}

impl Timing {
    const MS: i64 = 1_000_000;

    /// `timeStamp`: milliseconds since the epoch.
    pub fn timestamp_ms(&self) -> i64 {
        whole_ms(self.start_ns)
    }

    /// `elapsed` in nanoseconds, pauses taken off.
    #[inline]
    pub fn elapsed_ns(&self) -> i64 {
        (self.end_ns - self.start_ns - self.idle_ns).max(0)
    }

    /// Response time in nanoseconds: from when a rate or arrivals wanted the start to the end,
    /// pauses taken off. None where the plan sets neither.
    pub fn response_ns(&self) -> Option<i64> {
        self.scheduled.then(|| (self.end_ns - self.intended_ns - self.idle_ns).max(0))
    }

    /// The time line of a whole goes to the end of this part, if that is its last.
    pub fn extend_to(&mut self, part: &Self) {
        if part.end_ns >= self.end_ns {
            (self.end_ns, self.arrived_ns, self.read_ns) = (part.end_ns, part.arrived_ns, part.read_ns);
        }
    }

    /// The tool's delay between the arrival of a response and its read, in nanoseconds; none where
    /// nothing was read.
    pub fn read_delay_ns(&self) -> Option<i64> {
        let arrived_ns = if self.arrived_ns == 0 { self.end_ns } else { self.arrived_ns };
        (self.read_ns != 0 && arrived_ns != 0).then(|| (self.read_ns - arrived_ns).max(0))
    }

    /// From the start, or from the connection if one was made, until the kernel sent the request,
    /// in nanoseconds; the tool's own delay, and part of the sample. None where the kernel was not
    /// asked.
    pub fn send_delay_ns(&self) -> Option<i64> {
        (self.sent_ns != 0).then(|| (self.sent_ns - self.start_ns.max(self.connected_ns)).max(0))
    }

    /// `elapsed` as JMeter counts it: difference of whole milliseconds of end and start (unbiased),
    /// pauses taken off.
    pub fn elapsed_ms(&self) -> i64 {
        (whole_ms(self.end_ns) - self.timestamp_ms() - self.idle_ns / Self::MS).max(0)
    }

    /// `Latency`: whole milliseconds from start to first byte, 0 if none came.
    pub fn latency_ms(&self) -> i64 {
        self.since_start_ms(self.first_byte_ns)
    }

    /// `Connect`: whole milliseconds from start to connection, 0 if it was open already.
    pub fn connect_ms(&self) -> i64 {
        self.since_start_ms(self.connected_ns)
    }

    /// `IdleTime`: whole milliseconds.
    pub fn idle_ms(&self) -> i64 {
        self.idle_ns / Self::MS
    }

    fn since_start_ms(&self, at_ns: i64) -> i64 {
        if at_ns == 0 { 0 } else { (whole_ms(at_ns) - self.timestamp_ms()).max(0) }
    }
}

/// The millisecond that an instant lies in. Those after the epoch are divided as what they are,
/// without a sign: that is a multiplication.
#[inline]
fn whole_ms(at_ns: i64) -> i64 {
    u64::try_from(at_ns)
        .map_or_else(|_| at_ns.div_euclid(Timing::MS), |at_ns| (at_ns / Timing::MS as u64) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_whose_last_part_read_nothing_has_no_late_read() {
        let read = Timing { end_ns: 5, arrived_ns: 5, read_ns: 7, ..Timing::default() };
        let refused = Timing { end_ns: 9, arrived_ns: 9, ..Timing::default() };
        let mut whole = Timing::default();
        whole.extend_to(&read);
        assert_eq!((whole.end_ns, whole.read_delay_ns()), (5, Some(2)));
        whole.extend_to(&refused);
        whole.extend_to(&read);
        assert_eq!((whole.end_ns, whole.read_delay_ns()), (9, None));
    }
}
