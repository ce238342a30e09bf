//! Functions on texts.

use fancy_regex::{Captures, Regex};

use super::atomic::Atomic;
use super::evaluate::{Evaluation, Focus, boolean, one};
use super::expression::Expr;
use super::{Found, Inner, fault};

impl Evaluation<'_> {
    pub(super) fn of_texts(&self, name: &str, arguments: &[Expr], focus: &Focus<'_>) -> Found<Vec<Inner>> {
        let items = |at: usize| match arguments.get(at) {
            Some(argument) => self.items(argument, focus),
            None => Ok(vec![focus.item.clone()]),
        };
        let text = |at: usize| self.string(name, at, items(at)?);
        let answer = |text: String| Ok(one(Atomic::Text(text)));
        match name {
            "string" => answer(text(0)?),
            "concat" => answer((0..arguments.len()).map(text).collect::<Found<String>>()?),
            "string-join" => {
                let mark = if arguments.len() > 1 { text(1)? } else { String::new() };
                let parts: Vec<_> = self.atoms(items(0)?)?.iter().map(Atomic::text).collect();
                answer(parts.join(&mark))
            }
            "string-length" => {
                Ok(one(Atomic::Integer(self.whole(name, arguments, focus)?.chars().count() as i128)))
            }
            "normalize-space" => {
                let whole = self.whole(name, arguments, focus)?;
                let words: Vec<_> =
                    whole.split(swell_query::chars::is_space).filter(|word| !word.is_empty()).collect();
                answer(words.join(" "))
            }
            "lower-case" => answer(text(0)?.to_lowercase()),
            "upper-case" => answer(text(0)?.to_uppercase()),
            "contains" => Ok(boolean(text(0)?.contains(&text(1)?))),
            "starts-with" => Ok(boolean(text(0)?.starts_with(&text(1)?))),
            "ends-with" => Ok(boolean(text(0)?.ends_with(&text(1)?))),
            "contains-token" => {
                let wanted = text(1)?;
                let texts = self.atoms(items(0)?)?;
                let has = |value: &Atomic| value.text().split_whitespace().any(|word| word == wanted.trim());
                Ok(boolean(texts.iter().any(has)))
            }
            "compare" => {
                let order = text(0)?.cmp(&text(1)?);
                Ok(one(Atomic::Integer(order as i128)))
            }
            "substring-before" => {
                let (text, mark) = (text(0)?, text(1)?);
                answer(text.split_once(&*mark).map_or("", |(before, _)| before).to_owned())
            }
            "substring-after" => {
                let (text, mark) = (text(0)?, text(1)?);
                answer(text.split_once(&*mark).map_or("", |(_, behind)| behind).to_owned())
            }
            "substring" => {
                let start = self.argument(name, 1, items(1)?)?.map_or(f64::NAN, |value| value.number());
                let length = match arguments.len() {
                    3 => self.argument(name, 2, items(2)?)?.map_or(f64::NAN, |value| value.number()),
                    _ => f64::INFINITY,
                };
                answer(substring(&text(0)?, start, length))
            }
            "translate" => answer(translated(&text(0)?, &text(1)?, &text(2)?)),
            "string-to-codepoints" => Ok(codepoints(&text(0)?)),
            "codepoints-to-string" => answer(of_codepoints(&self.atoms(items(0)?)?)?),
            "matches" => {
                let regex = regex(&text(1)?, &flags(arguments, 2, text)?)?;
                Ok(boolean(regex.is_match(&text(0)?).map_err(|error| too_hard(&error))?))
            }
            "replace" => {
                let regex = regex(&text(1)?, &flags(arguments, 3, text)?)?;
                answer(replaced(&regex, &text(0)?, &text(2)?)?)
            }
            "tokenize" => self.tokens(&text(0)?, arguments, text),
            _ => fault(format!("fn:{name}() is not there")),
        }
    }

    /// The text of an argument, or of the context.
    fn whole(&self, name: &str, arguments: &[Expr], focus: &Focus<'_>) -> Found<String> {
        match arguments.first() {
            Some(argument) => self.string(name, 0, self.items(argument, focus)?),
            None => self.string("string", 0, vec![focus.item.clone()]),
        }
    }

    fn tokens(
        &self,
        whole: &str,
        arguments: &[Expr],
        text: impl Fn(usize) -> Found<String>,
    ) -> Found<Vec<Inner>> {
        let item = |token: &str| Inner::Atomic(Atomic::Text(token.to_owned()));
        if arguments.len() < 2 {
            return Ok(whole
                .split(swell_query::chars::is_space)
                .filter(|word| !word.is_empty())
                .map(item)
                .collect());
        }
        let regex = regex(&text(1)?, &flags(arguments, 2, &text)?)?;
        if whole.is_empty() {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for token in regex.split(whole) {
            self.work(1)?;
            found.push(item(token.map_err(|error| too_hard(&error))?));
        }
        Ok(found)
    }
}

