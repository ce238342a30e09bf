//! Parses the text of a selector (`org.jsoup.select.QueryParser`).

use fancy_regex::Regex;

use super::CssError;
use super::nth::Nth;
use super::selector::{Chain, Comparison, Compound, Condition, Part, Relation, Selector};

/// Selectors in selectors.
const DEEPEST: usize = 32;

type ParseResult<T> = Result<T, CssError>;

pub(super) fn parse(text: &str) -> ParseResult<Selector> {
    if text.trim().is_empty() {
        return fault("String must not be empty");
    }
    Parser { query: text.trim(), rest: text.trim(), depth: 0 }.selector()
}

fn fault<T>(message: impl Into<String>) -> ParseResult<T> {
    Err(CssError::new(message))
}

struct Parser<'t> {
    query: &'t str,
    rest: &'t str,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn take(&mut self, wanted: &str) -> bool {
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn skip_spaces(&mut self) -> bool {
        let before = self.rest.len();
        self.rest = self.rest.trim_start();
        self.rest.len() < before
    }

    fn selector(&mut self) -> ParseResult<Selector> {
        let mut chains = vec![self.first_chain()?];
        while self.take(",") {
            self.skip_spaces();
            chains.push(self.chain()?);
        }
        if !self.rest.is_empty() {
            return fault(format!(
                "Could not parse query '{}': unexpected token at '{}'",
                self.query, self.rest
            ));
        }
        Ok(Selector(chains))
    }

    /// The first may be left out: it is the element that is asked about.
    fn first_chain(&mut self) -> ParseResult<Chain> {
        if self.rest.starts_with(',') {
            return Ok(Chain { leading: None, first: vec![Condition::Asked], rest: Vec::new() });
        }
        self.chain()
    }

    fn chain(&mut self) -> ParseResult<Chain> {
        let leading = self.relation();
        let first = self.compound()?;
        let mut rest = Vec::new();
        loop {
            let spaced = self.skip_spaces();
            if self.rest.is_empty() || self.rest.starts_with(',') {
                return Ok(Chain { leading, first, rest });
            }
            let relation = match self.relation() {
                Some(relation) => relation,
                None if spaced => Relation::Descendant,
                None => {
                    let message = format!(
                        "Could not parse query '{}': unexpected token at '{}'",
                        self.query, self.rest
                    );
                    return fault(message);
                }
            };
            rest.push((relation, self.compound()?));
        }
    }

    fn relation(&mut self) -> Option<Relation> {
        let relation = match self.peek() {
            Some('>') => Relation::Child,
            Some('+') => Relation::Next,
            Some('~') => Relation::Later,
            _ => return None,
        };
        self.rest = self.rest[1..].trim_start();
        Some(relation)
    }

    fn compound(&mut self) -> ParseResult<Compound> {
        let mut compound = Compound::new();
        loop {
            let condition = match self.peek() {
                Some('#') => {
                    self.rest = &self.rest[1..];
                    Condition::Id(self.identifier()?)
                }
                Some('.') => {
                    self.rest = &self.rest[1..];
                    Condition::Class(self.identifier()?)
                }
                Some('[') => self.attribute()?,
                Some('*') if !self.rest.starts_with("*|") => {
                    self.rest = &self.rest[1..];
                    Condition::Any
                }
                Some('*') => {
                    self.rest = &self.rest[2..];
                    Condition::TagInAny(self.tag()?)
                }
                Some(':') => {
                    self.rest = &self.rest[1..];
                    self.pseudo()?
                }
                Some(c) if c.is_alphanumeric() || matches!(c, '_' | '-' | '\\') => {
                    Condition::Tag(self.tag()?)
                }
                _ => break,
            };
            compound.push(condition);
        }
        if compound.is_empty() {
            return if self.rest.is_empty() {
                fault("String must not be empty")
            } else {
                fault(format!("Could not parse query '{}': unexpected token at '{}'", self.query, self.rest))
            };
        }
        Ok(compound)
    }

    fn tag(&mut self) -> ParseResult<String> {
        let mut name = self.identifier()?;
        if self.take("|") {
            name = format!("{name}:{}", self.identifier()?);
        }
        Ok(name.to_lowercase())
    }

    fn identifier(&mut self) -> ParseResult<String> {
        let mut out = String::new();
        while let Some(c) = self.peek() {
            match c {
                '\\' => {
                    self.rest = &self.rest[1..];
                    let Some(escaped) = self.peek() else { break };
                    out.push(escaped);
                    self.rest = &self.rest[escaped.len_utf8()..];
                }
                c if c.is_alphanumeric() || matches!(c, '_' | '-') || !c.is_ascii() => {
                    out.push(c);
                    self.rest = &self.rest[c.len_utf8()..];
                }
                _ => break,
            }
        }
        if out.is_empty() { fault("String must not be empty") } else { Ok(out) }
    }

    /// What is in a pair of brackets, whose inner pairs and quotes are looked at.
    fn balanced(&mut self, open: char, close: char) -> ParseResult<&'t str> {
        let mut depth = 0_usize;
        let mut quote = None;
        let mut escaped = false;
        for (at, c) in self.rest.char_indices() {
            if escaped {
                escaped = false;
            } else if c == '\\' {
                escaped = true;
            } else if quote.is_some() {
                quote = quote.filter(|&q| q != c);
            } else if matches!(c, '"' | '\'') {
                quote = Some(c);
            } else if c == open {
                depth += 1;
            } else if c == close {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    let inside = &self.rest[open.len_utf8()..at];
                    self.rest = &self.rest[at + close.len_utf8()..];
                    return Ok(inside);
                }
            }
        }
        fault(format!("Did not find balanced marker at '{}'", self.rest.get(1..).unwrap_or_default()))
    }

    fn attribute(&mut self) -> ParseResult<Condition> {
        let inside = self.balanced('[', ']')?;
        let signs = ["!=", "^=", "$=", "*=", "~=", "|="];
        let at = inside.find('=').map(|at| {
            let two = at
                .checked_sub(1)
                .and_then(|before| inside.get(before..=at))
                .filter(|two| signs.contains(two));
            two.map_or((at, "="), |two| (at - 1, two))
        });
        let Some((at, sign)) = at else {
            let name = inside.trim().to_lowercase();
            return match name.strip_prefix('^') {
                _ if name.is_empty() => fault("String must not be empty"),
                Some(start) => Ok(Condition::HasAttributeStart(start.to_owned())),
                None => Ok(Condition::HasAttribute(name)),
            };
        };
        let name = inside[..at].trim().to_lowercase();
        let written = inside[at + sign.len()..].trim();
        if name.is_empty() || written.is_empty() {
            return fault("String must not be empty");
        }
        let quoted = written.len() > 1 && written.starts_with(['"', '\'']) && written.ends_with(['"', '\'']);
        let plain = if quoted { &written[1..written.len() - 1] } else { written };
        let value = plain.to_lowercase();
        let value = if quoted && sign != "=" { value } else { value.trim().to_owned() };
        let comparison = match sign {
            "!=" => Comparison::NotEqual(value),
            "^=" => Comparison::Starts(value),
            "$=" => Comparison::Ends(value),
            "*=" => Comparison::Contains(value),
            "~=" => Comparison::Matches(regex(written)?),
            _ => Comparison::Equal(value),
        };
        Ok(Condition::Attribute(name, comparison))
    }

    fn pseudo(&mut self) -> ParseResult<Condition> {
        let written = self.rest;
        let name = self.identifier()?.to_ascii_lowercase();
        let is_function = self.rest.starts_with('(');
        let condition = if is_function { self.function(&name)? } else { plain(&name) };
        if let Some(condition) = condition {
            return Ok(condition);
        }
        let left = written.trim_start_matches(|c: char| c.is_alphanumeric() || c == '-');
        fault(format!("Could not parse query '{}': unexpected token at '{left}'", self.query))
    }

    fn function(&mut self, name: &str) -> ParseResult<Option<Condition>> {
        let known = matches!(
            name,
            "lt" | "gt"
                | "eq"
                | "has"
                | "contains"
                | "containsown"
                | "containswholetext"
                | "containswholeowntext"
                | "containsdata"
                | "matches"
                | "matchesown"
                | "matcheswholetext"
                | "matcheswholeowntext"
                | "not"
                | "is"
                | "nth-child"
                | "nth-last-child"
                | "nth-of-type"
                | "nth-last-of-type"
        );
        if !known {
            return Ok(None);
        }
        let inside = self.balanced('(', ')')?;
        let nth = || Nth::parse(inside);
        Ok(Some(match name {
            "lt" => Condition::Index(std::cmp::Ordering::Less, index(inside)?),
            "gt" => Condition::Index(std::cmp::Ordering::Greater, index(inside)?),
            "eq" => Condition::Index(std::cmp::Ordering::Equal, index(inside)?),
            "has" => Condition::Has(self.inner(inside, ":has(selector) sub-select must not be empty")?),
            "not" => Condition::Not(self.inner(inside, ":not(selector) subselect must not be empty")?),
            "is" => Condition::Is(self.inner(inside, ":is(selector) sub-select must not be empty")?),
            "nth-child" => Condition::NthChild(nth()?),
            "nth-last-child" => Condition::NthLastChild(nth()?),
            "nth-of-type" => Condition::NthOfType(nth()?),
            "nth-last-of-type" => Condition::NthLastOfType(nth()?),
            contains if contains.starts_with("contains") => {
                Condition::Contains(part(&contains["contains".len()..]), unescaped(inside))
            }
            matches => Condition::Matches(part(&matches["matches".len()..]), regex(inside)?),
        }))
    }

    fn inner(&self, inside: &str, if_empty: &str) -> ParseResult<Selector> {
        if inside.trim().is_empty() {
            return fault(if_empty);
        }
        if self.depth >= DEEPEST {
            return fault(format!("The selector is nested more than {DEEPEST} levels deep"));
        }
        let inside = inside.trim();
        Parser { query: inside, rest: inside, depth: self.depth + 1 }.selector()
    }
}

/// Pseudo classes without arguments.
fn plain(name: &str) -> Option<Condition> {
    Some(match name {
        "first-child" => Condition::FirstChild,
        "last-child" => Condition::LastChild,
        "only-child" => Condition::OnlyChild,
        "first-of-type" => Condition::FirstOfType,
        "last-of-type" => Condition::LastOfType,
        "only-of-type" => Condition::OnlyOfType,
        "empty" => Condition::Empty,
        "root" => Condition::Root,
        _ => return None,
    })
}

fn part(name: &str) -> Part {
    match name {
        "own" => Part::Own,
        "wholetext" => Part::WholeText,
        "wholeowntext" => Part::WholeOwn,
        "data" => Part::Data,
        _ => Part::Text,
    }
}

fn index(text: &str) -> ParseResult<i64> {
    text.trim().parse().map_err(|_| CssError::new("Index must be numeric"))
}

fn regex(text: &str) -> ParseResult<Regex> {
    Regex::new(text).map_err(|error| CssError::new(format!("invalid regular expression {text}: {error}")))
}

/// A text without the backslashes before its characters.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == '\\' {
            out.extend(chars.next());
        } else {
            out.push(c);
        }
    }
    out
}
