//! Tokens to a tree, by precedence. Whatever is not understood for certain ends the reading.

use super::failure::{ScriptFailure, Unsupported, unsupported};
use super::locals::Locals;
use super::program::Program;
use super::token::{self, Token};
use super::tree::{Node, Operator, Type};
use super::value::Value;
use super::{BindingScope, Language, Reading};
use token::TokenKind;

/// Parentheses within parentheses, blocks within blocks: more than anyone writes, less than the stack holds.
const MAX_DEPTH: u32 = 30;

/// Operators and calls of one statement: evaluation goes as deep as there are.
const MAX_CHAIN: u32 = 200;

pub(super) fn parse(
    tokens: &[Token],
    language: Language,
    bindings: BindingScope,
    given: &[&str],
    reading: Reading,
) -> Result<Program, ScriptFailure> {
    let mut parser = Parser {
        tokens,
        language,
        bindings,
        reading,
        depth: 0,
        chain: 0,
        loops: 0,
        imports: Vec::new(),
        packages: Vec::new(),
        locals: Locals::new(given),
    };
    if language.has_statements() {
        return parser.program();
    }
    if language != Language::JavaScript {
        parser.take_word("return");
    }
    let node = match parser.tokens.first().map(|token| &token.kind) {
        None if language == Language::JavaScript => Node::Constant(Value::Undefined),
        None => Node::Constant(Value::Null),
        Some(_) => parser.choice()?,
    };
    while parser.take(&[";"]).is_some() {}
    parser.shown(&node)?;
    match parser.tokens.first() {
        None => Ok(Program::of(node)),
        Some(token) => Err(unsupported(format!("{} is not expected here", show(Some(token))))),
    }
}

pub(super) struct Parser<'t> {
    pub(super) tokens: &'t [Token],
    pub(super) language: Language,
    pub(super) bindings: BindingScope,
    pub(super) reading: Reading,
    pub(super) depth: u32,
    /// Operators and calls of the statement so far.
    pub(super) chain: u32,
    /// Loops around the statement.
    pub(super) loops: u32,
    /// Whole names of imported classes.
    pub(super) imports: Vec<String>,
    /// Packages that are imported as a whole.
    pub(super) packages: Vec<String>,
    pub(super) locals: Locals,
}

/// Binary operators from the loosest to the tightest, with the words that JEXL has for them.
const LEVELS: [&[(&str, &str, Operator)]; 4] = [
    &[
        ("==~", "", Operator::Matches),
        ("===", "", Operator::Same),
        ("!==", "", Operator::Different),
        ("==", "eq", Operator::Equal),
        ("!=", "ne", Operator::Unequal),
    ],
    &[
        ("<=", "le", Operator::AtMost),
        (">=", "ge", Operator::AtLeast),
        ("<", "lt", Operator::Less),
        (">", "gt", Operator::Greater),
        ("=~", "", Operator::Within),
        ("!~", "", Operator::NotWithin),
        ("=^", "", Operator::Starts),
        ("!^", "", Operator::NotStarts),
        ("=$", "", Operator::Ends),
        ("!$", "", Operator::NotEnds),
    ],
    &[("+", "", Operator::Add), ("-", "", Operator::Subtract)],
    &[("*", "", Operator::Multiply), ("/", "div", Operator::Divide), ("%", "mod", Operator::Remainder)],
];

/// Puts a sign before a node.
type Signed = fn(Box<Node>) -> Node;

/// The place of comparisons in [`LEVELS`].
const COMPARISONS: usize = 1;

impl<'t> Parser<'t> {
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

    pub(super) fn name(&mut self) -> Result<String, ScriptFailure> {
        let Some((Token { kind: TokenKind::Identifier(name), .. }, rest)) = self.tokens.split_first() else {
            return Err(unsupported(format!("a name is expected, not {}", show(self.tokens.first()))));
        };
        self.tokens = rest;
        Ok(name.clone())
    }

    pub(super) fn expect(&mut self, mark: &'static str) -> Result<(), ScriptFailure> {
        let found = show(self.tokens.first());
        self.take(&[mark])
            .map(|_| ())
            .ok_or_else(|| unsupported(format!("`{mark}` is expected, not {found}")))
    }

