//! Data about the target: exporters' pages, JVM counters, name patterns.

use std::borrow::Cow;

use swell_monitor::perf_data::PerfData;
use swell_monitor::{Mapping, Source, exposition};

use super::{parts, random_of};

/// Values read from a page were in it, a page written again reads the same, and mapped figures are
/// finite.
pub(super) fn exposition(input: &[u8]) {
    let [pattern, page]: [Cow<'_, str>; 2] = parts(input);
    let found = exposition::read(&page);
    assert!(found.samples.len() + found.bad_lines <= page.lines().count(), "a line is one sample at most");
    for sample in &found.samples {
        let labels: Vec<_> = sample
            .labels
            .iter()
            .map(|(name, value)| {
                let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
                format!("{name}=\"{value}\"")
            })
            .collect();
        let number = if sample.value.is_infinite() {
            if sample.value > 0.0 { "+Inf".to_owned() } else { "-Inf".to_owned() }
        } else {
            sample.value.to_string()
        };
        let line = format!("{}{{{}}} {number}", sample.name, labels.join(","));
        let again = exposition::read(&line);
        assert_eq!(again.samples.len(), 1, "{line}");
        assert_eq!(again.samples[0].labels, sample.labels, "{line}");
        let read = again.samples[0].value;
        let written = sample.value;
        assert!(read.to_bits() == written.to_bits() || written.is_nan(), "{line}");
    }
    let mut mapping = Mapping::new("h".into(), (!pattern.is_empty()).then(|| pattern.to_string()));
    for at_s in [0.0, 1.0] {
        let readings = mapping.readings(&page, at_s).unwrap_or_default();
        assert!(readings.iter().all(|reading| reading.value.is_finite()));
    }
    let _ = pattern.parse::<Source>();
}

/// Counters of a JVM, complete and cut.
pub(super) fn perf_data(input: &[u8]) {
    use rand::Rng as _;
    let _ = PerfData::read(input);
    let cut = random_of(input).random_range(0..=input.len());
    let _ = PerfData::read(&input[..cut]);
}
