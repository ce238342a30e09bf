//! The parts of an expression that no operator joins: literals, names, calls, members.

use super::failure::{ScriptFailure, Unsupported, exception, unsupported};
use super::methods::{self, Method};
use super::parse::{Parser, show};
use super::token::{StringPart, Token, TokenKind};
use super::tree::Node;
use super::value::Value;
use super::value_type::ValueType;
use super::{Language, Reading, number};

impl<'t> Parser<'t> {
    pub(super) fn member(&mut self) -> Result<Node, ScriptFailure> {
        let bare = matches!(
            self.tokens.first(),
            Some(Token { kind: TokenKind::Number(_) | TokenKind::Placeholder, .. })
        );
        let mut node = self.primary()?;
        if bare && self.is_next(".") && !matches!(self.language, Language::Groovy | Language::Jexl3) {
            return Err(unsupported("a method of a bare number needs a script engine"));
        }
        let with_safe = matches!(self.language, Language::Groovy | Language::Jexl3);
        loop {
            if self.language.has_statements() && matches!(self.on_line(), Some(TokenKind::Punctuator("["))) {
                self.take(&["["]);
                self.longer()?;
                let at = self.argument("]")?;
                if (self.kind(&node), self.kind(&at)) != (ValueType::Array, ValueType::Int) {
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
            if let (ValueType::Text, "length", Language::JavaScript) = (of, name, self.language) {
                let (method, arguments) = (Method::LENGTH, Vec::new());
                return Ok(Node::Method { of: Box::new(node), method, arguments, safe });
            }
            return self.property_of(node, name, safe);
        }
        let arguments = self.arguments()?;
        let kinds: Vec<ValueType> = arguments.iter().map(|argument| self.kind(argument)).collect();
        if of.is_object() {
            return self.method_of_object(node, name, arguments, &kinds, safe);
        }
        let method = methods::method(name, of, &kinds, self.language).ok_or_else(unknown)?;
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
            TokenKind::Number(digits) => number::literal(digits, self.language).map(Node::Constant),
            TokenKind::Text(text, single) => self.text(text, *single),
            TokenKind::Interpolated(parts) => self.joined(parts),
            TokenKind::Placeholder => Ok(Node::Placeholder),
            TokenKind::Unresolved(reference) => Ok(Node::Missing(reference.as_str().into())),
            TokenKind::Identifier(word) => self.word(word),
            // Where a reference has no text, an operator stands alone: no engine can read that.
            TokenKind::Punctuator("==" | "!=" | "<=" | ">=" | ">" | "&&" | "||" | ")") => {
                Err(exception(format!("{} is not expected here", show(Some(token)))))
            }
            TokenKind::Punctuator(mark @ ("[" | "{")) => Err(Unsupported::word(mark).into()),
            TokenKind::Punctuator(_) => {
                Err(unsupported(format!("{} is not expected here", show(Some(token)))))
            }
        }
    }

    /// A text of Groovy with values in it.
    fn joined(&mut self, parts: &'t [StringPart]) -> Result<Node, ScriptFailure> {
        let mut nodes = Vec::new();
        for part in parts {
            match part {
                StringPart::Text(text) if text.is_empty() => {}
                StringPart::Text(text) => nodes.push(Node::Constant(Value::literal(text.as_str()))),
                StringPart::Code(tokens) => {
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
        Ok(Node::Interpolated(nodes))
    }

    fn text(&self, text: &str, single: bool) -> Result<Node, ScriptFailure> {
        let mut letters = text.chars();
        Ok(Node::Constant(match (single && self.language == Language::BeanShell, letters.next()) {
            (true, Some(c)) if letters.next().is_none() && c != super::PLACEHOLDER => Value::Char(c),
            (true, _) => return Err(unsupported(format!("'{text}' is not one character"))),
            _ => Value::literal(text),
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
        let operator = self.tokens.first().is_none_or(|token| matches!(token.kind, TokenKind::Punctuator(_)));
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
