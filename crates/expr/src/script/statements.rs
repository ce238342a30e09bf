//! Parses statements of Groovy and BeanShell: values, declarations, assignments, `if`.

use super::bindings::{BindingScope, ElementKind};
use super::kind::Kind;
use super::language::Language;
use super::parse::{Expression, Parser, show};
use super::token::{Token, TokenKind};
use super::tree::Statement;
use crate::script_failure::{ScriptFailure, Unsupported, unsupported};

impl Parser<'_> {
    /// The whole script.
    pub(super) fn script(&mut self) -> Result<Vec<Statement>, ScriptFailure> {
        let body = self.statements(false)?;
        self.last_is_shown(&body)?;
        if self.throws && self.exception_is_shown() {
            return Err(unsupported("the text of an exception that it may throw needs a script engine"));
        }
        Ok(body)
    }

    /// Whether the script's value is used.
    fn value_is_shown(&self) -> bool {
        use ElementKind::{Sampler, Timer};
        !matches!(self.bindings, BindingScope::Element(kind) if !matches!(kind, Sampler | Timer))
    }

    /// Whether the text of an exception gets into a sample.
    fn exception_is_shown(&self) -> bool {
        use ElementKind::{Assertion, Sampler};
        matches!(self.bindings, BindingScope::Element(Sampler | Assertion))
    }

    /// What a declaration, an assignment or an `if` gives is left to the engine.
    fn last_is_shown(&self, body: &[Statement]) -> Result<(), ScriptFailure> {
        match body.last() {
            Some(Statement::Set { .. } | Statement::If { .. }) if self.value_is_shown() => {
                Err(unsupported("the value of its last statement needs a script engine"))
            }
            _ => Ok(()),
        }
    }

    /// Statements up to the end, or to the `}` of a block.
    fn statements(&mut self, in_block: bool) -> Result<Vec<Statement>, ScriptFailure> {
        let mut body = Vec::new();
        loop {
            while self.take(&[";"]).is_some() {}
            if self.tokens.is_empty() || in_block && self.is_next("}") {
                return Ok(body);
            }
            body.extend(self.statement(in_block)?);
        }
    }

    /// A statement; none if it only tells something to the reader (`import`).
    fn statement(&mut self, in_block: bool) -> Result<Option<Statement>, ScriptFailure> {
        self.chain = 0;
        if self.take_word("import") {
            self.import()?;
            return self.end().map(|()| None);
        }
        if self.take_word("if") {
            return self.if_statement().map(Some);
        }
        let set = match self.declaration()? {
            None => self.assignment()?,
            declaration => declaration,
        };
        if set.is_some() {
            self.end()?;
            return Ok(set);
        }
        let returns = self.take_word("return");
        let value = self.choice()?;
        self.end()?;
        let is_last = !in_block && self.tokens.is_empty();
        if returns && !is_last {
            return Err(unsupported("`return` before the last statement needs a script engine"));
        }
        if is_last && self.value_is_shown() && !value.kind.is_shown() {
            return Err(unsupported("the text of this object needs a script engine"));
        }
        Ok(Some(Statement::Value(self.taken(value).node)))
    }

    /// Notes what an expression may do.
    fn taken(&mut self, value: Expression) -> Expression {
        self.throws |= value.throws;
        value
    }

    /// The end of a statement: `;`, in Groovy also a new line, and what encloses it.
    fn end(&mut self) -> Result<(), ScriptFailure> {
        if self.take(&[";"]).is_some() {
            return Ok(());
        }
        let first = self.tokens.first();
        let ends = first.is_none_or(|first| first.on_new_line) || self.is_next("}");
        if ends && self.language == Language::Groovy {
            return Ok(());
        }
        Err(unsupported(format!("{} here needs a script engine", show(first))))
    }

    /// `import a.b.C` of a class that rows need.
    fn import(&mut self) -> Result<(), ScriptFailure> {
        let mut path = self.name()?.to_owned();
        while self.take(&["."]).is_some() {
            path = format!("{path}.{}", self.name()?);
        }
        if !super::rows::all().any(|row| row.import == path) {
            return Err(unsupported(format!("`{path}` needs a script engine")));
        }
        self.imports.push(path);
        Ok(())
    }

    /// `if` whose keyword was consumed.
    fn if_statement(&mut self) -> Result<Statement, ScriptFailure> {
        self.expect("(")?;
        let condition = self.choice()?;
        self.expect(")")?;
        self.condition(&condition)?;
        let condition = self.taken(condition).node;
        let yes = self.block()?;
        let no = match self.take_word("else") {
            true if self.take_word("if") => {
                self.deeper()?;
                let no = vec![self.if_statement()?];
                self.higher();
                no
            }
            true => self.block()?,
            false => Vec::new(),
        };
        Ok(Statement::If { condition, yes, no })
    }

    fn block(&mut self) -> Result<Vec<Statement>, ScriptFailure> {
        self.expect("{")?;
        self.deeper()?;
        self.locals.enter();
        let body = self.statements(true)?;
        self.locals.leave();
        self.higher();
        self.expect("}")?;
        Ok(body)
    }

    /// `Type name = value`; `None` if the statement is not a declaration.
    fn declaration(&mut self) -> Result<Option<Statement>, ScriptFailure> {
        let identifier = |at: usize| match self.tokens.get(at) {
            Some(Token { kind: TokenKind::Identifier(word), on_new_line }) => Some((word, *on_new_line)),
            _ => None,
        };
        let (Some((type_name, _)), Some((name, false))) = (identifier(0), identifier(1)) else {
            return Ok(None);
        };
        let Some(declared) = declared(type_name, self.language) else { return Ok(None) };
        self.tokens = &self.tokens[2..];
        if self.is_taken(name) {
            return Err(unsupported(format!("a second `{name}` needs a script engine")));
        }
        if self.take(&["="]).is_none() {
            return Err(unsupported(format!("`{name}` without a value needs a script engine")));
        }
        let value = self.choice()?;
        let value = self.taken(value);
        let fits = value.kind.is_plain() && value.kind != Kind::LATER && value.kind.is_within(declared.takes);
        if !fits {
            return Err(unsupported(format!("this value of `{name}` needs a script engine")));
        }
        let slot = self.locals.declare(name, declared.holds.unwrap_or(value.kind));
        Ok(Some(Statement::Set { slot, value: value.node }))
    }

    /// Whether a name means something already.
    fn is_taken(&self, name: &str) -> bool {
        const BINDINGS: [&str; 9] =
            ["vars", "props", "ctx", "log", "OUT", "prev", "sampler", "SampleResult", "AssertionResult"];
        BINDINGS.contains(&name) || self.locals.find(name).is_some()
    }

    /// `name = value` of a variable whose kind is known; none if the statement is none.
    fn assignment(&mut self) -> Result<Option<Statement>, ScriptFailure> {
        let [
            Token { kind: TokenKind::Identifier(name), .. },
            Token { kind: TokenKind::Punctuator("="), .. },
            rest @ ..,
        ] = self.tokens
        else {
            return Ok(None);
        };
        let (slot, kind) = self.locals.find(name).ok_or_else(|| Unsupported::word(format!("{name} =")))?;
        self.tokens = rest;
        let value = self.choice()?;
        let value = self.taken(value);
        if !value.kind.is_within(kind) {
            return Err(unsupported(format!("this value of `{name}` needs a script engine")));
        }
        Ok(Some(Statement::Set { slot, value: value.node }))
    }
}

/// What the type of a declaration takes, and what its variable holds then: none if that is the kind
/// of its first value.
struct DeclaredType {
    takes: Kind,
    holds: Option<Kind>,
}

fn declared(name: &str, language: Language) -> Option<DeclaredType> {
    let any = Kind::MAYBE_TEXT.or(Kind::INTEGRAL).or(Kind::BOOLEAN);
    let of = |takes| DeclaredType { takes, holds: Some(takes) };
    Some(match (name, language) {
        ("String", _) => of(Kind::MAYBE_TEXT),
        ("int" | "Integer", _) => of(Kind::INT),
        ("long" | "Long", _) => of(Kind::LONG),
        ("boolean" | "Boolean", _) => of(Kind::BOOLEAN),
        ("def", Language::Groovy) => DeclaredType { takes: any, holds: None },
        _ => return None,
    })
}
