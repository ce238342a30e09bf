//! The kinds of expressions, and what may be done with which. Whatever is not listed here is refused before a script runs.

use super::Language;
use super::failure::{ScriptFailure, Unsupported, unsupported};
use super::kind::Kind;
use super::parse::Parser;
use super::tree::{Node, Operator, Type};
use super::value::Value;

impl Parser<'_> {
    /// The kind of an expression that was read.
    pub(super) fn kind(&self, node: &Node) -> Kind {
        match node {
            Node::Constant(value) => of_value(value),
            Node::Hole | Node::Missing(_) => Kind::Plain,
            Node::Variable(_) | Node::Property(..) | Node::Environment(_) => {
                Kind::foreign_text(self.language)
            }
            Node::Fact(fact) => fact.kind(self.language),
            Node::Not(_) | Node::And(..) | Node::Or(..) if self.language == Language::JavaScript => {
                match node {
                    Node::Not(_) => Kind::Boolean,
                    // One of its sides.
                    _ => Kind::Plain,
                }
            }
            Node::Not(_) | Node::And(..) | Node::Or(..) | Node::Empty(_) => Kind::Boolean,
            Node::Minus(of) | Node::Plus(of) => match self.kind(of) {
                kind if kind.is_number() => kind,
                _ if self.language == Language::JavaScript => Kind::Double,
                _ => Kind::Plain,
            },
            Node::Binary(operator, left, right) => {
                of_binary(*operator, self.kind(left), self.kind(right), self.language)
            }
            Node::Choice(parts) => self.one_of(&parts[1], &parts[2]),
            Node::Else(left, right) => self.one_of(left, right),
            Node::Size(_) => Kind::Int,
            Node::Cast(_, to) | Node::Narrow(_, to) => to.kind(),
            Node::Method { of, method, .. } => method.result(self.kind(of), self.language),
            Node::OfObject { method, .. } => method.kind(),
            Node::Static(function, arguments) => {
                let kinds: Vec<Kind> = arguments.iter().map(|node| self.kind(node)).collect();
                function.result(&kinds, self.language)
            }
            Node::Function(function, _) => function.kind(),
            Node::Local(place) => self.locals.kind(*place),
            Node::Joined(_) => Kind::Joined,
            Node::Index(..) => Kind::Text,
            Node::New(made, _) => made.kind(),
            Node::Act(act, _) => act.kind(),
            Node::Stage(which) => which.kind(),
            Node::Assign(assignment) => self.locals.kind(assignment.place),
        }
    }

    fn one_of(&self, left: &Node, right: &Node) -> Kind {
        self.kind(left).or(self.kind(right)).unwrap_or(Kind::Plain)
    }

    /// Whether it can stand before `?`, between `&&`, in `if`.
    pub(super) fn condition_kind(&self, node: &Node) -> Result<(), ScriptFailure> {
        let kind = self.kind(node);
        let fits = match self.language {
            // Anything else is no condition to BeanShell.
            Language::BeanShell => matches!(kind, Kind::Boolean | Kind::Plain),
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
            Kind::Null => true,
            Kind::Text => !matches!(node, Node::Constant(_)),
            Kind::Plain => !matches!(node, Node::Hole | Node::Binary(..)),
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
            Node::Choice(parts) => parts.iter().any(|part| self.may_meet_null(part)),
            Node::Else(left, right) => self.may_meet_null(left) || self.may_meet_null(right),
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
                let pattern = matches!(right, Node::Constant(Value::Text(pattern)) if super::texts::is_understood(&pattern.text));
                a == Kind::Text && pattern
            }
            Operator::Starts | Operator::NotStarts | Operator::Ends | Operator::NotEnds => {
                a == Kind::Text && b == Kind::Text
            }
            Operator::Add if a == Kind::Text && b == Kind::Uuid && self.language.has_statements() => true,
            _ => a.is_plain() && b.is_plain() && !self.is_doubtful(operator, a, b),
        };
        if fits { Ok(()) } else { Err(Unsupported::word(mark).into()) }
    }

    /// What engines make of it is not known for certain.
    fn is_doubtful(&self, operator: Operator, a: Kind, b: Kind) -> bool {
        let compares = matches!(operator, Operator::Equal | Operator::Unequal);
        let one_is = |kind: Kind| a == kind || b == kind;
        match self.language {
            // A character is a number to BeanShell, and texts are compared by where they are held.
            Language::BeanShell => {
                one_is(Kind::Char) && !(compares && a == b) || compares && a == Kind::Text && b == Kind::Text
            }
            Language::Groovy => {
                let times = operator == Operator::Multiply && a == Kind::Text && b != Kind::Int;
                // It has no `true + "a"`.
                let to_boolean = operator == Operator::Add && a == Kind::Boolean;
                times || to_boolean || one_is(Kind::Joined) && !compares && operator != Operator::Add
            }
            // A boolean is a number to some of JEXL's operators.
            Language::Jexl2 | Language::Jexl3 => one_is(Kind::Boolean) && operator.computes(),
            // Whether two texts of Java are one object is not known.
            Language::JavaScript => {
                matches!(operator, Operator::Same | Operator::Different) && a == Kind::JavaText && a == b
            }
        }
    }

    /// The kind of `variable += value`.
    pub(super) fn joined_kind(&self, operator: Operator, place: u32, value: &Node) -> Kind {
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
            "empty" => matches!(kind, Kind::Text | Kind::Null | Kind::Plain),
            "size" => matches!(kind, Kind::Text | Kind::Null) || matches!(node, Node::Hole),
            "-" | "+" if self.language != Language::JavaScript => kind.is_number() || kind == Kind::Plain,
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
            Type::Decimal => matches!(kind, Kind::Text | Kind::Int | Kind::Long | Kind::Decimal),
            _ => kind == Kind::Text || kind.is_number() || matches!(node, Node::Hole | Node::Missing(_)),
        }
    }

    /// Whether `(to) node` is understood.
    pub(super) fn may_narrow(&self, node: &Node, to: Type) -> bool {
        let kind = self.kind(node);
        match to {
            Type::Text if self.language == Language::Groovy => kind.is_plain(),
            Type::Text => kind == Kind::Text,
            Type::Int | Type::Long | Type::Double => kind.is_number() && kind != Kind::Decimal,
            // BeanShell tells a number from its object.
            _ => {
                self.language == Language::Groovy
                    && kind.is_number()
                    && kind != Kind::Double
                    && to != Type::Decimal
            }
        }
    }
}

