//! Which messages end a sample.

use swell_regex::{Dialect, Reach, Regex};

/// A pattern of a sampler, compiled.
struct Pattern {
    text: String,
    /// None: it is invalid, for that reason.
    regex: Result<Regex, String>,
}

/// The patterns of a connection, those of the sampler that opened it.
pub(super) struct Patterns {
    response: Pattern,
    close: Pattern,
}

/// What a message is for the sampler that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Match {
    Response,
    /// The connection is to be closed.
    Close,
    No,
}

impl Pattern {
    fn new(text: String) -> Self {
        let regex = Regex::new(&text, Dialect::Java, Reach::Anywhere);
        Self { regex: regex.map_err(|error| error.message().to_owned()), text }
    }

    /// A pattern that takes too long is found nowhere.
    fn is_in(&self, message: &str) -> Option<bool> {
        let regex = self.regex.as_ref().ok()?;
        Some(regex.is_match(message).unwrap_or(false))
    }
}

impl Patterns {
    pub(super) fn new(response: String, close: String) -> Self {
        Self { response: Pattern::new(response), close: Pattern::new(close) }
    }

    /// An invalid pattern of responses matches each message, an empty one too; an empty pattern of
    /// closing matches none.
    pub(super) fn matches(&self, message: &str) -> Match {
        if self.response.is_in(message).unwrap_or(true) {
            return Match::Response;
        }
        let closes = !self.close.text.is_empty() && self.close.is_in(message).unwrap_or(false);
        if closes { Match::Close } else { Match::No }
    }

    /// The lines of a new connection's log.
    pub(super) fn describe(&self, log: &mut String) {
        let parts = [(&self.response, "response message"), (&self.close, "disconnect")];
        for (pattern, name) in parts {
            log.extend([" - Using ", name, " pattern \"", &pattern.text, "\"\n"]);
            if let Err(why) = &pattern.regex {
                log.extend([" - Invalid ", name, " regular expression pattern: ", why, "\n"]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(response: &str, close: &str) -> Patterns {
        Patterns::new(response.to_owned(), close.to_owned())
    }

    #[test]
    fn a_message_is_a_response_before_it_closes() {
        for (response, close, wanted) in [
            ("", "", Match::Response),
            ("o\\b", "", Match::Response),
            ("x", "", Match::No),
            ("x", "^he", Match::Close),
            ("^he", "^he", Match::Response),
            ("(", "x", Match::Response),
            ("x", "(", Match::No),
        ] {
            assert_eq!(of(response, close).matches("hello"), wanted, "`{response}` `{close}`");
        }
    }

    #[test]
    fn invalid_patterns_are_in_the_log() {
        let mut log = String::new();
        of("a", "(").describe(&mut log);
        assert!(
            log.starts_with(
                " - Using response message pattern \"a\"\n - Using disconnect pattern \"(\"\n - Invalid disconnect "
            ),
            "{log}"
        );
    }
}
