//! The functions (XPath and XQuery Functions and Operators).

use super::atomic::Atomic;
use super::decimal::Decimal;
use super::evaluate::{Evaluation, Focus, boolean, one};
use super::expression::{Comparison, Expr, Operator};
use super::{Found, Inner, arithmetic, comparison, fault};
use swell_query::{NodeId, NodeKind};

/// A function by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Function(&'static (&'static str, usize, usize));

const ANY: usize = usize::MAX;

/// Names with the least and the largest number of arguments.
static TABLE: &[(&str, usize, usize)] = &[
    ("abs", 1, 1),
    ("avg", 1, 1),
    ("boolean", 1, 1),
    ("ceiling", 1, 1),
    ("codepoints-to-string", 1, 1),
    ("compare", 2, 2),
    ("concat", 2, ANY),
    ("contains", 2, 2),
    ("contains-token", 2, 2),
    ("count", 1, 1),
    ("data", 0, 1),
    ("distinct-values", 1, 1),
    ("empty", 1, 1),
    ("ends-with", 2, 2),
    ("exactly-one", 1, 1),
    ("exists", 1, 1),
    ("false", 0, 0),
    ("floor", 1, 1),
    ("generate-id", 0, 1),
    ("head", 1, 1),
    ("id", 1, 1),
    ("index-of", 2, 2),
    ("insert-before", 3, 3),
    ("lang", 1, 1),
    ("last", 0, 0),
    ("local-name", 0, 1),
    ("lower-case", 1, 1),
    ("matches", 2, 3),
    ("max", 1, 1),
    ("min", 1, 1),
    ("name", 0, 1),
    ("namespace-uri", 0, 1),
    ("node-name", 0, 1),
    ("normalize-space", 0, 1),
    ("not", 1, 1),
    ("number", 0, 1),
    ("one-or-more", 1, 1),
    ("position", 0, 0),
    ("remove", 2, 2),
    ("replace", 3, 4),
    ("reverse", 1, 1),
    ("root", 0, 1),
    ("round", 1, 2),
    ("starts-with", 2, 2),
    ("string", 0, 1),
    ("string-join", 1, 2),
    ("string-length", 0, 1),
    ("string-to-codepoints", 1, 1),
    ("subsequence", 2, 3),
    ("substring", 2, 3),
    ("substring-after", 2, 2),
    ("substring-before", 2, 2),
    ("sum", 1, 2),
    ("tail", 1, 1),
    ("tokenize", 1, 3),
    ("translate", 3, 3),
    ("true", 0, 0),
    ("upper-case", 1, 1),
    ("zero-or-one", 1, 1),
];

/// Functions of XPath 3.1 that Saxon has.
const ELSEWHERE: &[&str] = &[
    "adjust-date-to-timezone",
    "analyze-string",
    "apply",
    "base-uri",
    "codepoint-equal",
    "collection",
    "current-date",
    "current-dateTime",
    "current-time",
    "day-from-date",
    "deep-equal",
    "doc",
    "doc-available",
    "document-uri",
    "encode-for-uri",
    "environment-variable",
    "error",
    "filter",
    "fold-left",
    "fold-right",
    "for-each",
    "for-each-pair",
    "format-date",
    "format-dateTime",
    "format-integer",
    "format-number",
    "format-time",
    "function-lookup",
    "has-children",
    "in-scope-prefixes",
    "innermost",
    "iri-to-uri",
    "json-doc",
    "json-to-xml",
    "load-xquery-module",
    "month-from-date",
    "nilled",
    "normalize-unicode",
    "outermost",
    "parse-json",
    "parse-xml",
    "parse-xml-fragment",
    "path",
    "random-number-generator",
    "resolve-uri",
    "round-half-to-even",
    "serialize",
    "sort",
    "trace",
    "unordered",
    "unparsed-text",
    "year-from-date",
];

impl Function {
    /// Whether Saxon has it, and Swell does not.
    pub(super) fn is_elsewhere(name: &str) -> bool {
        ELSEWHERE.contains(&name)
    }

    pub(super) fn find(name: &str) -> Option<Self> {
        TABLE.iter().find(|(known, ..)| *known == name).map(Self)
    }

