//! `__groovy`, `__jexl3`, `__jexl2`, `__javaScript`, `__BeanShell` with supported scripts
//! ([`crate::script`]).

use std::rc::Rc;

use super::bindings::BindingScope;
use super::compiled_script::Script;
use super::language::Language;
use super::token::PLACEHOLDER;
use crate::arguments::{Args, NameRule, Target};
use crate::context::Context;
use crate::function::{CallFailure, Function, Outcome};
use crate::function_table::CallText;
use crate::level::Level;
use crate::refusal::ScriptPlace;
use crate::remote::RemoteFunction;
use crate::scope::Scope;
use crate::script_failure::ScriptFailure;
use crate::template::Template;

struct ScriptCall {
    text: Template,
    /// The script, where its text never changes.
    constant: Option<Script>,
    language: Language,
    target: Target,
    place: Rc<ScriptPlace>,
    /// What runs scripts that are not understood here.
    elsewhere: Option<Elsewhere>,
}

struct Elsewhere {
    function: RemoteFunction,
    /// It runs this script in any case.
    always: bool,
}

type Made = Result<Box<dyn Function>, ScriptFailure>;

/// `__BeanShell(script, variable)` (`BeanShell`).
pub(crate) fn bean_shell(call: &CallText<'_>, args: &mut Args, scope: &Scope<'_>) -> Made {
    make(call, Language::BeanShell, args, scope)
}

/// `__groovy(script, variable)` (`Groovy`).
pub(crate) fn groovy(call: &CallText<'_>, args: &mut Args, scope: &Scope<'_>) -> Made {
    make(call, Language::Groovy, args, scope)
}

/// `__javaScript(script, variable)` (`JavaScript`).
pub(crate) fn java_script(call: &CallText<'_>, args: &mut Args, scope: &Scope<'_>) -> Made {
    make(call, Language::JavaScript, args, scope)
}

/// `__jexl2(expression, variable)` (`Jexl2Function`).
pub(crate) fn jexl2(call: &CallText<'_>, args: &mut Args, scope: &Scope<'_>) -> Made {
    make(call, Language::Jexl2, args, scope)
}

/// `__jexl3(expression, variable)` (`Jexl3Function`).
pub(crate) fn jexl3(call: &CallText<'_>, args: &mut Args, scope: &Scope<'_>) -> Made {
    make(call, Language::Jexl3, args, scope)
}

fn make(call: &CallText<'_>, language: Language, args: &mut Args, scope: &Scope<'_>) -> Made {
    match understood(call.name, language, args, scope) {
        Ok(function) => Ok(Box::new(function)),
        // This text was not known before the run.
        Err(reason) if scope.is_live() => {
            Ok(Box::new(RefusedCall { reason, source: call.source.to_owned() }))
        }
        Err(reason) => Err(reason),
    }
}

/// A call whose script is understood, here or elsewhere.
fn understood(
    name: &str,
    language: Language,
    args: &mut Args,
    scope: &Scope<'_>,
) -> Result<ScriptCall, ScriptFailure> {
    let text = args.required();
    // `JavaScript` takes an empty name for a name.
    let naming = if language == Language::JavaScript { NameRule::EvenEmpty } else { NameRule::Trimmed };
    let target = args.target_named(naming, scope);
    let read = read(&text, language, scope);
    let elsewhere = elsewhere(name, &text, read.is_err(), scope);
    let constant = match read {
        Ok(constant) => constant,
        Err(_) if elsewhere.is_some() => None,
        Err(reason) => return Err(reason),
    };
    Ok(ScriptCall { text, constant, language, target, place: scope.script_place(), elsewhere })
}

/// The script, where its text never changes.
fn read(text: &Template, language: Language, scope: &Scope<'_>) -> Result<Option<Script>, ScriptFailure> {
    let shape = text.shape(PLACEHOLDER);
    if Script::is_reference(&shape, language, BindingScope::Objects)? && scope.remote().is_none() {
        let message = "the whole script is a reference, so it is checked only during the run";
        scope.problem(Level::Warn, message.to_owned(), None);
    }
    text.constant().map(|text| Script::parse(text, language, BindingScope::Objects)).transpose()
}

/// What runs a script that is not understood, or that may turn out not to be.
fn elsewhere(name: &str, text: &Template, is_beyond: bool, scope: &Scope<'_>) -> Option<Elsewhere> {
    let remote = scope.remote().filter(|remote| remote.missing().is_none())?;
    let always = is_beyond || remote.takes_all_scripts();
    // A property may turn out to be an object of Java's.
    if !always && text.constant().is_some_and(|text| !text.contains("props.get(")) {
        return None;
    }
    let function = scope.remote_function(remote.clone(), name, 1).ok()?;
    // A script of which only the run shows what it is may be any. Others may turn out not to be
    // understood, but seldom do.
    if always || text.shape(PLACEHOLDER).trim().chars().eq([PLACEHOLDER]) {
        remote.expect();
    }
    Some(Elsewhere { function, always })
}

impl Function for ScriptCall {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let text = self.text.text(cx);
        if let Some(elsewhere) = self.elsewhere.as_ref().filter(|elsewhere| elsewhere.always) {
            return self.call_elsewhere(elsewhere, &text, cx, out);
        }
        let result = match &self.constant {
            Some(script) => script.run(cx),
            None => {
                Script::parse(&text, self.language, BindingScope::Objects).and_then(|script| script.run(cx))
            }
        };
        let result = match result {
            Ok(result) => result,
            // JMeter logs errors in a script and continues with an empty text.
            Err(ScriptFailure::Exception(reason)) => {
                return Err(CallFailure::empty(format!("{reason} in [{}]", &*text)));
            }
            Err(ScriptFailure::Unsupported(reason)) => {
                if let Some(elsewhere) = &self.elsewhere {
                    return self.call_elsewhere(elsewhere, &text, cx, out);
                }
                cx.refuse(&self.place, reason, &text);
                return Err(CallFailure::Refused);
            }
        };
        out.push_str(&result);
        self.target.put(cx, &result);
        Ok(())
    }

    /// A script that asks for nothing that a run brings, as the folder of the plan.
    fn is_of_plan(&self, _: &Context) -> bool {
        const OF_THE_RUN: [&str; 5] = ["vars", "props", "prev", "ctx", "sampler"];
        self.text.constant().is_some_and(|text| OF_THE_RUN.iter().all(|word| !text.contains(word)))
    }
}

impl ScriptCall {
    fn call_elsewhere(
        &self,
        elsewhere: &Elsewhere,
        text: &str,
        cx: &mut Context,
        out: &mut String,
    ) -> Outcome {
        let result = elsewhere.function.call(vec![text.to_owned()], cx)?;
        out.push_str(&result);
        self.target.put(cx, &result);
        Ok(())
    }
}

/// A call in a text that was made while the test runs, whose script is not understood: it ends the
/// test, or fails as it does in JMeter.
struct RefusedCall {
    reason: ScriptFailure,
    source: String,
}

impl Function for RefusedCall {
    fn call(&self, cx: &mut Context, _out: &mut String) -> Outcome {
        match &self.reason {
            ScriptFailure::Exception(reason) => {
                Err(CallFailure::empty(format!("{reason} in [{}]", self.source)))
            }
            ScriptFailure::Unsupported(reason) => {
                cx.refuse(&Rc::default(), reason.clone(), &self.source);
                Err(CallFailure::Refused)
            }
        }
    }
}
