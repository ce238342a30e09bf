//! Calls of functions without code here: from another crate, or evaluated elsewhere
//! ([`crate::RemoteFunctions`]).

use std::sync::Arc;

use crate::context::Context;
use crate::foreign::ForeignFunction;
use crate::function::{CallFailure, Function, Outcome};
use crate::remote::RemoteFunction;
use crate::template::Template;

/// A call of a function from another crate.
pub(crate) struct ForeignCall {
    pub(crate) function: Arc<dyn ForeignFunction>,
    pub(crate) arguments: Vec<Template>,
}

impl Function for ForeignCall {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let arguments: Vec<String> =
            self.arguments.iter().map(|argument| argument.text(cx).to_string()).collect();
        out.push_str(&self.function.call(&arguments, cx).map_err(CallFailure::empty)?);
        Ok(())
    }
}

/// A call that is evaluated elsewhere.
pub(crate) struct RemoteFunctionCall {
    pub(crate) function: RemoteFunction,
    pub(crate) arguments: Vec<Template>,
}

impl Function for RemoteFunctionCall {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let arguments = self.arguments.iter().map(|argument| argument.text(cx).to_string()).collect();
        out.push_str(&self.function.call(arguments, cx)?);
        Ok(())
    }

    fn is_of_plan(&self, _: &Context) -> bool {
        false
    }
}
