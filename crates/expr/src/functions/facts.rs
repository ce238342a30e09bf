//! Facts of the run and of the user: `__machineName`, `__machineIP`, `__samplerName`,
//! `__threadGroupName`, `__TestPlanName`, `__iterationNum`.

use std::fmt::Write as _;

use crate::arguments::{Args, Target};
use crate::context::Context;
use crate::function::{Function, Outcome};
use crate::scope::Scope;

type FactWriter = fn(&Context, &mut String);

struct Fact {
    tell: FactWriter,
    target: Target,
}

impl Function for Fact {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let start = out.len();
        (self.tell)(cx, out);
        self.target.put(cx, &out[start..]);
        Ok(())
    }
}

fn fact(args: &mut Args, scope: &Scope<'_>, tell: FactWriter) -> Box<dyn Function> {
    Box::new(Fact { tell, target: args.target(scope) })
}

/// `__machineName(variable)` (`MachineName`).
pub(crate) fn machine_name(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    fact(args, scope, |cx, out| out.push_str(&cx.host.machine_name()))
}

/// `__machineIP(variable)` (`MachineIP`).
pub(crate) fn machine_ip(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    fact(args, scope, |cx, out| out.push_str(&cx.host.machine_ip()))
}

/// `__samplerName(variable)` (`SamplerName`).
pub(crate) fn sampler_name(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    fact(args, scope, |cx, out| out.push_str(&cx.sampler_name))
}

/// `__threadGroupName()` (`ThreadGroupName`).
pub(crate) fn thread_group_name(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    fact(args, scope, |cx, out| out.push_str(&cx.user.group_name))
}

/// `__TestPlanName()` (`TestPlanName`).
pub(crate) fn test_plan_name(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    fact(args, scope, |cx, out| out.push_str(&cx.run.plan_name))
}

/// `__iterationNum()` of the plug-in jpgc-functions (`IterationNum`).
pub(crate) fn iteration_num(_: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    fact(&mut Args::new(Vec::new()), scope, |cx, out| {
        write!(out, "{}", cx.iteration).expect("writing to a String cannot fail");
    })
}
