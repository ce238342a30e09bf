//! The kinds of expressions, and what may be done with which. Whatever is not listed here is refused before a script runs.

use super::Language;
use super::failure::{ScriptFailure, Unsupported, unsupported};
use super::parse::Parser;
use super::tree::{Node, Operator, Type};
use super::value::Value;
use super::value_type::ValueType;

impl Parser<'_> {
    /// The kind of an expression that was read.
    pub(super) fn kind(&self, node: &Node) -> ValueType {
        match node {
            Node::Constant(value) => of_value(value),
            Node::Placeholder | Node::Missing(_) => ValueType::Plain,
            Node::Variable(_) | Node::Property(..) | Node::Environment(_) => {
                ValueType::foreign_text(self.language)
            }
            Node::Fact(fact) => fact.kind(self.language),
            Node::Not(_) | Node::And(..) | Node::Or(..) if self.language == Language::JavaScript => {
                match node {
                    Node::Not(_) => ValueType::Boolean,
                    // One of its sides.
                    _ => ValueType::Plain,
                }
            }
            Node::Not(_) | Node::And(..) | Node::Or(..) | Node::Empty(_) => ValueType::Boolean,
            Node::Minus(of) | Node::Plus(of) => match self.kind(of) {
                kind if kind.is_number() => kind,
                _ if self.language == Language::JavaScript => ValueType::Double,
                _ => ValueType::Plain,
            },
            Node::Binary(operator, left, right) => {
                of_binary(*operator, self.kind(left), self.kind(right), self.language)
            }
            Node::Conditional(parts) => self.one_of(&parts[1], &parts[2]),
            Node::Elvis(left, right) => self.one_of(left, right),
            Node::Size(_) => ValueType::Int,
            Node::Cast(_, to) | Node::CastPrefix(_, to) => to.kind(),
            Node::Method { of, method, .. } => method.result(self.kind(of), self.language),
            Node::OfObject { method, .. } => method.kind(),
            Node::StaticCall(function, arguments) => {
                let kinds: Vec<ValueType> = arguments.iter().map(|node| self.kind(node)).collect();
                function.result(&kinds, self.language)
            }
            Node::Function(function, _) => function.kind(),
            Node::Local(place) => self.locals.kind(*place),
            Node::Interpolated(_) => ValueType::GString,
            Node::Index(..) => ValueType::Text,
            Node::New(made, _) => made.kind(),
            Node::SideEffect(effect, _) => effect.kind(),
            Node::Binding(binding) => binding.kind(),
            Node::Assign(assignment) => self.locals.kind(assignment.slot),
        }
    }

    fn one_of(&self, left: &Node, right: &Node) -> ValueType {
        self.kind(left).or(self.kind(right)).unwrap_or(ValueType::Plain)
    }

    /// Whether it can stand before `?`, between `&&`, in `if`.
    pub(super) fn condition_kind(&self, node: &Node) -> Result<(), ScriptFailure> {
        let kind = self.kind(node);
        let fits = match self.language {
            // Anything else is no condition to BeanShell.
            Language::BeanShell => matches!(kind, ValueType::Boolean | ValueType::Plain),
            _ => kind.is_plain(),
        };
        if fits { Ok(()) } else { Err(unsupported("this condition needs a script engine")) }
    }

    /// Whether it can stand before `?` and in `empty` and `size`, where JEXL 3 hides that an operand is null.
    pub(super) fn choice_kind(&self, node: &Node) -> Result<(), ScriptFailure> {
        if self.language == Language::Jexl3 && self.may_meet_null(node) {
            return Err(unsupported("a condition whose parts may be null needs a script engine"));
        }
        self.condition_kind(node)
    }

    /// Whether something may be computed with null in it.
    fn may_meet_null(&self, node: &Node) -> bool {
        let is_null = |node: &Node| match self.kind(node) {
            ValueType::Null => true,
            ValueType::Text => !matches!(node, Node::Constant(_)),
            ValueType::Plain => !matches!(node, Node::Placeholder | Node::Binary(..)),
            _ => false,
        };
        match node {
            Node::Binary(operator, left, right) => {
                let computes = operator.computes() && (is_null(left) || is_null(right));
                computes || self.may_meet_null(left) || self.may_meet_null(right)
            }
            Node::And(left, right) | Node::Or(left, right) => {
                is_null(left) || is_null(right) || self.may_meet_null(left) || self.may_meet_null(right)
            }
            Node::Not(of) | Node::Minus(of) | Node::Plus(of) => is_null(of) || self.may_meet_null(of),
            Node::Method { of, arguments, .. } => {
                self.may_meet_null(of) || arguments.iter().any(|argument| self.may_meet_null(argument))
            }
            Node::Conditional(parts) => parts.iter().any(|part| self.may_meet_null(part)),
            Node::Elvis(left, right) => self.may_meet_null(left) || self.may_meet_null(right),
            Node::Missing(_) => true,
            _ => false,
        }
    }

    /// Whether its text is known.
    pub(super) fn shown(&self, node: &Node) -> Result<(), ScriptFailure> {
        if self.kind(node).is_shown() {
            return Ok(());
        }
        Err(unsupported("the text of this object needs a script engine"))
    }

    /// Whether an operator is understood between two expressions.
    pub(super) fn operands(
        &self,
        mark: &str,
        operator: Operator,
        left: &Node,
        right: &Node,
    ) -> Result<(), ScriptFailure> {
        let (a, b) = (self.kind(left), self.kind(right));
        let fits = match operator {
            // What a pattern means to Java must be known before.
            Operator::Matches | Operator::Within | Operator::NotWithin => {
                let pattern = matches!(right, Node::Constant(Value::Text(pattern)) if super::patterns::is_understood(&pattern.text));
                a == ValueType::Text && pattern
            }
            Operator::Starts | Operator::NotStarts | Operator::Ends | Operator::NotEnds => {
                a == ValueType::Text && b == ValueType::Text
            }
            Operator::Add
                if a == ValueType::Text && b == ValueType::Uuid && self.language.has_statements() =>
            {
                true
            }
            _ => a.is_plain() && b.is_plain() && !self.is_doubtful(operator, a, b),
        };
        if fits { Ok(()) } else { Err(Unsupported::word(mark).into()) }
    }

    /// What engines make of it is not known for certain.
    fn is_doubtful(&self, operator: Operator, a: ValueType, b: ValueType) -> bool {
        let compares = matches!(operator, Operator::Equal | Operator::Unequal);
        let one_is = |kind: ValueType| a == kind || b == kind;
        match self.language {
            // A character is a number to BeanShell, and texts are compared by where they are held.
            Language::BeanShell => {
                one_is(ValueType::Char) && !(compares && a == b)
                    || compares && a == ValueType::Text && b == ValueType::Text
            }
            Language::Groovy => {
                let times = operator == Operator::Multiply && a == ValueType::Text && b != ValueType::Int;
                // It has no `true + "a"`.
                let to_boolean = operator == Operator::Add && a == ValueType::Boolean;
                times || to_boolean || one_is(ValueType::GString) && !compares && operator != Operator::Add
            }
            // A boolean is a number to some of JEXL's operators.
            Language::Jexl2 | Language::Jexl3 => one_is(ValueType::Boolean) && operator.computes(),
            // Whether two texts of Java are one object is not known.
            Language::JavaScript => {
                matches!(operator, Operator::Same | Operator::Different) && a == ValueType::JavaText && a == b
            }
        }
    }

    /// The kind of `variable += value`.
    pub(super) fn joined_kind(&self, operator: Operator, place: u32, value: &Node) -> ValueType {
        of_binary(operator, self.locals.kind(place), self.kind(value), self.language)
    }

    /// Whether a sign is understood before an expression.
    pub(super) fn sign(&self, mark: &str, node: &Node) -> Result<(), ScriptFailure> {
        let kind = self.kind(node);
        let fits = match mark {
            "!" => return self.condition_kind(node),
            // The least `int`, which is no larger number with a sign.
            "-" if matches!(node, Node::Constant(Value::Long(2_147_483_648))) => false,
            // The versions differ in what they make of 0.
            "empty" => matches!(kind, ValueType::Text | ValueType::Null | ValueType::Plain),
            "size" => matches!(kind, ValueType::Text | ValueType::Null) || matches!(node, Node::Placeholder),
            "-" | "+" if self.language != Language::JavaScript => {
                kind.is_number() || kind == ValueType::Plain
            }
            _ => kind.is_plain(),
        };
        if fits { Ok(()) } else { Err(Unsupported::word(mark).into()) }
    }

    /// Whether `node as to` of Groovy is understood.
    pub(super) fn may_cast(&self, node: &Node, to: Type) -> bool {
        let kind = self.kind(node);
        match to {
            Type::Text => kind.is_plain(),
            // A boolean is no number; a double has more digits than it shows.
            Type::Decimal => {
                matches!(kind, ValueType::Text | ValueType::Int | ValueType::Long | ValueType::Decimal)
            }
            _ => {
                kind == ValueType::Text
                    || kind.is_number()
                    || matches!(node, Node::Placeholder | Node::Missing(_))
            }
        }
    }

    /// Whether `(to) node` is understood.
    pub(super) fn may_narrow(&self, node: &Node, to: Type) -> bool {
        let kind = self.kind(node);
        match to {
            Type::Text if self.language == Language::Groovy => kind.is_plain(),
            Type::Text => kind == ValueType::Text,
            Type::Int | Type::Long | Type::Double => kind.is_number() && kind != ValueType::Decimal,
            // BeanShell tells a number from its object.
            _ => {
                self.language == Language::Groovy
                    && kind.is_number()
                    && kind != ValueType::Double
                    && to != Type::Decimal
            }
        }
    }
}

