//! Conditions of the If and While controllers.
//!
//! In expression mode JMeter asks only whether a text is `true` ([`is_true`]). In JavaScript mode it runs the text; most
//! such texts are comparisons of constants, because variables are replaced before (`"${code}" == "200" && ${n} < 5`).
//! [`evaluate`] computes those. It knows no variables, no assignments and no functions but a few methods of strings.

mod evaluate;
mod token;
mod value;

use value::Value;

/// Whether a text is `true` in any case (JMeter's expression mode).
pub fn is_true(text: &str) -> bool {
    text.eq_ignore_ascii_case("true")
}

/// The value of a JavaScript condition. As in JMeter, one that is neither true nor false is an error; so is all that a
/// script engine would be needed for. The error is one line that says where and what.
pub fn evaluate(text: &str) -> Result<bool, String> {
    let tokens = token::tokens(text)?;
    match evaluate::evaluate(&tokens)? {
        Value::Boolean(value) => Ok(value),
        // JMeter compares the text of the result.
        Value::Text(text) if text == "true" || text == "false" => Ok(text == "true"),
        other => Err(format!("the condition is `{}`, neither true nor false", other.to_text())),
    }
}
