//! Bracketed classes in ORO's syntax.

use std::fmt::Write;

use super::classes::{perl_class, posix_class, push_literal};
use super::oro::Translator;

impl Translator {
    /// A bracketed class; the opening bracket is read.
    pub(super) fn class(&mut self) -> Result<(), String> {
        self.out.push('[');
        if self.eat('^') {
            self.out.push('^');
        }
        let mut first = true;
        loop {
            match self.peek() {
                None => return Err(unmatched_brackets()),
                Some(']') if !first => break,
                Some(_) => self.class_member()?,
            }
            first = false;
        }
        self.at += 1;
        self.out.push(']');
        Ok(())
    }

    /// One character, range or named class in brackets.
    fn class_member(&mut self) -> Result<(), String> {
        let Some(low) = self.class_char()? else { return Ok(()) };
        let is_range = self.peek() == Some('-') && self.chars.get(self.at + 1).is_some_and(|c| *c != ']');
        push_literal(&mut self.out, low);
        if is_range {
            self.at += 1;
            match self.class_char()? {
                Some(high) if high >= low => {
                    self.out.push('-');
                    push_literal(&mut self.out, high);
                }
                _ => return Err("Invalid [] range in expression.".into()),
            }
        }
        Ok(())
    }

    /// The next character in brackets; none if it was a named class, which is written out at once.
    fn class_char(&mut self) -> Result<Option<char>, String> {
        match self.next() {
            None => Err(unmatched_brackets()),
            Some('[') if self.peek() == Some(':') => Ok(self.posix()),
            Some('\\') => self.class_escape(),
            Some(c) => Ok(Some(c)),
        }
    }

    fn class_escape(&mut self) -> Result<Option<char>, String> {
        let Some(c) = self.peek() else { return Err(unmatched_brackets()) };
        if let Some(class) = perl_class(c) {
            self.at += 1;
            self.push_class(c.is_ascii_uppercase(), class);
            return Ok(None);
        }
        if c == 'b' {
            self.at += 1;
            return Ok(Some('\x08'));
        }
        Ok(Some(self.escaped_char()))
    }

    /// `[:name:]` in brackets; a bracket that only looks like one is itself.
    fn posix(&mut self) -> Option<char> {
        let rest: String = self.chars[self.at + 1..].iter().take(12).collect();
        let known = rest.split_once(":]").and_then(|(name, _)| {
            let (negated, plain) = name.strip_prefix('^').map_or((false, name), |plain| (true, plain));
            Some((negated, name.len() + 3, posix_class(plain)?))
        });
        let Some((negated, length, class)) = known else { return Some('[') };
        self.at += length;
        self.push_class(negated, class);
        None
    }

    fn push_class(&mut self, negated: bool, class: &str) {
        if negated {
            write!(self.out, "[^{class}]").expect("writing to a String cannot fail");
        } else {
            self.out.push_str(class);
        }
    }
}

fn unmatched_brackets() -> String {
    "Unmatched [] in expression.".into()
}
