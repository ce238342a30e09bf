//! Starts the thread groups of a phase: their schedules, and the share of each worker.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use swell_api::Phase;
use swell_plan::Severity;

use super::{Coordinator, Varying};
use crate::group_load::{GroupKind, Load};
use crate::prepare::{Group, LoadShape, ShapeOf, load};
use crate::run::commands::{Command, StartGroup};
use crate::schedule::{Schedule, ScheduleMode, ShapedArrivals, ShapedUsers, Takeover};

impl Coordinator {
    /// Name and fields of a thread group are read when it starts, with the variables of the plan.
    pub(super) fn start_group(&mut self, place: usize, group: &Group) {
        let main = self.main_context();
        let element = &group.node.element;
        let name: Arc<str> = main.eval(element, "TestElement.name", element.name()).into();
        if let Load::External(external) = &group.load {
            if !self.share.has_first() {
                // What runs it knows of no slices: it runs it whole, once in the test.
                return;
            }
            return self.start_external(place, group, external, &name, &main);
        }
        if load::lacks_loop(element, &group.load) {
            // `JMeterThread.initRun` fails.
            let host = &self.prepared.settings.host;
            host.log(
                swell_expr::Level::Error,
                &format!("Test failed! {name} has no ThreadGroup.main_controller"),
            );
            return;
        }
        let origin = load::Origin { start_ns: self.group_start_ns(group), compat: self.compat };
        let schedule = load::schedule(element, &group.load, &main, origin);
        self.note_all(main.compile.diagnostics.take());
        let schedule = match schedule {
            Ok(schedule) => self.shaped(place, group, schedule, origin),
            Err(message) => {
                let hint = "the thread group was not started".to_owned();
                return self.group_problem(group, Severity::Error, message, Some(hint));
            }
        };
        if self.taken_over(group).is_some() && group.phase == Phase::Main {
            let start_ns = self.group_start_ns(group);
            crate::timer::began(&self.shared, start_ns, swell_net::now_ns());
        }
        let live = &self.live.groups[place];
        // A group is started once in a run.
        let _ = live.schedule.set(schedule.clone());
        live.planned.store(schedule.users(), Ordering::Relaxed);
        live.target.store(schedule.users(), Ordering::Relaxed);
        let end_ns = schedule.end_ns().unwrap_or(0);
        self.live.expected_end_ns.fetch_max(end_ns, Ordering::Relaxed);
        if matches!(group.load, Load::Own(GroupKind::Concurrency)) && load::target_varies(element) {
            self.varying.push(Varying { place, main });
        }
        self.busy[place] = self.workers.len() - self.gone;
        live.launchers.start(self.busy[place]);
        self.look_at_size();
        let share_of = |total| self.share.share(total, self.offset);
        let at_most = match schedule.mode() {
            ScheduleMode::Iterations { at_most } => at_most.map(share_of),
            _ => None,
        };
        for (index, worker) in self.workers.iter().enumerate() {
            let start = StartGroup {
                group: place,
                name: name.clone(),
                schedule: schedule.clone(),
                slice: self.share.slice(index, self.offset),
                share_users: share_of(schedule.users()),
                at_most,
                taken_over: self.taken_over(group).cloned(),
            };
            // An event already reported a worker that is gone.
            let _ = worker.send(Command::Start(start));
        }
        self.offset = (self.offset + schedule.users() % self.share.of) % self.share.of;
    }

    /// How far the group had come elsewhere; none where it starts here.
    fn taken_over(&self, group: &Group) -> Option<&Takeover> {
        self.share.taken_over.as_ref().filter(|_| group.phase == self.share.from)
    }

    /// When the schedule of a group begins. One that was begun elsewhere keeps its times.
    fn group_start_ns(&self, group: &Group) -> i64 {
        let known = self.taken_over(group).is_some() && self.phase_start_ns != i64::MIN;
        if known { self.phase_start_ns } else { swell_net::now_ns().max(self.phase_start_ns) }
    }

    /// The schedule of a main group: that of the plan, or its part of the load shape.
    fn shaped(
        &mut self,
        place: usize,
        group: &Group,
        plan: Arc<dyn Schedule>,
        origin: load::Origin,
    ) -> Arc<dyn Schedule> {
        let Some(shape) = self.shape.clone().filter(|_| group.phase == Phase::Main) else { return plan };
        if self.parts.is_empty() {
            self.parts = self.parts_of_groups(shape.of, origin);
        }
        // The groups of a plan start one after the other, within milliseconds.
        let start_ns = *self.shape_start_ns.get_or_insert(origin.start_ns);
        let part = self.parts[place];
        match shape.of {
            ShapeOf::Timers => plan,
            ShapeOf::Users => Arc::new(ShapedUsers::new(&shape.shape, part, start_ns)),
            ShapeOf::Arrivals => {
                let LoadShape { shape, spacing, .. } = &shape;
                Arc::new(ShapedArrivals::new(shape, part, *spacing, place as u64, start_ns, plan.mode()))
            }
        }
    }

    /// Which part of the load each main group has in the plan, by users or by the mean rate of
    /// arrivals; even parts where the plan wants nothing.
    fn parts_of_groups(&mut self, of: ShapeOf, origin: load::Origin) -> Vec<f64> {
        let prepared = self.prepared.clone();
        let weight = |group: &Group| {
            let main = self.main_context();
            let plan = load::schedule(&group.node.element, &group.load, &main, origin).ok()?;
            Some(if of == ShapeOf::Arrivals {
                mean_per_second(&*plan, origin.start_ns)
            } else {
                f64::from(plan.users())
            })
        };
        let is_main = |group: &Group| group.phase == Phase::Main;
        let weights: Vec<_> = prepared
            .groups
            .iter()
            .map(|group| is_main(group).then(|| weight(group)).flatten().unwrap_or(0.0))
            .collect();
        let all: f64 = weights.iter().sum();
        if all > 0.0 {
            return weights.into_iter().map(|weight| weight / all).collect();
        }
        let count = prepared.groups.iter().filter(|group| is_main(group)).count() as f64;
        prepared.groups.iter().map(|group| if is_main(group) { 1.0 / count } else { 0.0 }).collect()
    }
}

/// The mean rate of arrivals of a schedule, by a hundred looks.
fn mean_per_second(plan: &dyn Schedule, start_ns: i64) -> f64 {
    const LOOKS: i64 = 100;
    let length_ns = plan.end_ns().map_or(0, |end_ns| end_ns.saturating_sub(start_ns));
    let at = |look: i64| plan.per_second_at(start_ns.saturating_add(length_ns / LOOKS * look)).unwrap_or(0.0);
    (0..LOOKS).map(at).sum::<f64>() / LOOKS as f64
}
