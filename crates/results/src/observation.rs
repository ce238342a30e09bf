//! Converts a sample to the numbers that statistics count.

use swell_api::SampleResult;
use swell_stats::{FailureKind, NO_HTTP_CODE, Observation};

/// The numbers of a finished sample. Times that did not happen are none; the message of a failed
/// sample is that of its first failed assertion, else the response message. The kind of a failure
/// is found here, once.
#[inline] // Else its 25 numbers go through memory once more, for each sample.
pub fn observe(sample: &SampleResult) -> Observation<'_> {
    let timing = &sample.timing;
    let since =
        |from_ns: i64, to_ns: i64| (to_ns != 0 && from_ns != 0).then(|| (to_ns - from_ns).max(0) as u64);
    // Most samples are good and have no assertion: nothing is looked for in them.
    let plain = sample.success && sample.assertions.is_empty();
    let Cause { message, assertion, kind } = if plain { Cause::none(sample) } else { Cause::of(sample) };
    Observation {
        label: &sample.label,
        is_transaction: sample.is_transaction,
        success: sample.success,
        start_ns: timing.start_ns,
        end_ns: timing.end_ns,
        elapsed_ns: timing.elapsed_ns() as u64,
        elapsed_ms: timing.elapsed_ms() as u64,
        read_delay_ns: timing.read_delay_ns().map(i64::cast_unsigned),
        send_delay_ns: timing.send_delay_ns().map(i64::cast_unsigned),
        start_delay_ns: since(timing.ready_ns, timing.start_ns),
        response_ns: timing.response_ns().map(i64::cast_unsigned),
        connect_ns: since(timing.start_ns, timing.connected_ns),
        handshake_ns: (timing.handshake_ns > 0).then_some(timing.handshake_ns as u64),
        first_byte_ns: since(timing.start_ns, timing.first_byte_ns),
        bytes: sample.received.unwrap_or(sample.bytes),
        sent_bytes: sample.sent_bytes,
        requests: if sample.is_transaction || sample.is_parallel { 0 } else { requests(sample) },
        code: &sample.code,
        message,
        assertion,
        kind,
    }
}

/// Requests that went out: of a sample with parts that sent something, theirs.
fn requests(sample: &SampleResult) -> u32 {
    // JMeter's sample does not say what was sent for a request without an answer.
    let own = sample.sent_bytes > 0 || !sample.success && Cause::of(sample).kind.is_after_request();
    let parts: u32 = sample.sub_results.iter().map(requests).sum();
    u32::from(own).max(parts)
}

/// What went wrong.
struct Cause<'a> {
    message: &'a str,
    assertion: &'a str,
    kind: FailureKind,
}

impl<'a> Cause<'a> {
    fn none(sample: &'a SampleResult) -> Self {
        Self { message: &sample.message, assertion: "", kind: FailureKind::Other }
    }

    fn of(sample: &'a SampleResult) -> Self {
        let mut failed = sample.assertions.iter().filter(|result| result.failure || result.error);
        let asserted = if sample.success { None } else { failed.next() };
        let failed = asserted.into_iter().chain(failed);
        let said = failed.filter_map(|result| result.message.as_deref()).find(|message| !message.is_empty());
        let message = said.filter(|_| !sample.code.starts_with(NO_HTTP_CODE)).unwrap_or(&sample.message);
        if sample.success {
            return Self { message, ..Self::none(sample) };
        }
        let bytes_came = sample.timing.first_byte_ns != 0;
        let kind = FailureKind::of(&sample.code, message, asserted.is_some(), bytes_came);
        Self { message, assertion: asserted.map_or("", |result| &result.name), kind }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use swell_api::{AssertionResult, Text, Timing};

    #[test]
    fn stages_are_told_apart_from_the_tools_own_delays() {
        let sample = testing::sample();
        let seen = observe(&sample);
        assert_eq!(
            (seen.label, seen.success, seen.elapsed_ns, seen.elapsed_ms),
            ("Home", true, 42_000_000, 42)
        );
        assert_eq!((seen.read_delay_ns, seen.start_delay_ns), (Some(5000), Some(1_000_000)));
        assert_eq!(seen.send_delay_ns, Some(20_000), "from the connection on");
        assert_eq!(seen.response_ns, None, "no rate is set");
        assert_eq!(seen.handshake_ns, Some(1_000_000));
        assert_eq!((seen.connect_ns, seen.first_byte_ns), (Some(2_000_000), Some(30_000_000)));
    }

    #[test]
    fn a_late_read_is_told_also_where_it_is_part_of_the_time() {
        let mut sample = testing::sample();
        let timing = &mut sample.timing;
        (timing.arrived_ns, timing.end_ns) = (timing.end_ns, timing.read_ns);
        let seen = observe(&sample);
        assert_eq!((seen.elapsed_ns, seen.read_delay_ns), (42_005_000, Some(5000)));
    }

    #[test]
    fn a_rate_makes_response_times_from_its_slots() {
        let mut sample = testing::sample();
        sample.timing.scheduled = true;
        let seen = observe(&sample);
        assert_eq!((seen.response_ns, seen.elapsed_ns), (Some(45_000_000), 42_000_000));
        assert_eq!(seen.start_delay_ns, Some(1_000_000), "2 ms of the 3 are the user's");
    }

    #[test]
    fn what_did_not_happen_is_none() {
        let timing = Timing { start_ns: 5, end_ns: 9, ..Timing::default() };
        let sample = SampleResult { timing, ..SampleResult::default() };
        let seen = observe(&sample);
        let stages = [seen.read_delay_ns, seen.start_delay_ns, seen.connect_ns, seen.first_byte_ns];
        assert_eq!(stages, [None; 4]);
    }

    #[test]
    fn the_text_of_an_error_is_neither_received_nor_what_an_assertion_judges() {
        let failed =
            AssertionResult { failure: true, message: Some("no".into()), ..AssertionResult::default() };
        let sample = SampleResult {
            code: "Non HTTP response code: org.apache.http.conn.HttpHostConnectException".into(),
            message: "Non HTTP response message: Connect to h:1 failed: Connection refused".into(),
            assertions: vec![failed],
            bytes: 120,
            received: Some(0),
            ..SampleResult::default()
        };
        let seen = observe(&sample);
        assert_eq!((seen.kind, seen.bytes, seen.message), (FailureKind::Refused, 0, &*sample.message));
    }

    #[test]
    fn a_failed_assertion_says_more_than_the_response() {
        let said = |message, failure| AssertionResult { failure, message, ..AssertionResult::default() };
        let assertions =
            vec![said(Some(Text::from("kept")), false), said(None, true), said(Some(Text::from("no")), true)];
        let sample = SampleResult { assertions, success: false, ..testing::sample() };
        let seen = observe(&sample);
        assert_eq!((seen.message, seen.kind), ("no", FailureKind::Assertion));
        assert_eq!(observe(&testing::sample()).message, "OK");
    }
}
