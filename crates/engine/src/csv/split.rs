//! Splits lines into values, by delimiter alone or with quotes.

use std::{fmt, io};

use swell_expr::FileLimits;

use super::lines::Lines;

/// `JOrphanUtils.split` without truncation: an empty line has no values at all.
pub(super) fn plain(line: &str, delimiter: &str) -> Vec<String> {
    if line.is_empty() { Vec::new() } else { line.split(delimiter).map(str::to_owned).collect() }
}

/// The names of variables: adjacent commas count as one, one at either end does not count
/// (`JOrphanUtils.split(names, ",")`).
pub(super) fn names(text: &str) -> Vec<String> {
    let mut text = text.to_owned();
    while text.contains(",,") {
        text = text.replace(",,", ",");
    }
    let text = text.strip_prefix(',').unwrap_or(&text);
    plain(text.strip_suffix(',').unwrap_or(text), ",")
}

/// A separate line (`CSVSaveService.csvSplitString`).
pub(super) fn quoted_line(line: &str, delimiter: char) -> Result<Vec<String>, String> {
    let mut lines =
        Lines::new(Box::new(std::io::Cursor::new(line.as_bytes().to_vec())), "", FileLimits::default())?;
    quoted(&mut lines, delimiter).map_err(|wrong| wrong.to_string())
}

/// Why a line has no values.
#[derive(Debug)]
pub(super) enum SplitError {
    /// It cannot be read, or has no end.
    Read(io::Error),
    /// Its quotes are wrong.
    Form(String),
}

/// Most characters of a wrong value that are shown.
const SHOWN: usize = 100;

impl SplitError {
    fn of(what: &str, value: &str, end: &str) -> Self {
        let short: String = value.chars().take(SHOWN).collect();
        let more = if short.len() < value.len() { "…" } else { end };
        Self::Form(format!("{what}: `{short}{more}`"))
    }
}

impl From<io::Error> for SplitError {
    fn from(problem: io::Error) -> Self {
        Self::Read(problem)
    }
}

impl fmt::Display for SplitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(problem) => problem.fmt(f),
            Self::Form(problem) => f.write_str(problem),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Start,
    Plain,
    Quoted,
    /// After a quote inside quotes.
    Quote,
}

/// The values of the coming line; more lines where a quoted value holds line ends
/// (`CSVSaveService.csvReadFile`).
pub(super) fn quoted(lines: &mut Lines, delimiter: char) -> Result<Vec<String>, SplitError> {
    let mut values = Vec::new();
    let mut value = String::new();
    let mut at = At::Start;
    let mut open = false;
    let mut length = 0;
    let limits = lines.limits();
    while let Some(next) = lines.take()? {
        length += next.len_utf8() as u64;
        limits.check_line(length)?;
        let ends = next == delimiter || next == '\n' || next == '\r';
        open = false;
        match at {
            At::Start if next == '"' => at = At::Quoted,
            At::Plain if next == '"' => {
                return Err(SplitError::of("a quote inside an unquoted value", &value, "\""));
            }
            At::Quoted if next == '"' => at = At::Quote,
            At::Quoted => value.push(next),
            At::Quote if next == '"' => {
                value.push('"');
                at = At::Quoted;
            }
            At::Start | At::Plain | At::Quote if ends => {
                open = true;
                values.push(std::mem::take(&mut value));
                at = At::Start;
            }
            At::Quote => return Err(SplitError::of("a single quote inside a quoted value", &value, "\"")),
            At::Start | At::Plain => {
                value.push(next);
                at = At::Plain;
            }
        }
        if open && next != delimiter {
            if next == '\r' && lines.peek()? == Some('\n') {
                lines.take()?;
            }
            return Ok(values);
        }
    }
    if at == At::Quoted {
        return Err(SplitError::of("the quote is not closed", &format!("\"{value}"), ""));
    }
    if !value.is_empty() || open || at == At::Quote {
        values.push(value);
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_no_gaps() {
        for (text, expected) in
            [("a,,c", "a|c"), (",a,b,", "a|b"), (",,,", ""), ("a", "a"), (" a , b", " a | b")]
        {
            assert_eq!(names(text).join("|"), expected, "{text}");
        }
    }

    #[test]
    fn plain_values() {
        let table: &[(&str, &str, &[&str])] = &[
            ("a,b", ",", &["a", "b"]),
            ("a,,b,", ",", &["a", "", "b", ""]),
            (",", ",", &["", ""]),
            ("a||b|c", "||", &["a", "b|c"]),
            ("\"a,b\"", ",", &["\"a", "b\""]),
            ("", ",", &[]),
        ];
        for (line, delimiter, values) in table {
            assert_eq!(plain(line, delimiter), *values, "{line}");
        }
    }

    #[test]
    fn quoted_values() {
        let table: &[(&str, Result<&[&str], ()>)] = &[
            ("a,b", Ok(&["a", "b"])),
            ("a,b,", Ok(&["a", "b", ""])),
            ("\"a,b\",c", Ok(&["a,b", "c"])),
            ("\"\",\"\"", Ok(&["", ""])),
            ("\"a\"\"b\"", Ok(&["a\"b"])),
            ("", Ok(&[])),
            ("a\"b", Err(())),
            ("\"a\"b", Err(())),
            ("\"a", Err(())),
        ];
        for (line, values) in table {
            let split = quoted_line(line, ',');
            let split = split.as_ref().map(|values| values.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!(split.map_err(|_| ()), values.map(<[&str]>::to_vec), "{line}");
        }
    }
}
