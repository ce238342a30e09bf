//! Starts and ends thread groups run by another component.

use std::path::PathBuf;
use std::sync::Arc;

use swell_api::{ExternalGroup, GroupChange, GroupStart, Needs};
use swell_plan::{Node, Severity};

use super::Coordinator;
use crate::prepare::{Group, MainContext};
use crate::run::external::SampleForwarder;

impl Coordinator {
    /// A group that something else runs. One worker tells its samples to listeners.
    pub(super) fn start_external(
        &mut self,
        place: usize,
        group: &Group,
        external: &Arc<dyn ExternalGroup>,
        name: &Arc<str>,
        main: &MainContext,
    ) {
        let all = &self.prepared.groups;
        let listeners: Vec<_> = all.iter().flat_map(|group| &group.external_listeners).copied().collect();
        let is_own = |node: &Node| all.iter().any(|group| group.node.id == node.id && !group.is_external());
        let root = &self.prepared.root;
        let below = root.children.iter().filter(|child| !is_own(child)).cloned().collect();
        let plan = Node { id: root.id, element: root.element.clone(), children: below };
        let start = GroupStart {
            name,
            number: group.number,
            start_ns: swell_net::now_ns().max(self.phase_start_ns),
            plan: &plan,
            file: self.prepared.file.as_deref().map(PathBuf::as_path),
            group: &group.node,
            property: &|property| main.property(&group.node.element, property, ""),
            variables: self.start.get().unwrap_or(&self.prepared.initial),
            is_all: all.iter().all(Group::is_external),
            needs: self.live.external_needs.get().copied().unwrap_or(Needs::ALL),
            listeners: &listeners,
        };
        let started = external.start(&start);
        self.note_all(main.compile.diagnostics.take());
        let pump = started.and_then(|running| {
            self.live.groups[place].runs_elsewhere(&running);
            let worker = self.workers[place % self.workers.len()].clone();
            SampleForwarder {
                place,
                name: name.clone(),
                running,
                live: self.live.clone(),
                worker,
                events: self.to_me.clone(),
            }
            .start()
        });
        match pump {
            Ok(()) => {
                self.busy[place] = 1;
                self.tell_changes(place, group);
            }
            Err(message) => {
                let hint = Some("the thread group was not started".to_owned());
                self.group_problem(group, Severity::Error, message, hint);
            }
        }
    }

    /// What control has changed before such a group started.
    fn tell_changes(&mut self, place: usize, group: &Group) {
        let changes = &self.live.changes;
        let planned = GroupChange::Factor(1.0);
        let factor =
            Some(GroupChange::Factor(changes.factor_ramp().last())).filter(|factor| *factor != planned);
        let paused = changes.is_paused().then_some(GroupChange::Paused(true));
        let made: Vec<_> =
            factor.into_iter().chain(paused).map(|c| self.live.groups[place].change_elsewhere(c)).collect();
        for error in made.into_iter().filter_map(Result::err) {
            self.group_problem(group, Severity::Warning, error.to_string(), None);
        }
    }

    /// Such a group has ended; why, if that was not its proper end.
    pub(super) fn external_ended(&mut self, place: usize, how: Result<(), String>) {
        self.busy[place] = 0;
        let prepared = self.prepared.clone();
        if let Err(message) = how {
            let hint = Some("its results up to then are complete".to_owned());
            self.group_problem(&prepared.groups[place], Severity::Error, message, hint);
        }
    }
}
