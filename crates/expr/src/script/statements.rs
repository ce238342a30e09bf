//! Reading statements of Groovy and BeanShell.

use super::Language;
use super::classes;
use super::parse::{Parser, show};
use super::program::{Block, Case, Program, Statement};
use super::token::{Kind, Token};
use super::tree::{Declared, Node};

impl<'t> Parser<'t> {
    /// The whole script.
    pub(super) fn program(&mut self) -> Result<Program, String> {
        let body = self.statements(false)?;
        Ok(Program { body, places: self.locals.places })
    }

    /// Statements up to the end, or to the `}` of a block.
    pub(super) fn statements(&mut self, in_block: bool) -> Result<Block, String> {
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
    fn statement(&mut self) -> Result<Option<Statement>, String> {
        self.chain = 0;
        if self.take(&["{"]).is_some() {
            if self.language == Language::Groovy {
                return Err("a closure that stands alone needs a script engine".to_owned());
            }
            return self.block_inside().map(|body| Some(Statement::Block(body)));
        }
        let word = match self.tokens.first().map(|token| &token.kind) {
            Some(Kind::Word(word)) => word.as_str(),
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
        let is_keyword = matches!(
            word,
            "import" | "if" | "for" | "while" | "do" | "switch" | "return" | "break" | "continue" | "try"
        );
        is_keyword && self.take_word(word)
    }

    fn keyword(&mut self, word: &str) -> Result<Option<Statement>, String> {
        let statement = match word {
            "import" => {
                self.import()?;
                return self.end().map(|()| None);
            }
            "if" => self.if_statement()?,
            "for" => self.for_statement()?,
            "while" => {
                let condition = self.condition()?;
                Statement::While { condition, body: self.body()? }
            }
            "do" => {
                let body = self.body()?;
                if !self.take_word("while") {
                    return Err("`while` is expected after the body of `do`".to_owned());
                }
                let condition = self.condition()?;
                self.end()?;
                Statement::DoWhile { body, condition }
            }
            "switch" => self.switch_statement()?,
            "try" => self.try_statement()?,
            "return" => {
                let ends = self.on_line().is_none_or(|kind| matches!(kind, Kind::Mark(";" | "}")));
                let value = if ends { None } else { Some(self.choice()?) };
                self.end()?;
                Statement::Return(value)
            }
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
    fn end(&mut self) -> Result<(), String> {
        if self.take(&[";"]).is_some() {
            return Ok(());
        }
        let first = self.tokens.first();
        let ends = first.is_none_or(|first| first.on_new_line) || self.is_next("}");
        if ends && self.language == Language::Groovy {
            return Ok(());
        }
        Err(format!("{} is not expected here", show(first)))
    }

    /// `import a.b.C`, `import a.b.*`; classes that are not known are refused.
    fn import(&mut self) -> Result<(), String> {
        if self.take_word("static") {
            return Err("`import static` needs a script engine".to_owned());
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
            return Err(format!("`{path}` needs a script engine"));
        }
        self.imports.push(path);
        Ok(())
    }

    fn condition(&mut self) -> Result<Node, String> {
        self.expect("(")?;
        self.argument(")")
    }

    /// A block, or one statement.
    fn body(&mut self) -> Result<Block, String> {
        if self.take(&["{"]).is_some() {
            return self.block_inside();
        }
        if self.take(&[";"]).is_some() {
            // BeanShell breaks on it.
            return if self.language == Language::Groovy {
                Ok(Vec::new())
            } else {
                Err("an empty statement here needs a script engine".to_owned())
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
    fn block_inside(&mut self) -> Result<Block, String> {
        self.deeper()?;
        self.locals.enter();
        let body = self.statements(true);
        self.locals.leave();
        self.depth -= 1;
        let body = body?;
        self.expect("}")?;
        Ok(body)
    }

    fn if_statement(&mut self) -> Result<Statement, String> {
        let condition = self.condition()?;
        let yes = self.body()?;
        // `if (a) b; else c` has its `;` taken by then.
        let no = if self.take_word("else") { self.body()? } else { Vec::new() };
        Ok(Statement::If { condition, yes, no })
    }

    fn for_statement(&mut self) -> Result<Statement, String> {
        self.expect("(")?;
        self.locals.enter();
        let statement = self.for_inside();
        self.locals.leave();
        statement
    }

    fn for_inside(&mut self) -> Result<Statement, String> {
        if let Some(name) = self.each_name() {
            let of = self.argument(")")?;
            let place = self.locals.declare(&name, Declared::Anything);
            return Ok(Statement::Each { place, of, body: self.body()? });
        }
        let mut start = Vec::new();
        if !self.is_next(";") {
            start.push(match self.declaration()? {
                Some(declaration) => declaration,
                None => Statement::Value(self.statement_value()?),
            });
        }
        self.expect(";")?;
        let condition = if self.is_next(";") { None } else { Some(self.choice()?) };
        self.expect(";")?;
        let mut step = Vec::new();
        if !self.is_next(")") {
            step.push(Statement::Value(self.statement_value()?));
        }
        self.expect(")")?;
        Ok(Statement::For { start, condition, step, body: self.body()? })
    }

    /// `Type name in` or `Type name :` of a loop over values, taken if it is one.
    fn each_name(&mut self) -> Option<String> {
        for words in 1..=2 {
            let (heads, rest) = self.tokens.split_at_checked(words)?;
            let all_words = heads.iter().all(|token| matches!(token.kind, Kind::Word(_)));
            let follows = match rest.first().map(|token| &token.kind) {
                Some(Kind::Word(word)) => word == "in" && self.language == Language::Groovy,
                Some(Kind::Mark(mark)) => *mark == ":",
                _ => false,
            };
            if let (true, true, Some(Token { kind: Kind::Word(name), .. })) =
                (all_words, follows, heads.last())
            {
                self.tokens = &rest[1..];
                return Some(name.clone());
            }
        }
        None
    }

    fn switch_statement(&mut self) -> Result<Statement, String> {
        let of = self.condition()?;
        self.expect("{")?;
        self.deeper()?;
        self.locals.enter();
        let mut cases = Vec::new();
        while self.take(&["}"]).is_none() {
            let value = if self.take_word("default") {
                None
            } else if self.take_word("case") {
                self.chain = 0;
                Some(self.case_value()?)
            } else {
                return Err(format!("`case` is expected, not {}", show(self.tokens.first())));
            };
            self.expect(":")?;
            cases.push(Case { value, body: self.case_body()? });
        }
        self.locals.leave();
        self.depth -= 1;
        Ok(Statement::Switch { of, cases })
    }

    /// Only plain values: Groovy matches lists, classes and patterns, too.
    fn case_value(&mut self) -> Result<Node, String> {
        match self.choice()? {
            node @ (Node::Constant(_) | Node::Minus(_)) => Ok(node),
            _ => Err("this `case` needs a script engine".to_owned()),
        }
    }

    fn case_body(&mut self) -> Result<Block, String> {
        let mut body = Vec::new();
        loop {
            while self.take(&[";"]).is_some() {}
            let next_case = matches!(
                self.tokens.first(),
                Some(Token { kind: Kind::Word(word), .. }) if word == "case" || word == "default"
            );
            if next_case || self.is_next("}") || self.tokens.is_empty() {
                return Ok(body);
            }
            let statement = self.statement()?;
            body.extend(statement);
        }
    }

    /// `try { } catch (Exception e) { } finally { }`.
    fn try_statement(&mut self) -> Result<Statement, String> {
        self.expect("{")?;
        let body = self.block_inside()?;
        let mut caught = None;
        if self.take_word("catch") {
            self.expect("(")?;
            let mut name = self.name()?;
            if !self.is_next(")") {
                if !matches!(name.as_str(), "Exception" | "Throwable" | "def") {
                    return Err(format!("`catch ({name})` needs a script engine"));
                }
                name = self.name()?;
            }
            self.expect(")")?;
            self.locals.enter();
            let place = self.locals.declare(&name, Declared::Anything);
            let block = self.expect("{").and_then(|()| self.block_inside());
            self.locals.leave();
            caught = Some((place, block?));
        }
        let last = if self.take_word("finally") {
            self.expect("{")?;
            self.block_inside()?
        } else {
            Vec::new()
        };
        if self.tokens.first().is_some_and(|token| token.kind == Kind::Word("catch".to_owned())) {
            return Err("a second `catch` needs a script engine".to_owned());
        }
        Ok(Statement::Try { body, caught, last })
    }

    /// `Type name = value`, `Type name`; none if the statement is no declaration.
    pub(super) fn declaration(&mut self) -> Result<Option<Statement>, String> {
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
    fn declared_one(&mut self, declared: Declared) -> Result<Statement, String> {
        let name = self.name()?;
        let value = if self.take(&["="]).is_some() {
            let value = self.choice()?;
            Some(self.assigned(value)?)
        } else if !matches!(declared, Declared::Anything | Declared::Text) {
            return Err(format!("`{name}` without a value needs a script engine"));
        } else {
            None
        };
        let place = self.locals.declare(&name, declared);
        Ok(Statement::Declare { place, declared, value })
    }

    /// What a type says of a variable; classes in sight are taken at their word.
    fn declared_named(&self, name: &str) -> Option<Declared> {
        let class = || self.class_named(name).map(|_| Declared::Anything);
        Declared::named(name).or_else(class)
    }

    /// A class with its whole name that a name follows, with what comes after it.
    fn class_type(&self) -> Option<&'t [Token]> {
        let mut path = String::new();
        let mut rest = self.tokens;
        while let [Token { kind: Kind::Word(word), .. }, Token { kind: Kind::Mark("."), .. }, after @ ..] =
            rest
        {
            path = format!("{path}{word}.");
            rest = after;
        }
        let [Token { kind: Kind::Word(last), .. }, after @ ..] = rest else { return None };
        let is_class = !path.is_empty() && classes::is_there(&format!("{path}{last}"));
        let follows = matches!(after.first(), Some(Token { kind: Kind::Word(_), on_new_line: false }));
        (is_class && follows).then_some(after)
    }

    /// A type that a name follows, with what comes after it.
    fn declared_type(&self) -> Option<(Declared, &'t [Token])> {
        let (Token { kind: Kind::Word(name), .. }, mut rest) = self.tokens.split_first()? else {
            return None;
        };
        if let Some(rest) = self.class_type() {
            return Some((Declared::Anything, rest));
        }
        let bytes = name == "byte" && matches!(rest.first(), Some(Token { kind: Kind::Mark("["), .. }));
        let mut declared = if bytes { Declared::Anything } else { self.declared_named(name)? };
        if rest.first().is_some_and(|token| token.kind == Kind::Mark("<")) {
            let close = rest.iter().take(8).rposition(|token| token.kind == Kind::Mark(">"))?;
            rest = &rest[close + 1..];
        }
        if let [Token { kind: Kind::Mark("["), .. }, Token { kind: Kind::Mark("]"), .. }, after @ ..] = rest {
            (declared, rest) = (Declared::Anything, after);
        }
        let follows = matches!(rest.first(), Some(Token { kind: Kind::Word(_), on_new_line: false }));
        follows.then_some((declared, rest))
    }

    /// An expression that is a statement: a call, an assignment, a value.
    pub(super) fn statement_value(&mut self) -> Result<Node, String> {
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
