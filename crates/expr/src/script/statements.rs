//! Reading statements of Groovy and BeanShell.

use super::classes;
use super::failure::{ScriptFailure, Unsupported, unsupported};
use super::parse::{Parser, show};
use super::program::{Block, Program, Statement};
use super::token::{Token, TokenKind};
use super::tree::{Declared, Node};
use super::value_type::ValueType;
use super::{BindingScope, Language};

impl<'t> Parser<'t> {
    /// The whole script.
    pub(super) fn program(&mut self) -> Result<Program, ScriptFailure> {
        let body = self.statements(false)?;
        if self.is_value_shown() {
            self.value_is_shown(&body)?;
        }
        Ok(Program { body, slots: self.locals.slots() })
    }

    /// Whether somebody sees the script's value.
    fn is_value_shown(&self) -> bool {
        use super::ElementKind::{Sampler, Timer};
        matches!(
            self.bindings,
            BindingScope::Objects | BindingScope::Empty | BindingScope::Element(Sampler | Timer)
        )
    }

    fn value_is_shown(&self, body: &Block) -> Result<(), ScriptFailure> {
        match body.last() {
            Some(Statement::Value(node)) => self.shown(node),
            Some(Statement::Declare { slot, .. }) if self.language == Language::Groovy => {
                let shown = self.locals.kind(*slot).is_shown();
                if shown { Ok(()) } else { Err(unsupported("the text of this object needs a script engine")) }
            }
            Some(Statement::If { yes, no, .. }) => self.value_is_shown(yes).and(self.value_is_shown(no)),
            Some(Statement::Block(body) | Statement::Several(body)) => self.value_is_shown(body),
            _ => Ok(()),
        }
    }

    /// Statements up to the end, or to the `}` of a block.
    pub(super) fn statements(&mut self, in_block: bool) -> Result<Block, ScriptFailure> {
        let mut body = Vec::new();
        loop {
            while self.take(&[";"]).is_some() {}
            if self.tokens.is_empty() || in_block && self.is_next("}") {
                return Ok(body);
            }
            let statement = self.statement()?;
            body.extend(statement);
        }
    }

    /// A statement; none if it only tells something to the reader (`import`).
    fn statement(&mut self) -> Result<Option<Statement>, ScriptFailure> {
        self.chain = 0;
        if self.take(&["{"]).is_some() {
            if self.language == Language::Groovy {
                return Err(unsupported("a closure that stands alone needs a script engine"));
            }
            return self.block_inside().map(|body| Some(Statement::Block(body)));
        }
        let word = match self.tokens.first().map(|token| &token.kind) {
            Some(TokenKind::Identifier(word)) => word.as_str(),
            _ => "",
        };
        if self.take_keyword(word) {
            return self.keyword(word);
        }
        let statement = match self.declaration()? {
            Some(declaration) => declaration,
            None => Statement::Value(self.statement_value()?),
        };
        self.end()?;
        Ok(Some(statement))
    }

    fn take_keyword(&mut self, word: &str) -> bool {
        let is_keyword =
            matches!(word, "import" | "if" | "for" | "while" | "do" | "return" | "break" | "continue");
        is_keyword && self.take_word(word)
    }

    fn keyword(&mut self, word: &str) -> Result<Option<Statement>, ScriptFailure> {
        let statement = match word {
            "import" => {
                self.import()?;
                return self.end().map(|()| None);
            }
            "if" => self.if_statement()?,
            "for" => self.for_statement()?,
            "while" => {
                let condition = self.condition()?;
                Statement::While { condition, body: self.loop_body()? }
            }
            "do" => {
                let body = self.loop_body()?;
                if !self.take_word("while") {
                    return Err(unsupported("`while` is expected after the body of `do`"));
                }
                let condition = self.condition()?;
                self.end()?;
                Statement::DoWhile { body, condition }
            }
            "return" => {
                let ends = self.on_line().is_none_or(|kind| matches!(kind, TokenKind::Punctuator(";" | "}")));
                let value = if ends { None } else { Some(self.choice()?) };
                if let Some(value) = value.as_ref().filter(|_| self.is_value_shown()) {
                    self.shown(value)?;
                }
                self.end()?;
                Statement::Return(value)
            }
            _ if self.loops == 0 => return Err(Unsupported::word(word).into()),
            "break" => {
                self.end()?;
                Statement::Break
            }
            _ => {
                self.end()?;
                Statement::Continue
            }
        };
        Ok(Some(statement))
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
        Err(unsupported(format!("{} is not expected here", show(first))))
    }

    /// `import a.b.C`, `import a.b.*`; classes that are not known are refused.
    fn import(&mut self) -> Result<(), ScriptFailure> {
        if self.take_word("static") {
            return Err(unsupported("`import static` needs a script engine"));
        }
        let mut path = self.name()?;
        while self.take(&["."]).is_some() {
            if self.take(&["*"]).is_some() {
                self.packages.push(path);
                return Ok(());
            }
            path = format!("{path}.{}", self.name()?);
        }
        if !classes::is_there(&path) {
            return Err(unsupported(format!("`{path}` needs a script engine")));
        }
        self.imports.push(path);
        Ok(())
    }

