//! The functions of XPath 1.0, and Xalan's additions.

use super::evaluation::{Evaluation, Focus, truth};
use super::expression::Expr;
use super::function::Function;
use super::{Value, XPathError};
use crate::tree::{NodeId, NodeKind};

impl Evaluation<'_> {
    pub(super) fn call(
        &self,
        function: Function,
        arguments: &[Expr],
        focus: Focus,
    ) -> Result<Value, XPathError> {
        let name = function.name();
        let text = |at: usize| match arguments.get(at) {
            Some(argument) => self.value(argument, focus).map(|value| self.text(&value)),
            None => self.string_value(focus.node),
        };
        let number = |at: usize| self.value(&arguments[at], focus).map(|value| self.number(&value));
        Ok(match name {
            "last" => Value::Number(focus.size),
            "position" => Value::Number(focus.position),
            "true" => Value::Boolean(true),
            "not" => Value::Boolean(!truth(&self.value(&arguments[0], focus)?)),
            "boolean" => Value::Boolean(truth(&self.value(&arguments[0], focus)?)),
            "count" => Value::Number(Self::node_set(self.value(&arguments[0], focus)?)?.len() as f64),
            "sum" => Value::Number(self.sum(&arguments[0], focus)?),
            "number" => match arguments.first() {
                Some(argument) => Value::Number(self.number(&self.value(argument, focus)?)),
                None => Value::Number(super::number::of_text(&text(0)?)),
            },
            "floor" => Value::Number(number(0)?.floor()),
            "ceiling" => Value::Number(number(0)?.ceil()),
            "round" => Value::Number(round(number(0)?)),
            "local-name" | "name" | "namespace-uri" | "generate-id" => {
                Value::Text(self.about_node(name, arguments.first(), focus)?)
            }
            "string" => Value::Text(text(0)?),
            "concat" => Value::Text((0..arguments.len()).map(text).collect::<Result<String, _>>()?),
            "starts-with" => Value::Boolean(text(0)?.starts_with(&text(1)?)),
            "contains" => Value::Boolean(text(0)?.contains(&text(1)?)),
            "substring-before" => {
                let (text, mark) = (text(0)?, text(1)?);
                Value::Text(text.split_once(&*mark).map_or("", |(before, _)| before).to_owned())
            }
            "substring-after" => {
                let (text, mark) = (text(0)?, text(1)?);
                Value::Text(text.split_once(&*mark).map_or("", |(_, behind)| behind).to_owned())
            }
            "substring" => {
                let length = if arguments.len() > 2 { Some(number(2)?) } else { None };
                Value::Text(substring(&text(0)?, number(1)?, length))
            }
            "string-length" => Value::Number(text(0)?.encode_utf16().count() as f64),
            "normalize-space" => Value::Text(normalized(&text(0)?)),
            "translate" => Value::Text(translated(&text(0)?, &text(1)?, &text(2)?)),
            "lang" => Value::Boolean(self.speaks(focus.node, &text(0)?)),
            "id" => {
                // Which attributes are identifiers is said by a DTD, which is not looked at for
                // that.
                text(0)?;
                Value::Nodes(Vec::new())
            }
            "current" => Value::Nodes(vec![focus.node]),
            "system-property" | "unparsed-entity-uri" => Value::Text(String::new()),
            "function-available" => Value::Boolean(Function::find(&text(0)?).is_some()),
            _ => Value::Boolean(false),
        })
    }

    fn sum(&self, argument: &Expr, focus: Focus) -> Result<f64, XPathError> {
        let nodes = Self::node_set(self.value(argument, focus)?)?;
        let mut sum = 0.0;
        for node in nodes {
            sum += super::number::of_text(&self.string_value(node)?);
        }
        Ok(sum)
    }

    /// A fact about the first node of an argument, or about the context.
    fn about_node(&self, name: &str, argument: Option<&Expr>, focus: Focus) -> Result<String, XPathError> {
        let node = match argument {
            Some(argument) => Self::node_set(self.value(argument, focus)?)?.first().copied(),
            None => Some(focus.node),
        };
        let Some(node) = node else { return Ok(String::new()) };
        Ok(match name {
            "local-name" => self.document.local_name(node).to_owned(),
            "name" => self.document.name(node).to_owned(),
            "namespace-uri" => self.document.namespace(node).to_owned(),
            _ => format!("N{:X}", 0x10000 + node),
        })
    }

    /// Whether the language of a node is the wanted one or a kind of it. Without namespaces Xalan
    /// does not see it.
    fn speaks(&self, node: NodeId, wanted: &str) -> bool {
        let mut at = node;
        loop {
            if self.document.kind(at) == NodeKind::Element
                && self.document.has_namespaces()
                && let Some(language) = self.document.attribute(at, "xml:lang")
            {
                let language = language.to_lowercase();
                let wanted = wanted.to_lowercase();
                return language
                    .strip_prefix(&wanted)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
            }
            if at == 0 {
                return false;
            }
            at = self.document.parent(at);
        }
    }
}

fn round(value: f64) -> f64 {
    if value.is_finite() { (value + 0.5).floor() } else { value }
}

/// Characters from a place on, counted from 1, as UTF-16 units. An invalid position is the first,
/// as in Xalan.
fn substring(text: &str, start: f64, length: Option<f64>) -> String {
    let units: Vec<u16> = text.encode_utf16().collect();
    let first = if start.is_nan() { 1.0 } else { round(start) };
    let end = match length {
        Some(length) => round(length + first),
        None => f64::INFINITY,
    };
    let from = (first.max(1.0) - 1.0).min(units.len() as f64) as usize;
    let to =
        if end.is_nan() { units.len() } else { (end - 1.0).clamp(from as f64, units.len() as f64) as usize };
    String::from_utf16_lossy(&units[from..to])
}

fn normalized(text: &str) -> String {
    text.split(crate::chars::is_space).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

fn translated(text: &str, from: &str, to: &str) -> String {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let translate = |c| match from.iter().position(|&known| known == c) {
        None => Some(c),
        Some(at) => to.get(at).copied(),
    };
    text.chars().filter_map(translate).collect()
}
