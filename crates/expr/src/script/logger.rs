//! Loggers of scripts.

use std::rc::Rc;

/// The logger that JMeter gives a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logger {
    /// A class of JMeter.
    pub class: Rc<str>,
    /// Whether the element's name follows it, after a dot.
    pub has_name: bool,
}
