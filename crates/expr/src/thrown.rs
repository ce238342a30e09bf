//! Exceptions of functions.

use std::fmt;

/// An exception that a function threw. The text with the call has no value, nor has anything that
/// uses that text. Code that works for a user handles it ([`crate::Context::thrown`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thrown {
    /// Its class.
    pub class: &'static str,
    /// Its message.
    pub message: String,
}

impl Thrown {
    /// No class of Java: a script was not understood ([`crate::Context::refuse`]).
    pub const NOT_UNDERSTOOD: &'static str = "script not understood";
    /// The class of the exception that ends the thread, where no sample is made of it.
    pub const STOP_THREAD: &'static str = "org.apache.jorphan.util.JMeterStopThreadException";
    /// No class of Java: an error, which was reported, ends the thread; its sample is not reported.
    pub const ENDS_USER: &'static str = "an error ends the user";
    /// No class of Java: a call has no answer yet ([`crate::Context::is_suspended`]).
    pub const SUSPENDED: &'static str = "not answered yet";
    /// No class of Java: a call will never have an answer.
    pub const NO_ANSWER: &'static str = "no answer";
}

impl fmt::Display for Thrown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.class, self.message)
    }
}
