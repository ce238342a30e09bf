//! Output of load generators and of the kernel, as `swell matrix` and `swell sweep` read it.

use swell_study::matrix::{Reading, parse_record, tools};
use swell_study::processes::parse_stat;
use swell_study::server::Template;

use super::byte_parts;

/// Figures are finite and not negative, or unknown; recognized output has a rate or a count.
pub(super) fn tool_outputs(input: &[u8]) {
    let sources: [&[u8]; 2] = byte_parts(input);
    for adapter in &tools::ALL {
        let Some(reading) = adapter.read(&sources[..adapter.sources.len().min(2)]) else { continue };
        let Reading { requests, errors, per_s, mean_ms, p50_ms, p90_ms, p95_ms, p99_ms, max_ms } = reading;
        assert!(requests.is_some() || per_s.is_some(), "{}", adapter.name);
        for figure in
            [requests, errors, per_s, mean_ms, p50_ms, p90_ms, p95_ms, p99_ms, max_ms].into_iter().flatten()
        {
            assert!(figure.is_finite() && figure >= 0.0, "{}: {reading:?}", adapter.name);
        }
    }
    if let Some(record) = parse_record(input) {
        assert!(record.requests >= 0.0 && record.connections >= 0.0, "{record:?}");
    }
    let _ = parse_stat(input);
    // A template without settings expands to itself, or the error names its first setting.
    let text = String::from_utf8_lossy(input);
    let template = Template::new(&*text);
    match template.fill(&[]) {
        Ok(filled) => assert_eq!(filled, text),
        Err(unknown) => assert_eq!(template.names().next(), Some(&*unknown.name)),
    }
}
