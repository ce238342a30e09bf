//! What scripts see of JMeter and Java: `vars`, `props`, `ctx`, `threadName`, a few classes.

use super::failure::{ScriptFailure, Unsupported, unsupported};
use super::parse::Parser;
use super::sample_bindings::Binding;
use super::side_effect::SideEffect;
use super::static_methods;
use super::tree::Node;
use super::value::Value;
use super::value_type::ValueType;
use super::{BindingScope, ElementKind, Language};
use crate::context::{Context, StopRequest};

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

/// Names that mean something to a script before it says anything.
const BINDINGS: &[&str] = &["vars", "props", "ctx", "log", "OUT", "prev", "sampler", "threadName"];

/// Whether a name is taken by JMeter.
pub(super) fn is_binding(name: &str, bindings: BindingScope) -> bool {
    bindings != BindingScope::Empty && (BINDINGS.contains(&name) || stage(name, bindings).is_some())
}

/// The sample or result that an element calls so.
fn stage(name: &str, bindings: BindingScope) -> Option<Binding> {
    let BindingScope::Element(of) = bindings else { return None };
    match name {
        "prev" if of != ElementKind::Timer => Some(Binding::Previous),
        "SampleResult" if matches!(of, ElementKind::Sampler | ElementKind::Assertion) => Some(Binding::Own),
        "AssertionResult" if of == ElementKind::Assertion => Some(Binding::Assertion),
        _ => None,
    }
}