fn of_value(value: &Value) -> ValueType {
    match value {
        Value::Undefined => ValueType::Undefined,
        Value::Null => ValueType::Null,
        Value::Boolean(_) => ValueType::Boolean,
        Value::Int(_) => ValueType::Int,
        Value::Long(_) => ValueType::Long,
        Value::Decimal(_) => ValueType::Decimal,
        Value::Double(_) => ValueType::Double,
        Value::Char(_) => ValueType::Char,
        Value::Text(_) => ValueType::Text,
        // None is written down.
        Value::Object(_) => ValueType::Array,
    }
}

fn of_binary(operator: Operator, a: ValueType, b: ValueType, language: Language) -> ValueType {
    use Operator::{Add, Divide, Multiply, Subtract};
    if !operator.computes() {
        return ValueType::Boolean;
    }
    let texts = a == ValueType::Text || b == ValueType::Text;
    match language {
        Language::JavaScript => match operator {
            Add if texts => ValueType::Text,
            Add if [a, b].contains(&ValueType::Plain) || [a, b].contains(&ValueType::JavaText) => {
                ValueType::Plain
            }
            _ => ValueType::Double,
        },
        Language::Jexl3 if operator == Add && texts => ValueType::Text,
        // As wide as the result.
        Language::Jexl2 | Language::Jexl3 => ValueType::Plain,
        Language::Groovy | Language::BeanShell => match operator {
            Add if a == ValueType::GString => ValueType::GString,
            Add if texts || b == ValueType::GString => ValueType::Text,
            Subtract | Multiply if a == ValueType::Text => ValueType::Text,
            Divide if language == Language::Groovy && a.is_number() && b.is_number() => {
                if [a, b].contains(&ValueType::Double) { ValueType::Double } else { ValueType::Decimal }
            }
            _ => wider(a, b),
        },
    }
}

/// The kind of a sum of two numbers.
fn wider(a: ValueType, b: ValueType) -> ValueType {
    const WIDTHS: [ValueType; 4] = [ValueType::Int, ValueType::Long, ValueType::Decimal, ValueType::Double];
    let width = |kind| WIDTHS.iter().position(|known| *known == kind);
    match (width(a), width(b)) {
        (Some(a), Some(b)) => WIDTHS[a.max(b)],
        _ => ValueType::Plain,
    }
}