    pub(super) fn name(self) -> &'static str {
        self.0.0
    }

    pub(super) fn takes(self, count: usize) -> bool {
        (self.0.1..=self.0.2).contains(&count)
    }

    pub(super) fn gives_truth(self) -> bool {
        matches!(
            self.name(),
            "boolean"
                | "contains"
                | "contains-token"
                | "empty"
                | "ends-with"
                | "exists"
                | "false"
                | "lang"
                | "matches"
                | "not"
                | "starts-with"
                | "true"
        )
    }

    pub(super) fn asks_position(self) -> bool {
        matches!(self.name(), "last" | "position")
    }
}

impl Evaluation<'_> {
    pub(super) fn call(
        &self,
        function: Function,
        arguments: &[Expr],
        focus: &Focus<'_>,
    ) -> Found<Vec<Inner>> {
        let name = function.name();
        let items = |at: usize| match arguments.get(at) {
            Some(argument) => self.items(argument, focus),
            None => Ok(vec![focus.item.clone()]),
        };
        Ok(match name {
            "true" => boolean(true),
            "false" => boolean(false),
            "position" => one(Atomic::Integer(focus.position as i128)),
            "last" => one(Atomic::Integer(focus.size as i128)),
            "count" => one(Atomic::Integer(items(0)?.len() as i128)),
            "not" => boolean(!self.truth(&items(0)?)?),
            "boolean" => boolean(self.truth(&items(0)?)?),
            "exists" => boolean(!items(0)?.is_empty()),
            "empty" => boolean(items(0)?.is_empty()),
            "data" => self.atoms(items(0)?)?.into_iter().map(Inner::Atomic).collect(),
            "id" => Vec::new(),
            "root" => vec![Inner::Node(0)],
            "head" => items(0)?.into_iter().take(1).collect(),
            "tail" => items(0)?.into_iter().skip(1).collect(),
            "reverse" => items(0)?.into_iter().rev().collect(),
            "zero-or-one" | "exactly-one" | "one-or-more" => counted(name, items(0)?)?,
            "sum" | "avg" => self.total(name, items(0)?, arguments.get(1), focus)?,
            "min" | "max" => self.extreme(name, items(0)?)?,
            "distinct-values" => self.distinct(items(0)?)?,
            "index-of" => self.index_of(items(0)?, &self.needed(name, 1, items(1)?)?)?,
            "insert-before" | "remove" | "subsequence" => self.edited(name, arguments.len(), items)?,
            "number" => {
                let value = self.argument(name, 0, items(0)?)?;
                one(Atomic::Double(value.map_or(f64::NAN, |value| value.number())))
            }
            "abs" | "floor" | "ceiling" | "round" => {
                let places = if arguments.len() > 1 { self.place(name, 1, items(1)?)? } else { 0 };
                match self.argument(name, 0, items(0)?)? {
                    None => Vec::new(),
                    Some(value) => one(rounded(name, value.operand()?, places)?),
                }
            }
            "name" | "local-name" | "namespace-uri" | "node-name" | "generate-id" => {
                self.about_node(name, &items(0)?)?
            }
            "lang" => boolean(self.speaks(focus, &self.string(name, 0, items(0)?)?)),
            _ => self.of_texts(name, arguments, focus)?,
        })
    }

    /// A sequence with a part put in, taken out, or left over; `count` is the number of arguments, `items` gives each.
    fn edited(
        &self,
        name: &str,
        count: usize,
        items: impl Fn(usize) -> Found<Vec<Inner>>,
    ) -> Found<Vec<Inner>> {
        Ok(match name {
            "insert-before" => {
                let (mut all, more) = (items(0)?, items(2)?);
                let at = (self.place(name, 1, items(1)?)?.max(1) - 1) as usize;
                let at = at.min(all.len());
                all.splice(at..at, more);
                all
            }
            "remove" => {
                let mut all = items(0)?;
                let at = self.place(name, 1, items(1)?)? - 1;
                if let Some(at) = usize::try_from(at).ok().filter(|&at| at < all.len()) {
                    all.remove(at);
                }
                all
            }
            _ => {
                let all = items(0)?;
                let start = self.number(name, 1, items(1)?)?.round();
                let end =
                    if count > 2 { start + self.number(name, 2, items(2)?)?.round() } else { f64::INFINITY };
                let is_in = |at: usize| (at as f64 + 1.0) >= start && (at as f64 + 1.0) < end;
                all.into_iter().enumerate().filter(|&(at, _)| is_in(at)).map(|(_, item)| item).collect()
            }
        })
    }

    /// An argument that is one value or none.
    pub(super) fn argument(&self, name: &str, at: usize, items: Vec<Inner>) -> Found<Option<Atomic>> {
        if items.len() < 2 {
            return self.atom(items, "");
        }
        let ordinal = ["first", "second", "third", "fourth"].get(at).copied().unwrap_or("last");
        // Saxon has read no further than to the second.
        let seen = items.into_iter().take(2);
        let seen = if name == "string" {
            seen.collect()
        } else {
            self.atoms(seen.collect())?.into_iter().map(Inner::Atomic).collect()
        };
        self.atom(seen, &format!("the {ordinal} argument of fn:{name}()"))
    }

    fn needed(&self, name: &str, at: usize, items: Vec<Inner>) -> Found<Atomic> {
        match self.argument(name, at, items)? {
            Some(value) => Ok(value),
            None => fault(format!("An empty sequence is not allowed as an argument of fn:{name}()")),
        }
    }

    /// An argument as text; none is the empty one.
    pub(super) fn string(&self, name: &str, at: usize, items: Vec<Inner>) -> Found<String> {
        let value = self.argument(name, at, items)?;
        match value {
            None => Ok(String::new()),
            Some(Atomic::Text(text) | Atomic::Untyped(text)) => Ok(text),
            Some(other) if matches!(name, "concat" | "string-join" | "string") => Ok(other.text()),
            Some(other) => {
                let ordinal = ["first", "second", "third", "fourth"].get(at).copied().unwrap_or("last");
                fault(format!(
                    "The required item type of the {ordinal} argument of fn:{name}() is xs:string; the supplied value {} \
                     has item type {}",
                    other.text(),
                    other.type_name()
                ))
            }
        }
    }

    fn number(&self, name: &str, at: usize, items: Vec<Inner>) -> Found<f64> {
        Ok(self.needed(name, at, items)?.number())
    }

    fn place(&self, name: &str, at: usize, items: Vec<Inner>) -> Found<i64> {
        Ok(self.number(name, at, items)? as i64)
    }

    fn total(
        &self,
        name: &str,
        items: Vec<Inner>,
        zero: Option<&Expr>,
        focus: &Focus<'_>,
    ) -> Found<Vec<Inner>> {
        let count = items.len();
        let mut values = self.atoms(items)?.into_iter();
        let Some(first) = values.next() else {
            return match (name, zero) {
                ("avg", _) => Ok(Vec::new()),
                (_, Some(zero)) => self.items(zero, focus),
                (_, None) => Ok(one(Atomic::Integer(0))),
            };
        };
        let add = |sum, value| arithmetic::apply(Operator::Plus, sum, value);
        let sum = values.try_fold(first.operand()?, add)?;
        if name == "sum" {
            return Ok(one(sum));
        }
        Ok(one(arithmetic::apply(Operator::Divide, sum, Atomic::Integer(count as i128))?))
    }

    fn extreme(&self, name: &str, items: Vec<Inner>) -> Found<Vec<Inner>> {
        let wanted = if name == "min" { Comparison::Less } else { Comparison::Greater };
        let mut best: Option<Atomic> = None;
        for value in self.atoms(items)? {
            let value = value.operand()?;
            if matches!(value, Atomic::Double(number) if number.is_nan()) {
                return Ok(one(value));
            }
            let better = match &best {
                None => true,
                Some(best) => comparison::by_value(wanted, &value, best)?,
            };
            if better {
                best = Some(value);
            }
        }
        Ok(best.map(Inner::Atomic).into_iter().collect())
    }

    fn distinct(&self, items: Vec<Inner>) -> Found<Vec<Inner>> {
        let mut texts = std::collections::HashSet::new();
        let mut kept: Vec<Atomic> = Vec::new();
        for value in self.atoms(items)? {
            // Numbers of different types may be the same; all others are the same if their texts are.
            let is_new = if value.is_number() {
                self.work(kept.len())?;
                !kept
                    .iter()
                    .any(|known| known.is_number() && known.number().total_cmp(&value.number()).is_eq())
            } else {
                texts.insert((matches!(value, Atomic::Boolean(_)), value.text()))
            };
            if is_new {
                kept.push(match value {
                    Atomic::Untyped(text) => Atomic::Text(text),
                    other => other,
                });
            }
        }
        Ok(kept.into_iter().map(Inner::Atomic).collect())
    }

    fn index_of(&self, items: Vec<Inner>, wanted: &Atomic) -> Found<Vec<Inner>> {
        let mut found = Vec::new();
        for (at, value) in self.atoms(items)?.into_iter().enumerate() {
            // What cannot be compared is not the same.
            if comparison::by_value(Comparison::Equal, &value, wanted).unwrap_or(false) {
                found.push(Inner::Atomic(Atomic::Integer(at as i128 + 1)));
            }
        }
        Ok(found)
    }

    fn about_node(&self, name: &str, items: &[Inner]) -> Found<Vec<Inner>> {
        let text = |text: &str| Ok(one(Atomic::Text(text.to_owned())));
        let node: NodeId = match items {
            [] if name == "node-name" => return Ok(Vec::new()),
            [] => return text(""),
            [Inner::Node(node)] => *node,
            [Inner::Atomic(_)] => {
                return fault(format!(
                    "The required item type of the first argument of fn:{name}() is node()"
                ));
            }
            _ => {
                let shown: Vec<_> = items.iter().take(2).map(|item| self.depicted(item)).collect();
                return fault(format!(
                    "A sequence of more than one item is not allowed as the first argument of fn:{name}() ({}) ",
                    shown.join(", ")
                ));
            }
        };
        match name {
            "local-name" => text(self.document.local_name(node)),
            "namespace-uri" => text(self.document.namespace(node)),
            "generate-id" => text(&format!("d1e{node}")),
            "node-name" if self.document.name(node).is_empty() => Ok(Vec::new()),
            _ => text(self.document.name(node)),
        }
    }

    /// Whether the language of the context is the wanted one or a kind of it.
    fn speaks(&self, focus: &Focus<'_>, wanted: &str) -> bool {
        let Inner::Node(node) = focus.item else { return false };
        let above = std::iter::successors(Some(node), |&at| (at != 0).then(|| self.document.parent(at)));
        let mut elements = above.filter(|&at| self.document.kind(at) == NodeKind::Element);
        let Some(language) = elements.find_map(|at| self.document.attribute(at, "xml:lang")) else {
            return false;
        };
        let (language, wanted) = (language.to_lowercase(), wanted.to_lowercase());
        language.strip_prefix(&wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    }
}

