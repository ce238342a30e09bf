//! Regular expressions as JMeter's elements use them (Jakarta ORO's Perl 5 dialect by default), on `fancy-regex`.

mod classes;
mod matches;
mod oro;
mod oro_brackets;
#[cfg(test)]
mod oro_tests;
mod replace;
mod template;

use std::fmt;

pub use matches::{Found, Groups};
pub use replace::ReplaceFault;
pub use template::GroupTemplate;

/// Steps back that a match may cost before it counts as failed.
const BACKTRACK_LIMIT: usize = 1_000_000;

/// Bytes that a compiled expression may take: repetitions such as `.{1,20000}` are usual in plans.
const SIZE_LIMIT: usize = 64 << 20;

/// Whose syntax an expression has (property `jmeter.regex.engine`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// Jakarta ORO 2.0.8, JMeter's default.
    #[default]
    Oro,
    /// `java.util.regex`. The expression goes to `fancy-regex` as it is, which knows the same syntax but for rarities
    /// (`\h`, class intersections in odd places).
    Java,
}

impl Dialect {
    /// The dialect that a run asks for by the property [`Dialect::PROPERTY`].
    pub fn of_engine(engine: Option<&str>) -> Self {
        match engine {
            Some(engine) if !engine.eq_ignore_ascii_case("oro") => Self::Java,
            _ => Self::Oro,
        }
    }

    /// The property that chooses the dialect.
    pub const PROPERTY: &'static str = "jmeter.regex.engine";
}

/// Where a match may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Anywhere (`contains`).
    Anywhere,
    /// From the first to the last character (`matches`).
    Whole,
}

/// Why an expression cannot be used: JMeter's words, the expression included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPattern {
    /// The exception as JMeter shows it in an assertion's message.
    pub exception: String,
    /// What is wrong, without the expression.
    pub reason: String,
}

impl fmt::Display for BadPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.exception)
    }
}

/// A match cost more than it may; it counts as failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted;

/// A compiled expression.
#[derive(Debug)]
pub struct Regex {
    inner: fancy_regex::Regex,
    reach: Reach,
}

impl Regex {
    /// Compiles an expression.
    pub fn new(pattern: &str, dialect: Dialect, reach: Reach) -> Result<Self, BadPattern> {
        let syntax = match dialect {
            Dialect::Oro => oro::translate(pattern).map_err(|reason| BadPattern::of_oro(pattern, reason))?,
            Dialect::Java => pattern.to_owned(),
        };
        let syntax = match reach {
            Reach::Anywhere => syntax,
            Reach::Whole => format!(r"\A(?:{syntax})"),
        };
        let built = fancy_regex::RegexBuilder::new(&syntax)
            .backtrack_limit(BACKTRACK_LIMIT)
            .delegate_size_limit(SIZE_LIMIT)
            .build();
        match built {
            Ok(inner) => Ok(Self { inner, reach }),
            Err(error) => Err(BadPattern::of_builder(pattern, dialect, &error)),
        }
    }

    /// Whether the text matches. An expression that reaches over the whole text takes the first match from the start and
    /// looks whether it ends at the end, as ORO's `matches` does: `foo|foot` does not match `foot`.
    pub fn is_match(&self, text: &str) -> Result<bool, Exhausted> {
        match self.reach {
            Reach::Anywhere => self.inner.is_match(text).map_err(|_| Exhausted),
            Reach::Whole => {
                let found = self.inner.find(text).map_err(|_| Exhausted)?;
                Ok(found.is_some_and(|m| m.end() == text.len()))
            }
        }
    }

    /// The first match with its groups, the whole match first; a group that took no part is none.
    pub fn groups(&self, text: &str) -> Result<Option<Vec<Option<String>>>, Exhausted> {
        let found = self.inner.captures(text).map_err(|_| Exhausted)?;
        Ok(found.map(|groups| groups.iter().map(|group| group.map(|m| m.as_str().to_owned())).collect()))
    }

    /// The text with all matches replaced by a text that is taken as it is (`Util.substitute` with a `StringSubstitution`).
    pub fn replace_all(&self, text: &str, substitute: &str) -> Result<String, Exhausted> {
        let (mut out, mut at) = (String::with_capacity(text.len()), 0);
        matches::each(self, text, |groups| {
            let whole = groups.get(0).expect("group 0 is the match");
            out.push_str(&text[at..whole.start()]);
            out.push_str(substitute);
            at = whole.end();
            true
        })?;
        out.push_str(&text[at..]);
        Ok(out)
    }

    /// Number of groups, the whole match not counted.
    pub fn group_count(&self) -> usize {
        self.inner.captures_len() - 1
    }
}

impl BadPattern {
    /// The exception's text without its class.
    pub fn message(&self) -> &str {
        self.exception.split_once(": ").map_or(&*self.exception, |(_, message)| message)
    }

    fn of_oro(pattern: &str, reason: String) -> Self {
        let exception = format!(
            "org.apache.oro.text.MalformedCachePatternException: Invalid expression: {pattern}\n{reason}"
        );
        Self { exception, reason }
    }

    fn of_builder(pattern: &str, dialect: Dialect, error: &fancy_regex::Error) -> Self {
        let reason = error.to_string();
        match dialect {
            Dialect::Oro => Self::of_oro(pattern, reason),
            Dialect::Java => {
                let exception = format!("java.util.regex.PatternSyntaxException: {reason}\n{pattern}");
                Self { exception, reason }
            }
        }
    }
}
