//! Elements of an XML results file, byte for byte as JMeter writes them through XStream
//! (`save/converters/SampleResultConverter.java`, `HTTPResultConverter.java`, XStream's
//! `PrettyPrintWriter`).

use swell_api::{AssertionResult, Compared, DataType, SampleResult};
use swell_expr::Context;

use crate::Save;
use crate::format::{RowFormat, data_type, push_int};
use crate::row_text::{Large, RowText};
use crate::xml_text::escaped;

/// What `ResultCollector` writes at the end: the empty line is JMeter's.
pub(crate) const FOOTER: &[u8] = b"\n</testResults>\n";

/// First lines of a file.
pub(crate) fn header(processing_instruction: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    if !processing_instruction.is_empty() {
        out.extend_from_slice(processing_instruction.as_bytes());
        out.push(b'\n');
    }
    out.extend_from_slice(b"<testResults version=\"1.2\">\n");
}

/// A sample with its sub-samples.
pub(crate) fn sample(format: &RowFormat, sample: &SampleResult, cx: &Context, out: &mut RowText) {
    element(format, sample, cx, out, 0);
    out.push(b'\n');
}

fn element(format: &RowFormat, sample: &SampleResult, cx: &Context, out: &mut RowText, depth: usize) {
    let tag: &[u8] = if sample.http.is_some() { b"httpSample" } else { b"sample" };
    out.push(b'<');
    out.extend_from_slice(tag);
    attributes(format, sample, cx, out);
    out.push(b'>');
    let empty = out.len();
    children(format, sample, cx, out, depth + 1);
    if out.len() == empty {
        out.pop();
        out.extend_from_slice(b"/>");
    } else {
        new_line(out, depth);
        end_tag(out, tag);
    }
}

/// `SampleResultConverter.setAttributes`.
fn attributes(format: &RowFormat, sample: &SampleResult, cx: &Context, out: &mut Vec<u8>) {
    let timing = &sample.timing;
    let saves = |switch| format.config.saves(switch);
    let numbers = [
        (Save::Time, "t", timing.elapsed_ms()),
        (Save::IdleTime, "it", timing.idle_ms()),
        (Save::Latency, "lt", timing.latency_ms()),
        (Save::ConnectTime, "ct", timing.connect_ms()),
        (Save::Timestamp, "ts", timing.timestamp_ms()),
    ];
    numbers
        .iter()
        .filter(|(switch, ..)| saves(*switch))
        .for_each(|&(_, name, value)| number(out, name, value));
    let texts = [
        (Save::Success, "s", if sample.success { "true" } else { "false" }),
        (Save::Label, "lb", &*sample.label),
        (Save::Code, "rc", &*sample.code),
        (Save::Message, "rm", &*sample.message),
        (Save::ThreadName, "tn", &*sample.thread_name),
        (Save::DataType, "dt", data_type(sample.data_type)),
        (Save::Encoding, "de", &*sample.encoding),
    ];
    texts
        .iter()
        .filter(|(switch, ..)| saves(*switch))
        .for_each(|&(_, name, value)| attribute(out, name, value));
    let counts = [
        (Save::Bytes, "by", sample.bytes),
        (Save::SentBytes, "sby", sample.sent_bytes),
        (Save::SampleCount, "sc", u64::from(sample.sample_count())),
        (Save::SampleCount, "ec", u64::from(sample.error_count())),
        (Save::ThreadCounts, "ng", u64::from(sample.group_threads)),
        (Save::ThreadCounts, "na", u64::from(sample.all_threads)),
    ];
    counts
        .iter()
        .filter(|(switch, ..)| saves(*switch))
        .for_each(|&(_, name, value)| number(out, name, value));
    if saves(Save::Hostname) {
        attribute(out, "hn", &format.host_name);
    }
    for variable in &format.variables {
        if let Some(name) = &variable.attribute {
            let value = cx.vars.get_slot(variable.slot).map_or("", |value| value);
            attribute(out, name, value);
        }
    }
}

/// What stands inside, in the order of `SampleResultConverter.marshal`.
fn children(format: &RowFormat, sample: &SampleResult, cx: &Context, out: &mut RowText, depth: usize) {
    let saves = |switch| format.config.saves(switch);
    if saves(Save::Assertions) {
        sample.assertions.iter().for_each(|result| assertion(out, result, depth));
    }
    if saves(Save::Subresults) {
        for sub in &sample.sub_results {
            new_line(out, depth);
            element(format, sub, cx, out, depth);
        }
    }
    if saves(Save::ResponseHeaders) {
        string(out, "responseHeader", &sample.response_headers, depth);
    }
    if saves(Save::RequestHeaders) {
        string(out, "requestHeader", &sample.request_headers, depth);
    }
    let always = format.functional || (saves(Save::ResponseDataOnError) && !sample.success);
    if always || saves(Save::ResponseData) {
        response_data(out, sample, depth);
    }
    if saves(Save::FileName) {
        string(out, "responseFile", &sample.file, depth);
    }
    if always || saves(Save::SamplerData) {
        sampler_data(out, sample, depth);
    }
    if saves(Save::Url) {
        url(out, sample, depth);
    }
}