fn rounded(name: &str, value: Atomic, places: i64) -> Found<Atomic> {
    Ok(match value {
        Atomic::Integer(value) => match name {
            "abs" => Atomic::Integer(value.abs()),
            "round" if places < 0 => {
                let decimal =
                    Decimal::of_integer(value).map_or(value, |decimal| decimal.rounded(places).whole());
                Atomic::Integer(decimal)
            }
            _ => Atomic::Integer(value),
        },
        Atomic::Decimal(value) => Atomic::Decimal(match name {
            "abs" => value.abs(),
            "floor" => value.floor(),
            "ceiling" => value.ceiling(),
            _ => value.rounded(places),
        }),
        Atomic::Double(value) => Atomic::Double(match name {
            "abs" => value.abs(),
            "floor" => value.floor(),
            "ceiling" => value.ceil(),
            _ if places == 0 => (value + 0.5).floor(),
            _ => match Decimal::of_double(value) {
                Some(decimal) => decimal.rounded(places).to_double(),
                None => value,
            },
        }),
        other => return fault(format!("fn:{name}() is not defined for {}", other.type_name())),
    })
}

fn counted(name: &str, items: Vec<Inner>) -> Found<Vec<Inner>> {
    let right = match name {
        "zero-or-one" => items.len() < 2,
        "exactly-one" => items.len() == 1,
        _ => !items.is_empty(),
    };
    if right { Ok(items) } else { fault(format!("The number of items is wrong for fn:{name}()")) }
}
