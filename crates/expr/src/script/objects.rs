//! What scripts see of JMeter and Java: `vars`, `props`, `ctx`, `threadName`, a few classes.

use super::calls;
use super::parse::Parser;
use super::tree::Node;
use super::value::Value;
use super::{Language, Sight};
use crate::context::Context;

/// Something of the user or of the machine that has no arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fact {
    /// `ctx.getThreadNum()`: from 0.
    ThreadNumber,
    /// `vars.getIteration()`.
    Iteration,
    /// `threadName`.
    ThreadName,
    /// `System.currentTimeMillis()`.
    Now,
    /// `File.separator`.
    Separator,
    /// `FileServer.getFileServer().getBaseDir()`.
    PlanFolder,
    /// `SystemUtils.IS_OS_WINDOWS`.
    IsWindows,
    /// `SystemUtils.IS_OS_LINUX`.
    IsLinux,
    /// `SystemUtils.IS_OS_MAC`.
    IsMac,
}

/// Classes that may be imported, and their last names.
const CLASSES: [(&str, &str); 5] = [
    ("org.apache.jmeter.services.FileServer", "FileServer"),
    ("org.apache.commons.lang3.SystemUtils", "SystemUtils"),
    ("java.io.File", "File"),
    ("java.lang.System", "System"),
    ("java.lang.Math", "Math"),
];

/// The last name of a class that may be imported.
pub(super) fn known_class(path: &str) -> Option<&'static str> {
    CLASSES.iter().find(|(whole, _)| *whole == path).map(|(_, name)| *name)
}

