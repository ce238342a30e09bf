//! Parses tokens to a tree of expressions, by precedence. Anything without a row in the table ends
//! the parsing.

use super::bindings::{BindingScope, Reading};
use super::kind::Kind;
use super::language::Language;
use super::locals::Locals;
use super::row::Form;
use super::rows;
use super::token::{Token, TokenKind};
use super::tree::{Node, Statement};
use super::value::Value;
use super::{groovy, javascript, jexl};
use crate::script_failure::{ScriptFailure, Unsupported, unsupported};

/// Parentheses within parentheses, blocks within blocks: more than anyone writes, less than the
/// stack holds.
const MAX_DEPTH: u32 = 30;

/// Operators and calls of one statement: evaluation goes as deep as there are.
const MAX_CHAIN: u32 = 200;

/// A parsed expression.
pub(super) struct Expression {
    pub(super) node: Node,
    pub(super) kind: Kind,
    /// Something within it takes what may be null: JEXL 3 hides that before `?`.
    pub(super) meets_null: bool,
    /// It may throw an exception of Java.
    pub(super) throws: bool,
}

impl Expression {
    pub(super) fn of(node: Node, kind: Kind) -> Self {
        Self { node, kind, meets_null: false, throws: false }
    }

    /// The same with what one of its parts may do.
    pub(super) fn with(self, part: &Self) -> Self {
        let meets_null = self.meets_null || part.meets_null || part.kind.may_be(Kind::NULL);
        Self { meets_null, throws: self.throws || part.throws, ..self }
    }
}

pub(super) struct Parser<'t> {
    pub(super) tokens: &'t [Token],
    pub(super) language: Language,
    pub(super) bindings: BindingScope,
    pub(super) reading: Reading,
    depth: u32,
    /// Operators and calls of the statement so far.
    pub(super) chain: u32,
    /// Whole names of imported classes.
    pub(super) imports: Vec<String>,
    pub(super) locals: Locals,
    /// A statement may throw.
    pub(super) throws: bool,
}

/// Binary operators from the loosest to the tightest, with JEXL's names for them.
const LEVELS: [&[(&str, &str)]; 4] = [
    &[("===", ""), ("!==", ""), ("==", "eq"), ("!=", "ne")],
    &[("<=", "le"), (">=", "ge"), ("<", "lt"), (">", "gt")],
    &[("+", ""), ("-", "")],
    &[("*", ""), ("/", "div"), ("%", "mod")],
];

/// The place of comparisons in [`LEVELS`].
const COMPARISONS: usize = 1;

/// How `&&` and `||` are made.
type JoinOperator = fn(Box<Node>, Box<Node>) -> Node;

impl<'t> Parser<'t> {
    pub(super) fn new(
        tokens: &'t [Token],
        language: Language,
        bindings: BindingScope,
        reading: Reading,
        locals: Locals,
    ) -> Self {
        let depth = 0;
        let chain = 0;
        let imports = Vec::new();
        let throws = false;
        Self { tokens, language, bindings, reading, depth, chain, imports, locals, throws }
    }

