//! Values of a JSON text, with their places in it.

use std::fmt::Write as _;
use std::ops::Range;

/// A text or number in a JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::recording) struct Leaf {
    /// Its JSONPath.
    pub(in crate::recording) path: String,
    /// Its place: of a text, what is between the quotes.
    pub(in crate::recording) range: Range<usize>,
    /// Its value.
    pub(in crate::recording) value: String,
}

/// Deeper texts are not looked at.
const DEEPEST: usize = 100;

/// More values are not looked at.
const MOST: usize = 100_000;

/// All texts and numbers; none if the text is not JSON.
pub(in crate::recording) fn leaves(text: &str) -> Option<Vec<Leaf>> {
    let start = text.trim_start();
    if !start.starts_with(['{', '[']) {
        return None;
    }
    let mut reader = Reader { text, at: 0, path: "$".to_owned(), depth: 0, out: Vec::new() };
    reader.value()?;
    reader.blank();
    (reader.at == text.len()).then_some(reader.out)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    path: String,
    depth: usize,
    out: Vec<Leaf>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blank(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn takes(&mut self, byte: u8) -> Option<()> {
        self.blank();
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// The place between the quotes.
    fn text_range(&mut self) -> Option<Range<usize>> {
        self.takes(b'"')?;
        let start = self.at;
        loop {
            match self.peek()? {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        let range = start..self.at;
        self.at += 1;
        self.text.is_char_boundary(range.end).then_some(range)
    }

    fn decoded(&self, range: &Range<usize>) -> Option<String> {
        serde_json::from_str(&format!("\"{}\"", &self.text[range.clone()])).ok()
    }

    fn add(&mut self, range: Range<usize>, value: String) {
        if self.out.len() < MOST {
            self.out.push(Leaf { path: self.path.clone(), range, value });
        }
    }

    fn value(&mut self) -> Option<()> {
        self.blank();
        match self.peek()? {
            b'{' => self.object(),
            b'[' => self.array(),
            b'"' => {
                let range = self.text_range()?;
                let value = self.decoded(&range)?;
                self.add(range, value);
                Some(())
            }
            _ => {
                let start = self.at;
                while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte)) {
                    self.at += 1;
                }
                let word = &self.text[start..self.at];
                match word {
                    "true" | "false" | "null" => {}
                    word if word.parse::<f64>().is_ok() => self.add(start..self.at, word.to_owned()),
                    _ => return None,
                }
                Some(())
            }
        }
    }

    fn object(&mut self) -> Option<()> {
        self.enter()?;
        if self.takes(b'}').is_none() {
            loop {
                let range = self.text_range()?;
                let name = self.decoded(&range)?;
                self.takes(b':')?;
                let length = self.path.len();
                let is_simple = !name.is_empty()
                    && !name.starts_with(|c: char| c.is_ascii_digit())
                    && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
                if is_simple {
                    self.path.extend([".", &name]);
                } else {
                    self.path.extend(["['", &name.replace('\\', "\\\\").replace('\'', "\\'"), "']"]);
                }
                self.value()?;
                self.path.truncate(length);
                if self.takes(b',').is_none() {
                    break;
                }
            }
            self.takes(b'}')?;
        }
        self.depth -= 1;
        Some(())
    }

    fn array(&mut self) -> Option<()> {
        self.enter()?;
        if self.takes(b']').is_none() {
            let length = self.path.len();
            let mut index = 0_usize;
            loop {
                let _ = write!(self.path, "[{index}]");
                self.value()?;
                self.path.truncate(length);
                index += 1;
                if self.takes(b',').is_none() {
                    break;
                }
            }
            self.takes(b']')?;
        }
        self.depth -= 1;
        Some(())
    }

    fn enter(&mut self) -> Option<()> {
        self.at += 1;
        self.depth += 1;
        (self.depth <= DEEPEST).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_paths_and_places() {
        let text = r#"{"a":"x\"y","b c":[1,{"d":-2.5e3},true,null],"e":{}}"#;
        let all = leaves(text).expect("JSON");
        let shown: Vec<_> = all
            .iter()
            .map(|leaf| format!("{} {} {}", leaf.path, &text[leaf.range.clone()], leaf.value))
            .collect();
        assert_eq!(shown, ["$.a x\\\"y x\"y", "$['b c'][0] 1 1", "$['b c'][1].d -2.5e3 -2.5e3"]);
        for text in ["", "1", "{", "[1,]", "{\"a\" 1}", "[1] x", "[\"\\"] {
            assert_eq!(leaves(text), None, "{text}");
        }
        assert_eq!(leaves(&"[".repeat(200_000)), None);
    }
}
