//! From words to an expression: here what words there are, below the parts of the grammar.

mod calls;
mod operators;
mod paths;

use super::lexer::{self, Word};
use super::{Found, XPath2, fault};

const AT_START: &str = "at start of expression";

pub(super) fn parse(text: &str, namespaces: &[(String, String)]) -> Found<XPath2> {
    let words = lexer::words(text)?;
    let mut parser = Parser {
        words: &words,
        at: 0,
        declared: namespaces,
        namespaces: Vec::new(),
        variables: Vec::new(),
        depth: 0,
    };
    let expr = parser.sequence()?;
    if parser.at < words.len() {
        return fault(format!("Unexpected token {} beyond end of expression", parser.shown()));
    }
    Ok(XPath2 { expr, namespaces: parser.namespaces })
}

struct Parser<'w> {
    words: &'w [Word],
    at: usize,
    declared: &'w [(String, String)],
    namespaces: Vec<String>,
    variables: Vec<String>,
    depth: usize,
}

impl<'w> Parser<'w> {
    fn word(&self) -> Option<&'w Word> {
        self.words.get(self.at)
    }

    fn name(&self) -> Option<&'w str> {
        match self.word() {
            Some(Word::Name(name)) => Some(name),
            _ => None,
        }
    }

    fn is(&self, symbol: &str) -> bool {
        self.is_ahead(0, symbol)
    }

    fn is_ahead(&self, count: usize, symbol: &str) -> bool {
        matches!(self.words.get(self.at + count), Some(Word::Symbol(found)) if *found == symbol)
    }

    fn is_name(&self, name: &str) -> bool {
        self.name() == Some(name)
    }

    fn take(&mut self, symbol: &str) -> bool {
        let is_there = self.is(symbol);
        self.at += usize::from(is_there);
        is_there
    }

    fn take_name(&mut self, name: &str) -> bool {
        let is_there = self.is_name(name);
        self.at += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, symbol: &str) -> Found<()> {
        if self.take(symbol) {
            Ok(())
        } else {
            fault(format!("expected \"{symbol}\", found {}", self.shown()))
        }
    }

    fn expect_name(&mut self, name: &str) -> Found<()> {
        if self.take_name(name) {
            Ok(())
        } else {
            fault(format!("expected \"{name}\", found {}", self.shown()))
        }
    }

    /// The next word as Saxon shows it.
    fn shown(&self) -> String {
        match self.word() {
            None => "\"<eof>\"".to_owned(),
            Some(Word::Name(name)) => format!("name \"{name}\""),
            Some(Word::Number(_)) => "\"<numeric-literal>\"".to_owned(),
            Some(Word::Text(_)) => "\"<string-literal>\"".to_owned(),
            Some(Word::Variable(_)) => "\"$\"".to_owned(),
            Some(Word::Symbol(symbol)) => format!("\"{symbol}\""),
        }
    }
}
