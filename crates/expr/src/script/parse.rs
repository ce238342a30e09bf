//! Tokens to a tree, by precedence. Whatever is not understood for certain ends the reading.

use super::calls::{self, Method};
use super::failure::{ScriptFailure, Unsupported, exception, unsupported};
use super::kind::Kind;
use super::locals::Locals;
use super::program::Program;
use super::token::{self, Part, Token};
use super::tree::{Node, Operator, Type};
use super::value::Value;
use super::{Language, Reading, Sight, number};
use token::Kind as Word;

/// Parentheses within parentheses, blocks within blocks: more than anyone writes, less than the stack holds.
const MAX_DEPTH: u32 = 30;

/// Operators and calls of one statement: evaluation goes as deep as there are.
const MAX_CHAIN: u32 = 200;

pub(super) fn parse(
    tokens: &[Token],
    language: Language,
    sight: Sight,
    given: &[&str],
    reading: Reading,
) -> Result<Program, ScriptFailure> {
    let mut parser = Parser {
        tokens,
        language,
        sight,
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
    pub(super) sight: Sight,
    reading: Reading,
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
            Some(Token { kind: Word::Mark(mark), .. }) if marks.contains(mark) => {
                self.tokens = &self.tokens[1..];
                Some(mark)
            }
            _ => None,
        }
    }

    pub(super) fn is_next(&self, mark: &str) -> bool {
        matches!(self.tokens.first(), Some(Token { kind: Word::Mark(found), .. }) if *found == mark)
    }

    pub(super) fn take_word(&mut self, wanted: &str) -> bool {
        match self.tokens.first() {
            Some(Token { kind: Word::Word(word), .. }) if word == wanted => {
                self.tokens = &self.tokens[1..];
                true
            }
            _ => false,
        }
    }

    pub(super) fn name(&mut self) -> Result<String, ScriptFailure> {
        let Some((Token { kind: Word::Word(name), .. }, rest)) = self.tokens.split_first() else {
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
    pub(super) fn on_line(&self) -> Option<&'t Word> {
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
            node = Node::Choice(Box::new([node, yes, no]));
        } else if self.may_shorten() && self.take(&["?:"]).is_some() {
            self.choice_kind(&node)?;
            let no = self.choice()?;
            self.kind(&node).or(self.kind(&no)).ok_or_else(|| Unsupported::word("?:"))?;
            node = Node::Else(Box::new(node), Box::new(no));
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
            Word::Mark(found) => found == mark,
            Word::Word(found) => self.language.is_jexl() && !word.is_empty() && found == word,
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
            Some(Word::Word(word)) if self.language.is_jexl() => word.as_str(),
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

    fn member(&mut self) -> Result<Node, ScriptFailure> {
        let bare = matches!(self.tokens.first(), Some(Token { kind: Word::Number(_) | Word::Hole, .. }));
        let mut node = self.primary()?;
        if bare && self.is_next(".") && !matches!(self.language, Language::Groovy | Language::Jexl3) {
            return Err(unsupported("a method of a bare number needs a script engine"));
        }
        let with_safe = matches!(self.language, Language::Groovy | Language::Jexl3);
        loop {
            if self.language.has_statements() && matches!(self.on_line(), Some(Word::Mark("["))) {
                self.take(&["["]);
                self.longer()?;
                let at = self.argument("]")?;
                if (self.kind(&node), self.kind(&at)) != (Kind::Array, Kind::Int) {
                    return Err(Unsupported::word("[…]").into());
                }
                node = Node::Index(Box::new(node), Box::new(at));
                continue;
            }
            let safe = with_safe && self.take(&["?."]).is_some();
            if !safe && self.take(&["."]).is_none() {
                return self.stepped(node);
            }
            self.longer()?;
            let name = self.name()?;
            node = self.member_of(node, &name, safe)?;
        }
    }

    /// A method or property, whose name is taken.
    fn member_of(&mut self, node: Node, name: &str, safe: bool) -> Result<Node, ScriptFailure> {
        let of = self.kind(&node);
        let unknown = || Unsupported::word(format!(".{name}"));
        if self.take(&["("]).is_none() {
            if let (Kind::Text, "length", Language::JavaScript) = (of, name, self.language) {
                let (method, arguments) = (Method::LENGTH, Vec::new());
                return Ok(Node::Method { of: Box::new(node), method, arguments, safe });
            }
            return self.property_of(node, name, safe);
        }
        let arguments = self.arguments()?;
        let kinds: Vec<Kind> = arguments.iter().map(|argument| self.kind(argument)).collect();
        if of.is_object() {
            return self.method_of_object(node, name, arguments, &kinds, safe);
        }
        let method = calls::method(name, of, &kinds, self.language).ok_or_else(unknown)?;
        method.check(&arguments)?;
        Ok(Node::Method { of: Box::new(node), method, arguments, safe })
    }

    /// What stands between parentheses whose first is taken.
    pub(super) fn arguments(&mut self) -> Result<Vec<Node>, ScriptFailure> {
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

    /// What stands between parentheses or brackets whose first is taken: one value.
    pub(super) fn argument(&mut self, end: &'static str) -> Result<Node, ScriptFailure> {
        let node = self.choice()?;
        self.expect(end)?;
        Ok(node)
    }

    fn primary(&mut self) -> Result<Node, ScriptFailure> {
        if self.take(&["("]).is_some() {
            return self.parenthesis();
        }
        let Some((token, rest)) = self.tokens.split_first() else {
            return Err(exception("it ends too early"));
        };
        self.tokens = rest;
        match &token.kind {
            Word::Number(digits) => number::literal(digits, self.language).map(Node::Constant),
            Word::Text(text, single) => self.text(text, *single),
            Word::Joined(parts) => self.joined(parts),
            Word::Hole => Ok(Node::Hole),
            Word::Left(reference) => Ok(Node::Missing(reference.as_str().into())),
            Word::Word(word) => self.word(word),
            // Where a reference has no text, an operator stands alone: no engine can read that.
            Word::Mark("==" | "!=" | "<=" | ">=" | ">" | "&&" | "||" | ")") => {
                Err(exception(format!("{} is not expected here", show(Some(token)))))
            }
            Word::Mark(mark @ ("[" | "{")) => Err(Unsupported::word(mark).into()),
            Word::Mark(_) => Err(unsupported(format!("{} is not expected here", show(Some(token))))),
        }
    }

    /// A text of Groovy with values in it.
    fn joined(&mut self, parts: &'t [Part]) -> Result<Node, ScriptFailure> {
        let mut nodes = Vec::new();
        for part in parts {
            match part {
                Part::Text(text) if text.is_empty() => {}
                Part::Text(text) => nodes.push(Node::Constant(Value::own(text.as_str()))),
                Part::Code(tokens) => {
                    let after = std::mem::replace(&mut self.tokens, tokens);
                    let node = self.choice()?;
                    let left = std::mem::replace(&mut self.tokens, after);
                    if !left.is_empty() {
                        return Err(unsupported(format!("{} is not expected here", show(left.first()))));
                    }
                    self.shown(&node)?;
                    nodes.push(node);
                }
            }
        }
        Ok(Node::Joined(nodes))
    }

    fn text(&self, text: &str, single: bool) -> Result<Node, ScriptFailure> {
        let mut letters = text.chars();
        Ok(Node::Constant(match (single && self.language == Language::BeanShell, letters.next()) {
            (true, Some(c)) if letters.next().is_none() && c != super::HOLE => Value::Char(c),
            (true, _) => return Err(unsupported(format!("'{text}' is not one character"))),
            _ => Value::own(text),
        }))
    }

    fn word(&mut self, word: &str) -> Result<Node, ScriptFailure> {
        let javascript = self.language == Language::JavaScript;
        Ok(Node::Constant(match word {
            "true" => Value::Boolean(true),
            "false" => Value::Boolean(false),
            "null" => Value::Null,
            "undefined" if javascript => Value::Undefined,
            "NaN" if javascript => Value::Double(f64::NAN),
            "Infinity" if javascript => Value::Double(f64::INFINITY),
            _ => {
                if let Some(node) = self.local(word)? {
                    return Ok(node);
                }
                if let Some(node) = self.object(word)? {
                    return Ok(node);
                }
                if self.is_missing(word) {
                    return Ok(Node::Missing(word.into()));
                }
                let reason = format!("`{word}` needs a script engine; is it a text without quotes?");
                return Err(unsupported(reason));
            }
        }))
    }

    /// Whether a word that a reference left is no more than that to the engine: it throws when it gets there. In the plan
    /// itself such a word is refused.
    fn is_missing(&self, word: &str) -> bool {
        const CLASSES: [&str; 3] = ["URL", "URI", "UUID"];
        let alone = !["(", ".", "?.", "[", "{"].iter().any(|mark| self.is_next(mark));
        let operator = self.tokens.first().is_none_or(|token| matches!(token.kind, Word::Mark(_)));
        let upper = word.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit());
        let lower = word.starts_with(|c: char| c.is_ascii_lowercase());
        let globals =
            ["java", "javax", "org", "com", "edu", "net", "it", "eval", "escape", "unescape", "uneval"];
        let known = CLASSES.contains(&word) || globals.contains(&word) || is_reserved(word);
        let throws = self.language != Language::BeanShell;
        self.reading == Reading::Run && throws && alone && operator && (upper || lower) && !known
    }
}

/// Words of the languages' grammars, and names that mean something to their engines.
const RESERVED: &str = "
    new this super in instanceof typeof void delete function var return not and or eq ne lt gt le ge div mod
    empty size if else for while do switch case default try catch finally throw break continue def class int
    long double float boolean char byte short import package assert as static final let const with yield
    isNaN isFinite isXMLName decodeURI encodeURI decodeURIComponent encodeURIComponent parseInt parseFloat
    arguments out context engine binding metaClass vars props ctx log prev sampler threadName sampleResult
    sampleEvent args println print enum goto native null true false trait interface abstract public private
    protected extends implements throws volatile transient synchronized debugger export pragma property
";

fn is_reserved(word: &str) -> bool {
    RESERVED.split_ascii_whitespace().any(|known| known == word)
}

pub(super) fn show(token: Option<&Token>) -> String {
    match token.map(|token| &token.kind) {
        None => "the end".to_owned(),
        Some(Word::Number(digits)) => format!("`{digits}`"),
        Some(Word::Text(text, _)) => format!("`\"{text}\"`"),
        Some(Word::Joined(_)) => "a text".to_owned(),
        Some(Word::Word(word) | Word::Left(word)) => format!("`{word}`"),
        Some(Word::Mark(mark)) => format!("`{mark}`"),
        Some(Word::Hole) => "a reference".to_owned(),
    }
}
