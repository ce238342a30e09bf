//! Tokens of the scripts that people write for API clients. There is no engine: readers of formats
//! know the usual statements, and everything else is left out.

/// A script, and a place in it.
#[derive(Debug)]
pub(super) struct Scanner<'a> {
    script: &'a str,
    /// Bytes that have been read.
    pub(super) at: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(script: &'a str) -> Self {
        Self { script, at: 0 }
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.script[self.at..]
    }

    /// The text between two places.
    pub(super) fn between(&self, start: usize, end: usize) -> &'a str {
        &self.script[start..end]
    }

    /// Skips white space and comments.
    pub(super) fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            let comment = if rest[blank..].starts_with("//") {
                rest[blank..].find('\n').unwrap_or(rest.len() - blank)
            } else if rest[blank..].starts_with("/*") {
                rest[blank..].find("*/").map_or(rest.len() - blank, |end| end + 2)
            } else {
                0
            };
            self.at += blank + comment;
            if comment == 0 {
                return;
            }
        }
    }

    pub(super) fn is_end(&mut self) -> bool {
        self.skip();
        self.rest().is_empty()
    }

    /// Takes a text, if it is next.
    pub(super) fn take(&mut self, text: &str) -> Option<()> {
        self.skip();
        self.rest().starts_with(text).then(|| self.at += text.len())
    }

    /// Takes a text that no letter follows.
    pub(super) fn take_word(&mut self, word: &str) -> Option<()> {
        self.skip();
        let after = self.rest().strip_prefix(word)?;
        (!after.starts_with(is_part_of_name)).then(|| self.at += word.len())
    }

    /// Takes the first of some texts that is next.
    pub(super) fn take_any<'t>(&mut self, texts: &[&'t str]) -> Option<&'t str> {
        texts.iter().find(|text| self.take(text).is_some()).copied()
    }

    /// A name.
    pub(super) fn name(&mut self) -> Option<&'a str> {
        self.skip();
        let rest = self.rest();
        let end = rest.find(|c| !is_part_of_name(c)).unwrap_or(rest.len());
        let name = &rest[..end];
        let is_name = !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit());
        is_name.then(|| {
            self.at += end;
            name
        })
    }

    /// A text in quotes, without expressions in it.
    pub(super) fn string(&mut self) -> Option<String> {
        self.skip();
        let quote = self.rest().chars().next().filter(|c| ['"', '\'', '`'].contains(c))?;
        let mut text = String::new();
        let mut chars = self.rest()[1..].char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                c if c == quote => {
                    self.at += at + 2;
                    return Some(text);
                }
                '\\' => text.push(match chars.next()?.1 {
                    'n' => '\n',
                    't' => '\t',
                    c @ ('"' | '\'' | '`' | '\\') => c,
                    _ => return None,
                }),
                '$' | '\n' if quote == '`' || c == '\n' => return None,
                c => text.push(c),
            }
        }
        None
    }

    /// A text, number or boolean.
    pub(super) fn literal(&mut self) -> Option<String> {
        self.skip();
        if self.rest().starts_with(['"', '\'', '`']) {
            return self.string();
        }
        let text: String =
            self.rest().chars().take_while(|c| c.is_alphanumeric() || "-.".contains(*c)).collect();
        let is_known = text == "true" || text == "false" || text.parse::<f64>().is_ok();
        self.at += text.len();
        is_known.then_some(text)
    }

    /// What is below a value of JSON, as `.a[0]["b c"]`, in the spelling of JSONPath. A call, as of
    /// `hasOwnProperty`, is none.
    pub(super) fn path(&mut self) -> Option<String> {
        let mut path = String::new();
        loop {
            // A value that is not there is not found, with and without `?`.
            if self.rest().starts_with("?.") {
                self.at += 1;
            }
            if self.rest().starts_with(".[") {
                self.at += 1;
            }
            if self.rest().starts_with('.') {
                let name: String = self.rest()[1..].chars().take_while(|c| is_part_of_name(*c)).collect();
                let after = self.rest().get(1 + name.len()..).unwrap_or_default();
                // A number as text is the same text.
                if name == "toString" && after.starts_with("()") {
                    return Some(path);
                }
                // The caller takes it: the length of a list is not one of its members.
                if name == "length" {
                    return Some(path);
                }
                if name.is_empty() {
                    return None;
                }
                self.at += 1 + name.len();
                path.push('.');
                path.push_str(&name);
            } else if self.rest().starts_with('[') {
                self.at += 1;
                path.push_str(&self.index()?);
            } else if self.rest().starts_with('(') {
                return None;
            } else {
                return Some(path);
            }
        }
    }

    /// `0]` or `"name"]`.
    fn index(&mut self) -> Option<String> {
        let digits: String = self.rest().chars().take_while(char::is_ascii_digit).collect();
        let index = if digits.is_empty() {
            let name = self.string()?;
            if name.contains(['\'', '\\']) {
                return None;
            }
            format!("['{name}']")
        } else {
            self.at += digits.len();
            format!("[{digits}]")
        };
        self.take("]")?;
        Some(index)
    }

    /// Skips a statement that is not understood: up to its `;`, its line end outside of all
    /// brackets, or the `}` that ends the block around it.
    pub(super) fn skip_statement(&mut self) {
        let mut depth = 0_usize;
        let mut last = ' ';
        while let Some(c) = self.rest().chars().next() {
            match c {
                '"' | '\'' | '`' => self.skip_string(c),
                '/' if self.rest().starts_with("//") || self.rest().starts_with("/*") => {
                    // The end of the line may end the statement.
                    let rest = self.rest();
                    let end = if rest.starts_with("//") {
                        rest.find('\n')
                    } else {
                        rest.find("*/").map(|at| at + 2)
                    };
                    self.at += end.unwrap_or(rest.len());
                    continue;
                }
                '/' if "(,=:[!&|?{};".contains(last) => self.skip_regex(),
                '(' | '[' | '{' => {
                    depth += 1;
                    self.at += 1;
                }
                '}' if depth == 0 => return,
                ')' | ']' | '}' => {
                    depth = depth.saturating_sub(1);
                    self.at += 1;
                }
                ';' if depth == 0 => {
                    self.at += 1;
                    return;
                }
                '\n' if depth == 0 && self.ends_line(last) => return,
                c => self.at += c.len_utf8(),
            }
            last = if c.is_whitespace() { last } else { c };
        }
    }

    /// Whether a statement whose last character this is ends with its line.
    fn ends_line(&self, last: char) -> bool {
        let next = self.rest().trim_start();
        let continues = next.starts_with(['.', '+', '?', ':', '&', '|', '=', ',', '{', '(', '[', '*'])
            || next.starts_with("else")
            || next.starts_with("catch");
        !continues && !"+-*=,.?:&|<>(!".contains(last)
    }

    /// Skips what is in round brackets, with them.
    pub(super) fn skip_brackets(&mut self) -> Option<()> {
        self.skip();
        let mut depth = 0_usize;
        let mut last = '(';
        while let Some(c) = self.rest().chars().next() {
            match c {
                '"' | '\'' | '`' => self.skip_string(c),
                '/' if "(,=:[!&|?{};".contains(last) => self.skip_regex(),
                c => {
                    self.at += c.len_utf8();
                    match c {
                        '(' => depth += 1,
                        ')' if depth <= 1 => return Some(()),
                        ')' => depth -= 1,
                        _ if depth == 0 => return None,
                        _ => {}
                    }
                }
            }
            last = if c.is_whitespace() { last } else { c };
        }
        None
    }

    fn skip_string(&mut self, quote: char) {
        let mut is_escaped = false;
        for (at, c) in self.rest().char_indices().skip(1) {
            if c == quote && !is_escaped {
                self.at += at + 1;
                return;
            }
            is_escaped = c == '\\' && !is_escaped;
        }
        self.at = self.script.len();
    }

    fn skip_regex(&mut self) {
        self.at += 1;
        // Where none ends, it was a division.
        let _ = self.regex_source();
    }

    /// A regular expression after its first `/`, and its flags.
    pub(super) fn regex_source(&mut self) -> Option<(&'a str, &'a str)> {
        let rest = self.rest();
        let mut is_escaped = false;
        let mut in_class = false;
        for (at, c) in rest.char_indices() {
            match c {
                '\n' => return None,
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '[' => in_class = true,
                ']' => in_class = false,
                '/' if !in_class => {
                    let after = &rest[at + 1..];
                    let flags = after.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(after.len());
                    self.at += at + 1 + flags;
                    return Some((&rest[..at], &after[..flags]));
                }
                _ => {}
            }
        }
        None
    }
}

fn is_part_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_skipped_whole() {
        for (script, rest) in [
            ("a(b); c", " c"),
            ("if (a) { b; c } \n d", "\n d"),
            ("a\n  .b('}')\n  .c(`;\n`)\nd", "\nd"),
            ("x = /[/;]\\/}/.test(y); d", " d"),
            ("x = a / b; d", " d"),
            ("a // it's\n d", "\n d"),
            ("a /* ; */ b } c", "} c"),
            ("for (;;) {\n}\nelse {}\nd", "\nd"),
            ("a = '", ""),
        ] {
            let mut scanner = Scanner::new(script);
            scanner.skip_statement();
            assert_eq!(scanner.rest(), rest, "{script}");
        }
    }

    #[test]
    fn paths_are_those_of_json() {
        for (script, wanted) in [
            (".a[0]['b c'].d, x", Some(".a[0]['b c'].d")),
            ("?.a?.[1]", Some(".a[1]")),
            (".a()", None),
            (".a.length", Some(".a")),
            (".a[b]", None),
            ("['it\\'s']", None),
            (" ", Some("")),
        ] {
            assert_eq!(Scanner::new(script).path().as_deref(), wanted, "{script}");
        }
    }
}
