//! Functions of `${__name(arguments)}`, and the outcome of a call.

use std::borrow::Cow;

use swell_budget::{Budget, Exceeded};

use crate::context::Context;
use crate::heavy::Heavy;
use crate::properties::Properties;
use crate::replay::Key;
use crate::thrown::Thrown;
use crate::trim::trim;

/// Why a call has no result. If JMeter's function throws, so does the call ([`Context::thrown`]).
/// If JMeter only notes that the result cannot be computed (`InvalidVariableException`), the text
/// is empty and the reason is logged.
pub(crate) enum CallFailure {
    /// The call's text is empty.
    Empty(String),
    /// An exception of Java.
    Thrown(Thrown),
    /// The reason was already reported: a script that is not understood ended the test
    /// ([`Context::refuse`]), or the context is suspended.
    Refused,
}

/// A function was given up on a text of that many bytes.
pub(crate) fn given_up(budget: &Budget, bytes: usize) -> CallFailure {
    let why = budget.exceeded().unwrap_or(Exceeded::Work);
    CallFailure::empty(format!(
        "stopped evaluating a text of {bytes} bytes: {why}; the properties {}, {} and {} set the limits",
        Heavy::FUNCTION,
        Heavy::RESULTS,
        Heavy::BYTES
    ))
}

impl CallFailure {
    pub(crate) fn empty(reason: impl Into<String>) -> Self {
        Self::Empty(reason.into())
    }

    pub(crate) fn thrown(class: &'static str, message: impl Into<String>) -> Self {
        Self::Thrown(Thrown { class, message: message.into() })
    }

    /// `NumberFormatException`, as `Integer.parseInt` and its relatives throw it.
    pub(crate) fn no_number(text: &str) -> Self {
        Self::thrown("java.lang.NumberFormatException", format!("For input string: \"{text}\""))
    }

    /// `NumberFormatException`, as `Double.parseDouble` and its relatives throw it.
    pub(crate) fn no_fraction(text: &str) -> Self {
        match trim(text) {
            "" => Self::thrown("java.lang.NumberFormatException", "empty String"),
            text => Self::no_number(text),
        }
    }

    /// `IllegalArgumentException`.
    pub(crate) fn illegal(message: impl Into<String>) -> Self {
        Self::thrown("java.lang.IllegalArgumentException", message)
    }
}

/// The outcome of a call.
pub(crate) type Outcome = Result<(), CallFailure>;

/// A function with its arguments, ready to be called.
pub(crate) trait Function {
    /// Appends the result to `out`.
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome;

    /// Whether only a change of the run's properties can change the result, and calling has no
    /// other effect.
    fn is_settled(&self) -> bool {
        false
    }

    /// Appends the result before the run, where properties alone decide it; false where they do
    /// not.
    fn known(&self, _props: &Properties, _out: &mut String) -> bool {
        false
    }

    /// Whether the result is the plan's own: no response and no other variable gets into it.
    fn is_of_plan(&self, _: &Context) -> bool {
        self.is_settled()
    }
}

/// A function call in a text.
pub(crate) struct Call {
    pub(crate) name: Cow<'static, str>,
    /// What tells it from other calls, for [`crate::Replay`].
    pub(crate) key: Key,
    pub(crate) function: Box<dyn Function>,
}

impl Call {
    pub(crate) fn is_settled(&self) -> bool {
        self.function.is_settled()
    }
}
