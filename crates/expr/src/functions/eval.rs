//! `__eval(text)` and `__evalVar(variable)` (JMeter's `EvalFunction` and `EvalVarFunction`):
//! evaluate references in a text that is made during the test.

use std::cell::Cell;

use crate::arguments::Args;
use crate::context::Context;
use crate::function::{CallFailure, Function, Outcome};
use crate::function_table::FunctionTable;
use crate::parser;
use crate::scope::{LiveScope, Scope};
use crate::template::Template;

/// Evaluations within evaluations. A variable that evaluates itself overflows Java's stack; here
/// the call fails.
const MAX_DEPTH: u32 = 16;

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

struct Eval {
    argument: Template,
    of_variable: bool,
    live: LiveScope,
    functions: &'static FunctionTable,
}

/// `__eval(text)`.
pub(crate) fn text(
    args: &mut Args,
    scope: &Scope<'_>,
    functions: &'static FunctionTable,
) -> Box<dyn Function> {
    Box::new(Eval { argument: args.required(), of_variable: false, live: scope.live(), functions })
}

/// `__evalVar(variable)`: an undefined variable gives nothing.
pub(crate) fn variable(
    args: &mut Args,
    scope: &Scope<'_>,
    functions: &'static FunctionTable,
) -> Box<dyn Function> {
    Box::new(Eval { argument: args.required(), of_variable: true, live: scope.live(), functions })
}

impl Function for Eval {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let mut text = self.argument.eval_value(cx);
        if self.of_variable {
            let Some(value) = cx.vars.get(&text) else { return Ok(()) };
            text = value.clone();
        }
        // Nothing to replace and nothing to unescape.
        if !text.contains(['$', '\\']) {
            out.push_str(&text);
            return Ok(());
        }
        let depth = DEPTH.get();
        if depth == MAX_DEPTH {
            return Err(CallFailure::empty(format!(
                "evaluations are nested more than {MAX_DEPTH} deep: does a text contain itself?"
            )));
        }
        DEPTH.set(depth + 1);
        // A text that is not valid evaluates to nothing (`CompoundVariable(String)`).
        if let Ok(pieces) = parser::parse(&text, &self.live.scope(), self.functions) {
            Template::from_pieces(pieces).eval_into(cx, out);
        }
        DEPTH.set(depth);
        Ok(())
    }
}
