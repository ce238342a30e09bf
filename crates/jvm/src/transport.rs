//! Sends messages to the Java side.

use std::fmt;

/// A connection to the Java side. A call blocks its thread until there is a response.
pub trait Transport: Send + Sync {
    /// Sends a request and replaces what is in `answer` by the answer.
    ///
    /// # Errors
    /// The Java side could not answer; errors of a script are not faults but part of the answer.
    fn call(&self, request: &[u8], answer: &mut Vec<u8>) -> Result<(), JvmFault>;
}

/// Why a call had no response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JvmFault {
    /// The thread could not be made known to the JVM (its number of the error).
    Attach(i32),
    /// The Java side refused: class of the exception, and what it says.
    Refused {
        /// Class of the exception.
        class: String,
        /// Its message, with the stack where that helps.
        message: String,
    },
    /// Java code ended the process with this status (`System.exit`).
    Exited(i32),
    /// The child process has ended: how.
    Died(String),
    /// What came back is not understood: the two halves do not belong together.
    BadAnswer(String),
}

impl fmt::Display for JvmFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Attach(code) => write!(f, "the JVM cannot attach another thread (JNI error {code})"),
            Self::Refused { class, message } => {
                write!(f, "the Java side failed: {class}: {message}")
            }
            Self::Exited(status) => write!(f, "Java code called System.exit({status})"),
            Self::Died(how) => write!(f, "the JVM process ended: {how}"),
            Self::BadAnswer(what) => write!(f, "invalid response from the Java side: {what}"),
        }
    }
}

impl std::error::Error for JvmFault {}
