//! Reads assignments.

use super::glob::{Glob, Token};
use super::{Assignment, PathError, PlanPath, PropertyPath, Segment};

const FORM: &str =
    "write PATH/PROPERTY=VALUE, such as 'Users/num_threads=50' or '/**/HTTPSampler.domain=127.0.0.1'";
const QUOTES: &str = "put a name with a / in quotes: 'Users/\"GET /a\"/path=/b'";

/// A character of a path, and whether it stands for itself only.
type Char = (char, bool);

impl Assignment {
    /// Reads `PATH/PROPERTY=VALUE`.
    ///
    /// # Errors
    /// It does not have this form.
    pub(crate) fn parse(text: &str) -> Result<Self, PathError> {
        let (left, value) = split(text)?;
        let (starts_at_root, mut parts) = parts_of(&left);
        let property = parts.pop().unwrap_or_default();
        let property = PropertyPath::read(property)
            .ok_or_else(|| PathError::new(format!("no property is named before the = in `{text}`"), FORM))?;
        let path = PlanPath::read(starts_at_root, parts, text)?;
        Ok(Self { text: text.to_owned(), path, property, value: value.to_owned() })
    }
}

impl PlanPath {
    /// Reads a path to elements.
    ///
    /// # Errors
    /// It does not have this form.
    pub(crate) fn parse(text: &str) -> Result<Self, PathError> {
        // What ends it is not part of it.
        let ended = format!("{text}=");
        let (all, rest) = split(&ended)?;
        if !rest.is_empty() {
            let message = format!("`{text}` is not a path to an element: it has a =");
            return Err(PathError::new(message, "put a name with a = in quotes"));
        }
        let (starts_at_root, parts) = parts_of(&all);
        Self::read(starts_at_root, parts, text)
    }

    fn read(starts_at_root: bool, parts: Vec<&[Char]>, text: &str) -> Result<Self, PathError> {
        let segments = parts.into_iter().map(|part| {
            Segment::read(part)
                .ok_or_else(|| PathError::new(format!("an empty name is in the path `{text}`"), QUOTES))
        });
        Ok(Self { starts_at_root, segments: segments.collect::<Result<_, _>>()? })
    }
}

/// Whether a path starts below the Test Plan, and what is between its slashes.
fn parts_of(path: &[Char]) -> (bool, Vec<&[Char]>) {
    let below = path.strip_prefix(&[('/', false)]);
    (below.is_some(), below.unwrap_or(path).split(|c| *c == ('/', false)).collect())
}

/// The characters before the first `=` that is not in quotes, without quotes and backslashes, and
/// the text after it.
fn split(text: &str) -> Result<(Vec<Char>, &str), PathError> {
    let mut left = Vec::new();
    let mut is_quoted = false;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some((_, escaped)) => left.push((escaped, true)),
                None => return Err(PathError::new(format!("`{text}` ends with a backslash"), FORM)),
            },
            '"' => {
                is_quoted = !is_quoted;
                // An empty name in quotes is a name.
                left.push(('"', false));
            }
            '=' if !is_quoted => return Ok((left, &text[at + 1..])),
            c => left.push((c, is_quoted)),
        }
    }
    let message =
        if is_quoted { format!("a quote in `{text}` is not closed") } else { format!("no = is in `{text}`") };
    Err(PathError::new(message, FORM))
}

impl Segment {
    fn read(part: &[Char]) -> Option<Self> {
        if part == [('*', false), ('*', false)] {
            return Some(Self::Levels);
        }
        let (name, index) = with_index(part);
        let mut glob = Glob::default();
        for (c, is_literal) in name {
            match (c, is_literal) {
                ('"', false) => {}
                ('*', false) => glob.push(Token::AnyText),
                ('?', false) => glob.push(Token::AnyChar),
                _ => glob.push(Token::Char(*c)),
            }
        }
        let is_quoted = name.contains(&('"', false));
        (!glob.is_empty() || is_quoted).then_some(Self::Element { glob, is_quoted, index })
    }
}

/// A name and the number in brackets after it.
fn with_index(part: &[Char]) -> (&[Char], Option<usize>) {
    let without = || (part, None);
    let Some((last, rest)) = part.split_last() else { return without() };
    let Some(open) = rest.iter().rposition(|c| *c == ('[', false)) else { return without() };
    let number: String = rest[open + 1..].iter().map(|(c, _)| *c).collect();
    match number.parse() {
        Ok(number) if *last == (']', false) && number > 0 => (&part[..open], Some(number)),
        _ => without(),
    }
}

impl PropertyPath {
    fn read(part: &[Char]) -> Option<Self> {
        let text = |chars: &[Char]| -> String {
            chars.iter().filter(|c| **c != ('"', false)).map(|(c, _)| *c).collect()
        };
        let open = part.iter().position(|c| *c == ('[', false));
        let close = part.iter().rposition(|c| *c == (']', false));
        let (Some(open), Some(close)) = (open, close) else {
            let name = text(part);
            return (!name.is_empty()).then_some(Self { name, key: None, part: None });
        };
        if close < open || open == 0 {
            return None;
        }
        let after = text(&part[close + 1..]);
        let part_name = match after.strip_prefix('.') {
            Some(name) if !name.is_empty() => Some(name.to_owned()),
            _ if after.is_empty() => None,
            _ => return None,
        };
        Some(Self { name: text(&part[..open]), key: Some(text(&part[open + 1..close])), part: part_name })
    }
}
