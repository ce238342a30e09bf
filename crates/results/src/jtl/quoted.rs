//! Rows with quoted fields: quotes are doubled, and a field may contain delimiters and line ends.

/// The result of splitting off a row.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Split {
    /// Its length with the line end, and how many line ends are inside.
    Row { length: usize, lines: u64 },
    /// The bytes end before the row does.
    Incomplete,
}

/// Splits the first row of `bytes` into fields, without their quotes, one after another in `text`;
/// `ends` says where each ends.
pub(super) fn split(bytes: &[u8], delimiter: u8, text: &mut Vec<u8>, ends: &mut Vec<usize>) -> Split {
    text.clear();
    ends.clear();
    let mut at = 0;
    let mut lines = 0;
    loop {
        if bytes.get(at) == Some(&b'"') {
            at += 1;
            loop {
                match bytes.get(at) {
                    None => return Split::Incomplete,
                    Some(b'"') if bytes.get(at + 1) == Some(&b'"') => {
                        text.push(b'"');
                        at += 2;
                    }
                    Some(b'"') => break,
                    Some(byte) => {
                        lines += u64::from(*byte == b'\n');
                        text.push(*byte);
                        at += 1;
                    }
                }
            }
            at += 1;
        }
        // Also what stands behind a closing quote belongs to the field.
        while let Some(byte) = bytes.get(at).filter(|byte| **byte != delimiter && **byte != b'\n') {
            text.push(*byte);
            at += 1;
        }
        match bytes.get(at) {
            None => return Split::Incomplete,
            Some(b'\n') => {
                if text.last() == Some(&b'\r') && ends.last().is_none_or(|end| *end < text.len()) {
                    text.pop();
                }
                ends.push(text.len());
                return Split::Row { length: at + 1, lines };
            }
            Some(_) => ends.push(text.len()),
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(bytes: &str) -> (Split, Vec<String>) {
        let mut text = Vec::new();
        let mut ends = Vec::new();
        let split = split(bytes.as_bytes(), b',', &mut text, &mut ends);
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let texts =
            starts.zip(&ends).map(|(from, to)| String::from_utf8_lossy(&text[from..*to]).into_owned());
        (split, texts.collect())
    }

    #[test]
    fn quotes_hold_delimiters_line_ends_and_quotes() {
        let (split, found) = fields("1,\"a, \"\"b\"\"\nc\",,\"\",x\r\nnext");
        assert_eq!(split, Split::Row { length: 22, lines: 1 });
        assert_eq!(found, ["1", "a, \"b\"\nc", "", "", "x"]);
        for cut in ["1,\"a", "1,\"a\"", "1,\"a\"\"", "1,b", ""] {
            assert_eq!(fields(cut).0, Split::Incomplete, "{cut}");
        }
        assert_eq!(fields("a,b\r\n").1, ["a", "b"]);
        assert_eq!(fields("a,\r\n").1, ["a", ""]);
    }
}
