//! Functions of plug-ins and of JMeter that have no code here: something else answers
//! ([`crate::RemoteFunctions`]).

use super::{Function, Outcome};
use crate::context::Context;
use crate::remote::RemoteFunction;
use crate::template::Template;

/// A call of one.
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
