//! Messages about requests that went out on kept connections which the server had closed.

use swell_run::TrialReport;

/// What a run of a plan says of them at its end, and which properties of JMeter prevent it.
pub(crate) fn in_plan(report: &TrialReport) -> Vec<String> {
    let failed = report.outcome.as_ref().map_or(0, |outcome| outcome.closed_idle_failed);
    let line = (failed > 0).then(|| {
        format!(
            "{failed} {} because the server had closed a kept connection; JMeter fails them as well\n  \
             hint: -Jhttpclient4.validate_after_inactivity=1 checks connections that were idle for at least 1 ms before they are used \
             (the default is 4900); -Jhttpclient4.retrycount=1 repeats requests of idempotent methods",
            failed_requests(failed)
        )
    });
    line.into_iter().collect()
}

/// What `swell hit` says of them.
pub(crate) fn in_hit(report: &TrialReport) -> Vec<String> {
    let mut lines = Vec::new();
    let Some(outcome) = &report.outcome else { return lines };
    let failed = outcome.closed_idle_failed;
    let repeated = outcome.closed_idle_repeated;
    if repeated > 0 {
        let requests = if repeated == 1 { "request was" } else { "requests were" };
        lines.push(format!(
            "{repeated} {requests} repeated on a new connection because the server had closed the kept one; each time includes both attempts"
        ));
    }
    if failed > 0 {
        lines.push(format!(
            "{failed} {} because the server had closed a kept connection; they are not repeated, since the server may have processed \
             them\n  hint: --no-keepalive makes a new connection for each request",
            failed_requests(failed)
        ));
    }
    lines
}

fn failed_requests(count: u64) -> &'static str {
    if count == 1 { "request failed" } else { "requests failed" }
}
