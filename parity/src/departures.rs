//! Known differences from JMeter, with their reasons.

use std::collections::BTreeMap;
use std::path::Path;

/// Reasons by case.
#[derive(Clone, Debug, Default)]
pub struct Departures(BTreeMap<String, String>);

impl Departures {
    /// Reads the list: each line has a case, a colon and the reason. Lines that start with `#` are
    /// comments.
    ///
    /// # Errors
    /// The file cannot be read, or a line is not of that form.
    pub fn load(file: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        Self::parse(&text).map_err(|line| format!("{}: no `case: reason`: {line}", file.display()))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let pairs = lines.map(|line| match line.split_once(": ") {
            Some((case, reason)) => Ok((case.to_owned(), reason.to_owned())),
            None => Err(line.to_owned()),
        });
        pairs.collect::<Result<_, _>>().map(Self)
    }

    /// Returns why a case differs; `None` if it should not differ.
    pub fn reason(&self, case: &str) -> Option<&str> {
        self.0.get(case).map(String::as_str)
    }

    /// Returns the cases in the list.
    pub fn cases(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_has_a_reason() {
        let departures = Departures::parse("# why\n\nloop: because: of it\n").unwrap();
        assert_eq!(departures.reason("loop"), Some("because: of it"));
        assert_eq!(departures.reason("other"), None);
        assert!(Departures::parse("loop\n").is_err());
    }
}
