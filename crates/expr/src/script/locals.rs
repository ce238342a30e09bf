//! Variables that a script declares.

use super::Language;
use super::failure::{ScriptFailure, Unsupported, exception, unsupported};
use super::parse::Parser;
use super::token::{Token, TokenKind};
use super::tree::{Assignment, Declared, Node, Operator, Type};
use super::value::Value;
use super::value_type::ValueType;

/// The variables in sight, block by block.
pub(super) struct Locals {
    scopes: Vec<Vec<Local>>,
    /// The kind of each variable's values, by its slot.
    kinds: Vec<ValueType>,
}

#[derive(Clone)]
pub(super) struct Local {
    name: String,
    pub(super) slot: u32,
    pub(super) declared: Declared,
    /// It has a value wherever it is in sight.
    certain: bool,
}

impl Locals {
    /// Those that are there before the script starts.
    pub(super) fn new(given: &[&str]) -> Self {
        let mut locals = Self { scopes: vec![Vec::new()], kinds: Vec::new() };
        for name in given {
            let kind = match *name {
                "args" => ValueType::Array,
                "IsSuccess" | "Successful" | "Failure" => ValueType::Boolean,
                _ => ValueType::Text,
            };
            locals.declare(name, Declared::Anything, kind);
        }
        locals
    }

    /// How many variables there are.
    pub(super) fn slots(&self) -> u32 {
        self.kinds.len() as u32
    }

    /// The kind of a variable's values.
    pub(super) fn kind(&self, slot: u32) -> ValueType {
        self.kinds[slot as usize]
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
    pub(super) fn declare(&mut self, name: &str, declared: Declared, kind: ValueType) -> u32 {
        self.add(self.scopes.len() - 1, name, declared, kind, true)
    }

    /// A variable that was not declared belongs to the whole script.
    fn declare_global(&mut self, name: &str, kind: ValueType) -> u32 {
        let certain = self.scopes.len() == 1;
        self.add(0, name, Declared::Anything, kind, certain)
    }

    fn add(&mut self, scope: usize, name: &str, declared: Declared, kind: ValueType, certain: bool) -> u32 {
        let slot = self.slots();
        self.kinds.push(kind);
        self.scopes[scope].retain(|local| local.name != name);
        self.scopes[scope].push(Local { name: name.to_owned(), slot, declared, certain });
        slot
    }

    fn declared(&self, slot: u32) -> Declared {
        let found = self.scopes.iter().flatten().find(|local| local.slot == slot);
        found.map_or(Declared::Anything, |local| local.declared)
    }
}

impl Parser<'_> {
    /// A variable of the script of that name, if there is one.
    pub(super) fn local(&mut self, name: &str) -> Result<Option<Node>, ScriptFailure> {
        match self.locals.find(name) {
            // It may have the value that an earlier run left, or none.
            Some(local) if !local.certain => Err(unsupported(format!("`{name}` may have no value here"))),
            Some(local) => Ok(Some(Node::Local(local.slot))),
            None => Ok(None),
        }
    }

