//! Figures that follow from the events of a response: first event, gaps, tokens.

use swell_api::{EventTimes, SampleResult};
use swell_stats::{FigureName, FigureValue};

/// Calls `record` with each figure of a sample whose events were measured.
#[cold]
pub(crate) fn record_events(
    sample: &SampleResult,
    events: &EventTimes,
    mut record: impl FnMut(FigureName, Option<FigureValue>),
) {
    let mut put = |name: &str, value: Option<FigureValue>| {
        if let Some(name) = FigureName::new(name).filter(|_| value.is_some()) {
            record(name, value);
        }
    };
    let start_ns = sample.timing.start_ns;
    let since_start = |at_ns: i64| Some(FigureValue::ms_of_ns((at_ns - start_ns).max(0)));
    put("events", FigureValue::whole(events.count));
    if let Some(first_ns) = events.arrivals_ns.first() {
        put("first_event_ms", since_start(*first_ns));
    }
    for gap_ns in events.gaps_ns() {
        put("event_gap_ms", Some(FigureValue::ms_of_ns(gap_ns)));
    }
    put("events_per_s", FigureValue::per_second(events.count, sample.timing.elapsed_ns()));
    if let Some(tokens) = events.tokens {
        put("tokens", FigureValue::whole(tokens.tokens()));
        put("first_token_ms", since_start(tokens.first_ns));
        put("token_ms", tokens.each_ns().map(FigureValue::ms_of_ns));
        put("tokens_per_s", FigureValue::per_second(tokens.tokens(), sample.timing.elapsed_ns()));
    }
}

/// Calls `record` with the time for which a frame had waited before the sample that read it.
#[cold]
pub(crate) fn record_wait(waited_ns: i64, record: impl FnOnce(FigureName, Option<FigureValue>)) {
    if let Some(name) = FigureName::new("waited_ms") {
        record(name, Some(FigureValue::ms_of_ns(waited_ns)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_api::TokenTimes;

    #[test]
    fn times_count_from_the_start_and_gaps_from_event_to_event() {
        const MS: i64 = 1_000_000;
        let mut sample = SampleResult::default();
        sample.timing.start_ns = 1000 * MS;
        sample.timing.end_ns = 1100 * MS;
        let tokens = TokenTimes { first_ns: 1020 * MS, last_ns: 1080 * MS, pieces: 3, counted: 4 };
        let mut events = EventTimes { tokens: Some(tokens), ..EventTimes::default() };
        for ms in [1010, 1020, 1050, 1080] {
            events.add(ms * MS);
        }
        let mut seen = Vec::new();
        record_events(&sample, &events, |name, value| seen.push((name.to_string(), value)));
        let ms = |ms: i64| Some(FigureValue::ms_of_ns(ms * MS));
        let wanted = [
            ("events", FigureValue::whole(4)),
            ("first_event_ms", ms(10)),
            ("event_gap_ms", ms(10)),
            ("event_gap_ms", ms(30)),
            ("event_gap_ms", ms(30)),
            ("events_per_s", FigureValue::whole(40)),
            ("tokens", FigureValue::whole(4)),
            ("first_token_ms", ms(20)),
            ("token_ms", ms(20)),
            ("tokens_per_s", FigureValue::whole(40)),
        ];
        assert_eq!(seen, wanted.map(|(name, value)| (name.to_owned(), value)));
    }
}
