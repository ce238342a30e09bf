//! Tokens to a tree, by precedence.

use super::calls::{self, Method};
use super::locals::Locals;
use super::program::Program;
use super::token::{Kind, Part, Token};
use super::tree::{Node, Operator, Type};
use super::value::Value;
use super::{Language, Sight, number};

/// Parentheses within parentheses, blocks within blocks: more than anyone writes, less than the stack holds.
const MAX_DEPTH: u32 = 30;

/// Operators and calls of one statement: evaluation goes as deep as there are.
const MAX_CHAIN: u32 = 200;

pub(super) fn parse(
    tokens: &[Token],
    language: Language,
    sight: Sight,
    given: &[&str],
) -> Result<Program, String> {
    let mut parser = Parser {
        tokens,
        language,
        sight,
        depth: 0,
        chain: 0,
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
    match parser.tokens.first() {
        None => Ok(Program::of(node)),
        Some(token) => Err(format!("{} is not expected here", show(Some(token)))),
    }
}

pub(super) struct Parser<'t> {
    pub(super) tokens: &'t [Token],
    pub(super) language: Language,
    pub(super) sight: Sight,
    pub(super) depth: u32,
    /// Operators and calls of the statement so far.
    pub(super) chain: u32,
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

/// The place of comparisons in [`LEVELS`].
const COMPARISONS: usize = 1;

impl<'t> Parser<'t> {
    pub(super) fn take(&mut self, marks: &[&'static str]) -> Option<&'static str> {
        match self.tokens.first() {
            Some(Token { kind: Kind::Mark(mark), .. }) if marks.contains(mark) => {
                self.tokens = &self.tokens[1..];
                Some(mark)
            }
            _ => None,
        }
    }

    pub(super) fn is_next(&self, mark: &str) -> bool {
        matches!(self.tokens.first(), Some(Token { kind: Kind::Mark(found), .. }) if *found == mark)
    }

    pub(super) fn take_word(&mut self, wanted: &str) -> bool {
        match self.tokens.first() {
            Some(Token { kind: Kind::Word(word), .. }) if word == wanted => {
                self.tokens = &self.tokens[1..];
                true
            }
            _ => false,
        }
    }

    pub(super) fn name(&mut self) -> Result<String, String> {
        let Some((Token { kind: Kind::Word(name), .. }, rest)) = self.tokens.split_first() else {
            return Err(format!("a name is expected, not {}", show(self.tokens.first())));
        };
        self.tokens = rest;
        Ok(name.clone())
    }

    pub(super) fn expect(&mut self, mark: &'static str) -> Result<(), String> {
        let found = show(self.tokens.first());
        self.take(&[mark]).map(|_| ()).ok_or_else(|| format!("`{mark}` is expected, not {found}"))
    }

    /// The next token if it stands on the same line.
    pub(super) fn on_line(&self) -> Option<&'t Kind> {
        self.tokens.first().filter(|token| !token.on_new_line).map(|token| &token.kind)
    }

    /// Counts what evaluation goes deeper for.
    pub(super) fn longer(&mut self) -> Result<(), String> {
        self.chain += 1;
        if self.chain > MAX_CHAIN {
            return Err(format!("more than {MAX_CHAIN} operators and calls stand in one statement"));
        }
        Ok(())
    }

    /// Goes one level down.
    pub(super) fn deeper(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("parentheses are nested more than {MAX_DEPTH} deep"));
        }
        Ok(())
    }

    /// `condition ? a : b`, `a ?: b`.
    pub(super) fn choice(&mut self) -> Result<Node, String> {
        self.deeper()?;
        let mut node = self.or()?;
        if self.take(&["?"]).is_some() {
            let yes = self.choice()?;
            self.expect(":")?;
            node = Node::Choice(Box::new([node, yes, self.choice()?]));
        } else if self.may_shorten() && self.take(&["?:"]).is_some() {
            node = Node::Else(Box::new(node), Box::new(self.choice()?));
        }
        self.depth -= 1;
        Ok(node)
    }

    fn may_shorten(&self) -> bool {
        self.language == Language::Groovy || self.language.is_jexl()
    }

    fn or(&mut self) -> Result<Node, String> {
        let mut left = self.and()?;
        while self.take(&["||"]).is_some() || (self.language.is_jexl() && self.take_word("or")) {
            self.longer()?;
            left = Node::Or(Box::new(left), Box::new(self.and()?));
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Node, String> {
        let mut left = self.binary(0)?;
        while self.take(&["&&"]).is_some() || (self.language.is_jexl() && self.take_word("and")) {
            self.longer()?;
            left = Node::And(Box::new(left), Box::new(self.binary(0)?));
        }
        Ok(left)
    }

    fn binary(&mut self, level: usize) -> Result<Node, String> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.operand(level)?;
        while let Some(operator) = self.operator(operators)? {
            self.longer()?;
            let listed =
                matches!(operator, Operator::Within | Operator::NotWithin) && self.take(&["["]).is_some();
            let right = if listed { self.list()? } else { self.operand(level)? };
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

    /// One side of an operator. What Groovy has between comparisons and sums, `a..b` and `a as Type`, is here.
    fn operand(&mut self, level: usize) -> Result<Node, String> {
        let node = self.binary(level + 1)?;
        if level != COMPARISONS || self.language != Language::Groovy {
            return Ok(node);
        }
        if self.take(&[".."]).is_some() {
            let end = self.binary(level + 1)?;
            return Ok(Node::Range(Box::new(node), Box::new(end)));
        }
        self.cast(node)
    }

    fn operator(&mut self, operators: &[(&'static str, &str, Operator)]) -> Result<Option<Operator>, String> {
        let Some(Token { kind, on_new_line }) = self.tokens.first() else { return Ok(None) };
        let found = operators.iter().find(|(mark, word, _)| match kind {
            Kind::Mark(found) => found == mark,
            Kind::Word(found) => self.language.is_jexl() && !word.is_empty() && found == word,
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
            return Err(format!("`{mark}` needs a script engine"));
        }
        if *on_new_line && matches!(*mark, "+" | "-") && self.language == Language::Groovy {
            // The next statement begins.
            return Ok(None);
        }
        self.tokens = &self.tokens[1..];
        Ok(Some(*operator))
    }

    /// `a as Type`.
    fn cast(&mut self, mut node: Node) -> Result<Node, String> {
        while self.language == Language::Groovy && self.take_word("as") {
            let name = self.name()?;
            let to = Type::named(&name).ok_or_else(|| format!("`as {name}` needs a script engine"))?;
            node = Node::Cast(Box::new(node), to);
        }
        Ok(node)
    }

    pub(super) fn unary(&mut self) -> Result<Node, String> {
        let mut signs: Vec<fn(Box<Node>) -> Node> = Vec::new();
        loop {
            if self.take(&["!"]).is_some() || (self.language.is_jexl() && self.take_word("not")) {
                signs.push(Node::Not);
            } else if self.take(&["-"]).is_some() {
                if self.language == Language::Groovy && !signs.is_empty() {
                    return Err("signs before signs need a script engine".to_owned());
                }
                signs.push(Node::Minus);
            } else if self.language != Language::Jexl2 && self.take(&["+"]).is_some() {
                signs.push(Node::Plus);
            } else if self.language.is_jexl() && self.take_word("empty") {
                signs.push(Node::Empty);
            } else if self.language.is_jexl() && self.take_word("size") {
                if self.language == Language::Jexl2 && !self.is_next("(") {
                    return Err("`(` is expected after `size`".to_owned());
                }
                signs.push(Node::Size);
            } else {
                break;
            }
            if signs.len() > MAX_DEPTH as usize {
                return Err(format!("more than {MAX_DEPTH} signs follow each other"));
            }
        }
        if let Some(operator) = self.stepping() {
            let node = self.member()?;
            let node = self.step(node, operator, false)?;
            return Ok(signs.into_iter().rev().fold(node, |node, sign| sign(Box::new(node))));
        }
        let node = self.member()?;
        Ok(signs.into_iter().rev().fold(node, |node, sign| sign(Box::new(node))))
    }

    fn member(&mut self) -> Result<Node, String> {
        let bare = matches!(self.tokens.first(), Some(Token { kind: Kind::Number(_) | Kind::Hole, .. }));
        let mut node = self.primary()?;
        if bare && self.is_next(".") && !matches!(self.language, Language::Groovy | Language::Jexl3) {
            return Err("a method of a bare number needs a script engine".to_owned());
        }
        let with_safe = matches!(self.language, Language::Groovy | Language::Jexl3);
        loop {
            if self.language.has_statements() && matches!(self.on_line(), Some(Kind::Mark("["))) {
                self.take(&["["]);
                self.longer()?;
                node = Node::Index(Box::new(node), Box::new(self.argument("]")?));
                continue;
            }
            let safe = with_safe && self.take(&["?."]).is_some();
            if !safe && self.take(&["."]).is_none() {
                return self.stepped(node);
            }
            self.longer()?;
            let name = self.name()?;
            node = self.member_of(node, name, safe)?;
        }
    }

    /// A method or property, whose name is taken.
    fn member_of(&mut self, node: Node, name: String, safe: bool) -> Result<Node, String> {
        let unknown = || format!("`.{name}` needs a script engine");
        let closes = self.language == Language::Groovy && matches!(self.on_line(), Some(Kind::Mark("{")));
        if !closes && self.take(&["("]).is_none() {
            if self.language.has_statements() {
                return self.property_of(node, name, safe);
            }
            if name != "length" || self.language != Language::JavaScript {
                return Err(unknown());
            }
            let (method, name) = (Some(Method::LENGTH), name.into());
            return Ok(Node::Method { of: Box::new(node), method, name, arguments: Vec::new(), safe });
        }
        let mut arguments = if closes { Vec::new() } else { self.arguments()? };
        if self.language == Language::Groovy && matches!(self.on_line(), Some(Kind::Mark("{"))) {
            arguments.push(self.closure()?);
        }
        let method = calls::method(&name, arguments.len(), self.language);
        if method.is_none() && !(self.language.has_statements() && super::members::is_known(&name)) {
            return Err(unknown());
        }
        Ok(Node::Method { of: Box::new(node), method, name: name.into(), arguments, safe })
    }

    /// What stands between parentheses whose first is taken.
    pub(super) fn arguments(&mut self) -> Result<Vec<Node>, String> {
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
    pub(super) fn argument(&mut self, end: &'static str) -> Result<Node, String> {
        let node = self.choice()?;
        self.expect(end)?;
        Ok(node)
    }

    fn primary(&mut self) -> Result<Node, String> {
        if self.take(&["("]).is_some() {
            return self.parenthesis();
        }
        let Some((token, rest)) = self.tokens.split_first() else {
            return Err("it ends too early".to_owned());
        };
        self.tokens = rest;
        match &token.kind {
            Kind::Number(digits) => number::literal(digits, self.language).map(Node::Constant),
            Kind::Text(text, single) => self.text(text, *single),
            Kind::Joined(parts) => self.joined(parts),
            Kind::Hole => Ok(Node::Hole),
            Kind::Word(word) => self.word(word),
            Kind::Mark("[") if self.language == Language::Groovy => self.brackets(),
            Kind::Mark("{") if self.language == Language::Groovy => self.closure_inside(),
            Kind::Mark(_) => Err(format!("{} is not expected here", show(Some(token)))),
        }
    }

    /// A text of Groovy with values in it.
    fn joined(&mut self, parts: &'t [Part]) -> Result<Node, String> {
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
                        return Err(format!("{} is not expected here", show(left.first())));
                    }
                    nodes.push(node);
                }
            }
        }
        Ok(Node::Joined(nodes))
    }

    fn text(&self, text: &str, single: bool) -> Result<Node, String> {
        let mut letters = text.chars();
        Ok(Node::Constant(match (single && self.language == Language::BeanShell, letters.next()) {
            (true, Some(c)) if letters.next().is_none() && c != super::HOLE => Value::Char(c),
            (true, _) => return Err(format!("'{text}' is not one character")),
            _ => Value::own(text),
        }))
    }

    fn word(&mut self, word: &str) -> Result<Node, String> {
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
                let unknown = || format!("`{word}` needs a script engine; is it a text without quotes?");
                return self.object(word)?.ok_or_else(unknown);
            }
        }))
    }
}

pub(super) fn show(token: Option<&Token>) -> String {
    match token.map(|token| &token.kind) {
        None => "the end".to_owned(),
        Some(Kind::Number(digits)) => format!("`{digits}`"),
        Some(Kind::Text(text, _)) => format!("`\"{text}\"`"),
        Some(Kind::Joined(_)) => "a text".to_owned(),
        Some(Kind::Word(word)) => format!("`{word}`"),
        Some(Kind::Mark(mark)) => format!("`{mark}`"),
        Some(Kind::Hole) => "a reference".to_owned(),
    }
}
