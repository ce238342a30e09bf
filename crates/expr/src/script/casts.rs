//! Casts and parentheses.

use super::Language;
use super::failure::{ScriptFailure, Unsupported};
use super::parse::Parser;
use super::token::{Kind as Word, Token};
use super::tree::{Node, Type};

impl Parser<'_> {
    /// Whether `a.b) -` stands here: Groovy takes that for a cast.
    fn is_path_before_sign(&self) -> bool {
        let in_path = |token: &&Token| matches!(token.kind, Word::Word(_) | Word::Mark("."));
        let length = self.tokens.iter().take_while(in_path).count();
        let sign = matches!(
            self.tokens.get(length..length + 2),
            Some([Token { kind: Word::Mark(")"), .. }, Token { kind: Word::Mark("-" | "+"), .. }])
        );
        length > 1 && sign
    }

    /// What stands between parentheses whose first is taken: a cast, or a value.
    pub(super) fn parenthesis(&mut self) -> Result<Node, ScriptFailure> {
        if self.language == Language::Groovy && self.is_path_before_sign() {
            return Err(Unsupported::word("( )").into());
        }
        let [Token { kind: Word::Word(name), .. }, Token { kind: Word::Mark(")"), .. }, next, ..] =
            self.tokens
        else {
            return self.argument(")");
        };
        let starts = matches!(
            next.kind,
            Word::Word(_) | Word::Number(_) | Word::Text(..) | Word::Joined(_) | Word::Mark("(") | Word::Hole
        );
        let known = Type::named(name).filter(|_| self.locals.find(name).is_none());
        match known {
            Some(to) if self.language.has_statements() && starts && !next.on_new_line => {
                let name = name.clone();
                self.tokens = &self.tokens[2..];
                self.longer()?;
                let node = self.unary()?;
                if !self.may_narrow(&node, to) {
                    return Err(Unsupported::word(format!("({name})")).into());
                }
                Ok(Node::Narrow(Box::new(node), to))
            }
            _ => self.argument(")"),
        }
    }
}
