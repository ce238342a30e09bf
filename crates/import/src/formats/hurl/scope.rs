//! Variables of a file: where they come from, and what kind of values they have.

use std::collections::BTreeMap;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::model::Text;

use super::syntax::{Constant, Expr, ExprKind, Number, Piece, Template};

/// What is known of the value of a variable before the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Number,
    Flag,
    Null,
    /// A value of a document of JSON, of any kind.
    Json,
    /// Several values.
    List,
    /// A column of a data file: the file says what it is.
    Column,
}

/// Variables with values.
#[derive(Debug, Default)]
pub(super) struct Scope {
    known: BTreeMap<String, (String, Kind)>,
    /// Variables without a value, with the place of their first use.
    pub(super) missing: Vec<(String, usize)>,
    /// Lists that are used as texts, with the place.
    pub(super) lists: Vec<(String, usize)>,
    temporary: usize,
}

/// What curl leaves as it is in the value of a parameter.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

impl Scope {
    /// Adds a variable with the kind of its value.
    pub(super) fn define(&mut self, name: &str, kind: Kind) {
        self.define_as(name, name, kind);
    }

    /// Adds a variable whose value is in another variable of the plan.
    pub(super) fn define_as(&mut self, name: &str, plan_name: &str, kind: Kind) {
        self.known.insert(name.to_owned(), (plan_name.to_owned(), kind));
    }

    /// A variable that a user gives, as `--variable` of Hurl reads it.
    pub(super) fn define_given(&mut self, name: &str, value: &str) {
        let kind = match value {
            "true" | "false" => Kind::Flag,
            "null" => Kind::Null,
            _ if value.parse::<f64>().is_ok_and(f64::is_finite) => Kind::Number,
            _ => Kind::Text,
        };
        self.define(name, kind);
    }

    /// A variable that no file names.
    pub(super) fn temporary(&mut self) -> String {
        self.temporary += 1;
        format!("hurl.{}", self.temporary)
    }

    /// The variable of the plan, and the kind of its value. One that is nowhere defined is noted.
    pub(super) fn lookup(&mut self, name: &str, at: usize) -> (String, Kind) {
        if let Some(known) = self.known.get(name) {
            return known.clone();
        }
        if !self.missing.iter().any(|(missing, _)| missing == name) {
            self.missing.push((name.to_owned(), at));
        }
        (name.to_owned(), Kind::Column)
    }

    /// The kind of the value of an expression.
    pub(super) fn kind(&mut self, expr: &Expr) -> Kind {
        match &expr.kind {
            ExprKind::Variable(name) => self.lookup(name, expr.at).1,
            ExprKind::NewUuid | ExprKind::NewDate => Kind::Text,
        }
    }

    /// The value of an expression.
    pub(super) fn value(&mut self, expr: &Expr) -> Text {
        match &expr.kind {
            ExprKind::Variable(name) => {
                let (plan_name, kind) = self.lookup(name, expr.at);
                if kind == Kind::List {
                    self.lists.push((name.clone(), expr.at));
                }
                Text::variable(plan_name)
            }
            ExprKind::NewUuid => Text::function("${__UUID()}"),
            // In the zone of the machine; in UTC it ends with `Z`, as Hurl's does.
            ExprKind::NewDate => Text::function("${__time(yyyy-MM-dd'T'HH:mm:ss.SSS'000'XXX,)}"),
        }
    }

    /// A text.
    pub(super) fn text(&mut self, template: &Template) -> Text {
        let mut out = Text::default();
        for piece in &template.pieces {
            match piece {
                Piece::Text(text) => out.push_literal(text),
                Piece::Expr(expr) | Piece::JsonValue(expr) => out.push(self.value(expr)),
            }
        }
        out
    }

    /// A text in the encoding of parameters.
    pub(super) fn encoded(&mut self, template: &Template) -> Text {
        let mut out = Text::default();
        for piece in &template.pieces {
            match piece {
                Piece::Text(text) => out.push_literal(&utf8_percent_encode(text, ENCODED).to_string()),
                Piece::Expr(expr) | Piece::JsonValue(expr) => {
                    let value = self.value(expr).to_plan();
                    out.push(Text::function(format!("${{__urlencode({value})}}")));
                }
            }
        }
        out
    }

    /// Kind and text of the value of an option `variable`.
    pub(super) fn constant(&mut self, value: &Constant) -> (Kind, Text) {
        match value {
            Constant::Null => (Kind::Null, Text::literal("null")),
            Constant::Flag(flag) => (Kind::Flag, Text::literal(flag.to_string())),
            Constant::Number(number) => (Kind::Number, Text::literal(shown(number))),
            Constant::Text(text) => (Kind::Text, self.text(text)),
        }
    }
}

/// A number as Hurl writes it into a text.
pub(super) fn shown(number: &Number) -> String {
    match number {
        Number::Float(value, _) if value.fract() == 0.0 => format!("{value:.1}"),
        Number::Float(value, _) => value.to_string(),
        other => other.text(),
    }
}
