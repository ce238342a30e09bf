//! JSONPath as Hurl has it, in the spelling of Jayway, which JMeter uses.

use super::cursor::{Cursor, Rule, no_match, wrong};

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path {
    /// In the spelling of Jayway.
    pub(super) text: String,
    /// It has one value or none.
    pub(super) is_definite: bool,
    /// Its beginning that has one value or none; empty: the whole document.
    pub(super) definite: String,
}

/// Reads an expression.
///
/// # Errors
/// Hurl refuses it, or Jayway reads it otherwise.
pub(super) fn read(text: &str) -> Result<Path, String> {
    let mut cursor = Cursor::new(text);
    let mut path = Path { text: "$".to_owned(), is_definite: true, definite: "$".to_owned() };
    if !taken(&mut cursor, "$") {
        return Err("a JSONPath begins with `$`".to_owned());
    }
    while !cursor.is_end() {
        let (selector, is_definite) = selector(&mut cursor).map_err(|error| {
            format!("invalid JSONPath `{text}`: {} at `{}`", error.message, &text[error.at..])
        })?;
        path.text.push_str(&selector);
        path.is_definite &= is_definite;
        if path.is_definite {
            path.definite.clone_from(&path.text);
        }
    }
    Ok(path)
}

/// A text for Jayway, in quotes.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", escaped(text))
}

/// A text as it is between quotes for Jayway.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\'' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
    out
}

fn child(name: &str) -> (String, bool) {
    (format!("[{}]", quoted(name)), true)
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

/// Takes a text, with the spaces after it.
fn taken(cursor: &mut Cursor<'_>, text: &str) -> bool {
    let is_next = cursor.eat(text);
    if is_next {
        spaces(cursor);
    }
    is_next
}

fn expected(cursor: &mut Cursor<'_>, text: &str) -> Rule<()> {
    cursor.expect(text)?;
    spaces(cursor);
    Ok(())
}

fn spaces(cursor: &mut Cursor<'_>) {
    cursor.take_while(|c| c == ' ');
}

/// A selector, and whether it leads to one value.
fn selector(cursor: &mut Cursor<'_>) -> Rule<(String, bool)> {
    let at = cursor.at;
    if cursor.eat("..*") {
        return wrong(at, "`..*` has another order in JMeter");
    }
    if taken(cursor, "..") {
        let name = key(cursor)?;
        return Ok((format!("..[{}]", quoted(name)), false));
    }
    if taken(cursor, ".*") {
        return Ok(("[*]".to_owned(), false));
    }
    if taken(cursor, ".[") || taken(cursor, "[") {
        return bracket(cursor);
    }
    if !cursor.eat(".") {
        return no_match(at, "expected `.` or `[`");
    }
    match cursor.take_while(is_name) {
        "" => wrong(cursor.at, "expected a name"),
        name => Ok(child(name)),
    }
}

fn bracket(cursor: &mut Cursor<'_>) -> Rule<(String, bool)> {
    if taken(cursor, "?(") {
        let condition = condition(cursor)?;
        expected(cursor, ")]")?;
        return Ok((format!("[?({condition})]"), false));
    }
    if taken(cursor, "*") {
        expected(cursor, "]")?;
        return Ok(("[*]".to_owned(), false));
    }
    if cursor.peek() == Some('\'') {
        let name = text(cursor)?;
        expected(cursor, "]")?;
        return Ok(child(&name));
    }
    let at = cursor.at;
    let inside = cursor.take_while(|c| c.is_ascii_digit() || matches!(c, ',' | ':' | '-' | ' '));
    // Spaces are after a sign only.
    let inside = &*inside.split(',').map(str::trim_start).collect::<Vec<_>>().join(",");
    let inside = &*inside.split(':').map(str::trim_start).collect::<Vec<_>>().join(":");
    expected(cursor, "]")?;
    let is_index = |text: &str| text.parse::<u32>().is_ok() && (text == "0" || !text.starts_with('0'));
    let is_bound = |text: &str| text.is_empty() || is_index(text.strip_prefix('-').unwrap_or(text));
    if is_index(inside) {
        return Ok((format!("[{inside}]"), true));
    }
    let is_list = inside.contains(',') && inside.split(',').all(is_index);
    let is_slice = inside.split_once(':').is_some_and(|(from, to)| is_bound(from) && is_bound(to));
    if is_list || is_slice && inside != ":" {
        return Ok((format!("[{inside}]"), false));
    }
    if is_slice {
        return Ok(("[*]".to_owned(), false));
    }
    wrong(at, "expected an index, a slice, `*`, `'name'` or `?(`")
}

/// A text; as Hurl does, without the spaces at its beginning.
fn text(cursor: &mut Cursor<'_>) -> Rule<String> {
    let at = cursor.at;
    expected(cursor, "'")?;
    let mut out = String::new();
    loop {
        match cursor.next() {
            Some('\'') => {
                spaces(cursor);
                return Ok(out);
            }
            Some('\\') if cursor.eat("'") => out.push('\''),
            Some('\\') => return wrong(cursor.at, "only `'` can have a backslash before it"),
            Some(c) => out.push(c),
            None => return wrong(at, "expected `'`"),
        }
    }
}

/// A name in a condition or after `..`, with the spaces after it.
fn key<'a>(cursor: &mut Cursor<'a>) -> Rule<&'a str> {
    let starts = |c: char| c.is_alphabetic() || c == '_';
    if !cursor.peek().is_some_and(starts) {
        return wrong(cursor.at, "expected a name");
    }
    let name = cursor.take_while(|c| c.is_alphanumeric() || c == '_');
    spaces(cursor);
    Ok(name)
}