    /// `++` or `--` after a value.
    pub(super) fn stepped(&mut self, node: Node) -> Result<Node, ScriptFailure> {
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

    /// `a++`, `++a`: of whole numbers.
    pub(super) fn step(
        &mut self,
        node: Node,
        operator: Operator,
        gives_old: bool,
    ) -> Result<Node, ScriptFailure> {
        if !matches!(self.kind(&node), ValueType::Int | ValueType::Long) {
            return Err(Unsupported::word(if operator == Operator::Add { "++" } else { "--" }).into());
        }
        self.assignment(node, Some(operator), Node::Constant(Value::Int(1)), gives_old)
    }

    /// What stands after a statement's expression: an assignment to it, or nothing.
    pub(super) fn assigned(&mut self, node: Node) -> Result<Node, ScriptFailure> {
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
        if let Some(operator) = operator {
            self.operands(mark, operator, &node, &value)?;
        }
        self.assignment(node, operator, value, false)
    }

    fn assignment(
        &mut self,
        node: Node,
        operator: Option<Operator>,
        value: Node,
        gives_old: bool,
    ) -> Result<Node, ScriptFailure> {
        match node {
            Node::Local(slot) => {
                let declared = self.locals.declared(slot);
                let kind = match operator {
                    Some(operator) => self.joined_kind(operator, slot, &value),
                    None => self.kind(&value),
                };
                self.fits(slot, declared, kind, &value)?;
                Ok(Node::Assign(Box::new(Assignment { slot, declared, operator, value, gives_old })))
            }
            Node::Property(name, None) if operator.is_none() && self.language == Language::Groovy => {
                self.put_property(vec![*name, value])
            }
            Node::OfObject { of, method, safe: false, .. } if operator.is_none() => {
                self.set_property(*of, method, value)
            }
            _ => Err(Unsupported::word("=").into()),
        }
    }

    /// Whether a variable keeps its kind.
    fn fits(
        &self,
        slot: u32,
        declared: Declared,
        kind: ValueType,
        value: &Node,
    ) -> Result<(), ScriptFailure> {
        let held = self.locals.kind(slot);
        let same = match declared {
            Declared::Anything => kind == held || (held == ValueType::Text && kind == ValueType::Null),
            declared => declared.takes(kind, value, self.language),
        };
        if same {
            return Ok(());
        }
        Err(unsupported("a variable whose values are of several types needs a script engine"))
    }

    /// `name = value` where the name is new: the variable belongs to the whole script.
    pub(super) fn new_global(&mut self) -> Result<Option<Node>, ScriptFailure> {
        let [
            Token { kind: TokenKind::Identifier(name), .. },
            Token { kind: TokenKind::Punctuator("="), .. },
            ..,
        ] = self.tokens
        else {
            return Ok(None);
        };
        let known = self.locals.find(name);
        if known.is_some_and(|local| local.certain) {
            return Ok(None);
        }
        if super::objects::is_binding(name, self.bindings) {
            return Err(unsupported(format!("a value for `{name}` needs a script engine")));
        }
        let name = name.clone();
        self.tokens = &self.tokens[2..];
        let value = self.choice()?;
        let value = self.assigned(value)?;
        let slot = self.locals.declare_global(&name, self.kind(&value));
        let declared = Declared::Anything;
        let assignment = Assignment { slot, declared, operator: None, value, gives_old: false };
        Ok(Some(Node::Assign(Box::new(assignment))))
    }
}

impl Declared {
    /// The type of that name.
    pub(super) fn named(name: &str, language: Language) -> Option<Self> {
        Some(match name {
            "boolean" | "Boolean" => Self::Boolean,
            "int" | "Integer" => Self::Int,
            "long" | "Long" => Self::Long,
            "double" | "Double" => Self::Double,
            "String" => Self::Text,
            "def" | "var" if language != Language::Groovy => return None,
            "def" | "var" | "Object" => Self::Anything,
            "Random" => Self::Object(ValueType::Random),
            "UUID" => Self::Object(ValueType::Uuid),
            "SampleResult" => Self::Object(ValueType::Sample),
            _ => return None,
        })
    }

    /// The kind of the values of a variable of this type, whose first value is of a kind.
    pub(super) fn kind(self, first: ValueType) -> ValueType {
        match self {
            Self::Anything => first,
            Self::Object(kind) => kind,
            Self::Boolean => ValueType::Boolean,
            Self::Int => ValueType::Int,
            Self::Long => ValueType::Long,
            Self::Double => ValueType::Double,
            Self::Text => ValueType::Text,
        }
    }

    /// Whether a variable of this type takes values of a kind, in a way that is known.
    pub(super) fn takes(self, kind: ValueType, value: &Node, language: Language) -> bool {
        // What a reference will be is seen when the script runs.
        if matches!(value, Node::Placeholder) {
            return !matches!(self, Self::Object(_));
        }
        let groovy = language == Language::Groovy;
        match self {
            Self::Anything => true,
            Self::Text => {
                kind == ValueType::Null || kind == ValueType::Text || groovy && kind == ValueType::GString
            }
            Self::Int | Self::Long | Self::Double if groovy => kind.is_number(),
            declared => declared.kind(kind) == kind,
        }
    }

    /// The value as a variable of this type holds it. The error is the exception.
    pub(super) fn hold(self, value: Value, language: Language) -> Result<Value, ScriptFailure> {
        let to = match (self, &value) {
            (Self::Anything | Self::Object(_), _)
            | (_, Value::Null)
            | (Self::Boolean, Value::Boolean(_))
            | (Self::Int, Value::Int(_))
            | (Self::Long, Value::Long(_))
            | (Self::Double, Value::Double(_)) => return Ok(value),
            (Self::Text, Value::Text(text)) => return Ok(Value::host(text.text.clone())),
            (Self::Int, _) => Type::Int,
            (Self::Long, _) => Type::Long,
            _ => Type::Double,
        };
        if language == Language::Groovy && value.is_number() && !matches!(self, Self::Boolean | Self::Text) {
            return super::groovy::number_to(&value, to);
        }
        Err(exception(format!("Cannot cast `{}` to the type of the variable", value.to_text(language))))
    }
}
