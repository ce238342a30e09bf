//! What scripts do to variables, properties, the log and the run.

use super::frame::Frame;
use super::object;
use super::parse::Parser;
use super::run;
use super::token::Kind;
use super::tree::Node;
use super::value::Value;
use super::{Language, Sight};
use crate::context::{Level, StopRequest};

/// A deed with arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
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

impl Act {
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

    /// Does it. The error is the exception.
    pub(super) fn run(self, nodes: &[Node], frame: &mut Frame<'_>) -> Result<Value, String> {
        let language = frame.language;
        let values: Vec<Value> =
            nodes.iter().map(|node| run::value(node, frame)).collect::<Result<_, _>>()?;
        match self {
            Self::PutVariable => {
                let name = text(&values[0], language)?;
                match &values[1] {
                    Value::Null => frame.cx()?.vars.put_null(&name),
                    value => {
                        let value = text(value, language)?;
                        frame.cx()?.vars.put(&name, value.as_str());
                    }
                }
            }
            // Only a text stays what it is.
            Self::PutObject => {
                let name = text(&values[0], language)?;
                let Value::Text(value) = &values[1] else {
                    return Err("a variable that is no text needs a script engine".to_owned());
                };
                frame.cx()?.vars.put(&name, value.text.clone());
            }
            Self::RemoveVariable => {
                let name = text(&values[0], language)?;
                return Ok(Value::optional(frame.cx()?.vars.remove(&name)));
            }
            Self::PutProperty | Self::SetProperty => return self.put_property(&values, frame),
            Self::RemoveProperty => {
                let name = text(&values[0], language)?;
                return Ok(Value::optional(frame.cx()?.props.remove(&name)));
            }
            Self::Log(level) => {
                let line = log_line(&values, language)?;
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

    fn put_property(self, values: &[Value], frame: &mut Frame<'_>) -> Result<Value, String> {
        let name = text(&values[0], frame.language)?;
        let value = match &values[1] {
            Value::Text(text) if text.joined && self == Self::PutProperty => {
                // JMeter finds no text at the property then.
                return Err("a property that is no String needs a script engine".to_owned());
            }
            Value::Text(text) => &text.text,
            Value::Null => return Err("java.lang.NullPointerException".to_owned()),
            _ => return Err("a property that is no text needs a script engine".to_owned()),
        };
        Ok(Value::optional(frame.cx()?.props.set(&name, value)))
    }
}

/// A text that Java wants to be one.
fn text(value: &Value, language: Language) -> Result<String, String> {
    match value {
        Value::Text(text) => Ok(text.text.to_string()),
        other => Err(format!("No signature of method is applicable for `{}`", other.to_text(language))),
    }
}

/// The line of `log.info(format, values…)`: each `{}` is a value.
fn log_line(values: &[Value], language: Language) -> Result<String, String> {
    let (format, rest) = values.split_first().expect("there is an argument");
    let format = match format {
        Value::Null => "null".to_owned(),
        Value::Text(_) => text(format, language)?,
        Value::Object(_) if !object::is_shown(format, language) => {
            return Err("this object in a log line needs a script engine".to_owned());
        }
        other => return text(other, language),
    };
    let (mut line, mut rest) = (format, rest.iter());
    let mut from = 0;
    while let Some(at) = line[from..].find("{}") {
        let Some(value) = rest.next() else { break };
        let shown = value.to_text(language);
        line.replace_range(from + at..from + at + 2, &shown);
        from += at + shown.len();
    }
    Ok(line)
}

impl Parser<'_> {
    /// `log.info "text"` and `println text` of Groovy: a call without parentheses.
    pub(super) fn command(&mut self) -> Result<Option<Node>, String> {
        if self.language != Language::Groovy || self.sight == Sight::Nothing {
            return Ok(None);
        }
        let word = |at: usize| match self.tokens.get(at).map(|token| &token.kind) {
            Some(Kind::Word(word)) => Some(word.as_str()),
            _ => None,
        };
        let (act, words) = match (word(0), word(2)) {
            (Some("println"), _) => (Act::Print, 1),
            (Some("log"), Some(level)) => match Act::of_log(level, 1) {
                Some(act) => (act, 3),
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        let Some(next) = self.tokens.get(words).filter(|token| !token.on_new_line) else { return Ok(None) };
        if !matches!(next.kind, Kind::Text(..) | Kind::Joined(_) | Kind::Word(_) | Kind::Number(_)) {
            return Ok(None);
        }
        self.tokens = &self.tokens[words..];
        let mut arguments = vec![self.choice()?];
        while self.take(&[","]).is_some() {
            arguments.push(self.choice()?);
        }
        Ok(Some(Node::Act(act, arguments)))
    }
}
