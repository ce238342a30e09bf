//! Parses tokens to an expression (`org.apache.xpath.compiler.XPathParser`).

use super::expression::{Axis, Expr, Operator, Start, Step, Test};
use super::function::Function;
use super::{XPath, XPathError, lexer, number};

/// Brackets in brackets.
const DEEPEST: usize = 64;

type Parsed<T> = Result<T, XPathError>;

pub(super) fn parse(text: &str) -> Parsed<XPath> {
    let words = lexer::words(text)?;
    if words.is_empty() {
        return fault("Empty expression!");
    }
    let mut parser = Parser { words: &words, at: 0, prefixes: Vec::new(), depth: 0 };
    let expr = parser.expr()?;
    if parser.at < words.len() {
        let extra: Vec<_> = words[parser.at..].iter().map(|word| format!("'{word}'")).collect();
        return fault(format!("Extra illegal tokens: {}", extra.join(", ")));
    }
    Ok(XPath { expr, prefixes: parser.prefixes })
}

fn fault<T>(message: impl Into<String>) -> Parsed<T> {
    Err(XPathError::new(message))
}

struct Parser<'w> {
    words: &'w [String],
    at: usize,
    prefixes: Vec<String>,
    depth: usize,
}

impl<'w> Parser<'w> {
    fn word(&self) -> Option<&'w str> {
        self.words.get(self.at).map(String::as_str)
    }

    fn ahead(&self, count: usize) -> Option<&'w str> {
        self.words.get(self.at + count).map(String::as_str)
    }

    /// The next token begins with a character, which is how Xalan compares signs.
    fn is(&self, c: char) -> bool {
        self.word().is_some_and(|word| word.starts_with(c))
    }

    fn is_word(&self, wanted: &str) -> bool {
        self.word() == Some(wanted)
    }

    fn take(&mut self, c: char) -> bool {
        let is_there = self.is(c);
        self.at += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, c: char) -> Parsed<()> {
        if self.take(c) {
            return Ok(());
        }
        fault(format!("Expected {c}, but found: {}", self.word().unwrap_or_default()))
    }

    fn expr(&mut self) -> Parsed<Expr> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return fault(format!("The expression is nested more than {DEEPEST} brackets deep"));
        }
        let mut parts = vec![self.and()?];
        while self.is_word("or") {
            self.at += 1;
            parts.push(self.and()?);
        }
        self.depth -= 1;
        Ok(single_or(parts, Expr::Or))
    }

    fn and(&mut self) -> Parsed<Expr> {
        let mut parts = vec![self.chain(0)?];
        while self.is_word("and") {
            self.at += 1;
            parts.push(self.chain(0)?);
        }
        Ok(single_or(parts, Expr::And))
    }

    /// Operators by how strongly they bind: 0 equality, 1 relation, 2 sums, 3 products.
    fn chain(&mut self, level: usize) -> Parsed<Expr> {
        if level > 3 {
            return self.unary();
        }
        let first = self.chain(level + 1)?;
        let mut rest = Vec::new();
        while let Some((operator, words)) = self.operator(level) {
            self.at += words;
            rest.push((operator, self.chain(level + 1)?));
        }
        Ok(if rest.is_empty() { first } else { Expr::Chain(Box::new(first), rest) })
    }

    /// The next operator, and its number of tokens.
    fn operator(&self, level: usize) -> Option<(Operator, usize)> {
        let word = self.word()?;
        let with_equals = self.ahead(1) == Some("=");
        Some(match (level, word) {
            (0, "!") if with_equals => (Operator::NotEqual, 2),
            (0, "=") => (Operator::Equal, 1),
            (1, "<") if with_equals => (Operator::LessOrEqual, 2),
            (1, "<") => (Operator::Less, 1),
            (1, ">") if with_equals => (Operator::GreaterOrEqual, 2),
            (1, ">") => (Operator::Greater, 1),
            (2, "+") => (Operator::Plus, 1),
            (2, "-") => (Operator::Minus, 1),
            (3, "*") => (Operator::Times, 1),
            (3, "div") => (Operator::Divide, 1),
            (3, "mod") => (Operator::Modulo, 1),
            (3, "quo") => (Operator::Quotient, 1),
            _ => return None,
        })
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let negative = self.take('-');
        let mut parts = vec![self.path()?];
        while self.take('|') {
            parts.push(self.path()?);
        }
        let union = single_or(parts, Expr::Union);
        Ok(if negative { Expr::Negative(Box::new(union)) } else { union })
    }

    fn path(&mut self) -> Parsed<Expr> {
        let Some(primary) = self.primary()? else { return self.location() };
        let predicates = self.predicates()?;
        if self.take('/') {
            let Some(mut steps) = self.relative()? else {
                return fault("A relative location path was expected following the '/' or '//' token.");
            };
            for step in &mut steps {
                step.whole_names = false;
            }
            return Ok(Expr::Path(Start::Filter(Box::new(primary), predicates), steps));
        }
        Ok(if predicates.is_empty() {
            primary
        } else {
            Expr::Path(Start::Filter(Box::new(primary), predicates), Vec::new())
        })
    }

    fn predicates(&mut self) -> Parsed<Vec<Expr>> {
        let mut predicates = Vec::new();
        while self.take('[') {
            predicates.push(self.expr()?);
            self.expect(']')?;
        }
        Ok(predicates)
    }

    fn primary(&mut self) -> Parsed<Option<Expr>> {
        let Some(word) = self.word() else { return Ok(None) };
        let mut chars = word.chars();
        let first = chars.next().unwrap_or(' ');
        let second = chars.next();
        Ok(Some(match first {
            '"' | '\'' => {
                self.at += 1;
                Expr::Literal(unquoted(word).to_owned())
            }
            '$' => {
                self.at += 1;
                let name = self.word().unwrap_or("$").to_owned();
                self.at += 1;
                Expr::Variable(name)
            }
            '(' => {
                self.at += 1;
                let inner = self.expr()?;
                self.expect(')')?;
                inner
            }
            _ if first.is_ascii_digit() || (first == '.' && second.is_some_and(|c| c.is_ascii_digit())) => {
                self.at += 1;
                let Some(value) = number::literal(word) else {
                    return fault(format!("{word} could not be formatted to a number!"));
                };
                Expr::Number(value)
            }
            _ if self.ahead(1) == Some("(") => return self.call(word),
            _ if self.ahead(1) == Some(":") && self.ahead(3) == Some("(") => {
                return fault(format!(
                    "Could not find function: {word}:{}",
                    self.ahead(2).unwrap_or_default()
                ));
            }
            _ => return Ok(None),
        }))
    }

    fn call(&mut self, name: &str) -> Parsed<Option<Expr>> {
        if matches!(name, "node" | "text" | "comment" | "processing-instruction") {
            return Ok(None);
        }
        let Some(function) = Function::find(name) else {
            return fault(format!("Could not find function: {name}"));
        };
        self.at += 2;
        let mut arguments = Vec::new();
        while !self.is(')') && self.word().is_some() {
            if self.is(',') {
                return fault("Found ',' but no preceding argument!");
            }
            arguments.push(self.expr()?);
            if !self.is(')') {
                self.expect(',')?;
                if self.is(')') {
                    return fault("Found ',' but no following argument!");
                }
            }
        }
        self.expect(')')?;
        function.check_count(arguments.len())?;
        Ok(Some(Expr::Call(function, arguments)))
    }

    fn location(&mut self) -> Parsed<Expr> {
        let Some(word) = self.word() else {
            return fault(
                "A location path was expected, but the end of the XPath expression was found instead.",
            );
        };
        let absolute = self.take('/');
        let steps = match self.word() {
            None => None,
            Some(_) => self.relative()?,
        };
        let start = if absolute { Start::Root } else { Start::Context };
        match steps {
            Some(mut steps) => {
                mark_whole_names(&mut steps, absolute);
                Ok(Expr::Path(start, steps))
            }
            None if absolute => Ok(Expr::Path(start, Vec::new())),
            None => fault(format!(
                "A location path was expected, but the following token was encountered:  {}",
                self.word().unwrap_or(word)
            )),
        }
    }

    fn relative(&mut self) -> Parsed<Option<Vec<Step>>> {
        let mut steps = Vec::new();
        if !self.step(&mut steps)? {
            return Ok(None);
        }
        while self.take('/') {
            if !self.step(&mut steps)? {
                return fault("A location step was expected following the '/' or '//' token.");
            }
        }
        Ok(Some(steps))
    }

    fn step(&mut self, steps: &mut Vec<Step>) -> Parsed<bool> {
        let deep = self.take('/');
        if deep {
            steps.push(Step {
                axis: Axis::DescendantOrSelf,
                test: Test::Node,
                predicates: Vec::new(),
                whole_names: false,
            });
        }
        let short = match self.word() {
            Some(".") => Some(Axis::SelfNode),
            Some("..") => Some(Axis::Parent),
            _ => None,
        };
        if let Some(axis) = short {
            self.at += 1;
            if self.is('[') {
                return fault(
                    "'..[predicate]' or '.[predicate]' is illegal syntax.  Use 'self::node()[predicate]' \
                     instead.",
                );
            }
            steps.push(Step { axis, test: Test::Node, predicates: Vec::new(), whole_names: false });
            return Ok(true);
        }
        if self.ahead(1) == Some("") {
            return fault("Prefix must resolve to a namespace: ");
        }
        let starts = |c: char| matches!(c, '*' | '@' | '_') || c.is_alphabetic();
        if !self.word().is_some_and(|word| word.starts_with(starts)) {
            return if deep {
                fault("A location step was expected following the '/' or '//' token.")
            } else {
                Ok(false)
            };
        }
        let step = self.basis()?;
        merge(steps, step);
        Ok(true)
    }

    fn basis(&mut self) -> Parsed<Step> {
        let axis = if self.ahead(1) == Some("::") {
            let name = self.word().unwrap_or_default();
            let Some(axis) = Axis::of(name) else { return fault(format!("illegal axis name: {name}")) };
            self.at += 2;
            axis
        } else if self.take('@') {
            Axis::Attribute
        } else {
            Axis::Child
        };
        let test = self.test()?;
        Ok(Step { axis, test, predicates: self.predicates()?, whole_names: false })
    }

    fn test(&mut self) -> Parsed<Test> {
        if self.ahead(1) == Some("(") {
            return self.kind_test();
        }
        let prefix = if self.ahead(1) == Some(":") {
            let prefix = self.name_or_star()?;
            self.at += 2;
            Some(prefix)
        } else {
            None
        };
        let name = self.name_or_star()?;
        self.at += 1;
        Ok(match (prefix, name) {
            (None | Some(None), None) => Test::Any,
            (None, Some(name)) => Test::Name(None, name.to_owned()),
            (Some(None), Some(name)) => Test::AnyNamespace(name.to_owned()),
            (Some(Some(prefix)), None) => Test::AnyIn(self.prefix(prefix)),
            (Some(Some(prefix)), Some(name)) => Test::Name(Some(self.prefix(prefix)), name.to_owned()),
        })
    }

    /// None for `*`.
    fn name_or_star(&self) -> Parsed<Option<&'w str>> {
        match self.word() {
            Some(word) if word.starts_with('*') => Ok(None),
            Some(word) if word.starts_with(|c: char| c == '_' || c.is_alphabetic()) => Ok(Some(word)),
            Some("") => fault("Prefix must resolve to a namespace: "),
            _ => fault("A node test that matches either NCName:* or QName was expected."),
        }
    }

    fn prefix(&mut self, prefix: &str) -> usize {
        let known = self.prefixes.iter().position(|known| known == prefix);
        known.unwrap_or_else(|| {
            self.prefixes.push(prefix.to_owned());
            self.prefixes.len() - 1
        })
    }

    fn kind_test(&mut self) -> Parsed<Test> {
        let kind = self.word().unwrap_or_default();
        self.at += 1;
        let test = match kind {
            "node" => Test::Node,
            "text" => Test::Text,
            "comment" => Test::Comment,
            "processing-instruction" => {
                self.expect('(')?;
                let target = match self.word() {
                    Some(word) if word.starts_with(['"', '\'']) => {
                        self.at += 1;
                        Some(unquoted(word).to_owned())
                    }
                    Some(word) if !word.starts_with(')') => {
                        return fault(format!("Pattern literal ({word}) needs to be quoted!"));
                    }
                    _ => None,
                };
                self.expect(')')?;
                return Ok(Test::Instruction(target));
            }
            _ => return fault(format!("Unknown nodetype: {kind}")),
        };
        self.expect('(')?;
        self.expect(')')?;
        Ok(test)
    }
}