fn response_data(out: &mut RowText, sample: &SampleResult, depth: usize) {
    if sample.data_type == DataType::Text && !sample.is_charset_known() {
        let why = format!("java.io.UnsupportedEncodingException: {}", sample.encoding);
        let text = format!("Unsupported encoding in response data, cannot record: {why}");
        string(out, "responseData", &text, depth);
    } else if sample.data_type == DataType::Text && RowText::is_large(&sample.body) {
        start_tag(out, "responseData", STRING, depth);
        out.push_body(Large::Xml(sample.body_text_elsewhere(sample.fallback_charset.unwrap_or_default())));
        end_tag(out, b"responseData");
    } else if sample.data_type == DataType::Text {
        string(out, "responseData", &sample.body_text(), depth);
    } else {
        let kind = data_type(sample.data_type);
        string(out, "responseData", &format!("Non-TEXT response data, cannot record: ({kind})"), depth);
    }
}

/// Details of an HTTP request, or what another sampler says it sent.
fn sampler_data(out: &mut Vec<u8>, sample: &SampleResult, depth: usize) {
    match &sample.http {
        Some(http) => {
            string(out, "cookies", &http.cookies, depth);
            // None where no request came about.
            if !http.method.is_empty() {
                string(out, "method", &http.method, depth);
            }
            string(out, "queryString", &http.query, depth);
            if let Some(location) = &http.redirect_location {
                string(out, "redirectLocation", location, depth);
            }
        }
        None => {
            if let Some(data) = &sample.sampler_data {
                string(out, "samplerData", data, depth);
            }
        }
    }
}

fn url(out: &mut Vec<u8>, sample: &SampleResult, depth: usize) {
    match &sample.url {
        Some(url) => leaf(out, "java.net.URL", url, depth),
        None if sample.http.is_some() => {
            new_line(out, depth);
            out.extend_from_slice(b"<null/>");
        }
        None => {}
    }
}

fn assertion(out: &mut Vec<u8>, result: &AssertionResult, depth: usize) {
    let word = |flag| if flag { "true" } else { "false" };
    let tag = match &result.compared {
        Some(_) => "org.apache.jmeter.assertions.CompareAssertionResult",
        None => "assertionResult",
    };
    new_line(out, depth);
    out.push(b'<');
    out.extend_from_slice(tag.as_bytes());
    out.push(b'>');
    leaf(out, "name", &result.name, depth + 1);
    leaf(out, "failure", word(result.failure), depth + 1);
    leaf(out, "error", word(result.error), depth + 1);
    if let Some(message) = &result.message {
        leaf(out, "failureMessage", message, depth + 1);
    }
    if let Some(pair) = &result.compared {
        compared(out, pair, depth + 1);
    }
    new_line(out, depth);
    end_tag(out, tag.as_bytes());
}

/// What a Compare Assertion compared.
fn compared(out: &mut Vec<u8>, pair: &Compared, depth: usize) {
    new_line(out, depth);
    if *pair == Compared::default() {
        out.extend_from_slice(b"<comparedResults/>");
        return;
    }
    out.extend_from_slice(b"<comparedResults>");
    for (tag, text) in [("baseResult", &pair.base), ("secondaryResult", &pair.secondary)] {
        if let Some(text) = text {
            leaf(out, tag, text, depth + 1);
        }
    }
    new_line(out, depth);
    end_tag(out, b"comparedResults");
}

fn leaf(out: &mut Vec<u8>, tag: &str, text: &str, depth: usize) {
    tagged(out, tag, "", text, depth);
}

fn string(out: &mut Vec<u8>, tag: &str, text: &str, depth: usize) {
    tagged(out, tag, STRING, text, depth);
}

/// Attributes of an element that is a text.
const STRING: &str = " class=\"java.lang.String\"";

fn start_tag(out: &mut Vec<u8>, tag: &str, attributes: &str, depth: usize) {
    new_line(out, depth);
    out.push(b'<');
    out.extend_from_slice(tag.as_bytes());
    out.extend_from_slice(attributes.as_bytes());
    out.push(b'>');
}

fn tagged(out: &mut Vec<u8>, tag: &str, attributes: &str, text: &str, depth: usize) {
    start_tag(out, tag, attributes, depth);
    escaped(out, text, false);
    end_tag(out, tag.as_bytes());
}

fn end_tag(out: &mut Vec<u8>, tag: &[u8]) {
    out.extend_from_slice(b"</");
    out.extend_from_slice(tag);
    out.push(b'>');
}

fn new_line(out: &mut Vec<u8>, depth: usize) {
    out.push(b'\n');
    (0..depth).for_each(|_| out.extend_from_slice(b"  "));
}

fn number(out: &mut Vec<u8>, name: &str, value: impl itoa::Integer) {
    attribute_start(out, name);
    push_int(out, value);
    out.push(b'"');
}

fn attribute(out: &mut Vec<u8>, name: &str, value: &str) {
    attribute_start(out, name);
    escaped(out, value, true);
    out.push(b'"');
}

fn attribute_start(out: &mut Vec<u8>, name: &str) {
    out.push(b' ');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"=\"");
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod suite;
