//! Problems of a plan, described so that a tester can fix them.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum Severity {
    /// Nothing to fix; the tester should know (an ignored listener, say).
    Note,
    /// The plan runs, but perhaps not as meant.
    Warning,
    /// The plan cannot run as it is.
    Error,
}

/// A place in the plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Place {
    /// The plan file, if there is one.
    pub file: Option<Arc<PathBuf>>,
    /// Line in the file, from 1; 0 if unknown.
    pub line: u32,
    /// Names from the root to the element, joined by ` > `; empty for the file as a whole.
    pub element: String,
    /// JMeter's name of the property, if one is to blame.
    pub property: Option<String>,
}

/// A finding about a plan: severity, place, message and, if known, what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Where it is.
    pub place: Place,
    /// What is wrong: lower-case start, no final stop, the wrong value in back-quotes, and which
    /// values are right.
    pub message: String,
    /// What to do, if that is known.
    pub hint: Option<String>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        if let Some(file) = &self.place.file {
            write!(f, "{}:", file.display())?;
        }
        if self.place.line > 0 {
            write!(f, "{}:", self.place.line)?;
        }
        write!(f, " {word}: ")?;
        if !self.place.element.is_empty() {
            write!(f, "[{}] ", self.place.element)?;
        }
        if let Some(property) = &self.place.property {
            write!(f, "{property}: ")?;
        }
        f.write_str(&self.message)?;
        if let Some(hint) = &self.hint {
            write!(f, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}
