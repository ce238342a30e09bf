//! A sample for the trace.

use swell_api::{SampleResult, Timing};
use swell_trace::{Content, Sample, Timing as Times, UserTrace};

/// A sample with its requests on the wire.
pub(super) fn of(result: &SampleResult, trace: &mut UserTrace) -> Sample {
    let mut sample = with_requests(result, trace);
    // Those of a connection that broke, or of a sample that was not kept.
    sample.exchanges.extend(trace.take_other_exchanges());
    sample
}

fn with_requests(result: &SampleResult, trace: &mut UserTrace) -> Sample {
    // A sample begins with the first of its parts, whose request it is.
    let children = result.sub_results.iter().map(|part| with_requests(part, trace)).collect();
    let exchanges =
        if result.is_response_part { Vec::new() } else { trace.take_exchanges(result.timing.start_ns) };
    Sample { exchanges, children, ..plain(result, trace.body_bytes()) }
}

/// A sample without its parts and requests.
pub(super) fn plain(result: &SampleResult, most: usize) -> Sample {
    let is_http = result.http.is_some();
    Sample {
        label: result.label.to_string(),
        code: result.code.to_string(),
        message: result.message.to_string(),
        success: result.success,
        url: result.url.as_ref().map(ToString::to_string),
        timing: times(&result.timing),
        received_bytes: result.bytes,
        sent_bytes: result.sent_bytes,
        content_type: result.content_type.to_string(),
        charset: result.encoding.to_string(),
        response_headers: result.response_headers.clone(),
        sent: result.sampler_data.clone().filter(|_| !is_http),
        body: body(result, most),
        exchanges: Vec::new(),
        children: Vec::new(),
    }
}

/// The body as text of UTF-8, if it is text of another charset.
fn body(result: &SampleResult, most: usize) -> Content {
    if std::str::from_utf8(&result.body).is_err() && !result.encoding.is_empty() && !result.body.contains(&0)
    {
        return Content::new(result.body_text().as_bytes(), most);
    }
    Content::new(&result.body, most)
}

fn times(timing: &Timing) -> Times {
    let ms = |ns: i64| (ns as f64 / 1_000.0).round() / 1_000.0;
    let since = |at_ns: i64| (at_ns != 0).then(|| ms(at_ns - timing.start_ns));
    Times {
        start_ms: ms(timing.start_ns),
        queue_ms: ms((timing.start_ns - timing.intended_ns).max(0)),
        connect_ms: since(timing.connected_ns),
        tls_ms: (timing.handshake_ns != 0).then(|| ms(timing.handshake_ns)),
        first_byte_ms: since(timing.first_byte_ns),
        elapsed_ms: ms(timing.elapsed_ns()),
    }
}
