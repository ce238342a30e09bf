//! Starting the users of a thread group on a worker, each at its time. Until then a user costs nothing.

use std::rc::Rc;
use std::sync::Arc;

use super::commands::{Event, StartGroup};
use super::live::Level;
use super::user;
use super::worker::Worker;
use crate::program::GroupProgram;
use crate::schedule::Schedule;

/// Bytes of a user's task, without its variables and what samplers keep for it.
const LARGEST_LIFE: usize = 2560;
/// Users that are started without letting those before them run.
const AT_ONCE: u32 = 32;

/// A thread group that runs on a worker. When the last user and the starter have let go of it, the coordinator is told.
pub(crate) struct GroupRun {
    pub(crate) worker: Rc<Worker>,
    pub(crate) program: Rc<GroupProgram>,
    /// Place in the plan.
    pub(crate) place: usize,
    pub(crate) name: Rc<str>,
    /// Name and number as they stand in thread names, with a hyphen at the end.
    pub(crate) prefix: String,
    pub(crate) schedule: Arc<dyn Schedule>,
}

impl Drop for GroupRun {
    fn drop(&mut self) {
        for listener in self.worker.program.listeners.iter() {
            listener.group_done();
        }
        let _nobody_waits = self.worker.events.send(Event::GroupDone(self.place));
    }
}

/// Starts the users of a slice, each at its time.
pub(super) fn start(worker: &Rc<Worker>, start: StartGroup) {
    let StartGroup { group: place, name, schedule, slice } = start;
    let program = worker.program.groups[place].clone();
    let number = worker.prepared.groups[place].number;
    let distributed = worker.prepared.settings.props.get("__jm.D_TG").unwrap_or_default();
    let hyphen = if distributed.is_empty() { "" } else { "-" };
    let prefix = format!("{distributed}{hyphen}{name} {number}-");
    let group =
        Rc::new(GroupRun { worker: worker.clone(), program, place, name: (*name).into(), prefix, schedule });
    swell_net::spawn(async move {
        let mut started = 0_u32;
        for index in slice.users() {
            let Some(span) = group.schedule.span(index) else { return };
            while swell_net::now_ns() < span.start_ns && group.worker.live.level() == Level::Run {
                swell_net::sleep_until(span.start_ns).await;
            }
            if group.worker.live.level() != Level::Run {
                return;
            }
            let life = user::live(group.clone(), index, span);
            debug_assert!(
                std::mem::size_of_val(&life) <= LARGEST_LIFE,
                "tens of thousands of these must fit"
            );
            swell_net::spawn(life);
            // Where many start at once, the first need not wait for the last.
            started += 1;
            if started.is_multiple_of(AT_ONCE) {
                swell_net::yield_now().await;
            }
        }
    });
}
