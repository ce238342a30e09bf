//! References in a script of Groovy that name a variable of the script itself: `def p = 'a'` and later `"${p}b"`. JMeter puts the value of
//! its own variable `p` there, if it has one. Else Groovy gets the reference, and makes a `GString`, which is no `String`: it equals none,
//! and is another key of a map.

use std::collections::HashSet;

use super::Language;
use super::token::{self, StringPart, Token, TokenKind};
use crate::template::Template;

/// Names that the script gives a value to before it refers to them. One that it refers to before, as in `def p = "${p}"`, is JMeter's.
pub(super) fn of(text: &Template, language: Language) -> HashSet<String> {
    if language != Language::Groovy {
        return HashSet::new();
    }
    // What cannot be read like this has no such references, or is refused anyway.
    let tokens =
        token::tokens(&text.script_shape_with(super::PLACEHOLDER, |_| true), language).unwrap_or_default();
    let mut names = Names::default();
    names.read(&tokens);
    let Names { own, of_jmeter, .. } = names;
    own.difference(&of_jmeter).cloned().collect()
}

#[derive(Default)]
struct Names {
    /// Set by statements that are over.
    set: HashSet<String>,
    /// Set by the statement that is read.
    being_set: Vec<String>,
    own: HashSet<String>,
    of_jmeter: HashSet<String>,
}

impl Names {
    fn read(&mut self, tokens: &[Token]) {
        for (at, token) in tokens.iter().enumerate() {
            if token.on_new_line || token.kind == TokenKind::Punctuator(";") {
                self.set.extend(self.being_set.drain(..));
            }
            match &token.kind {
                TokenKind::Identifier(name)
                    if tokens.get(at + 1).is_some_and(|next| next.kind == TokenKind::Punctuator("=")) =>
                {
                    self.being_set.push(name.clone());
                }
                TokenKind::Interpolated(parts) => parts.iter().for_each(|part| self.refer(part)),
                _ => {}
            }
        }
    }

    fn refer(&mut self, part: &StringPart) {
        let StringPart::Code(tokens) = part else { return };
        let [Token { kind: TokenKind::Identifier(name), .. }] = &tokens[..] else { return };
        let names = if self.set.contains(name) { &mut self.own } else { &mut self.of_jmeter };
        names.insert(name.clone());
    }
}
