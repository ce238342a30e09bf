//! Conditions of the If and While controllers.
//!
//! In expression mode JMeter asks only whether a text is `true` ([`is_true`]). In JavaScript mode it runs the text; most
//! such texts are comparisons of constants, because variables are replaced before (`"${code}" == "200" && ${n} < 5`).
//! [`evaluate`] computes those. It knows no variables, no assignments and no functions but a few.

use crate::script::{BindingScope, Language, PLACEHOLDER, Script, ScriptFailure};
use crate::template::Template;

/// Whether a text is `true` in any case (JMeter's expression mode).
pub fn is_true(text: &str) -> bool {
    text.eq_ignore_ascii_case("true")
}

/// The value of a JavaScript condition. As in JMeter, one that is neither true nor false is an error. What a script engine
/// would be needed for is [`ScriptFailure::Unsupported`]. The error is one line that says where and what.
pub fn evaluate(text: &str) -> Result<bool, ScriptFailure> {
    let result = Script::parse(text, Language::JavaScript, BindingScope::Empty)?.run_alone()?;
    match result.as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        other => Err(ScriptFailure::Exception(format!("the condition is `{other}`, neither true nor false"))),
    }
}

/// Whether a condition will be understood, whatever plain values its references have. The error says what of it needs a
/// script engine.
pub fn check(condition: &Template) -> Result<(), ScriptFailure> {
    let shape = condition.shape(PLACEHOLDER);
    let text = shape.trim();
    // One that is a reference alone is mostly a function that gives `true` or `false`.
    if text.chars().eq([PLACEHOLDER]) {
        return Ok(());
    }
    Script::check(text, Language::JavaScript, BindingScope::Empty)
}