fn flags(arguments: &[Expr], at: usize, text: impl Fn(usize) -> Found<String>) -> Found<String> {
    if at < arguments.len() { text(at) } else { Ok(String::new()) }
}

fn regex(pattern: &str, flags: &str) -> Found<Regex> {
    if let Some(unknown) = flags.chars().find(|c| !matches!(c, 'i' | 's' | 'm' | 'x' | 'q')) {
        return fault(format!("Invalid regular expression flag '{unknown}'"));
    }
    let pattern =
        if flags.contains('q') { fancy_regex::escape(pattern) } else { with_schema_classes(pattern).into() };
    let flags: String = flags.chars().filter(|&c| c != 'q').collect();
    let whole = if flags.is_empty() { pattern.into_owned() } else { format!("(?{flags}){pattern}") };
    Regex::new(&whole).map_err(|error| swell_query::xpath::XPathError {
        message: format!("Syntax error in regular expression: {error}"),
    })
}

/// The classes of XML Schema, which are other ones than those of the library: `\w` is all but punctuation, separators and
/// control characters, so that signs like `<` and `€` are in it.
fn with_schema_classes(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match (c, if c == '\\' { chars.next() } else { None }) {
            ('\\', Some('w')) => out.push_str(r"[^\p{P}\p{Z}\p{C}]"),
            ('\\', Some('W')) => out.push_str(r"[\p{P}\p{Z}\p{C}]"),
            ('\\', Some('s')) => out.push_str(r"[ \t\n\r]"),
            ('\\', Some('S')) => out.push_str(r"[^ \t\n\r]"),
            ('\\', Some('i')) => out.push_str(r"[\p{L}_:]"),
            ('\\', Some('c')) => out.push_str(r"[\p{L}\p{N}_:.\-\u{b7}]"),
            ('\\', Some(other)) => out.extend(['\\', other]),
            (c, _) => out.push(c),
        }
    }
    out
}

fn too_hard(error: &fancy_regex::Error) -> swell_query::xpath::XPathError {
    swell_query::xpath::XPathError { message: error.to_string() }
}

/// `$1` in the replacement is a group, `\$` and `\\` are the characters.
fn replaced(regex: &Regex, text: &str, replacement: &str) -> Found<String> {
    let fill = |groups: &Captures<'_>| {
        let mut out = String::new();
        let mut chars = replacement.chars().peekable();
        while let Some(c) = chars.next() {
            match (c, chars.peek().copied()) {
                ('\\', Some(next)) => {
                    chars.next();
                    out.push(next);
                }
                ('$', Some(next)) if next.is_ascii_digit() => {
                    chars.next();
                    let group = groups.get(next as usize - '0' as usize);
                    out.push_str(group.map_or("", |group| group.as_str()));
                }
                _ => out.push(c),
            }
        }
        out
    };
    regex.try_replacen(text, 0, fill).map(std::borrow::Cow::into_owned).map_err(|error| too_hard(&error))
}

/// Characters from a place on, counted from 1.
fn substring(text: &str, start: f64, length: f64) -> String {
    let round = |value: f64| if value.is_finite() { (value + 0.5).floor() } else { value };
    let (first, end) = (round(start), round(start) + round(length));
    let is_in = |at: usize| (at as f64 + 1.0) >= first && (at as f64 + 1.0) < end;
    text.chars().enumerate().filter(|&(at, _)| is_in(at)).map(|(_, c)| c).collect()
}

fn translated(text: &str, from: &str, to: &str) -> String {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let translate = |c| match from.iter().position(|&known| known == c) {
        None => Some(c),
        Some(at) => to.get(at).copied(),
    };
    text.chars().filter_map(translate).collect()
}

/// The numbers of the characters of a text.
fn codepoints(text: &str) -> Vec<Inner> {
    text.chars().map(|c| Inner::Atomic(Atomic::Integer(i128::from(u32::from(c))))).collect()
}

/// The text whose characters have these numbers.
fn of_codepoints(codes: &[Atomic]) -> Found<String> {
    let code = |value: &Atomic| char::from_u32(value.number() as u32);
    codes.iter().map(code).collect::<Option<String>>().map_or_else(|| fault("Invalid codepoint"), Ok)
}