fn of_value(value: &Value) -> Kind {
    match value {
        Value::Undefined => Kind::Undefined,
        Value::Null => Kind::Null,
        Value::Boolean(_) => Kind::Boolean,
        Value::Int(_) => Kind::Int,
        Value::Long(_) => Kind::Long,
        Value::Decimal(_) => Kind::Decimal,
        Value::Double(_) => Kind::Double,
        Value::Char(_) => Kind::Char,
        Value::Text(_) => Kind::Text,
        // None is written down.
        Value::Object(_) => Kind::Array,
    }
}

fn of_binary(operator: Operator, a: Kind, b: Kind, language: Language) -> Kind {
    use Operator::{Add, Divide, Multiply, Subtract};
    if !operator.computes() {
        return Kind::Boolean;
    }
    let texts = a == Kind::Text || b == Kind::Text;
    match language {
        Language::JavaScript => match operator {
            Add if texts => Kind::Text,
            Add if [a, b].contains(&Kind::Plain) || [a, b].contains(&Kind::JavaText) => Kind::Plain,
            _ => Kind::Double,
        },
        Language::Jexl3 if operator == Add && texts => Kind::Text,
        // As wide as the result.
        Language::Jexl2 | Language::Jexl3 => Kind::Plain,
        Language::Groovy | Language::BeanShell => match operator {
            Add if a == Kind::Joined => Kind::Joined,
            Add if texts || b == Kind::Joined => Kind::Text,
            Subtract | Multiply if a == Kind::Text => Kind::Text,
            Divide if language == Language::Groovy && a.is_number() && b.is_number() => {
                if [a, b].contains(&Kind::Double) { Kind::Double } else { Kind::Decimal }
            }
            _ => wider(a, b),
        },
    }
}

/// The kind of a sum of two numbers.
fn wider(a: Kind, b: Kind) -> Kind {
    const WIDTHS: [Kind; 4] = [Kind::Int, Kind::Long, Kind::Decimal, Kind::Double];
    let width = |kind| WIDTHS.iter().position(|known| *known == kind);
    match (width(a), width(b)) {
        (Some(a), Some(b)) => WIDTHS[a.max(b)],
        _ => Kind::Plain,
    }
}
