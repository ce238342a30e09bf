//! Observes and changes a run from outside: its state, its end, its load. `docs/live-control.md`
//! explains each change for each kind of thread group and timer.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use swell_api::{GroupChange, Phase};
use swell_expr::Properties;
use swell_net::Sender;

use super::Stopped;
use super::ceilings::Ceilings;
use super::commands::Event;
use super::control_error::ControlError;
use super::elsewhere::{Elsewhere, LoadChange};
use super::live::{Live, LiveGroup, Status, StopMode};
use super::ramp::Ramp;

/// A handle to a run; clones refer to the same run. It is made before the run starts. A stop before
/// the start prevents the run from starting any user.
#[derive(Clone, Default)]
pub struct Control {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Default)]
struct Inner {
    wanted: Option<StopMode>,
    run: Option<Attached>,
    /// The load is made by other processes.
    elsewhere: Option<Elsewhere>,
    /// Phases wait for their release.
    holds: bool,
    ceilings: Ceilings,
}

/// A run that has started.
#[derive(Clone)]
struct Attached {
    live: Arc<Live>,
    events: Sender<Event>,
    props: Arc<Properties>,
}

impl Control {
    /// A handle on a run to come.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops: running samples finish, no new ones start.
    pub fn stop(&self) {
        self.raise(StopMode::Graceful);
    }

    /// Stops at once: running samples are cut.
    pub fn stop_now(&self) {
        self.raise(StopMode::Immediate);
    }

    /// Lets each phase of the run to come wait before its first thread group starts, until
    /// [`Control::release`]. To be called before the run; so that several machines begin a phase
    /// together.
    pub fn hold_phases(&self) {
        self.inner.lock().holds = true;
    }

    /// Lets a phase start that waits, or does not wait when it comes to that. Its schedules begin
    /// at `start_ns`, on the clock of [`swell_api::Timing`], or at once if that time has passed.
    ///
    /// # Errors
    /// The run has not started.
    pub fn release(&self, phase: Phase, start_ns: Option<i64>) -> Result<(), ControlError> {
        let run = self.attached()?;
        run.live.gates.release(phase, start_ns.unwrap_or(i64::MIN));
        // A finished run has no phase.
        let _ = run.events.send(Event::Released);
        Ok(())
    }

    /// When the first user of the main phase was to start, and when it did, on the clock of
    /// [`swell_api::Timing`]; none before.
    pub fn first_start_ns(&self) -> Option<(i64, i64)> {
        self.attached().ok()?.live.first_starts[Phase::Main as usize].get().copied()
    }

    /// Refuses changes of the load beyond these from now on.
    pub fn limit_load(&self, ceilings: Ceilings) {
        self.inner.lock().ceilings = ceilings;
    }

    fn ceilings(&self) -> Ceilings {
        self.inner.lock().ceilings
    }

    /// The name of a group, for messages; its place where it has none yet.
    fn name_of(&self, group: usize) -> String {
        let groups = self.status().map(|status| status.groups).unwrap_or_default();
        groups.get(group).map_or_else(|| group.to_string(), |group| group.name.clone())
    }

    /// How the run goes; none before it has started.
    pub fn status(&self) -> Option<Status> {
        if let Some(elsewhere) = self.elsewhere() {
            return elsewhere.status();
        }
        let inner = self.inner.lock();
        inner.run.as_ref().map(|run| run.live.status())
    }

    /// Sets how many users a thread group has, by its place in [`crate::Prepared::groups`]; `None`
    /// leaves that to the plan again. Users that leave finish their sample.
    ///
    /// # Errors
    /// The run has not started, the group does not exist, it has an arrival rate, or foreign code
    /// runs it and cannot change it.
    pub fn set_users(&self, group: usize, users: Option<u32>) -> Result<(), ControlError> {
        self.lead_users(group, users, Duration::ZERO)
    }

    /// As [`Control::set_users`], but by a straight line that begins at the number that is wanted
    /// now.
    ///
    /// # Errors
    /// As [`Control::set_users`]; what something else runs has no ramps.
    pub fn ramp_users(&self, group: usize, users: u32, over: Duration) -> Result<(), ControlError> {
        self.lead_users(group, Some(users), over)
    }

    pub(super) fn lead_users(
        &self,
        group: usize,
        users: Option<u32>,
        over: Duration,
    ) -> Result<(), ControlError> {
        self.ceilings().check_users(&self.name_of(group), f64::from(users.unwrap_or(0)))?;
        if let Some(elsewhere) = self.elsewhere() {
            return elsewhere.change(&LoadChange::Users { group, users, over });
        }
        self.change_group(group, over, |live, group, (now_ns, over_ns)| {
            if group.is_external() {
                return group.change_elsewhere(GroupChange::Users(users));
            }
            if group.has_arrivals() {
                return Err(ControlError::HasArrivals(group.name().to_owned()));
            }
            let from = f64::from(group.wanted_users(&live.changes, now_ns).unwrap_or(0));
            group.changes.set_users(users.map(|users| Ramp::new(from, f64::from(users), now_ns, over_ns)));
            Ok(())
        })
    }