impl Parser<'_> {
    /// What a name means, with the dots and parentheses that belong to it; none if it is not known.
    pub(super) fn object(&mut self, name: &str) -> Result<Option<Node>, String> {
        if let Some(function) = calls::function(name, self.language)
            && self.take(&["("]).is_some()
        {
            return self.call(function, name).map(Some);
        }
        let java = matches!(self.language, Language::Groovy | Language::BeanShell);
        match name {
            "Math" if self.language == Language::JavaScript => self.class("Math").map(Some),
            _ if self.sight == Sight::Nothing => Ok(None),
            "vars" => self.vars().map(Some),
            "props" => self.props().map(Some),
            "ctx" => self.ctx().map(Some),
            "threadName" => Ok(Some(Node::Fact(Fact::ThreadName))),
            "Math" | "Integer" | "Long" | "Double" | "Boolean" | "String" | "System" | "File" if java => {
                self.class(name).map(Some)
            }
            "FileServer" | "SystemUtils" if self.imports.iter().any(|imported| imported == name) => {
                self.class(name).map(Some)
            }
            "org" | "java" if java => self.path(name).map(Some),
            _ => Ok(None),
        }
    }

    /// A class with its whole name.
    fn path(&mut self, first: &str) -> Result<Node, String> {
        let mut path = first.to_owned();
        while path.len() < 60 && self.take(&["."]).is_some() {
            path = format!("{path}.{}", self.name()?);
            if let Some(class) = known_class(&path) {
                return self.class(class);
            }
        }
        Err(format!("`{path}` needs a script engine"))
    }

    fn call(&mut self, function: calls::Static, name: &str) -> Result<Node, String> {
        let arguments = self.arguments()?;
        if !function.takes(arguments.len()) {
            return Err(format!("`{name}` does not take {} arguments", arguments.len()));
        }
        Ok(Node::Static(function, arguments))
    }

    /// A static method or constant of a class.
    fn class(&mut self, class: &str) -> Result<Node, String> {
        self.expect(".")?;
        let name = self.name()?;
        let unknown = || format!("`{class}.{name}` needs a script engine");
        let fact = match (class, name.as_str()) {
            ("File", "separator") => Some(Fact::Separator),
            ("SystemUtils", "IS_OS_WINDOWS") => Some(Fact::IsWindows),
            ("SystemUtils", "IS_OS_LINUX") => Some(Fact::IsLinux),
            ("SystemUtils", "IS_OS_MAC") => Some(Fact::IsMac),
            _ => None,
        };
        if let Some(fact) = fact {
            return Ok(Node::Fact(fact));
        }
        self.expect("(")?;
        match (class, name.as_str()) {
            ("System", "getenv") => Ok(Node::Environment(Box::new(self.argument(")")?))),
            ("System", "currentTimeMillis") => self.fact(Fact::Now),
            ("FileServer", "getFileServer") => {
                self.expect(")")?;
                self.expect(".")?;
                if self.name()? != "getBaseDir" {
                    return Err("`FileServer` needs a script engine".to_owned());
                }
                self.expect("(")?;
                self.fact(Fact::PlanFolder)
            }
            _ => {
                let function = calls::of_class(class, &name, self.language).ok_or_else(unknown)?;
                self.call(function, &name)
            }
        }
    }

    /// A fact whose parentheses end here.
    fn fact(&mut self, fact: Fact) -> Result<Node, String> {
        self.expect(")")?;
        Ok(Node::Fact(fact))
    }

    /// Whether members can be read as `vars.name` and `vars["name"]`.
    fn has_members(&self) -> bool {
        self.language == Language::Groovy || self.language == Language::Jexl3
    }

    fn vars(&mut self) -> Result<Node, String> {
        if self.has_members() && self.take(&["["]).is_some() {
            return Ok(Node::Variable(Box::new(self.argument("]")?)));
        }
        self.expect(".")?;
        let name = self.name()?;
        if self.take(&["("]).is_none() {
            let reserved = name == "iteration" || name == "class" || name == "threadName";
            if reserved || !self.has_members() {
                return Err(format!("`vars.{name}` needs a script engine"));
            }
            return Ok(Node::Variable(Box::new(Node::Constant(Value::own(name)))));
        }
        match name.as_str() {
            "get" | "getObject" => Ok(Node::Variable(Box::new(self.argument(")")?))),
            "getIteration" => self.fact(Fact::Iteration),
            _ => Err(format!("`vars.{name}` needs a script engine")),
        }
    }

    fn props(&mut self) -> Result<Node, String> {
        if self.has_members() && self.take(&["["]).is_some() {
            return Ok(Node::Property(Box::new(self.argument("]")?), None));
        }
        self.expect(".")?;
        let name = self.name()?;
        self.expect("(")?;
        let mut arguments = self.arguments()?.into_iter();
        let found = (name.as_str(), arguments.next(), arguments.next(), arguments.next());
        match found {
            ("get" | "getProperty", Some(key), None, None) => Ok(Node::Property(Box::new(key), None)),
            ("getProperty", Some(key), Some(default), None) => {
                Ok(Node::Property(Box::new(key), Some(Box::new(default))))
            }
            _ => Err(format!("`props.{name}` needs a script engine")),
        }
    }

    fn ctx(&mut self) -> Result<Node, String> {
        self.expect(".")?;
        let name = self.name()?;
        match name.as_str() {
            "threadNum" if self.language != Language::BeanShell => Ok(Node::Fact(Fact::ThreadNumber)),
            "getThreadNum" => {
                self.expect("(")?;
                self.fact(Fact::ThreadNumber)
            }
            _ => Err(format!("`ctx.{name}` needs a script engine")),
        }
    }
}

impl Fact {
    pub(super) fn value(self, language: Language, cx: &Context) -> Value {
        match self {
            Self::ThreadNumber => Value::whole(cx.user.thread_index as i32, language),
            Self::Iteration => Value::whole(cx.iteration as i32, language),
            Self::ThreadName => Value::java(cx.user.thread_name.clone()),
            Self::Now => Value::Long(cx.host.now_ns().div_euclid(1_000_000)),
            Self::Separator => Value::java(std::path::MAIN_SEPARATOR_STR),
            Self::PlanFolder => Value::java(cx.run.plan_dir.to_string_lossy()),
            Self::IsWindows => Value::Boolean(cfg!(windows)),
            Self::IsLinux => Value::Boolean(cfg!(target_os = "linux")),
            Self::IsMac => Value::Boolean(cfg!(target_os = "macos")),
        }
    }
}
