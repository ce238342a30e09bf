//! A plan compiled for one worker: controllers, and a package for each sampler.

mod build;
mod controls;
mod external;
mod external_listeners;
mod group;
mod package;
mod parallel;
mod scope;
mod steps;
mod traced;

use std::rc::Rc;

use swell_api::{CompileContext, Listener, Needs, Registry};
use swell_plan::Diagnostic;

use crate::compile_context::{CompileOptions, GroupCompileContext};
use crate::internals::Internals;
use crate::prepare::{MainContext, Prepared};
pub(crate) use external_listeners::ExternalListeners;
pub(crate) use group::{GroupProgram, ROOT};
pub(crate) use package::{Branch, OnError, Package, Parallel, SampleListener};
pub(crate) use steps::{After, Before, Check, WaitingListener};

/// A plan compiled for one worker. Every worker compiles in the same order, so that what they share
/// is found under the same keys.
pub(crate) struct Program {
    pub(crate) groups: Vec<Rc<GroupProgram>>,
    pub(crate) listeners: Rc<[Rc<dyn Listener>]>,
    /// Where users keep what JMeter keeps for its own work; none where nothing reads it.
    pub(crate) internals: Option<Internals>,
    /// A text may call what something else answers.
    pub(crate) calls_remotely: bool,
    /// No user does anything but wait for the next slot of one schedule after it has read a
    /// response, so that responses may be read with the next start.
    pub(crate) reads_may_wait: bool,
}

impl Program {
    /// Compiles all thread groups. `roots` get the samples that a listener below the Test Plan
    /// gets.
    pub(crate) fn compile(
        prepared: &Prepared,
        registry: &Registry,
        compile: &CompileContext,
        options: CompileOptions,
        roots: Vec<Rc<dyn Listener>>,
    ) -> Self {
        // Before the samplers, which look whether these names are known.
        let internals = prepared.internals_are_read.then(|| Internals::new(&compile.expr.names));
        let mut listeners = build::Listeners::new(roots);
        let groups: Vec<_> = prepared
            .groups
            .iter()
            .enumerate()
            .map(|(index, group)| {
                let indexes_are_read = prepared.indexes_are_read;
                let reads_previous = prepared.reads_previous;
                let context = GroupCompileContext {
                    registry,
                    compile,
                    options,
                    group: index,
                    load: &group.load,
                    indexes_are_read,
                    reads_previous,
                    functions_read_samples: prepared.functions_read_samples,
                };
                let compile = if group.is_external() { external::compile } else { group::compile };
                Rc::new(compile(&group.node, &context, &mut listeners))
            })
            .collect();
        let calls_remotely = compile.expr.calls_remotely.get();
        let reads_may_wait = follow_one_schedule(&groups);
        Self { groups, listeners: listeners.all().into(), internals, calls_remotely, reads_may_wait }
    }

    /// What listeners read of the samples of groups that something else runs.
    pub(crate) fn external_needs(&self) -> Needs {
        let places = self
            .groups
            .iter()
            .filter_map(|group| group.external.as_ref())
            .flat_map(ExternalListeners::places);
        places.fold(Needs::default(), |needs, place| needs.or(self.listeners[place as usize].needs()))
    }
}

/// Compiles the plan once for its diagnostics.
pub(crate) fn trial(prepared: &Prepared, registry: &Registry) -> Vec<Diagnostic> {
    let main = MainContext::new(&prepared.settings, prepared.file.clone());
    let options = CompileOptions { compat: false, dry: true };
    Program::compile(prepared, registry, &main.compile, options, Vec::new());
    main.compile.diagnostics.take()
}

/// Whether each sample of all thread groups waits for a slot of one schedule and for nothing else.
fn follow_one_schedule(groups: &[Rc<GroupProgram>]) -> bool {
    let packages = groups.iter().flat_map(|group| &group.packages);
    are_of_one(packages.map(|package| match &package.timers[..] {
        [timer] if package.sampler.reads_may_wait() => timer.schedule_of_all(),
        _ => None,
    }))
}

/// Whether there are schedules, and all are the same.
fn are_of_one<'s>(mut schedules: impl Iterator<Item = Option<&'s str>>) -> bool {
    let first = schedules.next().flatten();
    first.is_some() && schedules.all(|schedule| schedule == first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_samples_have_to_follow_the_same_schedule() {
        for (schedules, wanted) in [
            (&[][..], false),
            (&[None], false),
            (&[Some("a")], true),
            (&[Some("a"), Some("a")], true),
            (&[Some("a"), None], false),
            (&[None, Some("a")], false),
            (&[Some("a"), Some("b")], false),
        ] {
            assert_eq!(are_of_one(schedules.iter().copied()), wanted, "{schedules:?}");
        }
    }
}
