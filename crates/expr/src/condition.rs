//! Conditions of the If and While controllers.
//!
//! In expression mode, JMeter only compares the text with `true` ([`is_true`]). In JavaScript mode
//! it runs the text. Most such texts compare constants, because variables are replaced first
//! (`"${code}" == "200" && ${n} < 5`), and [`evaluate`] computes those. It supports no variables,
//! no assignments and only a few functions.

use crate::compiler::Compiler;
use crate::context::Context;
use crate::function::CallFailure;
use crate::remote::RemoteFunction;
use crate::script::bindings::BindingScope;
use crate::script::compiled_script::Script;
use crate::script::language::Language;
use crate::script::token::PLACEHOLDER;
use crate::script_failure::ScriptFailure;
use crate::template::Template;

/// Whether a text is `true` in any case (JMeter's expression mode).
pub fn is_true(text: &str) -> bool {
    text.eq_ignore_ascii_case("true")
}

/// The value of a JavaScript condition. As in JMeter, one that is neither true nor false is an
/// error. What a script engine would be needed for is [`ScriptFailure::Unsupported`]. The error is
/// one line that says where and what.
pub fn evaluate(text: &str) -> Result<bool, ScriptFailure> {
    value(&Script::parse(text, Language::JavaScript, BindingScope::Empty)?.run_alone()?)
}

/// The function of JMeter's classes that evaluates a condition: its arguments are the condition and
/// the controller's name.
pub const FUNCTION: &str = "IfController";

/// What evaluates this condition where it is not understood; none where nothing does.
pub fn remote(condition: &Template, compiler: &Compiler) -> Option<RemoteFunction> {
    let function = compiler.remote_function(FUNCTION, 2)?;
    if check(condition).is_err() {
        compiler.expect_calls();
    }
    Some(function)
}

/// As [`evaluate`]; what is not understood is asked of `script`, what [`remote`] gave, for the
/// controller of that name. Without a meaning where the context is suspended by that.
pub fn evaluate_with(
    text: &str,
    name: &Template,
    script: Option<&RemoteFunction>,
    cx: &mut Context,
) -> Result<bool, ScriptFailure> {
    match (evaluate(text), script) {
        (Err(ScriptFailure::Unsupported(_)), Some(script)) => {
            let name = name.eval(cx).into_owned();
            match script.call(vec![text.to_owned(), name], cx) {
                Ok(result) => value(&result),
                Err(CallFailure::Empty(reason)) => Err(ScriptFailure::Exception(reason)),
                Err(CallFailure::Thrown(thrown)) => {
                    cx.thrown.get_or_insert_with(|| Box::new(thrown));
                    Ok(false)
                }
                Err(CallFailure::Refused) => Ok(false),
            }
        }
        (holds, _) => holds,
    }
}

fn value(result: &str) -> Result<bool, ScriptFailure> {
    match result {
        "true" => Ok(true),
        "false" => Ok(false),
        other => {
            Err(ScriptFailure::Exception(format!("invalid condition `{other}`: expected true or false")))
        }
    }
}

/// Whether a condition will be understood, whatever plain values its references have. The error
/// says what of it needs a script engine.
pub fn check(condition: &Template) -> Result<(), ScriptFailure> {
    let shape = condition.shape(PLACEHOLDER);
    let text = shape.trim();
    // One that is a reference alone is mostly a function that gives `true` or `false`.
    if text.chars().eq([PLACEHOLDER]) {
        return Ok(());
    }
    Script::check(text, Language::JavaScript, BindingScope::Empty)
}
