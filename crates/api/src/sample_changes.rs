//! Changes of a sample, made on another thread.

use crate::{Body, DataType, OwnedAssertion, OwnedSample, SampleResult};

/// Values that are present replace those of the sample. It is `Send`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SampleChanges {
    /// Good or not.
    pub success: Option<bool>,
    /// Response code.
    pub code: Option<String>,
    /// Response message.
    pub message: Option<String>,
    /// Label.
    pub label: Option<String>,
    /// Response body.
    pub body: Option<Body>,
    /// `text`, `bin` or unknown.
    pub data_type: Option<DataType>,
    /// Charset of the response.
    pub encoding: Option<String>,
    /// `Content-Type` of the response.
    pub content_type: Option<String>,
    /// Response head as text.
    pub response_headers: Option<String>,
    /// Request head as text.
    pub request_headers: Option<String>,
    /// What was sent; none within: nothing.
    pub sampler_data: Option<Option<String>>,
    /// URL of the request; none within: there is none.
    pub url: Option<Option<String>>,
    /// Whether assertions and listeners leave it alone.
    pub ignore: Option<bool>,
    /// All assertion results.
    pub assertions: Option<Vec<OwnedAssertion>>,
    /// All sub-samples.
    pub sub_results: Option<Vec<OwnedSample>>,
}

impl SampleChanges {
    /// Makes them.
    pub fn apply(self, sample: &mut SampleResult) {
        set(&mut sample.success, self.success);
        set(&mut sample.code, self.code.map(Into::into));
        set(&mut sample.message, self.message.map(Into::into));
        set(&mut sample.label, self.label.map(Into::into));
        set(&mut sample.body, self.body);
        set(&mut sample.data_type, self.data_type);
        set(&mut sample.encoding, self.encoding.map(Into::into));
        set(&mut sample.content_type, self.content_type.map(Into::into));
        set(&mut sample.response_headers, self.response_headers);
        set(&mut sample.request_headers, self.request_headers);
        set(&mut sample.sampler_data, self.sampler_data);
        set(&mut sample.url, self.url.map(|url| url.map(Into::into)));
        set(&mut sample.ignore, self.ignore);
        let assertions = self.assertions.map(|all| all.into_iter().map(Into::into).collect());
        set(&mut sample.assertions, assertions);
        let subs = self.sub_results.map(|all| all.into_iter().map(SampleResult::from).collect());
        set(&mut sample.sub_results, subs);
    }
}

fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_another_thread_come_back_into_the_sample() {
        let mut sample = SampleResult {
            label: "kept".into(),
            code: "200".into(),
            success: true,
            ..SampleResult::default()
        };
        sample.sub_results.push(SampleResult::default());
        let changes = std::thread::spawn(|| SampleChanges {
            success: Some(false),
            code: Some("500".into()),
            body: Some(b"other"[..].into()),
            ignore: Some(true),
            assertions: Some(vec![OwnedAssertion { failure: true, ..OwnedAssertion::default() }]),
            sub_results: Some(vec![OwnedSample { label: "below".into(), ..OwnedSample::default() }]),
            ..SampleChanges::default()
        });
        changes.join().expect("nothing panics there").apply(&mut sample);
        assert_eq!((&*sample.label, &*sample.code, sample.success), ("kept", "500", false));
        assert_eq!((&*sample.body, sample.ignore), (&b"other"[..], true));
        assert!(sample.assertions[0].failure);
        assert_eq!((sample.sub_results.len(), &*sample.sub_results[0].label), (1, "below"));
    }

    #[test]
    fn no_change_changes_nothing() {
        let whole = OwnedSample { label: "a".into(), url: Some("http://a".into()), ..OwnedSample::default() };
        let mut sample = SampleResult::from(whole.clone());
        SampleChanges::default().apply(&mut sample);
        assert_eq!(OwnedSample::from(&sample), whole);
    }
}
