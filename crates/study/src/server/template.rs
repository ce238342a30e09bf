//! Texts with settings in them: `java -DmaxThreads={maxThreads} Site`.

use std::fmt;

/// A text in which `{name}` is replaced by a setting. A name is letters, digits, `_`, `-` and `.`;
/// any other brace is literal, and `${name}` is left to the shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    text: String,
}

/// A text names a setting that there is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownSetting {
    /// Its name.
    pub name: String,
    /// The text.
    pub text: String,
    /// The settings that there are.
    pub known: Vec<String>,
}

impl fmt::Display for UnknownSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, text, known } = self;
        write!(f, "unknown setting `{name}` in `{text}`; ")?;
        match &known[..] {
            [] => f.write_str("there are no settings: add one with --setting NAME=VALUES"),
            known => write!(f, "settings: {}", known.join(", ")),
        }
    }
}

impl std::error::Error for UnknownSetting {}

impl Template {
    /// Parses a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }

    /// The names in it, in order, with repetitions.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        pieces(&self.text).filter_map(|piece| match piece {
            Piece::Name(name) => Some(name),
            Piece::Text(_) => None,
        })
    }

    /// With its settings in their places.
    ///
    /// # Errors
    /// It names one that is not given.
    pub fn fill(&self, settings: &[(String, String)]) -> Result<String, UnknownSetting> {
        let mut out = String::with_capacity(self.text.len());
        for piece in pieces(&self.text) {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Name(name) => {
                    let found = settings.iter().find(|(known, _)| known == name);
                    let (_, value) = found.ok_or_else(|| UnknownSetting {
                        name: name.to_owned(),
                        text: self.text.clone(),
                        known: settings.iter().map(|(name, _)| name.clone()).collect(),
                    })?;
                    out.push_str(value);
                }
            }
        }
        Ok(out)
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

enum Piece<'t> {
    Text(&'t str),
    Name(&'t str),
}

fn pieces(mut rest: &str) -> impl Iterator<Item = Piece<'_>> {
    std::iter::from_fn(move || {
        if let Some((name, after)) = leading_name(rest) {
            rest = after;
            return Some(Piece::Name(name));
        }
        // At least the brace here is text.
        let from = rest.chars().next()?.len_utf8();
        let starts = rest[from..].match_indices('{').map(|(at, _)| at + from);
        let is_setting = |at: &usize| rest.as_bytes()[at - 1] != b'$' && leading_name(&rest[*at..]).is_some();
        let end = starts.into_iter().find(is_setting).unwrap_or(rest.len());
        let (text, after) = rest.split_at(end);
        rest = after;
        Some(Piece::Text(text))
    })
}

/// The name that a text begins with, and what follows it.
fn leading_name(text: &str) -> Option<(&str, &str)> {
    let (name, after) = text.strip_prefix('{')?.split_once('}')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    (!name.is_empty() && name.chars().all(is_name)).then_some((name, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_take_their_places() {
        let settings = [("a", "1"), ("b-c", "x y")].map(|(n, v)| (n.to_owned(), v.to_owned()));
        for (text, want) in [
            ("run -n{a} --{b-c}", "run -n1 --x y"),
            ("{a}{a}", "11"),
            ("", ""),
            ("ä{a}ö", "ä1ö"),
            ("echo '{ \"k\": 1 }' {} {a", "echo '{ \"k\": 1 }' {} {a"),
            ("{{a}}", "{1}"),
            ("${a} $${a}{a} $", "${a} $${a}1 $"),
        ] {
            assert_eq!(Template::new(text).fill(&settings).as_deref(), Ok(want), "{text}");
        }
        let wrong = Template::new("-n {threads}").fill(&settings).expect_err("no such setting").to_string();
        assert_eq!(wrong, "unknown setting `threads` in `-n {threads}`; settings: a, b-c");
        assert_eq!(Template::new("{a} {q}{").names().collect::<Vec<_>>(), ["a", "q"]);
    }
}
