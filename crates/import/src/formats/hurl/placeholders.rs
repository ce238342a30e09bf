//! Variables in JSONPaths and regular expressions. Hurl reads these after it has put the values in,
//! so each variable becomes a number of nine digits while the expression is translated, and the
//! variable again in what is made of it.

use super::Refused;
use super::scope::Scope;
use super::syntax::{Piece, Template};
use crate::model::{CaptureFrom, CheckOf, Comparison, Exchange, Text};

/// What the numbers begin with. Expressions that have it themselves are refused.
const START: &str = "71828";

/// Numbers after it.
const MOST: usize = 10_000;

/// The variables of a file that expressions have.
#[derive(Debug, Default)]
pub(super) struct Placeholders {
    values: Vec<Text>,
}

impl Placeholders {
    /// An expression with a number for each variable.
    pub(super) fn flat(&mut self, template: &Template, scope: &mut Scope) -> Result<String, Refused> {
        let mut out = String::new();
        for piece in &template.pieces {
            match piece {
                Piece::Text(text) if text.contains(START) && template.as_literal().is_none() => {
                    let reason = format!("an expression with variables cannot have the digits {START}");
                    return Err(Refused::new(template.at, reason));
                }
                Piece::Text(text) => out.push_str(text),
                Piece::Expr(expr) | Piece::JsonValue(expr) => {
                    if self.values.len() >= MOST {
                        return Err(Refused::new(template.at, "more variables in expressions than fit"));
                    }
                    out.push_str(&number(self.values.len()));
                    let value = scope.value(expr);
                    self.values.push(value);
                }
            }
        }
        Ok(out)
    }

    /// The same for a JSONPath, in which a variable is a value, an index or a part of a text.
    pub(super) fn flat_path(&mut self, template: &Template, scope: &mut Scope) -> Result<String, Refused> {
        let mut before = String::new();
        for piece in &template.pieces {
            match piece {
                Piece::Text(text) => before.push_str(text),
                _ if is_in_quotes(&before) || before.ends_with(['=', '<', '>', ' ', '[']) => {}
                _ => {
                    let reason = "a variable in the name of a member is not supported: write `['{{name}}']`";
                    return Err(Refused::new(template.at, reason));
                }
            }
        }
        self.flat(template, scope)
    }

    /// Puts the variables back in captures and checks of an entry, from these on.
    pub(super) fn put_back(&self, exchange: &mut Exchange, captures: usize, checks: usize) {
        if self.values.is_empty() {
            return;
        }
        for capture in exchange.captures.iter_mut().skip(captures) {
            let text = match &capture.from {
                CaptureFrom::JsonPath(text) | CaptureFrom::Regex(text, _) => self.text(text),
                _ => None,
            };
            match (text, &capture.from) {
                (Some(text), CaptureFrom::Regex(_, group)) => {
                    capture.from = CaptureFrom::RegexText(text, *group);
                }
                (Some(text), _) => capture.from = CaptureFrom::JsonPathText(text),
                (None, _) => {}
            }
        }
        for check in exchange.checks.iter_mut().skip(checks) {
            self.in_check(&mut check.of);
        }
    }

    fn in_check(&self, check: &mut CheckOf) {
        let text = match check {
            CheckOf::JsonPath(path, _) => self.text(path),
            CheckOf::JsonPathText(path, _) => Some(self.replaced(path.clone())),
            _ => None,
        };
        if let (Some(text), CheckOf::JsonPath(_, how) | CheckOf::JsonPathText(_, how)) = (text, &*check) {
            *check = CheckOf::JsonPathText(text, how.clone());
        }
        if let CheckOf::Variable(_, how) | CheckOf::Body(how) | CheckOf::Header(_, how) | CheckOf::Url(how) =
            check
            && let Comparison::Matches(text) | Comparison::MatchesNot(text) = how
        {
            *text = self.replaced(std::mem::take(text));
        }
    }

    /// A text with its variables; none if it has none.
    fn text(&self, text: &str) -> Option<Text> {
        text.contains(START)
            .then(|| self.replaced(Text::literal(text)))
            .filter(|text| text.as_literal().is_none())
    }

    fn replaced(&self, text: Text) -> Text {
        let all = self.values.iter().enumerate();
        all.fold(text, |text, (index, value)| text.replaced(&number(index), value))
    }
}

/// The number of a variable.
fn number(index: usize) -> String {
    format!("{START}{index:04}")
}

/// Whether the end of a JSONPath is inside of a text.
fn is_in_quotes(path: &str) -> bool {
    let mut is_inside = false;
    let mut is_escaped = false;
    for c in path.chars() {
        is_inside ^= c == '\'' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
    }
    is_inside
}
