//! Evaluates random scripts in Swell and in the real engines of an embedded JVM, and compares:
//! expressions of each language, and statements of whole elements.

mod done;
mod element;
mod engine;
mod expression;
mod statement;

pub use engine::Engine;
pub use statement::{StatementTotals, statements};

use std::fmt;

use swell_expr::native_scripts::FunctionScript;
use swell_expr::{Context, ScriptFailure, ScriptLanguage, testing};

use crate::fuzz::rng::ChoiceRng;
use expression::Writer;

/// Variables that scripts see.
const VARIABLES: [(&str, &str); 15] = [
    ("a", "abc"),
    ("b", "abc"),
    ("c", "B c"),
    ("n", "5"),
    ("neg", "-12"),
    ("dec", "2.50"),
    ("sp", " 5 "),
    ("t", "true"),
    ("f", "false"),
    ("e", ""),
    ("one", "7"),
    ("int", "2147483647"),
    ("long", "9223372036854775807"),
    ("letters", "Ünïcode ß İ ς ǅ 😀"),
    ("marks", "it's \"q\" \\ $1 ~"),
];

/// A name without a variable, and names that scripts write to.
const MISSING: &str = "missing";
const WRITTEN: [&str; 3] = ["r1", "r2", "r3"];

/// A language, with its name and the name of its function.
pub type NamedLanguage = (&'static str, ScriptLanguage, &'static str);

/// Languages of elements whose statements are compared.
pub const WITH_STATEMENTS: [&str; 2] = ["groovy", "beanshell"];

/// The languages of functions.
pub const LANGUAGES: [NamedLanguage; 5] = [
    ("groovy", ScriptLanguage::Groovy, "__groovy"),
    ("beanshell", ScriptLanguage::BeanShell, "__BeanShell"),
    ("javascript", ScriptLanguage::JavaScript, "__javaScript"),
    ("jexl2", ScriptLanguage::Jexl2, "__jexl2"),
    ("jexl3", ScriptLanguage::Jexl3, "__jexl3"),
];

/// The result of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Made {
    /// Its value as text, and the variables that it set, by name; `None` for null.
    Value(String, Vec<(String, Option<String>)>),
    /// An exception.
    Thrown(String),
}

impl Made {
    /// Whether both are the same for a plan; messages of exceptions may differ.
    fn is_same(&self, other: &Self) -> bool {
        self == other || matches!((self, other), (Self::Thrown(_), Self::Thrown(_)))
    }
}

/// Counts of a run of expressions.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// Expressions that Swell accepted, each compared with the engine.
    pub compared: u64,
    /// Compared expressions that threw.
    pub thrown: u64,
    /// Expressions that Swell refused before running them.
    pub refused: u64,
    /// Expressions that Swell accepted and then left to an engine, because of half a surrogate pair
    /// or the like.
    pub given_up: u64,
    /// Expressions with different values.
    pub different: u64,
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { compared, thrown, refused, given_up, different } = self;
        write!(
            f,
            "{compared} compared ({thrown} threw), {refused} refused, {given_up} given up, {different} different"
        )
    }
}

/// Writes expressions of a language until `count` are compared, and reports those that differ.
///
/// # Errors
/// The JVM cannot be used.
pub fn expressions(
    engine: &mut Engine,
    (language, function): (ScriptLanguage, &str),
    count: u64,
    seed: u64,
    say: &dyn Fn(&str),
) -> Result<Totals, String> {
    let writer = Writer::new(language, true);
    let mut totals = Totals::default();
    let call = engine.function(function)?;
    for place in 0.. {
        if totals.compared >= count {
            break;
        }
        let text = writer.write(&mut ChoiceRng::new(seed, &[place]));
        let read = FunctionScript::read(&text, language);
        if let Err(ScriptFailure::Unsupported(_)) = read {
            totals.refused += 1;
            continue;
        }
        let found = match read.and_then(|script| natively(&script)) {
            Ok(found) => found,
            Err(ScriptFailure::Exception(reason)) => Made::Thrown(reason),
            Err(ScriptFailure::Unsupported(reason)) => {
                totals.given_up += 1;
                say(&format!("{text}\n  given up: {reason}"));
                continue;
            }
        };
        let wanted = engine.evaluate(call, &text)?;
        totals.compared += 1;
        totals.thrown += u64::from(matches!(wanted, Made::Thrown(_)));
        if !found.is_same(&wanted) {
            totals.different += 1;
            say(&format!("{text}\n  engine: {wanted:?}\n  Swell:  {found:?}"));
        }
    }
    Ok(totals)
}

/// Returns the user whose variables scripts see.
fn user() -> Context {
    let mut cx = testing::context();
    for (name, value) in VARIABLES {
        cx.vars.put(name, value);
    }
    cx
}

fn natively(script: &FunctionScript) -> Result<Made, ScriptFailure> {
    let mut cx = user();
    let value = script.run(&mut cx)?;
    Ok(Made::Value(value, written(&cx)))
}

/// Returns the variables that a script set.
fn written(cx: &Context) -> Vec<(String, Option<String>)> {
    let nulls: Vec<&str> = cx.vars.nulls().map(|name| &**name).collect();
    let set = WRITTEN.iter().filter_map(|name| match cx.vars.get(name) {
        Some(value) => Some(((*name).to_owned(), Some(value.to_string()))),
        None if nulls.contains(name) => Some(((*name).to_owned(), None)),
        None => None,
    });
    set.collect()
}
