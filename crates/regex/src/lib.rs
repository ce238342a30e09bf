//! Regular expressions as JMeter's elements use them (Jakarta ORO's Perl 5 dialect by default), on
//! `fancy-regex`.

mod classes;
mod matches;
mod oro;
mod oro_brackets;
#[cfg(test)]
mod oro_tests;
mod plain;
mod replace;
mod template;

use std::fmt;
use std::sync::OnceLock;

use plain::PlainSearch;
use swell_budget::{Budget, Exceeded};

pub use matches::{Found, Groups};
pub use replace::ReplaceFault;
pub use template::GroupTemplate;

/// Steps back that a match may cost before it counts as failed.
const BACKTRACK_LIMIT: usize = 1_000_000;

/// The same where there is a millisecond at most ([`Budget::is_brief`]).
const BRIEF_BACKTRACK_LIMIT: usize = 20_000;

/// Bytes that a compiled expression may take: repetitions such as `.{1,20000}` are usual in plans.
const SIZE_LIMIT: usize = 64 << 20;

/// The syntax of an expression (property `jmeter.regex.engine`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// Jakarta ORO 2.0.8, JMeter's default.
    #[default]
    Oro,
    /// `java.util.regex`. The expression goes to `fancy-regex` as it is, which knows the same
    /// syntax but for rarities (`\h`, class intersections in odd places).
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

/// Where a match must begin and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Anywhere (`contains`).
    Anywhere,
    /// From the first to the last character (`matches`).
    Whole,
}

/// Why an expression is invalid: JMeter's message, including the expression.
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

/// The error that a match exceeded its budget; it counts as no match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted;

impl From<Exceeded> for Exhausted {
    fn from(_: Exceeded) -> Self {
        Self
    }
}

/// A compiled expression.
#[derive(Debug)]
pub struct Regex {
    inner: fancy_regex::Regex,
    /// The same with fewer steps back, where it takes steps back.
    brief: Option<fancy_regex::Regex>,
    /// What finds its matches with their groups where automata can, made at the first search.
    plain: OnceLock<Option<PlainSearch>>,
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
        let build = |backtrack_limit| {
            fancy_regex::RegexBuilder::new(&syntax)
                .backtrack_limit(backtrack_limit)
                .delegate_size_limit(SIZE_LIMIT)
                .build()
                .map_err(|error| BadPattern::of_builder(pattern, dialect, &error))
        };
        let inner = build(BACKTRACK_LIMIT)?;
        let brief = if is_plain(&syntax) { None } else { Some(build(BRIEF_BACKTRACK_LIMIT)?) };
        Ok(Self { inner, brief, plain: OnceLock::new(), reach })
    }

    /// Whether a search takes time in proportion to the text at most: no step back is ever taken.
    pub fn is_plain(&self) -> bool {
        self.brief.is_none()
    }

    fn plain(&self) -> Option<&PlainSearch> {
        if !self.is_plain() {
            return None;
        }
        self.plain.get_or_init(|| PlainSearch::new(self.inner.as_str())).as_ref()
    }

    fn engine(&self, budget: &Budget) -> &fancy_regex::Regex {
        self.brief.as_ref().filter(|_| budget.is_brief()).unwrap_or(&self.inner)
    }

    /// Whether the text matches. An expression that reaches over the whole text takes the first
    /// match from the start and looks whether it ends at the end, as ORO's `matches` does:
    /// `foo|foot` does not match `foot`.
    pub fn is_match(&self, text: &str) -> Result<bool, Exhausted> {
        self.is_match_within(text, &Budget::unlimited())
    }

    /// The same within a budget; a match that was given up uses it up.
    pub fn is_match_within(&self, text: &str, budget: &Budget) -> Result<bool, Exhausted> {
        budget.work(text.len() as u64)?;
        let engine = self.engine(budget);
        let found = match self.reach {
            Reach::Anywhere => engine.is_match(text),
            Reach::Whole => engine.find(text).map(|found| found.is_some_and(|m| m.end() == text.len())),
        };
        found.map_err(|_| budget.give_up().into())
    }

    /// The first match with its groups, the whole match first; a group that took no part is none.
    pub fn groups(&self, text: &str) -> Result<Option<Vec<Option<String>>>, Exhausted> {
        let found = self.inner.captures(text).map_err(|_| Exhausted)?;
        Ok(found.map(|groups| groups.iter().map(|group| group.map(|m| m.as_str().to_owned())).collect()))
    }

    /// The text with all matches replaced by a text that is taken as it is (`Util.substitute` with
    /// a `StringSubstitution`), within a budget.
    pub fn replace_all_within(
        &self,
        text: &str,
        substitute: &str,
        budget: &Budget,
    ) -> Result<String, Exhausted> {
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        matches::each(self, text, budget, |found| {
            let whole = found.whole();
            out.push_str(&text[at..whole.start]);
            out.push_str(substitute);
            at = whole.end;
            Ok(true)
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

/// Whether an expression in the builder's syntax has nothing for which steps back are taken: no
/// look-around, atomic group, possessive repetition, conditional or reference to a group. In doubt
/// it has.
fn is_plain(syntax: &str) -> bool {
    let mut chars = syntax.chars().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        match (c, next) {
            ('\\', Some(next)) => {
                if next.is_ascii_digit()
                    || matches!(next, 'k' | 'K' | 'g' | 'G' | 'Z' | 'h' | 'H' | 'R' | 'X')
                {
                    return false;
                }
                chars.next();
                before = 'x';
                continue;
            }
            ('(', Some('?')) => {
                chars.next();
                let letters: String =
                    std::iter::from_fn(|| chars.next_if(|c| "imsxuU-".contains(*c))).collect();
                let ends = chars.peek().copied();
                if !(ends == Some(':') || (ends == Some(')') && !letters.is_empty())) {
                    return false;
                }
            }
            ('+', _) if matches!(before, '*' | '+' | '?' | '}') => return false,
            _ => {}
        }
        before = c;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_steps_back_is_known() {
        for plain in ["", "(a)", "a.*?b", r"\A(?:x|y)\d+\.", "(?i:a)(?s)b", r"[^a]{2,5}?", r"\+\(\?="] {
            assert!(Regex::new(plain, Dialect::Java, Reach::Anywhere).expect(plain).is_plain(), "{plain}");
        }
        for hard in ["(?=a)", "(?!a)b", "(?<=a)b", "(?>a)", "a++", "a*+", "a{2}+", r"(a)\1", r"\Ga"] {
            assert!(!Regex::new(hard, Dialect::Java, Reach::Anywhere).expect(hard).is_plain(), "{hard}");
        }
    }

    #[test]
    fn a_match_that_takes_too_many_steps_back_uses_its_budget_up() {
        let regex = Regex::new("^(a+)+\\1\\1$", Dialect::Java, Reach::Anywhere).expect("it is right");
        let budget = Budget::unlimited();
        assert_eq!(regex.is_match_within(&("a".repeat(40) + "b"), &budget), Err(Exhausted));
        assert_eq!(budget.exceeded(), Some(Exceeded::Work));
    }
}
