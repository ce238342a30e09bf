//! The parts of an expression that no operator joins: literals, names, calls, methods.

use super::bindings::Reading;
use super::kind::Kind;
use super::language::Language;
use super::number;
use super::parse::{Expression, Parser, show};
use super::row::{Form, Row};
use super::rows;
use super::token::{Token, TokenKind};
use super::tree::Node;
use super::value::Value;
use crate::script_failure::{ScriptFailure, Unsupported, exception, unsupported};

impl<'t> Parser<'t> {
    pub(super) fn member(&mut self) -> Result<Expression, ScriptFailure> {
        let mut found = self.primary()?;
        while self.take(&["."]).is_some() {
            let name = self.name()?;
            found = self.member_of(found, name)?;
        }
        Ok(found)
    }

    /// A method or property, whose name is taken.
    fn member_of(&mut self, of: Expression, name: &str) -> Result<Expression, ScriptFailure> {
        if of.kind == Kind::LATER || of.kind == Kind::NULL {
            return Err(Unsupported::word(format!(".{name}")).into());
        }
        let form = if self.take(&["("]).is_some() { Form::Method } else { Form::Property };
        let mut parts = vec![of];
        if form == Form::Method {
            parts.extend(self.arguments()?);
        }
        if parts[0].kind.may_be(Kind::NULL) && !self.has_row(form, name, &parts) {
            // JEXL 3 continues with null.
            if self.language == Language::Jexl3 {
                return Err(unsupported(format!(
                    "`.{name}` of a value that may be null needs a script engine"
                )));
            }
            parts = parts
                .into_iter()
                .enumerate()
                .map(|(at, part)| if at == 0 { not_null(part) } else { part })
                .collect();
        }
        self.row(form, name, parts)
    }

    /// The content of parentheses whose opening one was consumed.
    fn arguments(&mut self) -> Result<Vec<Expression>, ScriptFailure> {
        let mut found = Vec::new();
        if self.take(&[")"]).is_some() {
            return Ok(found);
        }
        loop {
            found.push(self.choice()?);
            if self.take(&[","]).is_none() {
                self.expect(")")?;
                return Ok(found);
            }
        }
    }

    fn primary(&mut self) -> Result<Expression, ScriptFailure> {
        if self.take(&["("]).is_some() {
            let inner = self.choice()?;
            self.expect(")")?;
            return Ok(inner);
        }
        let all = self.tokens;
        let Some((token, rest)) = all.split_first() else { return Err(exception("unexpected end")) };
        self.tokens = rest;
        Ok(match &token.kind {
            TokenKind::Number(digits) => {
                let (value, kind) = number::literal(digits, self.language)?;
                if self.is_next(".") {
                    return Err(unsupported("a method of a bare number needs a script engine"));
                }
                Expression::of(Node::Constant(value), kind)
            }
            TokenKind::Text(text, is_single) => self.text(text, *is_single)?,
            TokenKind::Placeholder => Expression::of(Node::Later, Kind::LATER),
            TokenKind::Unresolved(reference) => missing(reference),
            TokenKind::Identifier(word) => self.word(word, all)?,
            // If a reference has no text, an operator has no operand: no engine can read that.
            TokenKind::Punctuator("==" | "!=" | "<=" | ">=" | ">" | "&&" | "||" | ")") => {
                return Err(exception(format!("{} is not expected here", show(Some(token)))));
            }
            TokenKind::Punctuator(mark) => return Err(Unsupported::word(mark).into()),
        })
    }

    fn text(&self, text: &str, is_single: bool) -> Result<Expression, ScriptFailure> {
        // A character of BeanShell.
        if is_single && self.language == Language::BeanShell {
            return Err(unsupported(format!("'{text}' needs a script engine")));
        }
        Ok(Expression::of(Node::Constant(Value::text(text)), Kind::TEXT))
    }

    /// The meaning of an identifier; `from` are the tokens that begin with it.
    fn word(&mut self, word: &str, from: &'t [Token]) -> Result<Expression, ScriptFailure> {
        let is_javascript = self.language == Language::JavaScript;
        let (value, kind) = match word {
            "true" | "false" => (Value::Boolean(word == "true"), Kind::BOOLEAN),
            "null" => (Value::Null, Kind::NULL),
            "undefined" if is_javascript => (Value::Undefined, Kind::UNDEFINED),
            "NaN" if is_javascript => (Value::Double(f64::NAN), Kind::DOUBLE),
            "Infinity" if is_javascript => (Value::Double(f64::INFINITY), Kind::DOUBLE),
            _ => return self.named(word, from),
        };
        Ok(Expression::of(Node::Constant(value), kind))
    }