impl Parser<'_> {
    /// What a name means, with the dots and parentheses that belong to it; none if it is not known.
    pub(super) fn object(&mut self, name: &str) -> Result<Option<Node>, ScriptFailure> {
        if let Some(function) = static_methods::function(name, self.language)
            && self.take(&["("]).is_some()
        {
            return self.call(function, name).map(Some);
        }
        if name == "Math" && self.language == Language::JavaScript {
            return self.class(name).map(Some);
        }
        if self.bindings == BindingScope::Empty {
            return Ok(None);
        }
        if let Some(binding) = stage(name, self.bindings) {
            return Ok(Some(Node::Binding(binding)));
        }
        match name {
            "vars" => self.vars().map(Some),
            "props" => self.props().map(Some),
            "ctx" => self.ctx().map(Some),
            "threadName" if self.bindings == BindingScope::Objects => Ok(Some(Node::Fact(Fact::ThreadName))),
            _ if self.language.has_statements() => self.object_of_java(name),
            _ => Ok(None),
        }
    }

    fn object_of_java(&mut self, name: &str) -> Result<Option<Node>, ScriptFailure> {
        match name {
            // The function `__BeanShell` gives its scripts no log.
            "log" if self.language == Language::Groovy || self.bindings != BindingScope::Objects => {
                self.log().map(Some)
            }
            "OUT" => {
                self.expect(".")?;
                match self.name()?.as_str() {
                    "println" => self.printed().map(Some),
                    other => Err(Unsupported::word(format!("OUT.{other}")).into()),
                }
            }
            "println" if self.is_next("(") && self.language == Language::Groovy => self.printed().map(Some),
            "print" if self.is_next("(") && self.language == Language::BeanShell => self.printed().map(Some),
            "new" => self.new_object().map(Some),
            "bsh" if self.language == Language::BeanShell && self.locals.find("args").is_some() => {
                self.expect(".")?;
                match self.name()?.as_str() {
                    "args" => self.local("args"),
                    other => Err(Unsupported::word(format!("bsh.{other}")).into()),
                }
            }
            "Thread" => self.thread().map(Some),
            "org" | "java" | "groovy" if self.is_next(".") => {
                let class = self.class_path(name)?;
                self.of_class(class).map(Some)
            }
            _ => match self.class_named(name) {
                Some(class) if self.is_next(".") => self.of_class(class).map(Some),
                _ => Ok(None),
            },
        }
    }

    fn of_class(&mut self, class: (&'static str, &'static str)) -> Result<Node, ScriptFailure> {
        match self.class_function(class)? {
            Some(node) => Ok(node),
            None => self.class(class.1),
        }
    }

    fn log(&mut self) -> Result<Node, ScriptFailure> {
        self.expect(".")?;
        let name = self.name()?;
        self.expect("(")?;
        let arguments = self.arguments()?;
        let word = format!("log.{name}");
        let effect = SideEffect::of_log(&name, arguments.len()).ok_or_else(|| Unsupported::word(&word))?;
        self.side_effect(effect, arguments, &word)
    }

    /// A line that is printed, whose `(` comes next.
    fn printed(&mut self) -> Result<Node, ScriptFailure> {
        self.expect("(")?;
        let arguments = self.arguments()?;
        self.side_effect(SideEffect::Print, arguments, "println")
    }

    /// `Thread.currentThread().getName()`.
    fn thread(&mut self) -> Result<Node, ScriptFailure> {
        self.words(&["currentThread", "getName"]).map(|()| Node::Fact(Fact::ThreadName))
    }

    /// `.name()` after `.name()`, just these.
    fn words(&mut self, names: &[&str]) -> Result<(), ScriptFailure> {
        for wanted in names {
            self.expect(".")?;
            let name = self.name()?;
            if name != *wanted {
                return Err(Unsupported::word(format!(".{name}")).into());
            }
            self.expect("(")?;
            self.expect(")")?;
        }
        Ok(())
    }

    fn call(&mut self, function: static_methods::StaticMethod, name: &str) -> Result<Node, ScriptFailure> {
        let arguments = self.arguments()?;
        let kinds: Vec<ValueType> = arguments.iter().map(|argument| self.kind(argument)).collect();
        if !function.takes(&kinds, self.language) {
            return Err(unsupported(format!("`{name}` with these arguments needs a script engine")));
        }
        Ok(Node::StaticCall(function, arguments))
    }

    /// A static method or constant of a class.
    fn class(&mut self, class: &str) -> Result<Node, ScriptFailure> {
        self.expect(".")?;
        let name = self.name()?;
        let unknown = || Unsupported::word(format!("{class}.{name}"));
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
            ("System", "getenv") => Ok(Node::Environment(Box::new(self.key(")")?))),
            ("System", "currentTimeMillis") => self.fact(Fact::Now),
            ("FileServer", "getFileServer") => {
                self.expect(")")?;
                self.expect(".")?;
                if self.name()? != "getBaseDir" {
                    return Err(Unsupported::word("FileServer").into());
                }
                self.expect("(")?;
                self.fact(Fact::PlanFolder)
            }
            _ => {
                let function = static_methods::of_class(class, &name).ok_or_else(unknown)?;
                self.call(function, &name)
            }
        }
    }

    /// A fact whose parentheses end here.
    fn fact(&mut self, fact: Fact) -> Result<Node, ScriptFailure> {
        self.expect(")")?;
        Ok(Node::Fact(fact))
    }

    /// The name of a variable or property, up to what closes it.
    fn key(&mut self, end: &'static str) -> Result<Node, ScriptFailure> {
        let key = self.argument(end)?;
        if self.kind(&key) == ValueType::Text {
            Ok(key)
        } else {
            Err(unsupported("a name that is no text needs a script engine"))
        }
    }

    /// Whether members can be read as `vars.name` and `vars["name"]`.
    fn has_members(&self) -> bool {
        self.language == Language::Groovy || self.language == Language::Jexl3
    }

    fn vars(&mut self) -> Result<Node, ScriptFailure> {
        if self.has_members() && self.take(&["["]).is_some() {
            return Ok(Node::Variable(Box::new(self.key("]")?)));
        }
        self.expect(".")?;
        let name = self.name()?;
        if self.take(&["("]).is_none() {
            let reserved = name == "iteration" || name == "class" || name == "threadName";
            if reserved || !self.has_members() {
                return Err(Unsupported::word(format!("vars.{name}")).into());
            }
            return Ok(Node::Variable(Box::new(Node::Constant(Value::literal(name)))));
        }
        match name.as_str() {
            "get" | "getObject" => Ok(Node::Variable(Box::new(self.key(")")?))),
            "getIteration" => self.fact(Fact::Iteration),
            _ => {
                let unknown = || Unsupported::word(format!("vars.{name}"));
                if !self.language.has_statements() {
                    return Err(unknown().into());
                }
                let arguments = self.arguments()?;
                let effect = SideEffect::of_vars(&name, arguments.len()).ok_or_else(unknown)?;
                self.side_effect(effect, arguments, &format!("vars.{name}"))
            }
        }
    }

    fn props(&mut self) -> Result<Node, ScriptFailure> {
        if self.has_members() && self.take(&["["]).is_some() {
            return Ok(Node::Property(Box::new(self.key("]")?), None));
        }
        self.expect(".")?;
        let name = self.name()?;
        if self.language == Language::Groovy && !self.is_next("(") {
            return Ok(Node::Property(Box::new(Node::Constant(Value::literal(name))), None));
        }
        self.expect("(")?;
        let arguments = self.arguments()?;
        if let Some(effect) =
            SideEffect::of_props(&name, arguments.len()).filter(|_| self.language.has_statements())
        {
            return self.side_effect(effect, arguments, &format!("props.{name}"));
        }
        if arguments.iter().any(|argument| self.kind(argument) != ValueType::Text) {
            return Err(Unsupported::word(format!("props.{name}")).into());
        }
        let mut arguments = arguments.into_iter();
        let found = (name.as_str(), arguments.next(), arguments.next(), arguments.next());
        match found {
            ("get" | "getProperty", Some(key), None, None) => Ok(Node::Property(Box::new(key), None)),
            ("getProperty", Some(key), Some(default), None) => {
                Ok(Node::Property(Box::new(key), Some(Box::new(default))))
            }
            _ => Err(Unsupported::word(format!("props.{name}")).into()),
        }
    }

    fn ctx(&mut self) -> Result<Node, ScriptFailure> {
        self.expect(".")?;
        let name = self.name()?;
        let element = match self.bindings {
            BindingScope::Element(kind) => Some(kind),
            _ => None,
        };
        match name.as_str() {
            "threadNum" if self.language != Language::BeanShell => Ok(Node::Fact(Fact::ThreadNumber)),
            "getThreadNum" => {
                self.expect("(")?;
                self.fact(Fact::ThreadNumber)
            }
            "getPreviousResult" if element.is_some_and(|kind| kind != ElementKind::Timer) => {
                self.expect("(")?;
                self.expect(")")?;
                Ok(Node::Binding(Binding::Previous))
            }
            "getVariables" if self.language.has_statements() => {
                self.expect("(")?;
                self.expect(")")?;
                self.vars()
            }
            "getThread" if self.language.has_statements() => {
                self.expect("(")?;
                self.expect(")")?;
                self.words(&["getThreadName"]).map(|()| Node::Fact(Fact::ThreadName))
            }
            "getEngine" if element.is_some_and(ElementKind::may_stop) => self.engine(),
            _ => Err(Unsupported::word(format!("ctx.{name}")).into()),
        }
    }

    /// `ctx.getEngine().stopTest()` and its relatives, after `getEngine`.
    fn engine(&mut self) -> Result<Node, ScriptFailure> {
        self.expect("(")?;
        self.expect(")")?;
        self.expect(".")?;
        let name = self.name()?;
        self.expect("(")?;
        self.expect(")")?;
        let stop = match name.as_str() {
            "stopTest" => StopRequest::TestNow,
            "askThreadsToStop" => StopRequest::Test,
            _ => return Err(Unsupported::word(format!(".{name}")).into()),
        };
        Ok(Node::SideEffect(SideEffect::Stop(stop), Vec::new()))
    }
}

