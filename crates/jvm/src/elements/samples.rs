//! Transfers samples to and from the JVM.

use swell_api::{
    DataType, OwnedAssertion, OwnedHttpDetails, OwnedSample, SampleChanges, SampleResult, Text, Timing,
};

use crate::{Assertion, HttpPart, Sample, SampleFlags, Sizes, ThreadPart, Times};

const MS: i64 = 1_000_000;

/// A sample as the JVM is shown it.
pub(super) fn shown(sample: &SampleResult) -> Sample<'_> {
    let timing = &sample.timing;
    let size = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
    let assertion =
        |result: &'_ swell_api::AssertionResult| -> (bool, bool) { (result.failure, result.error) };
    Sample {
        label: Some(&sample.label),
        code: Some(&sample.code),
        message: Some(&sample.message),
        success: Some(sample.success),
        data_type: Some(data_type_name(sample.data_type)),
        body: Some(&sample.body),
        response_headers: Some(&sample.response_headers),
        request_headers: Some(&sample.request_headers),
        // JMeter's sample of HTTP makes that of its other fields, and adds what else it is given.
        sampler_data: Some(sample.sampler_data.as_deref().filter(|_| sample.http.is_none())),
        content_type: Some(&sample.content_type),
        encoding: Some(Some(&*sample.encoding).filter(|encoding| !encoding.is_empty())),
        url: Some(sample.url.as_deref()),
        times: Some(Times {
            start_ms: timing.timestamp_ms(),
            end_ms: timing.end_ns.div_euclid(MS),
            idle_ms: timing.idle_ms(),
            latency_ms: timing.latency_ms(),
            connect_ms: timing.connect_ms(),
        }),
        sizes: Some(Sizes {
            bytes: size(sample.bytes),
            sent: size(sample.sent_bytes),
            headers: u32::try_from(sample.header_size).unwrap_or(u32::MAX),
            body: size(sample.body_size),
        }),
        thread: Some(ThreadPart {
            name: &sample.thread_name,
            group_threads: sample.group_threads,
            all_threads: sample.all_threads,
        }),
        flags: sample.ignore.then(|| SampleFlags { ignore: true, ..SampleFlags::default() }),
        http: sample.http.as_ref().map(|http| HttpPart {
            method: &http.method,
            query: &http.query,
            cookies: &http.cookies,
            redirect_location: http.redirect_location.as_deref(),
        }),
        assertions: (!sample.assertions.is_empty()).then(|| {
            let each = sample.assertions.iter().map(|result| {
                let (failure, error) = assertion(result);
                Assertion { name: &result.name, failure, error, message: result.message.as_deref() }
            });
            each.collect()
        }),
        sub_results: (!sample.sub_results.is_empty()).then(|| sample.sub_results.iter().map(shown).collect()),
        file: (!sample.file.is_empty()).then_some(&*sample.file),
        action: None,
        counts: sample.count.map(|count| (count, sample.error_count())),
    }
}

fn data_type_name(data_type: DataType) -> &'static str {
    match data_type {
        DataType::Unknown => "",
        DataType::Text => "text",
        DataType::Binary => "bin",
    }
}

fn data_type(name: &str) -> DataType {
    match name {
        "text" => DataType::Text,
        "bin" => DataType::Binary,
        _ => DataType::Unknown,
    }
}

/// What a script changed in a sample.
pub(super) fn changes(sample: &Sample<'_>) -> SampleChanges {
    let text = |text: Option<&str>| text.map(str::to_owned);
    SampleChanges {
        success: sample.success,
        code: text(sample.code),
        message: text(sample.message),
        label: text(sample.label),
        body: sample.body.map(Into::into),
        data_type: sample.data_type.map(data_type),
        encoding: sample.encoding.map(|encoding| encoding.unwrap_or_default().to_owned()),
        content_type: text(sample.content_type),
        response_headers: text(sample.response_headers),
        request_headers: text(sample.request_headers),
        sampler_data: sample.sampler_data.map(text),
        url: sample.url.map(text),
        ignore: sample.flags.map(|flags| flags.ignore),
        assertions: sample.assertions.as_ref().map(|all| all.iter().map(assertion).collect()),
        sub_results: sample.sub_results.as_ref().map(|all| all.iter().map(owned).collect()),
    }
}

