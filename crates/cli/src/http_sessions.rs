//! Messages about the version of HTTP that a test used.

use swell_run::TrialReport;

/// What a run says of its connections for HTTP/2; nothing where it made none and was refused none.
pub(crate) fn lines(report: &TrialReport) -> Vec<String> {
    let mut lines = Vec::new();
    let Some(outcome) = &report.outcome else { return lines };
    let sessions = &outcome.sessions;
    if sessions.opened > 0 {
        let connections = if sessions.opened == 1 {
            "1 connection".to_owned()
        } else {
            format!("{} connections", sessions.opened)
        };
        let limit = sessions.streams_limit.map_or_else(
            || "the server sets no limit".to_owned(),
            |most| format!("the server allows {most} at once"),
        );
        let streams = match sessions.streams_peak {
            1 => "1 stream".to_owned(),
            most => format!("up to {most} streams"),
        };
        lines.push(format!("HTTP/2 over {connections}, {streams} on each; {limit}"));
    }
    if sessions.refused > 0 {
        lines.push(format!("HTTP/1.1: the server chose it for {} connections", sessions.refused));
    }
    if sessions.merged_stamps > 0 {
        lines.push(format!(
            "{} arrivals have the time of a later segment, because more than 63 came before a read; their \
             responses look later than they were",
            sessions.merged_stamps
        ));
    }
    lines
}
