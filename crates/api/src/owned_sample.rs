//! A sample that can leave its thread, or comes from another one.

use crate::{AssertionResult, Body, DataType, HttpDetails, SampleResult, Timing};

/// A [`SampleResult`] that is `Send`: for readers on another thread or in another process, and for
/// samples made there. It costs an allocation per text, so the request path makes one only on
/// request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnedSample {
    /// Label.
    pub label: String,
    /// Response code.
    pub code: String,
    /// Response message.
    pub message: String,
    /// Good or not, assertions included.
    pub success: bool,
    /// `text`, `bin` or unknown.
    pub data_type: DataType,
    /// When things happened.
    pub timing: Timing,
    /// Bytes received on the wire, head and body, sub-samples included.
    pub bytes: u64,
    /// Bytes sent, head and body.
    pub sent_bytes: u64,
    /// Size of the response head in bytes.
    pub header_size: u64,
    /// Size of the response body on the wire in bytes.
    pub body_size: u64,
    /// Thread name.
    pub thread_name: String,
    /// Active users of the group when the sample ended.
    pub group_threads: u32,
    /// Active users of all groups when the sample ended.
    pub all_threads: u32,
    /// URL of the request, none where there is none.
    pub url: Option<String>,
    /// Response body after content decoding, if it was kept.
    pub body: Body,
    /// Response head as text, if it was kept.
    pub response_headers: String,
    /// Request head as text, if it was kept.
    pub request_headers: String,
    /// What was sent, if it was kept.
    pub sampler_data: Option<String>,
    /// `Content-Type` of the response.
    pub content_type: String,
    /// Charset of the response, empty if not said.
    pub encoding: String,
    /// File the response was saved to, empty if none.
    pub file: String,
    /// HTTP only.
    pub http: Option<OwnedHttpDetails>,
    /// Assertion results in order.
    pub assertions: Vec<OwnedAssertion>,
    /// Sub-samples.
    pub sub_results: Vec<OwnedSample>,
    /// Made by a Transaction Controller.
    pub is_transaction: bool,
    /// How many samples it represents, if not one.
    pub count: Option<u32>,
    /// Post-processors, assertions and listeners leave it alone.
    pub ignore: bool,
}

/// [`HttpDetails`] that can leave their thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnedHttpDetails {
    /// Method as sent.
    pub method: String,
    /// Body or query as JMeter shows it.
    pub query: String,
    /// The `Cookie` header that was sent.
    pub cookies: String,
    /// Target of a redirect as the server sent it, which may be empty.
    pub redirect_location: Option<String>,
}

/// The result of an assertion that can leave its thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnedAssertion {
    /// Name of the assertion element.
    pub name: String,
    /// The sample does not meet it.
    pub failure: bool,
    /// The assertion itself could not run.
    pub error: bool,
    /// Why; none where it passed.
    pub message: Option<String>,
}

impl From<&AssertionResult> for OwnedAssertion {
    fn from(result: &AssertionResult) -> Self {
        Self {
            name: result.name.to_string(),
            failure: result.failure,
            error: result.error,
            message: result.message.as_deref().map(str::to_owned),
        }
    }
}

impl From<&SampleResult> for OwnedSample {
    fn from(sample: &SampleResult) -> Self {
        Self {
            label: sample.label.to_string(),
            code: sample.code.to_string(),
            message: sample.message.to_string(),
            success: sample.success,
            data_type: sample.data_type,
            timing: sample.timing,
            bytes: sample.bytes,
            sent_bytes: sample.sent_bytes,
            header_size: sample.header_size,
            body_size: sample.body_size,
            thread_name: sample.thread_name.to_string(),
            group_threads: sample.group_threads,
            all_threads: sample.all_threads,
            url: sample.url.as_deref().map(str::to_owned),
            body: sample.body.clone(),
            response_headers: sample.response_headers.clone(),
            request_headers: sample.request_headers.clone(),
            sampler_data: sample.sampler_data.clone(),
            content_type: sample.content_type.to_string(),
            encoding: sample.encoding.to_string(),
            file: sample.file.clone(),
            http: sample.http.as_deref().map(OwnedHttpDetails::from),
            assertions: sample.assertions.iter().map(OwnedAssertion::from).collect(),
            sub_results: sample.sub_results.iter().map(Self::from).collect(),
            is_transaction: sample.is_transaction,
            count: sample.count,
            ignore: sample.ignore,
        }
    }
}

impl From<&HttpDetails> for OwnedHttpDetails {
    fn from(details: &HttpDetails) -> Self {
        let HttpDetails { method, query, cookies, redirect_location } = details;
        Self {
            method: method.to_string(),
            query: query.clone(),
            cookies: cookies.clone(),
            redirect_location: redirect_location.clone(),
        }
    }
}

impl From<OwnedHttpDetails> for HttpDetails {
    fn from(details: OwnedHttpDetails) -> Self {
        let OwnedHttpDetails { method, query, cookies, redirect_location } = details;
        Self { method: method.into(), query, cookies, redirect_location }
    }
}

impl From<OwnedAssertion> for AssertionResult {
    fn from(result: OwnedAssertion) -> Self {
        let OwnedAssertion { name, failure, error, message } = result;
        Self { name: name.into(), failure, error, message: message.map(Into::into), compared: None }
    }
}

impl From<OwnedSample> for SampleResult {
    fn from(sample: OwnedSample) -> Self {
        Self {
            label: sample.label.into(),
            code: sample.code.into(),
            message: sample.message.into(),
            success: sample.success,
            data_type: sample.data_type,
            timing: sample.timing,
            bytes: sample.bytes,
            sent_bytes: sample.sent_bytes,
            header_size: sample.header_size,
            body_size: sample.body_size,
            thread_name: sample.thread_name.into(),
            group_threads: sample.group_threads,
            all_threads: sample.all_threads,
            url: sample.url.map(Into::into),
            body: sample.body,
            response_headers: sample.response_headers,
            request_headers: sample.request_headers,
            sampler_data: sample.sampler_data,
            content_type: sample.content_type.into(),
            encoding: sample.encoding.into(),
            file: sample.file,
            http: sample.http.map(|details| Box::new(details.into())),
            sub_results: sample.sub_results.into_iter().map(Self::from).collect(),
            assertions: sample.assertions.into_iter().map(Into::into).collect(),
            is_transaction: sample.is_transaction,
            count: sample.count,
            ignore: sample.ignore,
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_of_a_sample_is_read_on_another_thread() {
        let mut sample = SampleResult {
            label: String::from("parent").into(),
            url: Some(String::from("http://a/").into()),
            body: b"body".into(),
            bytes: 7,
            http: Some(Box::new(HttpDetails { method: "GET".into(), ..HttpDetails::default() })),
            ..SampleResult::default()
        };
        sample.timing.end_ns = 5;
        sample.assertions.push(AssertionResult::failed("check".into(), "no".into()));
        sample.sub_results.push(SampleResult { label: "below".into(), ..SampleResult::default() });
        let copy = OwnedSample::from(&sample);
        let read = std::thread::spawn(move || copy).join().expect("nothing panics there");
        assert_eq!((read.label.as_str(), read.url.as_deref(), read.bytes), ("parent", Some("http://a/"), 7));
        assert_eq!((&*read.body, read.timing.end_ns), (&b"body"[..], 5));
        assert_eq!(read.assertions[0].message.as_deref(), Some("no"));
        assert_eq!(read.sub_results[0].label, "below");
        assert_eq!(OwnedSample::from(&SampleResult::from(read.clone())), read, "and comes back whole");
    }
}
