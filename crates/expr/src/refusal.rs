//! A script that turns out to be unsupported during the test. It ends the test, because it is
//! unknown what JMeter would do from there.

use std::fmt;

use crate::script_failure::Unsupported;

/// The place of a script in the plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ScriptPlace {
    /// Names from the root to the element, joined by ` > `; empty for a text that was made while
    /// the test ran.
    pub element: String,
    /// Line of the element in the plan, from 1; 0 if unknown.
    pub line: u32,
}

impl fmt::Display for ScriptPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.element.as_str(), self.line) {
            ("", _) => f.write_str("a text built during the test"),
            (element, 0) => write!(f, "`{element}`"),
            (element, line) => write!(f, "`{element}` (line {line} of the plan)"),
        }
    }
}

/// A script that was found unsupported during the test.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Refusal {
    /// Its place.
    pub place: ScriptPlace,
    /// What of it is not understood.
    pub reason: Unsupported,
    /// The start of its text.
    pub script: String,
}

/// Characters of a script that are shown.
const SHOWN: usize = 120;

impl Refusal {
    /// The refusal of a script with this text.
    pub(crate) fn new(place: ScriptPlace, reason: Unsupported, script: &str) -> Self {
        let mut shown: String =
            script.chars().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
        if script.chars().nth(SHOWN).is_some() {
            shown.push('…');
        }
        Self { place, reason, script: shown }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the script of {} is not supported natively: {} in [{}]",
            self.place, self.reason, self.script
        )
    }
}
