//! One step: a sampler with everything in its scope, in the order in which it ran.

use serde::Serialize;

use crate::content::Content;
use crate::event::LogLine;
use crate::exchange::Exchange;

/// An element of the plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ElementRef {
    /// Its class, as in the plan.
    pub class: String,
    /// Its name.
    pub name: String,
    /// Names from the Test Plan to it, joined by ` > `.
    pub path: String,
    /// Line of its start tag in the plan; 0 if it is in no file.
    pub line: u32,
}

/// Part of an element in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// It ran before the sampler.
    PreProcessor,
    /// It delays the sampler.
    Timer,
    /// The sampler itself.
    Sampler,
    /// It ran after the sampler: an extractor, a script.
    PostProcessor,
    /// It checked the sample.
    Assertion,
    /// It acts at the start of an iteration: a data set, a counter.
    IterationElement,
}

/// How a step ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A sample that succeeded.
    Passed,
    /// A sample that failed.
    Failed,
    /// The element is not supported, so nothing was sent.
    NotRun,
    /// The sampler gave no sample: a pause, or a sampler that was told to be skipped.
    NoSample,
    /// Something stopped it before there was a sample.
    #[default]
    Stopped,
}

/// A variable that an element set or removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VariableChange {
    /// Its name.
    pub name: String,
    /// Its value before; null if it had none.
    pub before: Option<String>,
    /// Its value now; null if it was removed.
    pub after: Option<String>,
}

/// A property of the run that an element set or removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PropertyChange {
    /// Its name.
    pub name: String,
    /// Its value before; null if it had none.
    pub before: Option<String>,
    /// Its value now; null if it was removed.
    pub after: Option<String>,
}

/// What an extractor looked for, and what it found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Extraction {
    /// Language of the expression: `json`, `regex`, `css`, `xpath`, `boundary`.
    pub language: &'static str,
    /// The expression after `${}`; of boundaries both, with `…` between them.
    pub expression: String,
    /// The part of the sample or the variable that was searched.
    pub subject: String,
    /// The first bytes of what was searched.
    #[serde(skip)]
    pub searched: String,
    /// Variable that gets the value.
    pub variable: String,
    /// Match number that is wanted: 0 is any, negative is all.
    pub match_number: i64,
    /// How many matches there are, if they were counted. Extractors that want one match stop there.
    pub matches: u64,
    /// The first matches.
    pub values: Vec<String>,
    /// The value that was taken; null if there was no such match.
    pub taken: Option<String>,
    /// The default value, if the variable got it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// Why the expression could not be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What the subject has that is similar to what was looked for, most similar first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nearby: Vec<String>,
}

/// What an assertion compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Check {
    /// The assertion passed.
    pub passed: bool,
    /// The assertion itself could not run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub error: bool,
    /// JMeter's message; null if it passed.
    pub message: Option<String>,
    /// What was looked at: `response code`, `response body`, `variable x`, `duration`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// How it was compared: `equals`, `contains`, `matches`, `substring`, `at most`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relation: Option<String>,
    /// The value that was wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wanted: Option<String>,
    /// The value that was there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub got: Option<String>,
    /// Where the two texts begin to differ, in characters from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub differs_at: Option<usize>,
}

/// What a timer asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TimerWait {
    /// How long it would wait, milliseconds, rounded; null if that depends on other users.
    pub wait_ms: Option<u64>,
    /// The step did not wait for it.
    pub skipped: bool,
}

/// A record of a data file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DataRow {
    /// The file.
    pub file: String,
    /// Number of the record that was read, from 1, counted on if the file starts again; null at the
    /// end of the file.
    pub record: Option<u64>,
}

/// What one element of a step did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Action {
    /// The element.
    pub element: ElementRef,
    /// Its part in the step.
    pub role: Role,
    /// Variables that it set or removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<VariableChange>,
    /// Properties that it set or removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<PropertyChange>,
    /// Searches of an extractor, one for each variable.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extractions: Vec<Extraction>,
    /// Comparisons of an assertion.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
    /// The delay of a timer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timer: Option<TimerWait>,
    /// The record of a data set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<DataRow>,
    /// What it logged and printed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub output: Vec<LogLine>,
    /// Why it could not do its work: an exception, an element that is not supported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Action {
    /// Nothing yet.
    pub fn new(element: ElementRef, role: Role) -> Self {
        Self {
            element,
            role,
            variables: Vec::new(),
            properties: Vec::new(),
            extractions: Vec::new(),
            checks: Vec::new(),
            timer: None,
            data: None,
            output: Vec::new(),
            error: None,
        }
    }
}