impl Fact {
    /// The kind of its value.
    pub(super) fn kind(self, language: Language) -> ValueType {
        match self {
            Self::ThreadNumber | Self::Iteration if language == Language::JavaScript => ValueType::Double,
            Self::ThreadNumber | Self::Iteration => ValueType::Int,
            Self::Now => ValueType::Long,
            Self::ThreadName | Self::Separator | Self::PlanFolder => ValueType::foreign_text(language),
            Self::IsWindows | Self::IsLinux | Self::IsMac => ValueType::Boolean,
        }
    }

    pub(super) fn value(self, language: Language, cx: &Context) -> Value {
        match self {
            Self::ThreadNumber => Value::whole(cx.user.thread_index as i32, language),
            Self::Iteration => Value::whole(cx.iteration as i32, language),
            Self::ThreadName => Value::host(cx.user.thread_name.clone()),
            Self::Now => Value::Long(cx.host.now_ns().div_euclid(1_000_000)),
            Self::Separator => Value::host(std::path::MAIN_SEPARATOR_STR),
            Self::PlanFolder => Value::host(cx.run.plan_dir.to_string_lossy()),
            Self::IsWindows => Value::Boolean(cfg!(windows)),
            Self::IsLinux => Value::Boolean(cfg!(target_os = "linux")),
            Self::IsMac => Value::Boolean(cfg!(target_os = "macos")),
        }
    }
}
