//! The text of Rust sources that people read: comments and strings.

/// A comment or a string with the number of its first line.
pub(crate) type Text = (usize, String);

/// All comments and strings of a source. Comments on consecutive lines are one text.
pub(crate) fn texts(source: &str) -> Vec<Text> {
    let mut reader = Reader { source, at: 0, line: 1, texts: Vec::new(), comment_end: 0 };
    while reader.at < source.len() {
        reader.read();
    }
    reader.texts
}

struct Reader<'s> {
    source: &'s str,
    at: usize,
    line: usize,
    texts: Vec<Text>,
    /// The line of the last comment; 0 if other code followed it.
    comment_end: usize,
}

impl<'s> Reader<'s> {
    fn rest(&self) -> &'s str {
        &self.source[self.at..]
    }

    fn read(&mut self) {
        let rest = self.rest();
        let after_name = self.source[..self.at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if rest.starts_with("//") {
            self.read_comment();
        } else if let Some(open) = raw_string(rest).filter(|_| !after_name) {
            let close = format!("\"{}", "#".repeat(open - rest[..open].find(['#', '"']).unwrap_or(0) - 1));
            let end = rest[open..].find(&close).map_or(rest.len(), |at| open + at);
            self.add_string(&rest[open..end], (end + close.len()).min(rest.len()));
        } else if rest.starts_with('"') {
            let end = string_end(rest);
            self.add_string(&rest[1..end], (end + 1).min(rest.len()));
        } else {
            self.skip(character(rest));
        }
    }

    fn read_comment(&mut self) {
        let line = self.rest().lines().next().unwrap_or_default();
        let text = line.trim_start_matches('/').trim_start_matches('!').trim();
        match self.texts.last_mut().filter(|_| self.comment_end > 0 && self.comment_end + 1 == self.line) {
            Some((_, block)) => {
                block.push('\n');
                block.push_str(text);
            }
            None => self.texts.push((self.line, text.to_owned())),
        }
        self.skip(line.len());
        self.comment_end = self.line;
    }

    /// Adds a string of several words; a backslash at the end of a line continues it.
    fn add_string(&mut self, text: &str, length: usize) {
        if text.contains(' ') {
            let lines: Vec<_> = text.lines().map(|line| line.trim_end_matches('\\')).collect();
            self.texts.push((self.line, lines.join("\n")));
        }
        self.comment_end = 0;
        self.skip(length);
    }

    fn skip(&mut self, length: usize) {
        let skipped = &self.rest()[..length];
        self.line += skipped.matches('\n').count();
        if !skipped.trim().is_empty() {
            self.comment_end = 0;
        }
        self.at += length;
    }
}

/// The length of the opening of a raw string, quote included.
fn raw_string(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r'))?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    after[hashes..].starts_with('"').then(|| rest.len() - after.len() + hashes + 1)
}

/// The place of the quote that ends a string.
fn string_end(rest: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '"' if !is_escaped => return at,
            '\\' => is_escaped = !is_escaped,
            _ => is_escaped = false,
        }
    }
    rest.len() - 1
}

/// The length of the next character, or of the character literal that begins here.
fn character(rest: &str) -> usize {
    let length = rest.chars().next().map_or(1, char::len_utf8);
    if !rest.starts_with('\'') {
        return length;
    }
    let mut chars = rest.char_indices().skip(1);
    let is_escape = chars.next().is_some_and(|(_, c)| c == '\\');
    if is_escape {
        return 2 + rest[2..].char_indices().skip(1).find(|(_, c)| *c == '\'').map_or(0, |(at, _)| at + 1);
    }
    chars.next().filter(|(_, c)| *c == '\'').map_or(length, |(at, _)| at + 1)
}

#[test]
fn comments_and_strings_are_found_with_their_lines() {
    let source = "/// One\n/// two.\nfn f() -> char {\n    // Three.\n    let a = \"a \\\" b\";\n    g(r#\"c \"d\" e\"#);\n    '\"'\n}\n";
    let expected = [(1, "One\ntwo."), (4, "Three."), (5, "a \\\" b"), (6, "c \"d\" e")];
    let expected: Vec<Text> = expected.into_iter().map(|(line, text)| (line, text.to_owned())).collect();
    assert_eq!(texts(source), expected);
}

#[test]
fn lifetimes_and_escaped_quotes_do_not_begin_strings() {
    let source = "fn f<'a>(x: &'a str) { g('\\'', '\\\\', 'x'); } // \"no\" string\n";
    assert_eq!(texts(source), [(1, "\"no\" string".to_owned())]);
}