    /// Sets how many users arrive a second in a thread group whose users come by arrivals; `None`
    /// leaves that to the plan again. Arrivals that the plan wanted meanwhile are not made up for.
    ///
    /// # Errors
    /// The run has not started, the group does not exist, it has users instead of arrivals, the
    /// rate is negative or not finite, or something else runs it and cannot do it.
    pub fn set_rate(&self, group: usize, per_second: Option<f64>) -> Result<(), ControlError> {
        self.lead_rate(group, per_second, Duration::ZERO)
    }

    /// As [`Control::set_rate`], but by a straight line that begins at the rate that is wanted now.
    ///
    /// # Errors
    /// As [`Control::set_rate`]; what something else runs has no ramps.
    pub fn ramp_rate(&self, group: usize, per_second: f64, over: Duration) -> Result<(), ControlError> {
        self.lead_rate(group, Some(per_second), over)
    }

    pub(super) fn lead_rate(
        &self,
        group: usize,
        per_second: Option<f64>,
        over: Duration,
    ) -> Result<(), ControlError> {
        if let Some(value) = per_second.filter(|rate| !rate.is_finite() || *rate < 0.0) {
            return Err(ControlError::OutOfRange { what: "a rate of 0 or more arrivals per second", value });
        }
        let factor = self.attached().map_or(1.0, |run| run.live.changes.factor_ramp().peak());
        self.ceilings().check_rate(&self.name_of(group), per_second.unwrap_or(0.0) * factor)?;
        if let Some(elsewhere) = self.elsewhere() {
            return elsewhere.change(&LoadChange::Rate { group, per_second, over });
        }
        self.change_group(group, over, |live, group, (now_ns, over_ns)| {
            if group.is_external() {
                return group.change_elsewhere(GroupChange::Rate(per_second));
            }
            if !group.has_arrivals() {
                return Err(ControlError::HasUsers(group.name().to_owned()));
            }
            // A factor holds for rates of control as well: the line is of what it multiplies.
            let from = group.wanted_per_second(&live.changes, now_ns).unwrap_or(0.0);
            let from = from / live.changes.factor(now_ns);
            group.changes.set_per_second(per_second.map(|rate| Ramp::new(from, rate, now_ns, over_ns)));
            Ok(())
        })
    }

    /// Multiplies the load of the whole plan: users, arrivals, and rates that several users share.
    /// 1 is the plan.
    ///
    /// # Errors
    /// The run has not started, the factor is not above 0 and at most 1,000, or something else runs
    /// a group and cannot do it; all others are changed.
    pub fn multiply_load(&self, factor: f64) -> Result<(), ControlError> {
        self.ramp_load(factor, Duration::ZERO)
    }

    /// As [`Control::multiply_load`], but by a straight line that begins at the present factor.
    ///
    /// # Errors
    /// As [`Control::multiply_load`]; what something else runs has no ramps.
    pub fn ramp_load(&self, factor: f64, over: Duration) -> Result<(), ControlError> {
        if !(factor > 0.0 && factor <= 1000.0) {
            let what = "a factor above 0 and up to 1000; pause the test to send nothing";
            return Err(ControlError::OutOfRange { what, value: factor });
        }
        if let Some(elsewhere) = self.elsewhere() {
            if let Some(status) = elsewhere.status() {
                self.ceilings().check_factor_elsewhere(&status, factor)?;
            }
            return elsewhere.change(&LoadChange::Factor { factor, over });
        }
        let (now_ns, over_ns) = from_now(over);
        let ceilings = self.ceilings();
        self.change(|live| {
            ceilings.check_factor(live, factor)?;
            live.changes.set_factor(factor, now_ns, over_ns);
            Ok(())
        })?;
        let live = self.attached()?.live;
        if over_ns > 0 { live.can_ramp() } else { live.change_elsewhere(GroupChange::Factor(factor)) }
    }

    /// No new samples are started until [`Control::resume`]; running ones finish. The plan's
    /// schedules continue during the pause.
    ///
    /// # Errors
    /// The run has not started, or something else runs a group and cannot do it; all others pause.
    pub fn pause(&self) -> Result<(), ControlError> {
        if let Some(elsewhere) = self.elsewhere() {
            return elsewhere.change(&LoadChange::Pause);
        }
        self.change(|live| {
            live.changes.pause();
            Ok(())
        })?;
        self.attached()?.live.change_elsewhere(GroupChange::Paused(true))
    }

    /// Continues after a pause. Starts that schedules skipped during the pause are not made up for.
    ///
    /// # Errors
    /// The run has not started, or foreign code runs a group and cannot resume it; all other groups
    /// continue.
    pub fn resume(&self) -> Result<(), ControlError> {
        if let Some(elsewhere) = self.elsewhere() {
            return elsewhere.change(&LoadChange::Resume);
        }
        self.change(|live| {
            live.changes.resume(swell_net::now_ns());
            Ok(())
        })?;
        self.attached()?.live.change_elsewhere(GroupChange::Paused(false))
    }

