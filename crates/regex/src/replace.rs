//! Replaces as Java's `String.replaceAll` does.

use swell_budget::Budget;

use super::matches::SEARCH;
use super::{Exhausted, Regex};

/// Why a replacement failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplaceFault {
    /// It costs too much.
    Exhausted,
    /// The replacement names a group that there is not (`IndexOutOfBoundsException`).
    NoGroup(usize),
    /// The replacement cannot be read (`IllegalArgumentException`).
    Illegal(String),
}

impl From<Exhausted> for ReplaceFault {
    fn from(_: Exhausted) -> Self {
        Self::Exhausted
    }
}

impl Regex {
    /// The text with all matches replaced; `$1` and `${name}` in the replacement are groups, a
    /// backslash takes the meaning from what follows. A replacement that is wrong is none only
    /// where something matches.
    pub fn replace_all_as_java(
        &self,
        text: &str,
        replacement: &str,
        budget: &Budget,
    ) -> Result<String, ReplaceFault> {
        let mut out = String::with_capacity(text.len());
        let mut copied = 0;
        let mut at = 0;
        while at <= text.len() {
            budget.work(SEARCH + (text.len() - at) as u64).map_err(Exhausted::from)?;
            let found =
                self.inner.captures_from_pos(text, at).map_err(|_| Exhausted::from(budget.give_up()))?;
            let Some(groups) = found else { break };
            let whole = groups.get(0).expect("group 0 is the match");
            out.push_str(&text[copied..whole.start()]);
            let before = out.len();
            expand(&groups, replacement, &mut out)?;
            budget.hold(out.len() - before).map_err(Exhausted::from)?;
            copied = whole.end();
            // After an empty match Java looks on one character further.
            let step = text[copied..].chars().next().map_or(1, char::len_utf8);
            at = if whole.start() == whole.end() { copied + step } else { copied };
        }
        out.push_str(&text[copied..]);
        Ok(out)
    }
}

fn expand(
    groups: &fancy_regex::Captures<'_>,
    replacement: &str,
    out: &mut String,
) -> Result<(), ReplaceFault> {
    let illegal = |reason: &str| ReplaceFault::Illegal(reason.to_owned());
    let mut rest = replacement.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => out.push(rest.next().ok_or_else(|| illegal("character to be escaped is missing"))?),
            '$' => {
                let group = match rest.clone().next() {
                    None => return Err(illegal("Illegal group reference: group index is missing")),
                    Some('{') => {
                        rest.next();
                        named(groups, &mut rest)?
                    }
                    Some(first) if first.is_ascii_digit() => numbered(groups, &mut rest)?,
                    Some(_) => return Err(illegal("Illegal group reference")),
                };
                out.push_str(group.unwrap_or_default());
            }
            c => out.push(c),
        }
    }
    Ok(())
}

/// The group of as many digits as make the number of a group.
fn numbered<'t>(
    groups: &fancy_regex::Captures<'t>,
    rest: &mut std::str::Chars<'_>,
) -> Result<Option<&'t str>, ReplaceFault> {
    let digit = |rest: &std::str::Chars<'_>| rest.clone().next().and_then(|c| c.to_digit(10));
    let mut number = digit(rest).expect("the caller checked for a digit") as usize;
    rest.next();
    if number >= groups.len() {
        return Err(ReplaceFault::NoGroup(number));
    }
    while let Some(next) = digit(rest)
        && number * 10 + (next as usize) < groups.len()
    {
        number = number * 10 + next as usize;
        rest.next();
    }
    Ok(groups.get(number).map(|group| group.as_str()))
}

fn named<'t>(
    groups: &fancy_regex::Captures<'t>,
    rest: &mut std::str::Chars<'_>,
) -> Result<Option<&'t str>, ReplaceFault> {
    let name: String = rest.clone().take_while(char::is_ascii_alphanumeric).collect();
    let after = rest.as_str()[name.len()..].strip_prefix('}');
    let Some(after) = after.filter(|_| !name.is_empty()) else {
        return Err(ReplaceFault::Illegal("named capturing group is missing trailing '}'".to_owned()));
    };
    *rest = after.chars();
    match groups.name(&name) {
        Some(group) => Ok(Some(group.as_str())),
        None => Err(ReplaceFault::Illegal(format!("No group with name {{{name}}}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dialect, Reach};

    #[test]
    fn replaces_as_java_does() {
        for (text, pattern, replacement, expected) in [
            ("aXb", "X*", "-", Ok("-a--b-")),
            ("abc", "", "-", Ok("-a-b-c-")),
            ("a1b22", r"([a-z])(\d+)", "$2$1", Ok("1a22b")),
            ("x", "(x)(y)?", "[$2]", Ok("[]")),
            ("x", "(x)", "$12", Ok("x2")),
            ("a.b", "[.]", r"\$", Ok("a$b")),
            ("x", "y", "$9", Ok("x")),
            ("x", "x", "$5", Err(ReplaceFault::NoGroup(5))),
            ("ab", "(?<n>a)", "<${n}>", Ok("<a>b")),
            (
                "x",
                "x",
                "$",
                Err(ReplaceFault::Illegal("Illegal group reference: group index is missing".to_owned())),
            ),
            ("x", "x", "$a", Err(ReplaceFault::Illegal("Illegal group reference".to_owned()))),
            ("x", "x", r"\", Err(ReplaceFault::Illegal("character to be escaped is missing".to_owned()))),
        ] {
            let regex = Regex::new(pattern, Dialect::Java, Reach::Anywhere).expect("a pattern");
            let replaced = regex.replace_all_as_java(text, replacement, &Budget::unlimited());
            assert_eq!(replaced.as_deref(), expected.as_deref(), "{text} {pattern} {replacement}");
        }
    }
}