fn unquoted(word: &str) -> &str {
    &word[1..word.len() - 1]
}

fn single_or(mut parts: Vec<Expr>, make: fn(Vec<Expr>) -> Expr) -> Expr {
    match parts.len() {
        1 => parts.pop().expect("there is one"),
        _ => make(parts),
    }
}

/// Which step sees names with their prefixes: `name`, `//name`, `.//name` and `/descendant::name`
/// as whole paths, for which Xalan has its own walkers (`WalkerFactory.newDTMIterator`).
fn mark_whole_names(steps: &mut [Step], absolute: bool) {
    match steps {
        [only] => {
            only.whole_names |=
                if absolute { only.axis == Axis::Descendant } else { only.axis == Axis::Child };
        }
        [first, _] if first.axis == Axis::SelfNode && first.test == Test::Node => {}
        all => all.iter_mut().for_each(|step| step.whole_names = false),
    }
}

/// Adds a step. `//name` becomes one walk where positions are not asked for.
fn merge(steps: &mut Vec<Step>, step: Step) {
    let positional = step.predicates.iter().any(Expr::is_positional);
    if step.axis == Axis::Child && !positional && steps.last().is_some_and(Step::is_below) {
        steps.pop();
        steps.push(Step { axis: Axis::Descendant, whole_names: true, ..step });
    } else {
        steps.push(step);
    }
}
