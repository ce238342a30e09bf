//! `__threadNum` (JMeter's `ThreadNumber`): what follows the last `-` of the thread name.

use crate::arguments::Args;
use crate::context::Context;
use crate::function::{Function, Outcome};
use crate::scope::Scope;

struct ThreadNum;

pub(crate) fn make(_: &mut Args, _: &Scope<'_>) -> Box<dyn Function> {
    Box::new(ThreadNum)
}

impl Function for ThreadNum {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let name = &cx.user.thread_name;
        out.push_str(name.rsplit('-').next().unwrap_or(name));
        Ok(())
    }
}
