//! Casts and parentheses.

use super::Language;
use super::failure::{ScriptFailure, Unsupported};
use super::parse::Parser;
use super::token::{Token, TokenKind};
use super::tree::{Node, Type};

impl Parser<'_> {
    /// Whether `a.b) -` stands here: Groovy takes that for a cast.
    fn is_path_before_sign(&self) -> bool {
        let in_path =
            |token: &&Token| matches!(token.kind, TokenKind::Identifier(_) | TokenKind::Punctuator("."));
        let length = self.tokens.iter().take_while(in_path).count();
        let sign = matches!(
            self.tokens.get(length..length + 2),
            Some([
                Token { kind: TokenKind::Punctuator(")"), .. },
                Token { kind: TokenKind::Punctuator("-" | "+"), .. }
            ])
        );
        length > 1 && sign
    }

    /// What stands between parentheses whose first is taken: a cast, or a value.
    pub(super) fn parenthesis(&mut self) -> Result<Node, ScriptFailure> {
        if self.language == Language::Groovy && self.is_path_before_sign() {
            return Err(Unsupported::word("( )").into());
        }
        let [
            Token { kind: TokenKind::Identifier(name), .. },
            Token { kind: TokenKind::Punctuator(")"), .. },
            next,
            ..,
        ] = self.tokens
        else {
            return self.argument(")");
        };
        let starts = matches!(
            next.kind,
            TokenKind::Identifier(_)
                | TokenKind::Number(_)
                | TokenKind::Text(..)
                | TokenKind::Interpolated(_)
                | TokenKind::Punctuator("(")
                | TokenKind::Placeholder
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
                Ok(Node::CastPrefix(Box::new(node), to))
            }
            _ => self.argument(")"),
        }
    }
}
