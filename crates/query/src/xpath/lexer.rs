//! Tokens of an expression, split as in Xalan (`org.apache.xpath.compiler.Lexer`): after its point,
//! a number continues like a name, so `1.5-1` is one token.

use super::XPathError;

pub(super) fn words(text: &str) -> Result<Vec<String>, XPathError> {
    let mut lexer = Lexer { text, words: Vec::new(), start: None, digits: false, colon: None };
    lexer.run()?;
    Ok(lexer.words)
}

struct Lexer<'t> {
    text: &'t str,
    words: Vec<String>,
    /// Where the current token began.
    start: Option<usize>,
    /// Whether it has digits only.
    digits: bool,
    /// Where its last colon is.
    colon: Option<usize>,
}

impl Lexer<'_> {
    fn run(&mut self) -> Result<(), XPathError> {
        let mut chars = self.text.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' | '\'' => {
                    self.flush(at);
                    let Some((end, _)) = chars.find(|&(_, other)| other == c) else {
                        let quote = if c == '"' { "double" } else { "single" };
                        let message = format!("misquoted literal... expected {quote} quote!");
                        return Err(XPathError::new(message));
                    };
                    self.words.push(self.text[at..=end].to_owned());
                }
                ' ' | '\t' | '\n' | '\r' => self.flush(at),
                '-' if self.start.is_some() && !self.digits => {}
                '@' | '-' | '(' | '[' | ')' | ']' | '|' | '/' | '*' | '+' | '=' | ',' | '\\' | '^' | '!'
                | '$' | '<' | '>' => {
                    self.flush(at);
                    self.words.push(c.to_string());
                }
                ':' if at > 0 && self.colon == Some(at - 1) => {
                    self.colon = None;
                    match self.start.take() {
                        Some(start) if start < at - 1 => self.words.push(self.text[start..at - 1].to_owned()),
                        _ => {}
                    }
                    self.words.push("::".to_owned());
                }
                _ => {
                    if c == ':' {
                        self.colon = Some(at);
                    }
                    if self.start.is_none() {
                        self.start = Some(at);
                        self.digits = c.is_ascii_digit();
                    } else if self.digits {
                        self.digits = c.is_ascii_digit();
                    }
                }
            }
        }
        self.flush(self.text.len());
        Ok(())
    }

    /// Ends the current token. A prefix, its colon and what follows are separate tokens.
    fn flush(&mut self, end: usize) {
        let colon = self.colon.take();
        let Some(start) = self.start.take() else { return };
        match colon {
            Some(colon) => {
                // A prefix without letters is looked up as any other.
                self.words.extend([&self.text[start..colon], ":"].map(str::to_owned));
                self.words.extend((colon + 1 < end).then(|| self.text[colon + 1..end].to_owned()));
            }
            None => self.words.push(self.text[start..end].to_owned()),
        }
    }
}