/// A text of the sampler as it is in the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Written {
    /// Its property.
    pub property: String,
    /// The text, with its `${}`.
    pub text: String,
}

/// A variable that texts of the step read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReadVariable {
    /// Its name.
    pub name: String,
    /// Its value when the sampler ran; null if it had none, so that the reference itself was sent.
    pub value: Option<String>,
    /// Number of the step that set it last; null if it was set before the first step.
    pub set_by_step: Option<u32>,
    /// Name of the element that set it last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set_by: Option<String>,
    /// It has the default value of an extractor that found nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_default: bool,
}

/// When things of a sample happened, milliseconds from its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Timing {
    /// Start of the sample, milliseconds since the epoch.
    pub start_ms: f64,
    /// Time between the moment the sample was due and its start.
    pub queue_ms: f64,
    /// Until the connection was open, TLS included; null if an open one was used.
    pub connect_ms: Option<f64>,
    /// TLS handshake, a part of the connect time; null without one.
    pub tls_ms: Option<f64>,
    /// Until the first byte of the response; null if none came.
    pub first_byte_ms: Option<f64>,
    /// Until the last byte.
    pub elapsed_ms: f64,
}

/// A sample: what a sampler gave.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Sample {
    /// Label.
    pub label: String,
    /// Response code (`200`, or `Non HTTP response code: <class>`).
    pub code: String,
    /// Response message.
    pub message: String,
    /// Good or not, assertions included.
    pub success: bool,
    /// URL of the request; null if there is none.
    pub url: Option<String>,
    /// Times.
    pub timing: Timing,
    /// Bytes received, head and body.
    pub received_bytes: u64,
    /// Bytes sent, head and body.
    pub sent_bytes: u64,
    /// `Content-Type` of the response.
    pub content_type: String,
    /// Charset that the response names; empty if it names none.
    pub charset: String,
    /// Response head as text, status line first.
    pub response_headers: String,
    /// What was sent, of samplers other than HTTP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent: Option<String>,
    /// Response body, content codings taken off.
    pub body: Content,
    /// Requests on the wire, in order: more than one after an authentication challenge, a
    /// redirect within the sample, or a connection that the server had closed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exchanges: Vec<Exchange>,
    /// Redirects, embedded resources, parts of a transaction.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<Sample>,
}

/// Something that is probably wrong, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hint {
    /// Kind of hint, the same text for each of its kind.
    pub code: &'static str,
    /// What is wrong, and what to do.
    pub text: String,
    /// The element to change, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element: Option<ElementRef>,
}

/// One step.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Step {
    /// Number in the run, from 1, in the order in which steps begin.
    pub number: u32,
    /// Name of the virtual user (JMeter's thread name).
    pub user: String,
    /// Name of its thread group.
    pub group: String,
    /// Iteration of the thread group, from 1.
    pub iteration: u64,
    /// The sampler.
    pub element: ElementRef,
    /// Label of the sample, or name of the sampler if there is none.
    pub label: String,
    /// Names of the controllers above it, outermost first.
    pub controllers: Vec<String>,
    /// How it ended.
    pub outcome: Outcome,
    /// Why it did not pass, in a sentence; empty if it passed.
    pub reason: String,
    /// Texts of the sampler with `${}`, as they are in the plan.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<Written>,
    /// Variables that these texts read, with their values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<ReadVariable>,
    /// What each element did, in order.
    pub actions: Vec<Action>,
    /// The sample; null if there is none.
    pub sample: Option<Sample>,
    /// Requests of a step that gave no sample.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exchanges: Vec<Exchange>,
    /// Variables after the step, in order of their names.
    pub variables: Vec<(String, String)>,
    /// What is probably wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<Hint>,
}