    /// Sets a property (`__P`, `__property`), as a plan's own `__setProperty` would.
    ///
    /// # Errors
    /// The run has not started.
    pub fn set_property(&self, name: &str, value: &str) -> Result<(), ControlError> {
        if let Some(elsewhere) = self.elsewhere() {
            return elsewhere
                .change(&LoadChange::Property { name: name.to_owned(), value: value.to_owned() });
        }
        let run = self.attached()?;
        run.props.set(name, value);
        Ok(())
    }

    /// Stops only the users of a thread group.
    ///
    /// # Errors
    /// The run has not started, or the group does not exist.
    pub fn stop_group(&self, group: usize, how: Stopped) -> Result<(), ControlError> {
        if let Some(elsewhere) = self.elsewhere() {
            return elsewhere.change(&LoadChange::StopGroup { group, how });
        }
        let mode = if how == Stopped::Graceful { StopMode::Graceful } else { StopMode::Immediate };
        self.change_group(group, Duration::ZERO, |_, group, _| {
            group.raise(mode);
            Ok(())
        })
    }

    fn attached(&self) -> Result<Attached, ControlError> {
        let inner = self.inner.lock();
        inner.run.clone().ok_or(ControlError::NotStarted)
    }

    fn change(&self, change: impl FnOnce(&Live) -> Result<(), ControlError>) -> Result<(), ControlError> {
        let run = self.attached()?;
        change(&run.live)?;
        run.live.changes.changed();
        // A finished run has no load.
        let _ = run.events.send(Event::Changed);
        Ok(())
    }

    /// Changes a group from now on for a duration; `change` receives both in nanoseconds.
    fn change_group(
        &self,
        place: usize,
        over: Duration,
        change: impl FnOnce(&Live, &LiveGroup, (i64, i64)) -> Result<(), ControlError>,
    ) -> Result<(), ControlError> {
        let (now_ns, over_ns) = from_now(over);
        self.change(|live| {
            if let Some(group) = live.groups.get(place) {
                if over_ns > 0 {
                    group.can_ramp()?;
                }
                return change(live, group, (now_ns, over_ns));
            }
            let groups = live.groups.iter().map(|group| group.name().to_owned()).collect();
            Err(ControlError::NoSuchGroup { place, groups })
        })
    }

    fn raise(&self, mode: StopMode) {
        let mut inner = self.inner.lock();
        inner.wanted = inner.wanted.max(Some(mode));
        if let (Some(elsewhere), Some(how)) = (inner.elsewhere.clone(), stopped(mode)) {
            drop(inner);
            return elsewhere.stop(how);
        }
        if let Some(run) = &inner.run {
            run.live.raise(mode);
            // A finished run needs no stop.
            let _ = run.events.send(Event::Stop);
        }
    }

    fn elsewhere(&self) -> Option<Elsewhere> {
        self.inner.lock().elsewhere.clone()
    }

    /// Whether other processes make the load.
    pub fn is_elsewhere(&self) -> bool {
        self.elsewhere().is_some()
    }

    /// Hands control over to what makes the load, instead of a run of this process.
    pub fn attach_elsewhere(&self, elsewhere: &Arc<dyn super::RunElsewhere>) {
        let mut inner = self.inner.lock();
        inner.elsewhere = Some(elsewhere.clone());
        let wanted = inner.wanted.and_then(stopped);
        drop(inner);
        if let Some(how) = wanted {
            elsewhere.stop(how);
        }
    }

    /// Makes a change that came as a value.
    ///
    /// # Errors
    /// As the method of that change.
    pub fn apply(&self, change: &LoadChange) -> Result<(), ControlError> {
        match change {
            LoadChange::Users { group, users, over } => self.lead_users(*group, *users, *over),
            LoadChange::Rate { group, per_second, over } => self.lead_rate(*group, *per_second, *over),
            LoadChange::Factor { factor, over } => self.ramp_load(*factor, *over),
            LoadChange::Pause => self.pause(),
            LoadChange::Resume => self.resume(),
            LoadChange::Property { name, value } => self.set_property(name, value),
            LoadChange::StopGroup { group, how } => self.stop_group(*group, *how),
        }
    }

    pub(super) fn attach(&self, live: &Arc<Live>, events: Sender<Event>, props: Arc<Properties>) {
        let mut inner = self.inner.lock();
        if let Some(mode) = inner.wanted {
            live.raise(mode);
        }
        if inner.holds {
            live.gates.close();
        }
        inner.run = Some(Attached { live: live.clone(), events, props });
    }
}

/// Now, and how long something takes, in nanoseconds.
fn from_now(over: Duration) -> (i64, i64) {
    (swell_net::now_ns(), i64::try_from(over.as_nanos()).unwrap_or(i64::MAX))
}

fn stopped(mode: StopMode) -> Option<Stopped> {
    match mode {
        StopMode::Run => None,
        StopMode::Graceful => Some(Stopped::Graceful),
        StopMode::Immediate => Some(Stopped::Immediate),
    }
}
