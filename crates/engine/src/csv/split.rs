//! Lines into values: by delimiter alone, or with quotes.

use super::lines::Lines;

/// `JOrphanUtils.split` without truncation: an empty line has no values at all.
pub(super) fn plain(line: &str, delimiter: &str) -> Vec<String> {
    if line.is_empty() { Vec::new() } else { line.split(delimiter).map(str::to_owned).collect() }
}

/// The names of variables: commas beside each other count as one, one at either end does not count
/// (`JOrphanUtils.split(names, ",")`).
pub(super) fn names(text: &str) -> Vec<String> {
    let mut text = text.to_owned();
    while text.contains(",,") {
        text = text.replace(",,", ",");
    }
    let text = text.strip_prefix(',').unwrap_or(&text);
    plain(text.strip_suffix(',').unwrap_or(text), ",")
}

/// A line of its own (`CSVSaveService.csvSplitString`).
pub(super) fn quoted_line(line: &str, delimiter: char) -> Result<Vec<String>, String> {
    let mut lines = Lines::new(Box::new(std::io::Cursor::new(line.as_bytes().to_vec())), "")?;
    quoted(&mut lines, delimiter)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Start,
    Plain,
    Quoted,
    /// After a quote inside quotes.
    Quote,
}

/// The values of the coming line; more lines where a quoted value holds line ends (`CSVSaveService.csvReadFile`).
pub(super) fn quoted(lines: &mut Lines, delimiter: char) -> Result<Vec<String>, String> {
    let (mut values, mut value, mut at) = (Vec::new(), String::new(), At::Start);
    let mut open = false;
    while let Some(next) = lines.take().map_err(|problem| problem.to_string())? {
        let ends = next == delimiter || next == '\n' || next == '\r';
        open = false;
        match at {
            At::Start if next == '"' => at = At::Quoted,
            At::Plain if next == '"' => return Err(format!("a quote inside of a plain value: `{value}\"`")),
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
            At::Quote => return Err(format!("a single quote inside of a quoted value: `{value}\"`")),
            At::Start | At::Plain => {
                value.push(next);
                at = At::Plain;
            }
        }
        if open && next != delimiter {
            if next == '\r' && lines.peek().map_err(|problem| problem.to_string())? == Some('\n') {
                lines.take().map_err(|problem| problem.to_string())?;
            }
            return Ok(values);
        }
    }
    if at == At::Quoted {
        return Err(format!("the quote is not closed: `\"{value}`"));
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
