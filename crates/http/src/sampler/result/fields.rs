//! Fills in the fields of samples (`HTTPSampleResult`, `SampleResult.setEncodingAndType`,
//! `HTTPSamplerBase.errorResult`).

use std::fmt::Write as _;

use memchr::memchr_iter;
use swell_api::{Body, DataType, HttpDetails, Needs, SampleResult, Text, Timing};
use swell_http1::latin1;
use swell_net::now_ns;

use crate::failure::Failure;
use crate::request::Request;
use crate::sampler::known_texts::CHARSETS;

/// The sample of a URL that could not be made: no label, no URL, no time.
pub(crate) fn without_url(failure: &Failure, needs: Needs) -> SampleResult {
    let http = Some(Box::default());
    let mut sample = SampleResult { timing: no_time(), http, ..SampleResult::default() };
    fail(&mut sample, failure, needs);
    sample
}

/// A moment.
pub(crate) fn no_time() -> Timing {
    let at_ns = now_ns();
    Timing { start_ns: at_ns, end_ns: at_ns, ..Timing::default() }
}

/// Makes a sample a failed one. Sizes that it has stay.
pub(crate) fn fail(sample: &mut SampleResult, failure: &Failure, needs: Needs) {
    sample.data_type = DataType::Text;
    sample.code = failure.code();
    sample.message = failure.text();
    sample.success = false;
    let body = failure.body().into_bytes();
    if sample.header_size + sample.body_size == 0 {
        sample.received.get_or_insert(sample.bytes);
        sample.body_size = body.len() as u64;
        sample.bytes = sample.body_size;
    }
    sample.body = if needs.body { body.into() } else { Body::default() };
}

/// Fills in what a request says of itself. `cookie`: what the Cookie Manager sent.
pub(crate) fn describe(sample: &mut SampleResult, request: &Request, cookie: Option<&str>, needs: Needs) {
    if needs.details || needs.request {
        sample.url = Some(request.url.as_str().to_owned().into());
        sample.http = Some(Box::new(HttpDetails {
            method: request.method.clone().into(),
            query: request.body_text.to_string(),
            cookies: cookie.map_or_else(|| request.own_cookies(), str::to_owned),
            redirect_location: None,
        }));
    }
}

/// `HTTPSampleResult.getSamplerData`.
pub(crate) fn sampler_data(sample: &SampleResult) -> String {
    let Some(http) = &sample.http else { return String::new() };
    let url = sample.url.as_deref().unwrap_or_default();
    let mut out = format!("{} {url}\n", http.method);
    if !matches!(&*http.method, "HEAD" | "OPTIONS" | "TRACE") {
        write!(out, "\n{} data:\n{}\n", http.method, http.query).expect("writing to a String cannot fail");
    }
    if http.cookies.is_empty() {
        out.push_str("\n[no cookies]\n");
    } else {
        write!(out, "\nCookie Data:\n{}\n", http.cookies).expect("writing to a String cannot fail");
    }
    out
}

/// Content type, charset and kind of a response.
pub(crate) fn set_type(sample: &mut SampleResult, content_type: Option<Text>) {
    let Some(value) = content_type else { return };
    encoding_and_kind(sample, &value);
    sample.content_type = value;
    let silent_page = sample.encoding.is_empty() && sample.content_type.starts_with("text/html");
    if silent_page && let Some(value) = meta_type(&sample.body) {
        encoding_and_kind(sample, &value);
    }
}

fn encoding_and_kind(sample: &mut SampleResult, value: &str) {
    const CHARSET: &[u8] = b"charset=";
    let mut ends = memchr_iter(b'=', value.as_bytes()).map(|equals| equals + 1);
    let is_end = |end: &usize| {
        let start = end.checked_sub(CHARSET.len());
        start.is_some_and(|start| value.as_bytes()[start..*end].eq_ignore_ascii_case(CHARSET))
    };
    if let Some(end) = ends.find(is_end) {
        let charset = value[end..].split(';').next().unwrap_or_default();
        let quoted = charset.len() >= 2 && charset.starts_with(['"', '\'']);
        let charset = if quoted { charset.get(1..charset.len() - 1).unwrap_or_default() } else { charset };
        let known = CHARSETS.iter().find(|known| **known == charset);
        sample.encoding = known.map_or_else(|| charset.to_owned().into(), |known| Text::Static(known));
    }
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| value.starts_with(prefix));
    let text = starts(&["audio/x-mpegurl", "audio/mpegurl", "video/f4m", "image/svg+xml"]);
    let binary = !text && starts(&["image/", "audio/", "video/"]);
    sample.data_type = if binary { DataType::Binary } else { DataType::Text };
}

/// The content type that an HTML page names itself, in its first 2000 bytes.
fn meta_type(body: &[u8]) -> Option<String> {
    const TAG: &str = "<meta http-equiv=\"content-type\" content=\"";
    let start = latin1::decode(&body[..body.len().min(2000)]);
    let at = start.to_ascii_lowercase().find(TAG)? + TAG.len();
    let end = start[at..].find('"')?;
    Some(start[at..at + end].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampler::known_texts::type_text;

    fn typed(content_type: &str, body: &str) -> (String, DataType) {
        let mut sample = SampleResult { body: body.into(), ..SampleResult::default() };
        set_type(&mut sample, Some(type_text(content_type.as_bytes())));
        (sample.encoding.to_string(), sample.data_type)
    }

    #[test]
    fn types() {
        let text = |encoding: &str| (encoding.to_owned(), DataType::Text);
        assert_eq!(typed("application/json", ""), text(""));
        assert_eq!(typed("text/html; charset=\"iso-8859-1\"", ""), text("iso-8859-1"));
        assert_eq!(typed("Text/HTML; Charset=utf-8; x=y", ""), text("utf-8"));
        assert_eq!(typed("text/html; x=y; CHARSET=KOI8-R", ""), text("KOI8-R"));
        assert_eq!(typed("t=charset=", ""), text(""));
        assert_eq!(typed("image/svg+xml", ""), text(""));
        assert_eq!(typed("image/png", "").1, DataType::Binary);
        let meta = "<html><META http-equiv=\"Content-Type\" content=\"text/html; charset=KOI8-R\">";
        assert_eq!(typed("text/html", meta), text("KOI8-R"));
        assert_eq!(typed("text/html; charset=utf-8", meta), text("utf-8"));
        assert_eq!(
            typed("text/html", "<meta http-equiv=\"content-type\" content=\"text/html; charset=x"),
            text("")
        );
    }
}