/// `@.name`, alone or compared. Jayway compares the types, too, with `===` and with `<`.
fn condition(cursor: &mut Cursor<'_>) -> Rule<String> {
    expected(cursor, "@.")?;
    let mut path = "@".to_owned();
    loop {
        path.extend(["[", &quoted(key(cursor)?), "]"]);
        if !cursor.eat(".") {
            break;
        }
    }
    let key = path;
    let Some(sign) = ["==", "!=", ">=", "<=", ">", "<"].into_iter().find(|sign| taken(cursor, sign)) else {
        return Ok(key);
    };
    if let Some(flag) = ["true", "false"].into_iter().find(|flag| sign == "==" && taken(cursor, flag)) {
        return Ok(format!("{key} === {flag}"));
    }
    let value = if cursor.peek() == Some('\'') && matches!(sign, "==" | "!=") {
        quoted(&text(cursor)?)
    } else {
        let number = super::clauses::number(cursor)?.text();
        spaces(cursor);
        number
    };
    Ok(match sign {
        "==" => format!("{key} === {value}"),
        // Another value of the same type.
        "!=" => format!("({key} < {value} || {key} > {value})"),
        _ => format!("{key} {sign} {value}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_get_jayways_spelling() {
        for (path, wanted, is_definite) in [
            ("$", "$", true),
            ("$.a.b-c", "$['a']['b-c']", true),
            ("$['it\\'s'][0]", "$['it\\'s'][0]", true),
            ("$.a[*].b", "$['a'][*]['b']", false),
            ("$.a.*", "$['a'][*]", false),
            ("$..id", "$..['id']", false),
            ("$.a[0,2]", "$['a'][0,2]", false),
            ("$.a[-1:]", "$['a'][-1:]", false),
            ("$.a[?(@.id==1)].n", "$['a'][?(@['id'] === 1)]['n']", false),
            ("$.a[?(@.x.y!='z')]", "$['a'][?((@['x']['y'] < 'z' || @['x']['y'] > 'z'))]", false),
            ("$.a[ 0, 2][1: 2]", "$['a'][0,2][1:2]", false),
            ("$.a[?(@.ok)]", "$['a'][?(@['ok'])]", false),
            ("$ .a[ ?( @. id == 1 )] .n", "$['a'][?(@['id'] === 1)]['n']", false),
            ("$.a.[?(@.x.y == ' it\\'s' )]", "$['a'][?(@['x']['y'] === 'it\\'s')]", false),
        ] {
            let found = read(path).expect("valid");
            assert_eq!((found.text.as_str(), found.is_definite), (wanted, is_definite), "{path}");
        }
        for path in [
            "a",
            "$.",
            "$.a[",
            "$.a[x]",
            "$..*",
            "$.a[-1]",
            "$.a[?(1)]",
            "$a",
            "$['a\\n']",
            "$..1",
            "$.a[?(@.b-c)]",
            "$.a[0 ]",
        ] {
            assert!(read(path).is_err(), "{path}");
        }
        assert_eq!(read("$.a.b[*].c").map(|path| path.definite), Ok("$['a']['b']".to_owned()));
    }
}