    /// The next token if it stands on the same line.
    pub(super) fn on_line(&self) -> Option<&'t TokenKind> {
        self.tokens.first().filter(|token| !token.on_new_line).map(|token| &token.kind)
    }

    /// Counts what evaluation goes deeper for.
    pub(super) fn longer(&mut self) -> Result<(), ScriptFailure> {
        self.chain += 1;
        if self.chain > MAX_CHAIN {
            return Err(unsupported(format!(
                "more than {MAX_CHAIN} operators and calls stand in one statement"
            )));
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

    /// `condition ? a : b`, `a ?: b`.
    pub(super) fn choice(&mut self) -> Result<Node, ScriptFailure> {
        self.deeper()?;
        let mut node = self.or()?;
        if self.take(&["?"]).is_some() {
            self.choice_kind(&node)?;
            let yes = self.choice()?;
            self.expect(":")?;
            let no = self.choice()?;
            self.kind(&yes).or(self.kind(&no)).ok_or_else(|| Unsupported::word("? :"))?;
            node = Node::Conditional(Box::new([node, yes, no]));
        } else if self.may_shorten() && self.take(&["?:"]).is_some() {
            self.choice_kind(&node)?;
            let no = self.choice()?;
            self.kind(&node).or(self.kind(&no)).ok_or_else(|| Unsupported::word("?:"))?;
            node = Node::Elvis(Box::new(node), Box::new(no));
        }
        self.depth -= 1;
        Ok(node)
    }

    fn may_shorten(&self) -> bool {
        self.language == Language::Groovy || self.language.is_jexl()
    }

    fn or(&mut self) -> Result<Node, ScriptFailure> {
        let mut left = self.and()?;
        while self.take(&["||"]).is_some() || (self.language.is_jexl() && self.take_word("or")) {
            self.longer()?;
            let right = self.and()?;
            self.condition_kind(&left)?;
            self.condition_kind(&right)?;
            left = Node::Or(Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Node, ScriptFailure> {
        let mut left = self.binary(0)?;
        while self.take(&["&&"]).is_some() || (self.language.is_jexl() && self.take_word("and")) {
            self.longer()?;
            let right = self.binary(0)?;
            self.condition_kind(&left)?;
            self.condition_kind(&right)?;
            left = Node::And(Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn binary(&mut self, level: usize) -> Result<Node, ScriptFailure> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.operand(level)?;
        while let Some((mark, operator)) = self.operator(operators)? {
            self.longer()?;
            let right = self.operand(level)?;
            self.operands(mark, operator, &left, &right)?;
            // How such a sign binds beside others of its level is Groovy's own.
            let chained = matches!(left, Node::Binary(..)) && level == 0 && operator == Operator::Matches;
            if chained || matches!(left, Node::Binary(Operator::Matches, ..)) {
                return Err(Unsupported::word(mark).into());
            }
            left = Node::Binary(operator, Box::new(left), Box::new(right));
            if level == COMPARISONS {
                left = self.cast(left)?;
            }
            // JEXL does not chain comparisons.
            if self.language.is_jexl() && level < 2 {
                break;
            }
        }
        Ok(left)
    }

    /// One side of an operator. What Groovy has between comparisons and sums, `a as Type`, is here.
    fn operand(&mut self, level: usize) -> Result<Node, ScriptFailure> {
        let node = self.binary(level + 1)?;
        if level == COMPARISONS { self.cast(node) } else { Ok(node) }
    }

    fn operator(
        &mut self,
        operators: &[(&'static str, &str, Operator)],
    ) -> Result<Option<(&'static str, Operator)>, ScriptFailure> {
        let Some(Token { kind, on_new_line }) = self.tokens.first() else { return Ok(None) };
        let found = operators.iter().find(|(mark, word, _)| match kind {
            TokenKind::Punctuator(found) => found == mark,
            TokenKind::Identifier(found) => self.language.is_jexl() && !word.is_empty() && found == word,
            _ => false,
        });
        let Some((mark, _, operator)) = found else { return Ok(None) };
        let missing = match operator {
            Operator::Same | Operator::Different => self.language != Language::JavaScript,
            Operator::Matches => self.language != Language::Groovy,
            Operator::Within | Operator::NotWithin => !self.language.is_jexl(),
            Operator::Starts | Operator::NotStarts | Operator::Ends | Operator::NotEnds => {
                self.language != Language::Jexl3
            }
            _ => false,
        };
        if missing {
            return Err(Unsupported::word(mark).into());
        }
        if *on_new_line && matches!(*mark, "+" | "-") && self.language == Language::Groovy {
            // The next statement begins.
            return Ok(None);
        }
        self.tokens = &self.tokens[1..];
        Ok(Some((mark, *operator)))
    }

    /// `a as Type`.
    fn cast(&mut self, mut node: Node) -> Result<Node, ScriptFailure> {
        while self.language == Language::Groovy && self.take_word("as") {
            let name = self.name()?;
            let cast = Type::named(&name).filter(|to| self.may_cast(&node, *to));
            let to = cast.ok_or_else(|| Unsupported::word(format!("as {name}")))?;
            node = Node::Cast(Box::new(node), to);
        }
        Ok(node)
    }

    pub(super) fn unary(&mut self) -> Result<Node, ScriptFailure> {
        let mut signs: Vec<(&'static str, Signed)> = Vec::new();
        loop {
            if self.take(&["!"]).is_some() || (self.language.is_jexl() && self.take_word("not")) {
                signs.push(("!", Node::Not));
            } else if self.take(&["-"]).is_some() {
                if self.language == Language::Groovy && !signs.is_empty() {
                    return Err(unsupported("signs before signs need a script engine"));
                }
                signs.push(("-", Node::Minus));
            } else if self.language != Language::Jexl2 && self.take(&["+"]).is_some() {
                signs.push(("+", Node::Plus));
            } else {
                break;
            }
            if signs.len() > MAX_DEPTH as usize {
                return Err(unsupported(format!("more than {MAX_DEPTH} signs follow each other")));
            }
        }
        let mut node = if let Some(node) = self.counted()? {
            node
        } else if let Some(operator) = self.stepping() {
            let node = self.member()?;
            self.step(node, operator, false)?
        } else {
            self.member()?
        };
        while let Some((mark, sign)) = signs.pop() {
            self.sign(mark, &node)?;
            node = sign(Box::new(node));
        }
        Ok(node)
    }

    /// `empty(a)` and `size(a)` of JEXL.
    fn counted(&mut self) -> Result<Option<Node>, ScriptFailure> {
        let word = match self.tokens.first().map(|token| &token.kind) {
            Some(TokenKind::Identifier(word)) if self.language.is_jexl() => word.as_str(),
            _ => return Ok(None),
        };
        let sign: Signed = match word {
            "empty" => Node::Empty,
            "size" => Node::Size,
            _ => return Ok(None),
        };
        self.take_word(word);
        self.expect("(")?;
        let node = self.argument(")")?;
        self.choice_kind(&node)?;
        self.sign(word, &node)?;
        // What it would belong to is not the same in both versions.
        if self.is_next(".") || self.is_next("?.") || self.is_next("[") {
            return Err(Unsupported::word(word).into());
        }
        Ok(Some(sign(Box::new(node))))
    }
}

pub(super) fn show(token: Option<&Token>) -> String {
    match token.map(|token| &token.kind) {
        None => "the end".to_owned(),
        Some(TokenKind::Number(digits)) => format!("`{digits}`"),
        Some(TokenKind::Text(text, _)) => format!("`\"{text}\"`"),
        Some(TokenKind::Interpolated(_)) => "a text".to_owned(),
        Some(TokenKind::Identifier(word) | TokenKind::Unresolved(word)) => format!("`{word}`"),
        Some(TokenKind::Punctuator(mark)) => format!("`{mark}`"),
        Some(TokenKind::Placeholder) => "a reference".to_owned(),
    }
}
