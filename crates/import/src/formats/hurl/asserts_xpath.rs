//! Asserts of XPath: the comparison becomes a part of the expression.

use crate::model::CheckOf;

use super::syntax::{Predicate, PredicateKind, QueryKind, Response, Value};
use super::xpath::Kind as Of;
use super::{Reader, Refused, xpath};

impl Reader<'_, '_> {
    /// Checks by a boolean expression around the expression.
    pub(super) fn xpath_checks(
        &mut self,
        path: &str,
        kind: Of,
        is_not: bool,
        predicate: &Predicate,
    ) -> Result<Vec<CheckOf>, Refused> {
        let at = predicate.at;
        let literal = |value: &Value| match value {
            Value::Text(text) => text.as_literal().and_then(xpath::quoted),
            _ => None,
        };
        let number = |value: &Value| match value {
            Value::Number(number) => Some(number.text()),
            _ => None,
        };
        let condition = match (&predicate.kind, kind) {
            (PredicateKind::Exists, Of::Nodes) => Some(format!("boolean({path})")),
            (PredicateKind::Equal(Value::Flag(true)), Of::Flag) => Some(path.to_owned()),
            (PredicateKind::Equal(Value::Flag(false)), Of::Flag) => Some(format!("not({path})")),
            (PredicateKind::Equal(value), Of::Text) => literal(value).map(|text| format!("{path} = {text}")),
            (PredicateKind::NotEqual(value), Of::Text) => {
                literal(value).map(|text| format!("{path} != {text}"))
            }
            (PredicateKind::Contains(value), Of::Text) => {
                literal(value).map(|text| format!("contains({path}, {text})"))
            }
            (PredicateKind::StartsWith(value), Of::Text) => {
                literal(value).map(|text| format!("starts-with({path}, {text})"))
            }
            (PredicateKind::IsEmpty, Of::Text) => Some(format!("{path} = ''")),
            (PredicateKind::Equal(value), Of::Number) => {
                number(value).map(|value| format!("{path} = {value}"))
            }
            (PredicateKind::NotEqual(value), Of::Number) => {
                number(value).map(|value| format!("{path} != {value}"))
            }
            (PredicateKind::Greater(value), Of::Number) => {
                number(value).map(|value| format!("{path} > {value}"))
            }
            (PredicateKind::GreaterOrEqual(value), Of::Number) => {
                number(value).map(|value| format!("{path} >= {value}"))
            }
            (PredicateKind::Less(value), Of::Number) => {
                number(value).map(|value| format!("{path} < {value}"))
            }
            (PredicateKind::LessOrEqual(value), Of::Number) => {
                number(value).map(|value| format!("{path} <= {value}"))
            }
            _ => None,
        };
        let Some(condition) = condition else {
            return Err(Refused::new(at, "this comparison of an XPath is not supported"));
        };
        let condition = if is_not { format!("not({condition})") } else { condition };
        let is_html = self.is_html.unwrap_or_else(|| xpath::is_html(path));
        Ok(vec![if is_html { CheckOf::HtmlXPath(condition, true) } else { CheckOf::XPath(condition, true) }])
    }
}

/// Whether a response has to be HTML, by its type; none: nothing is said of it.
pub(super) fn says_html(response: &Response) -> Option<bool> {
    let is_type = |name: &str| name.eq_ignore_ascii_case("content-type");
    let of_header = response.headers.iter().filter(|header| header.key.as_literal().is_some_and(is_type));
    let of_assert = response.asserts.iter().filter_map(|assert| {
        let QueryKind::Header(name) = &assert.query.kind else { return None };
        let is_said = name.as_literal().is_some_and(is_type) && !assert.is_not && assert.filters.is_empty();
        match &assert.predicate.kind {
            PredicateKind::Equal(Value::Text(text))
            | PredicateKind::Contains(Value::Text(text))
            | PredicateKind::StartsWith(Value::Text(text))
                if is_said =>
            {
                text.as_literal()
            }
            _ => None,
        }
    });
    let mut types = of_header.filter_map(|header| header.value.as_literal()).chain(of_assert);
    types.next().map(|mime| mime.to_ascii_lowercase().contains("html"))
}
