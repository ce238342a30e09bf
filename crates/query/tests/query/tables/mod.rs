//! Reads the tables: columns separated by tabs, the last one being the expected result.

/// Fails with all rows that come out otherwise.
pub(crate) fn differences(table: &str, run: impl Fn(&[&str]) -> String) {
    let mut wrong = Vec::new();
    let mut rows = 0;
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<_> = line.split('\t').collect();
        let (wanted, row) = columns.split_last().expect("a line has a column");
        let found = run(row);
        rows += 1;
        if found != *wanted {
            wrong.push(format!("{}\n  wanted {wanted}\n  found  {found}", row.join(" | ")));
        }
    }
    assert!(wrong.is_empty(), "{} of {rows} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// A text on one line.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t").replace('\r', "\\r")
}

/// The text that a column encodes. Characters by number are UTF-16 units.
pub(crate) fn unescaped(column: &str) -> String {
    let mut units = Vec::new();
    let mut rest = column;
    while let Some(c) = rest.chars().next() {
        let escape = rest.strip_prefix('\\').and_then(|behind| behind.chars().next());
        let (length, unit) = match escape {
            Some('n') => (2, Some(10)),
            Some('t') => (2, Some(9)),
            Some('r') => (2, Some(13)),
            Some('\\') => (2, Some(92)),
            Some('u') => (6, u16::from_str_radix(&rest[2..6], 16).ok()),
            _ => (c.len_utf8(), None),
        };
        match unit {
            Some(unit) => units.push(unit),
            None => units.extend(c.encode_utf16(&mut [0; 2]).iter()),
        }
        rest = &rest[length..];
    }
    String::from_utf16(&units).expect("the tables have whole pairs")
}
