//! The functions of `${__name(arguments)}`: one file each, one table.

mod arguments;
mod counter;
mod eval;
mod nearest;
mod per_user;
mod property;
mod random;
mod sum;
mod table;
mod thread_num;
mod time;
mod uuid;
mod variable;

use crate::context::Context;

pub(crate) use arguments::{Args, Target};
pub(crate) use nearest::meant_as_function;
pub(crate) use per_user::PerUser;
pub(crate) use table::{Entry, Kind, find};
pub use table::{FunctionInfo, functions};

/// Why a call has no result. JMeter throws here; the call's text is empty and the reason goes to the log.
pub(crate) struct Failed(pub(crate) String);

/// What a call ends with.
pub(crate) type Outcome = Result<(), Failed>;

/// A function with its arguments, ready to run.
pub(crate) trait Function {
    /// Appends the result to `out`.
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome;
}

/// A function call in a text.
pub(crate) struct Call {
    pub(crate) name: &'static str,
    pub(crate) function: Box<dyn Function>,
}
