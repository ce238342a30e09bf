//! What scripts do to variables, properties, the log and the run.

use std::rc::Rc;

use super::failure::{ScriptFailure, exception, unsupported};
use super::frame::Frame;
use super::parse::Parser;
use super::run;
use super::token::TokenKind;
use super::tree::Node;
use super::value::Value;
use super::value_type::ValueType;
use super::{BindingScope, Language};
use crate::context::{Level, StopRequest};

/// Something that is done, with arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SideEffect {
    /// `vars.put(name, value)`.
    PutVariable,
    /// `vars.putObject(name, value)`.
    PutObject,
    /// `vars.remove(name)`.
    RemoveVariable,
    /// `props.put(name, value)`.
    PutProperty,
    /// `props.setProperty(name, value)`, `JMeterUtils.setProperty(name, value)`.
    SetProperty,
    /// `props.remove(name)`.
    RemoveProperty,
    /// `log.info(text, …)`.
    Log(Level),
    /// `println(text)`.
    Print,
    /// `ctx.getEngine().stopTest()` and its relatives.
    Stop(StopRequest),
}

impl SideEffect {
    /// The method of `vars` of that name and number of arguments.
    pub(super) fn of_vars(name: &str, arguments: usize) -> Option<Self> {
        Some(match (name, arguments) {
            ("put", 2) => Self::PutVariable,
            ("putObject", 2) => Self::PutObject,
            ("remove", 1) => Self::RemoveVariable,
            _ => return None,
        })
    }

    /// The method of `props`.
    pub(super) fn of_props(name: &str, arguments: usize) -> Option<Self> {
        Some(match (name, arguments) {
            ("put", 2) => Self::PutProperty,
            ("setProperty", 2) => Self::SetProperty,
            ("remove", 1) => Self::RemoveProperty,
            _ => return None,
        })
    }

    /// The method of `log`.
    pub(super) fn of_log(name: &str, arguments: usize) -> Option<Self> {
        let level = match name {
            "trace" => Level::Trace,
            "debug" => Level::Debug,
            "info" => Level::Info,
            "warn" => Level::Warn,
            "error" => Level::Error,
            _ => return None,
        };
        (1..=4).contains(&arguments).then_some(Self::Log(level))
    }

    /// Whether it is known what it does with arguments of these kinds.
    fn takes(self, kinds: &[ValueType], language: Language) -> bool {
        match (self, kinds) {
            (Self::PutVariable, [name, value]) => {
                name.is_text() && (value.is_text() || *value == ValueType::Null)
            }
            // Only a text stays what it is.
            (Self::PutObject | Self::PutProperty | Self::SetProperty, [name, value]) => {
                *name == ValueType::Text && *value == ValueType::Text
            }
            (Self::RemoveVariable | Self::RemoveProperty, [name]) => *name == ValueType::Text,
            (Self::Log(_), [line, rest @ ..]) => line.is_text() && rest.iter().all(|kind| kind.is_shown()),
            // BeanShell's `print` shows what it knows of a thing.
            (Self::Print, [kind]) => kind.is_shown() && (language == Language::Groovy || kind.is_text()),
            (Self::Print | Self::Stop(_), []) => true,
            _ => false,
        }
    }

    /// The kind of what it gives.
    pub(super) fn kind(self) -> ValueType {
        match self {
            Self::RemoveVariable | Self::PutProperty | Self::SetProperty | Self::RemoveProperty => {
                ValueType::Text
            }
            _ => ValueType::Null,
        }
    }

