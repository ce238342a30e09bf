//! What a script of an element reaches beside variables and properties: samples, and what an assertion finds.

use std::rc::Rc;

/// A thing that scripts of elements know by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// `prev`: the sample that was taken last.
    Previous,
    /// `SampleResult`: the sample that is made or judged.
    Own,
    /// `AssertionResult`.
    Assertion,
}

/// A part of a sample (`SampleResult`) or of an assertion's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleField {
    /// `getSampleLabel()`.
    Label,
    /// `getResponseCode()`.
    Code,
    /// `getResponseMessage()`.
    Message,
    /// `getResponseDataAsString()`.
    Body,
    /// `getResponseHeaders()`.
    ResponseHeaders,
    /// `getRequestHeaders()`.
    RequestHeaders,
    /// `getSamplerData()`.
    SamplerData,
    /// `getUrlAsString()`.
    Url,
    /// `getThreadName()`.
    ThreadName,
    /// `getContentType()`.
    ContentType,
    /// `isSuccessful()`.
    Success,
    /// `getTime()`: milliseconds.
    Time,
    /// `getLatency()`: milliseconds.
    Latency,
    /// `getConnectTime()`: milliseconds.
    Connect,
    /// `getStartTime()`: milliseconds since the epoch.
    Start,
    /// `getEndTime()`: milliseconds since the epoch.
    End,
    /// `getBytesAsLong()`.
    Bytes,
    /// `getSentBytes()`.
    SentBytes,
    /// `getBodySizeAsLong()`.
    BodySize,
    /// `getHeadersSize()`.
    HeadersSize,
    /// `AssertionResult.isFailure()`.
    Failure,
    /// `AssertionResult.getFailureMessage()`.
    FailureMessage,
}

/// The value of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldValue {
    /// Java's null.
    Null,
    /// A text.
    Text(Rc<str>),
    /// True or false.
    Flag(bool),
    /// A whole number.
    Number(i64),
}

/// What a script changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// `setSuccessful`.
    Success(bool),
    /// `setResponseCode`.
    Code(Rc<str>),
    /// `setResponseMessage`.
    Message(Rc<str>),
    /// `setSampleLabel`.
    Label(Rc<str>),
    /// `setResponseData`.
    Body(Rc<str>),
    /// `setDataEncoding`.
    Encoding(Rc<str>),
    /// `setSamplerData`.
    SamplerData(Rc<str>),
    /// `setResponseHeaders`.
    ResponseHeaders(Rc<str>),
    /// `setIgnore`.
    Ignore,
    /// `AssertionResult.setFailure`.
    Failure(bool),
    /// `AssertionResult.setFailureMessage`.
    FailureMessage(Rc<str>),
}

/// What a script of an element reaches.
pub trait SampleBindings {
    /// Whether there is such a thing; scripts see null where not.
    fn has(&self, binding: Binding) -> bool;
    /// A part of it. Asked only where it is there.
    fn part(&self, binding: Binding, part: SampleField) -> FieldValue;
    /// Changes it. Asked only where it is there.
    fn change(&mut self, binding: Binding, change: Change);
}

impl Binding {
    /// The kind of the thing to a script.
    pub(super) fn kind(self) -> super::value_type::ValueType {
        match self {
            Self::Assertion => super::value_type::ValueType::Assertion,
            Self::Previous | Self::Own => super::value_type::ValueType::Sample,
        }
    }
}
