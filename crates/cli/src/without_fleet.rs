//! A build without tests on many machines (feature `fleet`): what asks for them is refused.
#![expect(
    clippy::unnecessary_wraps,
    clippy::needless_pass_by_value,
    reason = "signatures are those of `fleet`"
)]

use std::path::Path;

use swell_expr::Properties;
use swell_plan::Plan;
use swell_run::{Starter, Trial};

use crate::args::{AgentArgs, FleetCommandArgs, JvmArgs, RunArgs, StudyFleetArgs};
use crate::exit::{Exit, Failure};
use crate::output::IsRefused;

/// There is none.
pub(crate) enum Fleet {}

/// There is none.
pub(crate) enum Mode {}

fn without() -> Failure {
    Failure::settings("this build has no tests on many machines")
        .hint("`make release` and `cargo install --path crates/swell` build them in")
}

pub(crate) fn agent(_: &AgentArgs) -> Result<Exit, Failure> {
    Err(without())
}

pub(crate) fn fleet(_: &FleetCommandArgs) -> Result<Exit, Failure> {
    Err(without())
}

pub(crate) fn serve_as_jmeter(_: &RunArgs) -> Result<Exit, Failure> {
    Err(without())
}

pub(crate) fn mode_of(args: &RunArgs, _: &Properties, controls: bool) -> Result<Option<Mode>, Failure> {
    let remote = args.jmeter.run_remote || args.jmeter.remote_start.is_some();
    let asks = controls || remote || args.fleet.agents.is_some() || args.fleet.take.is_some();
    if asks { Err(without()) } else { Ok(None) }
}

pub(crate) fn ended(exit: Exit, _: Option<Failure>) -> Result<Exit, Failure> {
    Ok(exit)
}

impl Fleet {
    pub(crate) fn begin(
        mode: Mode,
        _: (&RunArgs, Option<&[u8]>),
        _: &Trial,
        _: bool,
    ) -> Result<Self, Failure> {
        match mode {}
    }

    pub(crate) fn starter(&mut self) -> Starter {
        match *self {}
    }

    pub(crate) fn has_failed(&self) -> IsRefused {
        match *self {}
    }

    pub(crate) fn failure(&self) -> Option<Failure> {
        match *self {}
    }
}

/// There is none.
pub(crate) enum StudyFleet {}

/// A plan as it would be sent.
#[expect(dead_code, reason = "nothing is sent")]
pub(crate) struct TrialPlan<'a> {
    pub(crate) path: &'a Path,
    pub(crate) plan: &'a Plan,
    pub(crate) seed: Option<u64>,
}

impl StudyFleet {
    pub(crate) fn begin(args: &StudyFleetArgs, _: &JvmArgs) -> Result<Option<Self>, Failure> {
        if args.agents.is_some() { Err(without()) } else { Ok(None) }
    }

    pub(crate) fn starter(&mut self, _: &TrialPlan<'_>, _: &Trial) -> Result<Starter, Failure> {
        match *self {}
    }

    pub(crate) fn ended(&self) -> Result<(), Failure> {
        match *self {}
    }
}
