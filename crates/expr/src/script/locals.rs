//! Variables that a script declares.

use super::Language;
use super::parse::Parser;
use super::token::{Kind, Token};
use super::tree::{Assignment, Declared, Node, Operator, Target};
use super::value::Value;

/// The variables in sight, block by block.
pub(super) struct Locals {
    scopes: Vec<Vec<Local>>,
    /// How many places there are in all.
    pub(super) places: u32,
}

#[derive(Clone)]
pub(super) struct Local {
    name: String,
    pub(super) place: u32,
    pub(super) declared: Declared,
    /// It has a value wherever it is in sight.
    certain: bool,
}

impl Locals {
    /// Those that are there before the script starts.
    pub(super) fn new(given: &[&str]) -> Self {
        let mut locals = Self { scopes: vec![Vec::new()], places: 0 };
        for name in given {
            locals.declare(name, Declared::Anything);
        }
        locals
    }

    pub(super) fn enter(&mut self) {
        self.scopes.push(Vec::new());
    }

    pub(super) fn leave(&mut self) {
        self.scopes.pop();
    }

    pub(super) fn find(&self, name: &str) -> Option<Local> {
        self.scopes.iter().rev().flatten().find(|local| local.name == name).cloned()
    }

    /// A variable of the innermost block.
    pub(super) fn declare(&mut self, name: &str, declared: Declared) -> u32 {
        self.add(self.scopes.len() - 1, name, declared, true)
    }

    /// A variable that was not declared belongs to the whole script.
    pub(super) fn declare_global(&mut self, name: &str) -> u32 {
        let certain = self.scopes.len() == 1;
        self.add(0, name, Declared::Anything, certain)
    }

    fn add(&mut self, scope: usize, name: &str, declared: Declared, certain: bool) -> u32 {
        let place = self.places;
        self.places += 1;
        self.scopes[scope].retain(|local| local.name != name);
        self.scopes[scope].push(Local { name: name.to_owned(), place, declared, certain });
        place
    }
}

impl Parser<'_> {
    /// A variable of the script of that name, if there is one.
    pub(super) fn local(&mut self, name: &str) -> Result<Option<Node>, String> {
        match self.locals.find(name) {
            // It may have the value that an earlier run left, or none.
            Some(local) if !local.certain => Err(format!("`{name}` may have no value here")),
            Some(local) => Ok(Some(Node::Local(local.place))),
            None => Ok(None),
        }
    }

    /// `++` or `--` after a value.
    pub(super) fn stepped(&mut self, node: Node) -> Result<Node, String> {
        if self.on_line().is_none() {
            return Ok(node);
        }
        match self.stepping() {
            Some(operator) => self.step(node, operator, true),
            None => Ok(node),
        }
    }

    /// Takes `++` or `--`, and what it does.
    pub(super) fn stepping(&mut self) -> Option<Operator> {
        if !self.language.has_statements() {
            return None;
        }
        let mark = self.take(&["++", "--"])?;
        Some(if mark == "++" { Operator::Add } else { Operator::Subtract })
    }

    /// `a++`, `++a`.
    pub(super) fn step(&mut self, node: Node, operator: Operator, gives_old: bool) -> Result<Node, String> {
        self.assignment(node, Some(operator), Node::Constant(Value::Int(1)), gives_old)
    }

    /// What stands after a statement's expression: an assignment to it, or nothing.
    pub(super) fn assigned(&mut self, node: Node) -> Result<Node, String> {
        let Some(mark) = self.take(&["=", "+=", "-=", "*=", "/=", "%="]) else { return Ok(node) };
        let operator = match mark {
            "+=" => Some(Operator::Add),
            "-=" => Some(Operator::Subtract),
            "*=" => Some(Operator::Multiply),
            "/=" => Some(Operator::Divide),
            "%=" => Some(Operator::Remainder),
            _ => None,
        };
        let value = self.choice()?;
        let value = self.assigned(value)?;
        self.assignment(node, operator, value, false)
    }

    fn assignment(
        &mut self,
        node: Node,
        operator: Option<Operator>,
        value: Node,
        gives_old: bool,
    ) -> Result<Node, String> {
        let target = match node {
            Node::Local(place) => Target::Local(place, self.declared(place)),
            Node::Index(of, key) => Target::Index(*of, *key),
            Node::Member { of, name, safe: false } => Target::Member(*of, name),
            Node::Property(name, None) if operator.is_none() && self.language == Language::Groovy => {
                return Ok(Node::Act(super::act::Act::PutProperty, vec![*name, value]));
            }
            _ => return Err("this assignment needs a script engine".to_owned()),
        };
        Ok(Node::Assign(Box::new(Assignment { target, operator, value, gives_old })))
    }

    fn declared(&self, place: u32) -> Declared {
        self.locals.declared(place)
    }

    /// `name = value` where the name is new: the variable belongs to the whole script.
    pub(super) fn new_global(&mut self) -> Result<Option<Node>, String> {
        let [Token { kind: Kind::Word(name), .. }, Token { kind: Kind::Mark("="), .. }, ..] = self.tokens
        else {
            return Ok(None);
        };
        let known = self.locals.find(name);
        if known.is_some_and(|local| local.certain) {
            return Ok(None);
        }
        if super::objects::is_binding(name, self.sight) {
            return Err(format!("a value for `{name}` needs a script engine"));
        }
        let name = name.clone();
        self.tokens = &self.tokens[2..];
        let value = self.choice()?;
        let value = self.assigned(value)?;
        let place = self.locals.declare_global(&name);
        let target = Target::Local(place, Declared::Anything);
        Ok(Some(Node::Assign(Box::new(Assignment { target, operator: None, value, gives_old: false }))))
    }
}