    /// Does it.
    pub(super) fn run(self, nodes: &[Node], frame: &mut Frame<'_>) -> Result<Value, ScriptFailure> {
        let language = frame.language;
        let values: Vec<Value> =
            nodes.iter().map(|node| run::value(node, frame)).collect::<Result<_, _>>()?;
        match self {
            Self::PutVariable | Self::PutObject => {
                let name = text(&values[0], language)?;
                match &values[1] {
                    Value::Null => frame.cx()?.vars.put_null(&name),
                    value => {
                        let value = text(value, language)?;
                        frame.cx()?.vars.put(&name, value);
                    }
                }
            }
            Self::RemoveVariable => {
                let name = text(&values[0], language)?;
                return Ok(Value::optional(frame.cx()?.vars.remove(&name)));
            }
            Self::PutProperty | Self::SetProperty => {
                let name = text(&values[0], language)?;
                let Value::Text(value) = &values[1] else {
                    return Err(exception("java.lang.NullPointerException"));
                };
                let props = &frame.cx()?.props;
                let of_plan = nodes.iter().all(|node| matches!(node, Node::Constant(_)));
                let old = if of_plan {
                    props.set(&name, &value.text)
                } else {
                    props.set_foreign(&name, &value.text)
                };
                return Ok(Value::optional(old));
            }
            Self::RemoveProperty => {
                let name = text(&values[0], language)?;
                return Ok(Value::optional(frame.cx()?.props.remove(&name)));
            }
            Self::Log(level) => {
                let line = log_line(&values, language);
                frame.cx()?.host.log(level, &line);
            }
            Self::Print => {
                let line = values.first().map_or_else(String::new, |value| value.to_text(language));
                frame.cx()?.host.print(&line, false);
            }
            Self::Stop(stop) => frame.cx()?.stop = Some(stop),
        }
        Ok(Value::Null)
    }
}

/// A text that Java wants to be one.
fn text(value: &Value, language: Language) -> Result<Rc<str>, ScriptFailure> {
    match value {
        Value::Text(text) => Ok(text.text.clone()),
        other => {
            Err(exception(format!("No signature of method is applicable for `{}`", other.to_text(language))))
        }
    }
}

/// The line of `log.info(format, values…)`: each `{}` is a value.
fn log_line(values: &[Value], language: Language) -> String {
    let (format, rest) = values.split_first().expect("there is an argument");
    let (mut line, mut rest) = (format.to_text(language), rest.iter());
    let mut from = 0;
    while let Some(at) = line[from..].find("{}") {
        let Some(value) = rest.next() else { break };
        let shown = value.to_text(language);
        line.replace_range(from + at..from + at + 2, &shown);
        from += at + shown.len();
    }
    line
}

impl Parser<'_> {
    /// Something that is done, if it is known what it does with these arguments.
    pub(super) fn side_effect(
        &self,
        effect: SideEffect,
        arguments: Vec<Node>,
        word: &str,
    ) -> Result<Node, ScriptFailure> {
        let kinds: Vec<ValueType> = arguments.iter().map(|argument| self.kind(argument)).collect();
        if effect.takes(&kinds, self.language) {
            return Ok(Node::SideEffect(effect, arguments));
        }
        Err(unsupported(format!("`{word}` with these arguments needs a script engine")))
    }

    /// `props.name = value`.
    pub(super) fn put_property(&self, arguments: Vec<Node>) -> Result<Node, ScriptFailure> {
        self.side_effect(SideEffect::PutProperty, arguments, "props")
    }

    /// `log.info "text"` and `println text` of Groovy: a call without parentheses.
    pub(super) fn command(&mut self) -> Result<Option<Node>, ScriptFailure> {
        if self.language != Language::Groovy || self.bindings == BindingScope::Empty {
            return Ok(None);
        }
        let word = |at: usize| match self.tokens.get(at).map(|token| &token.kind) {
            Some(TokenKind::Identifier(word)) => Some(word.as_str()),
            _ => None,
        };
        let (effect, words) = match (word(0), word(2)) {
            (Some("println"), _) => (SideEffect::Print, 1),
            (Some("log"), Some(level)) => match SideEffect::of_log(level, 1) {
                Some(effect) => (effect, 3),
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        let Some(next) = self.tokens.get(words).filter(|token| !token.on_new_line) else { return Ok(None) };
        if !matches!(
            next.kind,
            TokenKind::Text(..)
                | TokenKind::Interpolated(_)
                | TokenKind::Identifier(_)
                | TokenKind::Number(_)
        ) {
            return Ok(None);
        }
        self.tokens = &self.tokens[words..];
        let mut arguments = vec![self.choice()?];
        while self.take(&[","]).is_some() {
            arguments.push(self.choice()?);
        }
        self.side_effect(effect, arguments, if words == 1 { "println" } else { "log" }).map(Some)
    }
}
