//! Texts of all kinds, and the expressions in them.

use super::cursor::{Cursor, Rule, hard, no_match, wrong};
use super::syntax::{Expr, ExprKind, Piece, Template};

/// A character of a text: what it means, whether it is written as itself, and where.
#[derive(Clone, Copy)]
pub(super) struct Written {
    pub(super) c: char,
    pub(super) is_plain: bool,
    pub(super) at: usize,
    /// Byte after it.
    pub(super) end: usize,
}

/// `{{name}}` in which no blank line or text may be.
pub(super) fn placeholder(cursor: &mut Cursor<'_>) -> Rule<Expr> {
    cursor.begin("{{")?;
    cursor.spaces();
    let expr = expr(cursor)?;
    cursor.spaces();
    cursor.expect("}}")?;
    Ok(expr)
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

/// The name of a variable or a function.
fn expr(cursor: &mut Cursor<'_>) -> Rule<Expr> {
    let at = cursor.at;
    let kind = match cursor.take_while(is_name) {
        "" => return wrong(at, "expected the name of a variable"),
        "newUuid" => ExprKind::NewUuid,
        "newDate" => ExprKind::NewDate,
        name => ExprKind::Variable(name.to_owned()),
    };
    Ok(Expr { at, kind })
}

/// Makes pieces of characters: `{{` begins an expression and `}}` ends it, where they are not
/// escaped. `source`: texts are as they are written, with escapes.
pub(super) fn pieces(chars: &[Written], whole: &str, source: bool) -> Rule<Vec<Piece>> {
    let mut all = Vec::new();
    let mut text = String::new();
    let is = |index: usize, c: char| chars.get(index).is_some_and(|one| one.is_plain && one.c == c);
    let mut index = 0;
    while let Some(one) = chars.get(index) {
        if !(is(index, '{') && is(index + 1, '{')) {
            if source {
                text.push_str(&whole[one.at..one.end]);
            } else {
                text.push(one.c);
            }
            index += 1;
            continue;
        }
        let inside = index + 2;
        // As in Hurl, the two braces that end an expression need not be next to each other.
        let end = (inside..chars.len()).find(|at| is(*at, '}'));
        let close = end.and_then(|end| (end + 1..chars.len()).find(|at| is(*at, '}')));
        let (Some(end), Some(close)) = (end, close) else {
            return wrong(chars.last().map_or(one.at, |last| last.end), "expected `}}`");
        };
        if !text.is_empty() {
            all.push(Piece::Text(std::mem::take(&mut text)));
        }
        let at = chars[inside].at;
        let mut cursor = Cursor::new(&whole[..chars[end].at]);
        cursor.at = at;
        cursor.spaces();
        all.push(Piece::Expr(expr(&mut cursor)?));
        index = close + 1;
    }
    if !text.is_empty() {
        all.push(Piece::Text(text));
    }
    Ok(all)
}

/// The four digits or the number in braces that follow `\u`.
fn unicode(cursor: &mut Cursor<'_>) -> Rule<char> {
    cursor.expect("{")?;
    let at = cursor.at;
    let digits = cursor.take_while(|c| c.is_ascii_hexdigit());
    let c = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
    let Some(c) = c else { return wrong(at, "expected the number of a character in hexadecimal digits") };
    cursor.expect("}")?;
    Ok(c)
}

/// An escaped character: one of `own`, which stand for themselves, or one that all texts have.
pub(super) fn escaped(cursor: &mut Cursor<'_>, own: &str) -> Rule<char> {
    cursor.begin("\\")?;
    let at = cursor.at;
    match cursor.next() {
        Some(c) if own.contains(c) => Ok(c),
        Some('b') => Ok('\u{8}'),
        Some('n') => Ok('\n'),
        Some('f') => Ok('\u{c}'),
        Some('r') => Ok('\r'),
        Some('t') => Ok('\t'),
        Some('u') => unicode(cursor),
        _ => wrong(at, format!("expected one of `{own}`, `b`, `f`, `n`, `r`, `t`, `u{{…}}` after `\\`")),
    }
}

const OF_TEXTS: &str = "#\"`\\/";

/// A character of a text, escaped or not. A line break and what `except` has end the text.
fn written(cursor: &mut Cursor<'_>, except: &str) -> Rule<Written> {
    let at = cursor.at;
    if cursor.peek() == Some('\\') {
        let c = escaped(cursor, OF_TEXTS)?;
        return Ok(Written { c, is_plain: false, at, end: cursor.at });
    }
    let ends = |c: char| except.contains(c) || matches!(c, '\u{8}' | '\n' | '\u{c}' | '\r' | '\t');
    match cursor.peek() {
        Some(c) if !ends(c) => {
            cursor.next();
            Ok(Written { c, is_plain: true, at, end: cursor.at })
        }
        _ => no_match(at, "expected a character"),
    }
}

fn all_written(cursor: &mut Cursor<'_>, except: &str) -> Rule<Vec<Written>> {
    let mut chars = Vec::new();
    while let Some(one) = cursor.optional(|cursor| written(cursor, except))? {
        chars.push(one);
    }
    Ok(chars)
}

/// A text to the end of the line or to `#`, without blanks at its end.
pub(super) fn unquoted(whole: &str, cursor: &mut Cursor<'_>) -> Rule<Template> {
    let at = cursor.at;
    let mut chars = all_written(cursor, "#")?;
    while chars.last().is_some_and(|last| last.c == ' ' && last.is_plain) {
        chars.pop();
    }
    cursor.at = chars.last().map_or(at, |last| last.end);
    Ok(Template { at, pieces: pieces(&chars, whole, false)? })
}

/// `"a text"`, on one line.
pub(super) fn quoted(whole: &str, cursor: &mut Cursor<'_>) -> Rule<Template> {
    between(whole, cursor, "\"")
}

/// A text between backticks, on one line.
pub(super) fn backtick(whole: &str, cursor: &mut Cursor<'_>) -> Rule<Template> {
    between(whole, cursor, "`")
}

fn between(whole: &str, cursor: &mut Cursor<'_>, mark: &str) -> Rule<Template> {
    let at = cursor.at;
    cursor.begin(mark)?;
    let chars = all_written(cursor, mark)?;
    cursor.expect(mark)?;
    Ok(Template { at, pieces: pieces(&chars, whole, false)? })
}

/// The name of a header, a parameter, a capture.
pub(super) fn key(cursor: &mut Cursor<'_>) -> Rule<Template> {
    let fits = |c: char| c.is_alphanumeric() || "_-.[]@$".contains(c);
    let at = cursor.at;
    let text = name(cursor, "#:\\/", "a name", fits)?;
    if cursor.since(at).starts_with('[') {
        return no_match(at, "expected a name");
    }
    Ok(text)
}

/// The path of a file.
pub(super) fn file_name(cursor: &mut Cursor<'_>) -> Rule<Template> {
    file_name_with(cursor, "\\#; {}")
}

/// The path of a file and, after a colon, a password.
pub(super) fn file_name_and_password(cursor: &mut Cursor<'_>) -> Rule<Template> {
    file_name_with(cursor, "\\#; {}:")
}

fn file_name_with(cursor: &mut Cursor<'_>, escapes: &str) -> Rule<Template> {
    let at = cursor.at;
    let text = name(cursor, escapes, "the name of a file", |c| !"#;{} \n\r\\".contains(c)).map_err(hard)?;
    if cursor.since(at).starts_with('[') {
        return wrong(at, "expected the name of a file");
    }
    Ok(text)
}

fn name(
    cursor: &mut Cursor<'_>,
    own: &str,
    expected: &str,
    fits: impl Fn(char) -> bool + Copy,
) -> Rule<Template> {
    let at = cursor.at;
    let mut pieces = Vec::new();
    loop {
        if let Some(expr) = cursor.optional(placeholder)? {
            pieces.push(Piece::Expr(expr));
            continue;
        }
        let mut text = String::new();
        loop {
            if cursor.peek() == Some('\\') {
                text.push(escaped(cursor, own)?);
                continue;
            }
            let part = cursor.take_while(fits);
            if part.is_empty() {
                break;
            }
            text.push_str(part);
        }
        if text.is_empty() {
            break;
        }
        pieces.push(Piece::Text(text));
    }
    if pieces.is_empty() { no_match(at, format!("expected {expected}")) } else { Ok(Template { at, pieces }) }
}

/// The text of several lines up to three backticks.
pub(super) fn lines(whole: &str, cursor: &mut Cursor<'_>, has_escapes: bool) -> Rule<Template> {
    let at = cursor.at;
    let mut chars = Vec::new();
    while !cursor.is_end() && !cursor.rest().starts_with("```") {
        let start = cursor.at;
        let mut ahead = *cursor;
        let c = match escaped(&mut ahead, OF_TEXTS) {
            Ok(c) if has_escapes => {
                *cursor = ahead;
                c
            }
            _ => cursor.next().unwrap_or_default(),
        };
        chars.push(Written { c, is_plain: cursor.at - start == c.len_utf8(), at: start, end: cursor.at });
    }
    cursor.expect("```")?;
    Ok(Template { at, pieces: pieces(&chars, whole, false)? })
}