impl Locals {
    fn declared(&self, place: u32) -> Declared {
        let found = self.scopes.iter().flatten().find(|local| local.place == place);
        found.map_or(Declared::Anything, |local| local.declared)
    }
}

impl Declared {
    /// The type of that name; classes are taken at their word.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "boolean" | "Boolean" => Self::Boolean,
            "int" | "Integer" => Self::Int,
            "long" | "Long" => Self::Long,
            "double" | "Double" => Self::Double,
            "String" => Self::Text,
            "def" | "var" | "Object" | "List" | "ArrayList" | "Map" | "LinkedHashMap" | "Random" | "Date"
            | "StringBuilder" | "StringBuffer" | "UUID" | "SimpleDateFormat" | "SampleResult"
            | "JsonSlurper" | "CharSequence" | "LocalDate" | "LocalDateTime" | "DateTimeFormatter"
            | "DateFormat" => Self::Anything,
            _ => return None,
        })
    }

    /// The value as a variable of this type holds it. The error is the exception.
    pub(super) fn hold(self, value: Value, language: Language) -> Result<Value, String> {
        let shown = || value.to_text(language);
        let wrong = || format!("Cannot cast `{}` to the type of the variable", shown());
        match (self, &value) {
            (Self::Anything, _)
            | (_, Value::Null)
            | (Self::Boolean, Value::Boolean(_))
            | (Self::Int, Value::Int(_))
            | (Self::Long, Value::Long(_))
            | (Self::Double, Value::Double(_)) => Ok(value),
            (Self::Text, Value::Text(text)) => Ok(Value::java(text.text.clone())),
            (Self::Long, Value::Int(number)) => Ok(Value::Long(i64::from(*number))),
            (Self::Double, Value::Int(_) | Value::Long(_)) => {
                Ok(Value::Double(value.as_double().ok_or_else(wrong)?))
            }
            (Self::Text, other)
                if language == Language::Groovy && super::object::is_shown(other, language) =>
            {
                Ok(Value::java(other.to_text(language)))
            }
            (Self::Boolean, other) if language == Language::Groovy => {
                Ok(Value::Boolean(super::groovy::truth(other)))
            }
            (to, other) if language == Language::Groovy && other.is_number() => {
                let to = match to {
                    Self::Int => super::tree::Type::Int,
                    Self::Long => super::tree::Type::Long,
                    _ => super::tree::Type::Double,
                };
                super::groovy::number_to(other, to)
            }
            _ => Err(wrong()),
        }
    }
}