    pub(super) fn take(&mut self, marks: &[&'static str]) -> Option<&'static str> {
        match self.tokens.first() {
            Some(Token { kind: TokenKind::Punctuator(mark), .. }) if marks.contains(mark) => {
                self.tokens = &self.tokens[1..];
                Some(mark)
            }
            _ => None,
        }
    }

    pub(super) fn is_next(&self, mark: &str) -> bool {
        matches!(self.tokens.first(), Some(Token { kind: TokenKind::Punctuator(found), .. }) if *found == mark)
    }

    pub(super) fn take_word(&mut self, wanted: &str) -> bool {
        match self.tokens.first() {
            Some(Token { kind: TokenKind::Identifier(word), .. }) if word == wanted => {
                self.tokens = &self.tokens[1..];
                true
            }
            _ => false,
        }
    }

    pub(super) fn name(&mut self) -> Result<&'t str, ScriptFailure> {
        let Some((Token { kind: TokenKind::Identifier(name), .. }, rest)) = self.tokens.split_first() else {
            return Err(unsupported(format!("a name is expected, not {}", show(self.tokens.first()))));
        };
        self.tokens = rest;
        Ok(name)
    }

    pub(super) fn expect(&mut self, mark: &'static str) -> Result<(), ScriptFailure> {
        let found = show(self.tokens.first());
        let taken = self.take(&[mark]);
        taken.map(|_| ()).ok_or_else(|| unsupported(format!("`{mark}` is expected, not {found}")))
    }

    /// Counts what evaluation goes deeper for.
    pub(super) fn longer(&mut self) -> Result<(), ScriptFailure> {
        self.chain += 1;
        if self.chain > MAX_CHAIN {
            let reason = format!("a statement has more than {MAX_CHAIN} operators and calls");
            return Err(unsupported(reason));
        }
        Ok(())
    }

    /// Goes one level down.
    pub(super) fn deeper(&mut self) -> Result<(), ScriptFailure> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(unsupported(format!("parentheses are nested more than {MAX_DEPTH} deep")));
        }
        Ok(())
    }

    pub(super) fn higher(&mut self) {
        self.depth -= 1;
    }

    /// The whole script of a language that has no statements here.
    pub(super) fn only_expression(&mut self) -> Result<Vec<Statement>, ScriptFailure> {
        if self.language.is_jexl() {
            self.take_word("return");
        }
        let node = match self.tokens.first() {
            None if self.language == Language::JavaScript => Node::Constant(Value::Undefined),
            None => Node::Constant(Value::Null),
            Some(_) => {
                let value = self.choice()?;
                if self.language.is_jexl() && value.kind.may_be(Kind::DOUBLE) {
                    return Err(unsupported("the digits of a fraction need a script engine"));
                }
                value.node
            }
        };
        while self.take(&[";"]).is_some() {}
        match self.tokens.first() {
            None => Ok(vec![Statement::Value(node)]),
            next => Err(unsupported(format!("{} is not expected here", show(next)))),
        }
    }

    /// `condition ? a : b`, `a ?: b`.
    pub(super) fn choice(&mut self) -> Result<Expression, ScriptFailure> {
        self.deeper()?;
        let condition = self.or()?;
        let choice = if self.take(&["?"]).is_some() {
            self.condition(&condition)?;
            let yes = self.choice()?;
            self.expect(":")?;
            let no = self.choice()?;
            let kind = yes.kind.joined(no.kind).ok_or_else(|| Unsupported::word("? :"))?;
            let found = Expression::of(Node::Later, kind).with(&condition).with(&yes).with(&no);
            let node = Node::Conditional(Box::new([condition.node, yes.node, no.node]));
            Expression { node, ..found }
        } else if self.may_shorten() && self.take(&["?:"]).is_some() {
            self.condition(&condition)?;
            let no = self.choice()?;
            let kept = condition.kind.without(Kind::NULL);
            let kind = kept.joined(no.kind).ok_or_else(|| Unsupported::word("?:"))?;
            let found = Expression::of(Node::Later, kind).with(&condition).with(&no);
            Expression { node: Node::Elvis(Box::new(condition.node), Box::new(no.node)), ..found }
        } else {
            condition
        };
        self.higher();
        Ok(choice)
    }

    fn may_shorten(&self) -> bool {
        self.language == Language::Groovy || self.language.is_jexl()
    }

    /// Whether an expression is allowed before `?` and in `if`.
    pub(super) fn condition(&self, condition: &Expression) -> Result<(), ScriptFailure> {
        let is_hidden = self.language == Language::Jexl3 && condition.meets_null;
        if !is_hidden && condition.kind.fits(self.truth_kinds()) {
            return Ok(());
        }
        Err(unsupported("this condition needs a script engine"))
    }

    /// What counts as true or false.
    fn truth_kinds(&self) -> Kind {
        match self.language {
            Language::JavaScript => javascript::TRUTH,
            Language::Groovy => groovy::TRUTH,
            Language::Jexl2 | Language::Jexl3 => jexl::TRUTH,
            Language::BeanShell => Kind::BOOLEAN,
        }
    }

    fn or(&mut self) -> Result<Expression, ScriptFailure> {
        let mut left = self.and()?;
        while self.take(&["||"]).is_some() || (self.language.is_jexl() && self.take_word("or")) {
            let right = self.and()?;
            left = self.joined(left, right, Node::Or, "||")?;
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Expression, ScriptFailure> {
        let mut left = self.binary(0)?;
        while self.take(&["&&"]).is_some() || (self.language.is_jexl() && self.take_word("and")) {
            let right = self.binary(0)?;
            left = self.joined(left, right, Node::And, "&&")?;
        }
        Ok(left)
    }

    fn joined(
        &mut self,
        left: Expression,
        right: Expression,
        joins: JoinOperator,
        mark: &str,
    ) -> Result<Expression, ScriptFailure> {
        self.longer()?;
        let fits = [left.kind, right.kind].iter().all(|kind| kind.fits(self.truth_kinds()));
        let kind = match self.language {
            // One of its sides.
            Language::JavaScript => left.kind.joined(right.kind),
            _ => Some(Kind::BOOLEAN),
        };
        let kind = kind.filter(|_| fits).ok_or_else(|| Unsupported::word(mark))?;
        let found = Expression::of(Node::Later, kind).with(&left).with(&right);
        Ok(Expression { node: joins(Box::new(left.node), Box::new(right.node)), ..found })
    }

    fn binary(&mut self, level: usize) -> Result<Expression, ScriptFailure> {
        if level == LEVELS.len() {
            return self.unary();
        }
        let mut left = self.operand(level)?;
        while let Some(mark) = self.operator(LEVELS[level]) {
            let right = self.operand(level)?;
            left = self.row(Form::Between, mark, vec![left, right])?;
            if level == COMPARISONS {
                left = self.cast(left)?;
            }
            // JEXL does not chain comparisons.
            if self.language.is_jexl() && level <= COMPARISONS {
                break;
            }
        }
        Ok(left)
    }

    /// One side of an operator. What Groovy has between comparisons and sums, `a as Type`, is here.
    fn operand(&mut self, level: usize) -> Result<Expression, ScriptFailure> {
        let found = self.binary(level + 1)?;
        if level == COMPARISONS { self.cast(found) } else { Ok(found) }
    }

    fn operator(&mut self, operators: &[(&'static str, &str)]) -> Option<&'static str> {
        let Token { kind, on_new_line } = self.tokens.first()?;
        let (mark, _) = operators.iter().find(|(mark, word)| match kind {
            TokenKind::Punctuator(found) => found == mark,
            TokenKind::Identifier(found) => self.language.is_jexl() && !word.is_empty() && found == word,
            _ => false,
        })?;
        // The next statement of Groovy begins.
        if *on_new_line && matches!(*mark, "+" | "-") && self.language == Language::Groovy {
            return None;
        }
        self.tokens = &self.tokens[1..];
        Some(mark)
    }

    /// `a as Type`.
    fn cast(&mut self, mut of: Expression) -> Result<Expression, ScriptFailure> {
        while self.language == Language::Groovy && self.take_word("as") {
            let name = format!("as {}", self.name()?);
            of = self.row(Form::Cast, &name, vec![of])?;
        }
        Ok(of)
    }

    fn unary(&mut self) -> Result<Expression, ScriptFailure> {
        let mut signs: Vec<&'static str> = Vec::new();
        loop {
            if self.language.is_jexl() && self.take_word("not") {
                signs.push("!");
            } else if let Some(mark) = self.take(&["!", "-", "+"]) {
                // `- -1` and `-2147483648` are Groovy's and BeanShell's own.
                if mark != "!" && !signs.is_empty() {
                    return Err(unsupported("repeated signs need a script engine"));
                }
                signs.push(mark);
            } else {
                break;
            }
            if signs.len() > MAX_DEPTH as usize {
                return Err(unsupported(format!("more than {MAX_DEPTH} signs in a row")));
            }
        }
        let mut found = self.member()?;
        while let Some(mark) = signs.pop() {
            found = self.row(Form::Before, mark, vec![found])?;
        }
        Ok(found)
    }

    /// Whether the table has a row for values.
    pub(super) fn has_row(&self, form: Form, name: &str, parts: &[Expression]) -> bool {
        let kinds: Vec<Kind> = parts.iter().map(|part| part.kind).collect();
        rows::find(form, name, &kinds, self.language, self.bindings).is_some()
    }

    /// What a row of the table makes of values.
    pub(super) fn row(
        &mut self,
        form: Form,
        name: &str,
        parts: Vec<Expression>,
    ) -> Result<Expression, ScriptFailure> {
        self.longer()?;
        let kinds: Vec<Kind> = parts.iter().map(|part| part.kind).collect();
        let found = rows::find(form, name, &kinds, self.language, self.bindings);
        let found = found.ok_or_else(|| refused(form, name, &kinds))?;
        let import = found.row.import;
        if !import.is_empty() && !self.imports.iter().any(|name| name == import) {
            return Err(unsupported(format!("`{name}` without `import {import}` needs a script engine")));
        }
        let mut whole = Expression::of(Node::Later, found.gives);
        whole.throws = found.row.throws();
        let whole = parts.iter().fold(whole, Expression::with);
        let node = Node::Call(found.row, parts.into_iter().map(|part| part.node).collect());
        Ok(Expression { node, ..whole })
    }
}

/// Why no row matches.
fn refused(form: Form, name: &str, kinds: &[Kind]) -> ScriptFailure {
    let dot = if matches!(form, Form::Method | Form::Property) { "." } else { "" };
    if kinds.contains(&Kind::LATER) || kinds.is_empty() {
        return Unsupported::word(format!("{dot}{name}")).into();
    }
    let kinds: Vec<String> = kinds.iter().map(ToString::to_string).collect();
    unsupported(format!("`{dot}{name}` of {} needs a script engine", kinds.join(" and ")))
}

pub(super) fn show(token: Option<&Token>) -> String {
    match token.map(|token| &token.kind) {
        None => "the end".to_owned(),
        Some(TokenKind::Number(digits)) => format!("`{digits}`"),
        Some(TokenKind::Text(text, _)) => format!("`\"{text}\"`"),
        Some(TokenKind::Identifier(word) | TokenKind::Unresolved(word)) => format!("`{word}`"),
        Some(TokenKind::Punctuator(mark)) => format!("`{mark}`"),
        Some(TokenKind::Placeholder) => "a reference".to_owned(),
    }
}
