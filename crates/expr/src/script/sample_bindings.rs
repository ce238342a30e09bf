//! What a script of an element can access in addition to variables and properties: its sample, and
//! its assertion's result.

use std::rc::Rc;

/// A part of a sample (`SampleResult`).
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
    /// `getUrlAsString()`.
    Url,
    /// `getThreadName()`.
    ThreadName,
    /// `isSuccessful()`.
    Success,
    /// `getTime()`: milliseconds.
    Time,
    /// `getLatency()`: milliseconds.
    Latency,
}

/// The value of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldValue {
    /// A text.
    Text(Rc<str>),
    /// True or false.
    Flag(bool),
    /// A whole number.
    Number(i64),
}

/// A change by a script.
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
    /// `setIgnore`.
    Ignore,
    /// `AssertionResult.setFailure`.
    Failure(bool),
    /// `AssertionResult.setFailureMessage`.
    FailureMessage(Rc<str>),
}

/// The sample of an element, and the result of an assertion.
pub trait SampleBindings {
    /// A part of the sample.
    fn part(&self, part: SampleField) -> FieldValue;
    /// Changes the sample or the result.
    fn change(&mut self, change: Change);
}