/// Times, sizes, the thread and the name of its file that an element changed.
pub(super) fn apply_numbers(sample: &Sample<'_>, to: &mut SampleResult) {
    if let Some(file) = sample.file {
        file.clone_into(&mut to.file);
    }
    if let Some(times) = sample.times {
        set_times(times, &mut to.timing);
    }
    if let Some(sizes) = sample.sizes {
        (to.bytes, to.sent_bytes) = (size(sizes.bytes), size(sizes.sent));
        (to.header_size, to.body_size) = (u64::from(sizes.headers), size(sizes.body));
    }
    if let Some(counts) = sample.counts {
        to.count = count(counts);
    }
    if let Some(thread) = sample.thread {
        to.thread_name = Text::from(thread.name.to_owned());
        (to.group_threads, to.all_threads) = (thread.group_threads, thread.all_threads);
    }
}

/// How many samples one represents, if not one.
fn count((samples, _): (u32, u32)) -> Option<u32> {
    (samples != 1).then_some(samples)
}

fn size(bytes: i64) -> u64 {
    u64::try_from(bytes).unwrap_or(0)
}

fn set_times(times: Times, timing: &mut Timing) {
    let after_start = |ms: i64| if ms == 0 { 0 } else { (times.start_ms + ms) * MS };
    timing.start_ns = times.start_ms * MS;
    timing.end_ns = times.end_ms * MS;
    timing.idle_ns = times.idle_ms * MS;
    timing.first_byte_ns = after_start(times.latency_ms);
    timing.connected_ns = after_start(times.connect_ms);
}

/// The result of an assertion.
pub(super) fn assertion(result: &Assertion<'_>) -> OwnedAssertion {
    OwnedAssertion {
        name: result.name.to_owned(),
        failure: result.failure,
        error: result.error,
        message: result.message.map(str::to_owned),
    }
}

/// A sample that the JVM made.
pub(super) fn owned(sample: &Sample<'_>) -> OwnedSample {
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    let mut timing = Timing::default();
    if let Some(times) = sample.times {
        set_times(times, &mut timing);
    }
    let sizes = sample.sizes.unwrap_or_default();
    let thread = sample.thread.unwrap_or_default();
    OwnedSample {
        label: text(sample.label),
        code: text(sample.code),
        message: text(sample.message),
        success: sample.success.unwrap_or(false),
        data_type: data_type(sample.data_type.unwrap_or_default()),
        timing,
        bytes: size(sizes.bytes),
        sent_bytes: size(sizes.sent),
        header_size: u64::from(sizes.headers),
        body_size: size(sizes.body),
        thread_name: thread.name.to_owned(),
        group_threads: thread.group_threads,
        all_threads: thread.all_threads,
        url: sample.url.flatten().map(str::to_owned),
        body: sample.body.unwrap_or_default().into(),
        response_headers: text(sample.response_headers),
        request_headers: text(sample.request_headers),
        sampler_data: sample.sampler_data.flatten().map(str::to_owned),
        content_type: text(sample.content_type),
        encoding: text(sample.encoding.flatten()),
        file: text(sample.file),
        http: sample.http.map(http),
        assertions: sample.assertions.iter().flatten().map(assertion).collect(),
        sub_results: sample.sub_results.iter().flatten().map(owned).collect(),
        is_transaction: false,
        count: sample.counts.and_then(count),
        ignore: sample.flags.is_some_and(|flags| flags.ignore),
    }
}

fn http(part: HttpPart<'_>) -> OwnedHttpDetails {
    OwnedHttpDetails {
        method: part.method.to_owned(),
        query: part.query.to_owned(),
        cookies: part.cookies.to_owned(),
        redirect_location: part.redirect_location.map(str::to_owned),
    }
}