    fn condition(&mut self) -> Result<Node, ScriptFailure> {
        self.expect("(")?;
        let node = self.argument(")")?;
        self.condition_kind(&node)?;
        Ok(node)
    }

    /// The body of a loop.
    fn loop_body(&mut self) -> Result<Block, ScriptFailure> {
        self.loops += 1;
        let body = self.body();
        self.loops -= 1;
        body
    }

    /// A block, or one statement.
    fn body(&mut self) -> Result<Block, ScriptFailure> {
        if self.take(&["{"]).is_some() {
            return self.block_inside();
        }
        if self.take(&[";"]).is_some() {
            // BeanShell breaks on it.
            return if self.language == Language::Groovy {
                Ok(Vec::new())
            } else {
                Err(unsupported("an empty statement here needs a script engine"))
            };
        }
        self.deeper()?;
        self.locals.enter();
        let statement = self.statement();
        self.locals.leave();
        self.depth -= 1;
        Ok(statement?.into_iter().collect())
    }

    /// A block whose `{` is taken.
    fn block_inside(&mut self) -> Result<Block, ScriptFailure> {
        self.deeper()?;
        self.locals.enter();
        let body = self.statements(true);
        self.locals.leave();
        self.depth -= 1;
        let body = body?;
        self.expect("}")?;
        Ok(body)
    }

    fn if_statement(&mut self) -> Result<Statement, ScriptFailure> {
        let condition = self.condition()?;
        let yes = self.body()?;
        // `if (a) b; else c` has its `;` taken by then.
        let no = if self.take_word("else") { self.body()? } else { Vec::new() };
        Ok(Statement::If { condition, yes, no })
    }

    fn for_statement(&mut self) -> Result<Statement, ScriptFailure> {
        self.expect("(")?;
        self.locals.enter();
        let statement = self.for_inside();
        self.locals.leave();
        statement
    }

    fn for_inside(&mut self) -> Result<Statement, ScriptFailure> {
        let mut start = Vec::new();
        if !self.is_next(";") {
            start.push(match self.declaration()? {
                Some(declaration) => declaration,
                None => Statement::Value(self.statement_value()?),
            });
        }
        self.expect(";")?;
        let condition = if self.is_next(";") { None } else { Some(self.choice()?) };
        if let Some(condition) = &condition {
            self.condition_kind(condition)?;
        }
        self.expect(";")?;
        let mut step = Vec::new();
        if !self.is_next(")") {
            step.push(Statement::Value(self.statement_value()?));
        }
        self.expect(")")?;
        Ok(Statement::For { start, condition, step, body: self.loop_body()? })
    }

    /// `Type name = value`, `Type name`; none if the statement is no declaration.
    pub(super) fn declaration(&mut self) -> Result<Option<Statement>, ScriptFailure> {
        let before = self.tokens;
        while self.take_word("final") {}
        let Some((declared, rest)) = self.declared_type() else {
            self.tokens = before;
            return Ok(None);
        };
        self.tokens = rest;
        let first = self.declared_one(declared)?;
        if !self.is_next(",") {
            return Ok(Some(first));
        }
        let mut all = vec![first];
        while self.take(&[","]).is_some() {
            all.push(self.declared_one(declared)?);
        }
        Ok(Some(Statement::Several(all)))
    }

    /// `name = value` or `name` of a declaration.
    fn declared_one(&mut self, declared: Declared) -> Result<Statement, ScriptFailure> {
        let name = self.name()?;
        if super::objects::is_binding(&name, self.bindings) || self.locals.find(&name).is_some() {
            return Err(unsupported(format!("a second `{name}` needs a script engine")));
        }
        let value = if self.take(&["="]).is_some() {
            let value = self.choice()?;
            Some(self.assigned(value)?)
        } else if declared == Declared::Text {
            None
        } else {
            return Err(unsupported(format!("`{name}` without a value needs a script engine")));
        };
        let first = value.as_ref().map_or(ValueType::Null, |value| self.kind(value));
        if value.as_ref().is_some_and(|value| !declared.takes(first, value, self.language)) {
            return Err(unsupported(format!("this value of `{name}` needs a script engine")));
        }
        let slot = self.locals.declare(&name, declared, declared.kind(first));
        Ok(Statement::Declare { slot, declared, value })
    }

    /// A type that a name follows, with what comes after it.
    fn declared_type(&self) -> Option<(Declared, &'t [Token])> {
        let (Token { kind: TokenKind::Identifier(name), .. }, rest) = self.tokens.split_first()? else {
            return None;
        };
        let declared = Declared::named(name, self.language)?;
        if declared == Declared::Object(ValueType::Sample)
            && !self.is_imported("org.apache.jmeter.samplers", name)
        {
            return None;
        }
        let follows =
            matches!(rest.first(), Some(Token { kind: TokenKind::Identifier(_), on_new_line: false }));
        follows.then_some((declared, rest))
    }

    /// An expression that is a statement: a call, an assignment, a value.
    pub(super) fn statement_value(&mut self) -> Result<Node, ScriptFailure> {
        if let Some(node) = self.new_global()? {
            return Ok(node);
        }
        if let Some(node) = self.command()? {
            return Ok(node);
        }
        let node = self.choice()?;
        self.assigned(node)
    }
}