    fn named(&mut self, word: &str, from: &'t [Token]) -> Result<Expression, ScriptFailure> {
        if let Some((slot, kind)) = self.locals.find(word) {
            return Ok(Expression::of(Node::Local(slot), kind));
        }
        for form in [Form::Call, Form::Field] {
            let known = rows::of_form(form, self.language)
                .filter(|row| row.is_in(self.bindings))
                .find_map(|row| after(row, from).map(|rest| (row.name, rest)));
            let Some((name, rest)) = known else { continue };
            self.tokens = rest;
            let parts = if form == Form::Call { self.arguments()? } else { Vec::new() };
            if matches!(name, "empty" | "size") {
                self.counted(&parts)?;
            }
            return self.row(form, name, parts);
        }
        if self.is_missing(word) {
            return Ok(missing(word));
        }
        if self.is_next(".") && rows::all().any(|row| row.name.starts_with(&format!("{word}."))) {
            let member = match self.tokens.get(1).map(|token| &token.kind) {
                Some(TokenKind::Identifier(member)) => member.as_str(),
                _ => "",
            };
            return Err(Unsupported::word(format!("{word}.{member}")).into());
        }
        Err(unsupported(format!("`{word}` needs a script engine; is it a text without quotes?")))
    }

    /// `empty(a)` and `size(a)` of JEXL, which hide that something is null; what a `.` after them
    /// belongs to is not the same in both versions.
    fn counted(&self, parts: &[Expression]) -> Result<(), ScriptFailure> {
        if self.is_next(".")
            || parts.iter().any(|part| part.throws || part.meets_null || part.kind == Kind::LATER)
        {
            return Err(unsupported("`empty` or `size` of this needs a script engine"));
        }
        Ok(())
    }

    /// Whether a word from a reference is an unknown name to the engine, which throws when it
    /// reaches it. In the plan itself such a word is refused.
    fn is_missing(&self, word: &str) -> bool {
        let alone = !["(", ".", "?.", "[", "{"].iter().any(|mark| self.is_next(mark));
        let operator = self.tokens.first().is_none_or(|token| matches!(token.kind, TokenKind::Punctuator(_)));
        let upper = word.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit());
        let lower = word.starts_with(|c: char| c.is_ascii_lowercase());
        let throws = self.language != Language::BeanShell;
        self.reading == Reading::Run && throws && alone && operator && (upper || lower) && !is_reserved(word)
    }
}

/// A value whose methods are called: null has none.
fn not_null(of: Expression) -> Expression {
    let kind = of.kind.without(Kind::NULL);
    let node = Node::NotNull(Box::new(of.node));
    Expression { node, kind, meets_null: true, throws: true }
}

fn missing(word: &str) -> Expression {
    let found = Expression::of(Node::Missing(word.to_owned()), Kind::LATER);
    Expression { meets_null: true, throws: true, ..found }
}

/// What follows the name of a row, and the `(` of a call; `None` if another name follows.
fn after<'t>(row: &Row, from: &'t [Token]) -> Option<&'t [Token]> {
    let mut rest = from;
    let mut next = |wanted: &dyn Fn(&TokenKind) -> bool| {
        let (token, tail) = rest.split_first()?;
        rest = tail;
        wanted(&token.kind).then_some(())
    };
    for (at, part) in row.name.split('.').enumerate() {
        if at > 0 {
            next(&|kind| *kind == TokenKind::Punctuator("."))?;
        }
        let (name, is_call) = match part.strip_suffix("()") {
            Some(name) => (name, true),
            None => (part, false),
        };
        next(&|kind| matches!(kind, TokenKind::Identifier(word) if word == name))?;
        if is_call {
            next(&|kind| *kind == TokenKind::Punctuator("("))?;
            next(&|kind| *kind == TokenKind::Punctuator(")"))?;
        }
    }
    if row.form == Form::Call {
        next(&|kind| *kind == TokenKind::Punctuator("("))?;
    }
    Some(rest)
}

/// Keywords of the languages, and names that have a meaning in their engines.
const RESERVED: &str = "
    new this super in instanceof typeof void delete function var return not and or eq ne lt gt le ge div mod
    empty size if else for while do switch case default try catch finally throw break continue def class int
    long double float boolean char byte short import package assert as static final let const with yield
    isNaN isFinite isXMLName decodeURI encodeURI decodeURIComponent encodeURIComponent parseInt parseFloat
    arguments out context engine binding metaClass vars props ctx log prev sampler threadName sampleResult
    sampleEvent args println print enum goto native null true false trait interface abstract public private
    protected extends implements throws volatile transient synchronized debugger export pragma property
    java javax org com edu net it eval escape unescape uneval URL URI UUID
";

fn is_reserved(word: &str) -> bool {
    RESERVED.split_ascii_whitespace().any(|known| known == word)
}
