//! The monitor of a trial: collects the counts of the workers, observes the machine, notifies
//! subscribers each second, and detects the end of the trial.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use swell_engine::{Control, LoadShape, RunOutcome, ShapeOf};
use swell_monitor::{Follower, Monitor};
use swell_secrets::{has_protected, without_protected};
use swell_shape::Shape;
use swell_stats::verdict::ProcessorUse;
use swell_stats::{Load, Run, Snapshot, Tally, Users};

use crate::end_elsewhere::EndElsewhere;
use crate::give_up::GiveUp;
use crate::interval::{Halves, Interval, Intervals};
use crate::resources::{ResourceMonitor, ResourceUsage, WorkerLoad};
use crate::second::users_of;
use crate::subscription::Publisher;
use crate::{Message, MessageSink, Second, Sinks};

/// A message to the monitor.
pub(crate) enum Event {
    /// Counts of a worker in a second, named by whole seconds since the epoch.
    Counts(i64, Box<Snapshot>),
    /// The run has finished.
    Over(Box<RunOutcome>),
    /// The engine failed, by a fault of the tool.
    Broken,
    /// Where the load is made elsewhere: how busy the busiest machine is.
    Load(Load),
    /// The same for a load that is made elsewhere.
    OverElsewhere(Box<EndElsewhere>),
    /// The caller no longer waits for the end.
    Abandon,
}

/// How monitoring ended.
pub(crate) enum End {
    Over(Box<RunOutcome>),
    Elsewhere(Box<EndElsewhere>),
    Broken,
    Abandoned,
}

/// State that others may read during the trial.
#[derive(Default)]
pub(crate) struct TrialState {
    pub(crate) run: Run,
    pub(crate) workers: Vec<WorkerLoad>,
}

/// The trial so far, shared with its handles.
pub(crate) type SharedTrialState = Arc<Mutex<TrialState>>;

/// Monitors one trial.
pub(crate) struct RunMonitor {
    pub(crate) control: Control,
    pub(crate) sinks: Sinks,
    pub(crate) messages: MessageSink,
    pub(crate) watched: SharedTrialState,
    pub(crate) publisher: Arc<Publisher>,
    resources: ResourceMonitor,
    give_up: Option<GiveUp>,
    target: Option<Target>,
    intervals: Intervals,
    /// Whether subscribers receive half seconds.
    halves: Option<Halves>,
    /// When the current interval began.
    interval_start_ns: i64,
    wanted_per_s: Option<f64>,
    /// The rate that is wanted of the whole trial, where it changes.
    shape: Option<Arc<Shape>>,
    samples: u64,
    errors: u64,
    metrics_told: bool,
    summariser_counts_transactions: bool,
    /// How busy the machines are, where the load is made elsewhere.
    load_elsewhere: Option<Load>,
    /// How long the intervals are that are published.
    interval_s: i64,
    /// What the last second has of third digits.
    fine: Option<Arc<Snapshot>>,
}

/// Takes figures of the machine and processes under test.
struct Target {
    monitor: Monitor,
    follower: Follower,
    /// It knows where the server listens on this machine.
    is_told: bool,
}

const TICK: Duration = Duration::from_millis(250);

/// How long the last counts of a trial that is left are waited for: a tick of the workers, and some
/// more.
const LAST_COUNTS: Duration = Duration::from_millis(1200);

impl RunMonitor {
    /// `resources` has had its first look.
    pub(crate) fn new(
        control: Control,
        sinks: Sinks,
        messages: MessageSink,
        watched: SharedTrialState,
        resources: ResourceMonitor,
    ) -> Self {
        Self {
            control,
            sinks,
            messages,
            watched,
            publisher: Arc::default(),
            resources,
            give_up: None,
            target: None,
            intervals: Intervals::default(),
            halves: None,
            interval_start_ns: swell_net::now_ns(),
            wanted_per_s: None,
            shape: None,
            samples: 0,
            errors: 0,
            metrics_told: false,
            summariser_counts_transactions: false,
            load_elsewhere: None,
            interval_s: 1,
            fine: None,
        }
    }

    /// The load is made elsewhere, and this machine only looks. What is counted there comes at
    /// intervals of `interval_s` seconds.
    pub(crate) fn of_load_elsewhere(mut self, interval_s: u32) -> Self {
        self.load_elsewhere = Some(Load::default());
        self.interval_s = i64::from(interval_s.max(1));
        self.watched.lock().run.series.widen(interval_s.into());
        self
    }

    /// Whether subscribers receive half seconds.
    pub(crate) fn telling_halves(mut self, tells: bool) -> Self {
        self.halves = tells.then(|| Halves::after(swell_net::now_ns()));
        self
    }

    /// Whether JMeter's summariser counts transactions.
    pub(crate) fn summarising_transactions(mut self, counts: bool) -> Self {
        self.summariser_counts_transactions = counts;
        self
    }

    /// Tells the seconds to these subscribers.
    pub(crate) fn publishing_to(mut self, publisher: Arc<Publisher>) -> Self {
        self.publisher = publisher;
        self
    }

    /// The rate that is wanted of the whole trial.
    pub(crate) fn wanting(mut self, per_s: Option<f64>) -> Self {
        self.wanted_per_s = per_s;
        self
    }

    /// The throughput timers of the trial follow a shape.
    pub(crate) fn shaped(mut self, shape: Option<&LoadShape>) -> Self {
        let timers = shape.filter(|shape| shape.of == ShapeOf::Timers);
        self.shape = timers.map(|shape| shape.shape.clone());
        self
    }

    /// The rate that the caller or the shape wanted between two times: the mean.
    fn wanted_between(&self, from_ns: i64, to_ns: i64) -> Option<f64> {
        let shaped = self.shape.as_ref().zip(self.control.status()).and_then(|(shape, status)| {
            let [from_s, to_s] = [from_ns, to_ns].map(|at_ns| (at_ns - status.started_ns) as f64 / 1e9);
            (to_s > from_s).then(|| (shape.sum(to_s) - shape.sum(from_s)) / (to_s - from_s))
        });
        shaped.or(self.wanted_per_s)
    }

    /// Stops the trial when no server was reached for so long.
    pub(crate) fn giving_up(mut self, after: Option<Duration>) -> Self {
        self.give_up = after.map(GiveUp::new);
        self
    }

    /// Takes figures of this monitor into the seconds.
    pub(crate) fn monitoring(mut self, monitor: Option<Monitor>) -> Self {
        self.target = monitor.map(|monitor| Target { follower: monitor.follow(), monitor, is_told: false });
        self
    }

    /// What the machine did to the tool.
    pub(crate) fn resources(&self) -> ResourceUsage {
        self.resources.found()
    }

    /// The programs that used the processors.
    pub(crate) fn processors(&self) -> Option<ProcessorUse> {
        self.resources.processors()
    }

    /// Watches a run to its end.
    pub(crate) fn watch(&mut self, inbox: &Receiver<Event>) -> End {
        let mut flushed_s = 0;
        loop {
            match inbox.recv_timeout(self.patience()) {
                Ok(Event::Counts(at_s, counts)) => self.count(at_s, counts),
                Ok(Event::Over(outcome)) => {
                    // Counts that were sent before the end are in the inbox already.
                    for event in inbox.try_iter() {
                        if let Event::Counts(at_s, counts) = event {
                            self.count(at_s, counts);
                        }
                    }
                    return self.end(End::Over(outcome));
                }
                Ok(Event::Load(load)) => self.load_elsewhere = Some(load),
                Ok(Event::OverElsewhere(end)) => {
                    for event in inbox.try_iter() {
                        if let Event::Counts(at_s, counts) = event {
                            self.count(at_s, counts);
                        }
                    }
                    return self.end_elsewhere(end);
                }
                Ok(Event::Abandon) => {
                    self.take_last_counts(inbox);
                    return self.end(End::Abandoned);
                }
                Ok(Event::Broken) | Err(RecvTimeoutError::Disconnected) => return self.end(End::Broken),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let now_ns = swell_net::now_ns();
            self.resources.look(now_ns);
            self.give_up_if_due(now_ns);
            if let Some((end_ns, interval)) = self.intervals.take_due(now_ns) {
                self.publish(end_ns, interval, false);
            }
            self.tell_half(now_ns);
            if self.sinks.files.options().confinement.refused().is_some() {
                // Unfinished samples differ from the plan.
                self.control.stop_now();
            }
            let second = now_ns / 1_000_000_000;
            if second != flushed_s {
                self.each_second();
                if flushed_s == 0 {
                    // Who looks learns at once that the trial is there.
                    let nothing_yet = self.intervals.take();
                    self.publish(now_ns, nothing_yet, false);
                } else if second / self.interval_s != flushed_s / self.interval_s {
                    self.intervals.end_at(second - second % self.interval_s);
                }
                flushed_s = second;
            }
        }
    }

    /// In an abandoned trial, the remaining workers hand over their counts with their next tick, at
    /// most a second later: what is in the results is in the counts, too.
    fn take_last_counts(&mut self, inbox: &Receiver<Event>) {
        let until = Instant::now() + LAST_COUNTS;
        loop {
            match inbox.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(Event::Counts(at_s, counts)) => self.count(at_s, counts),
                Ok(Event::Over(_) | Event::OverElsewhere(_) | Event::Broken) | Err(_) => break,
                Ok(Event::Load(_) | Event::Abandon) => {}
            }
        }
        for event in inbox.try_iter() {
            if let Event::Counts(at_s, counts) = event {
                self.count(at_s, counts);
            }
        }
    }

    /// Tells what was counted in the first half of a second.
    fn tell_half(&mut self, now_ns: i64) {
        let is_due = self.intervals.due_ns().is_none();
        let Some(half_ns) =
            self.halves.as_mut().filter(|_| is_due).and_then(|halves| halves.take_due(now_ns))
        else {
            return;
        };
        let so_far = self.intervals.take();
        self.publish(half_ns, so_far, false);
        self.sinks.files.flush();
    }

    /// How long to wait for an event: at most until the next interval is sent.
    fn patience(&self) -> Duration {
        let halves_ns = self.halves.as_ref().map(Halves::due_ns);
        let Some(due_ns) = self.intervals.due_ns().into_iter().chain(halves_ns).min() else { return TICK };
        let left_ns = (due_ns - swell_net::now_ns()).max(0);
        TICK.min(Duration::from_nanos(left_ns.unsigned_abs()))
    }

    fn give_up_if_due(&mut self, now_ns: i64) {
        if let Some(waited) = self.give_up.as_mut().and_then(|give_up| give_up.is_due(now_ns)) {
            (self.messages)(Message::GivenUp { waited });
            self.control.stop_now();
        }
    }

    fn each_second(&mut self) {
        self.resources.look_for_server();
        self.tell_monitor();
        self.sinks.files.flush();
        self.tell_users();
        self.tell_metrics();
    }

    /// Tells once where the server listens on this machine.
    fn tell_monitor(&mut self) {
        if let Some(target) = self.target.as_mut().filter(|target| !target.is_told)
            && let Some(address) = self.resources.server()
        {
            target.is_told = true;
            target.monitor.server_at(address);
        }
    }

    /// Says once where metrics can be fetched.
    fn tell_metrics(&mut self) {
        let Some(address) = self.sinks.metrics.address() else { return };
        if !std::mem::replace(&mut self.metrics_told, true) {
            (self.messages)(Message::MetricsAt(address));
        }
    }

    /// Metrics show the users.
    fn tell_users(&self) {
        if let Some(status) = self.control.status() {
            self.sinks.metrics.set_users(status.active, status.started, status.finished);
        }
    }

    fn count(&mut self, at_s: i64, mut counts: Box<Snapshot>) {
        // Everything that is shown and kept of labels and errors comes through here.
        if let Some(masked) = without_secrets(&counts) {
            *counts = masked;
        }
        if let Some(give_up) = &mut self.give_up {
            give_up.counted(&counts);
        }
        let total = self.watched.lock().run.add(at_s, &counts, self.users());
        for row in counts.rows.iter().filter(|row| !row.is_transaction) {
            self.samples += row.stats.samples;
            self.errors += row.stats.errors;
        }
        if self.publisher.has_subscribers() {
            let reported = counts.reported_tally(self.summariser_counts_transactions, &total);
            self.intervals.count(at_s, Arc::from(counts), &total, &reported);
        }
    }

    /// Tells all subscribers of an interval that has ended.
    fn publish(&mut self, at_ns: i64, interval: Interval, is_last: bool) {
        let workers = self.resources.loads();
        let users = self.users().active;
        let own = ResourceMonitor::own();
        let mut watched = self.watched.lock();
        watched.workers.clone_from(&workers);
        if self.load_elsewhere.is_none() {
            watched.run.own.look(users, own);
        }
        drop(watched);
        let load = self.load_elsewhere.unwrap_or(self.resources.interval_load());
        let from_ns = std::mem::replace(&mut self.interval_start_ns, at_ns);
        if !self.publisher.has_subscribers() {
            return;
        }
        let Interval { total, reported, parts } = interval;
        self.publisher.publish(Second {
            from_ns,
            at_ns,
            intervals: 1,
            is_last,
            parts,
            summaries: self.summaries(&reported),
            total,
            reported,
            samples: self.samples,
            errors: self.errors,
            status: self.control.status(),
            wanted_per_s: self.wanted_between(from_ns, at_ns),
            load,
            resources: self.resources.found(),
            workers,
            readings: self.target.as_ref().map(|target| target.follower.take()).unwrap_or_default(),
            fine: self.fine.take(),
        });
    }

    /// What the elements of the plan counted. Where the load is made elsewhere they run there, and
    /// each that is named counts everything.
    fn summaries(&self, reported: &Tally) -> Vec<(String, Tally)> {
        let mut summaries = self.sinks.files.take_summaries();
        if self.load_elsewhere.is_some() {
            for (_, tally) in &mut summaries {
                *tally = *reported;
            }
        }
        summaries
    }

    fn end_elsewhere(&mut self, mut end: Box<EndElsewhere>) -> End {
        if let Some(fine) = &mut end.fine {
            if let Some(masked) = without_secrets(fine) {
                *fine = Arc::new(masked);
            }
            let beyond = self.watched.lock().run.refine(fine);
            if beyond > 0 {
                end.invalid.get_or_insert(format!("agents reported {beyond} values in two different ways"));
            }
            self.fine = Some(fine.clone());
        }
        self.end(End::Elsewhere(end))
    }

    fn end(&mut self, end: End) -> End {
        self.resources.end(swell_net::now_ns());
        self.watched.lock().run.snapshot.users = self.users();
        self.tell_users();
        if let Some((end_ns, interval)) = self.intervals.take_over() {
            self.publish(end_ns, interval, false);
        }
        let rest = self.intervals.take();
        self.publish(swell_net::now_ns(), rest, true);
        self.publisher.close();
        end
    }

    fn users(&self) -> Users {
        self.control.status().as_ref().map_or_else(Users::default, users_of)
    }
}

/// A monitor that panics leaves no subscriber waiting and no users running, and neither does a
/// trial that was abandoned.
impl Drop for RunMonitor {
    fn drop(&mut self) {
        self.control.stop_now();
        self.publisher.close();
    }
}

/// The same counts without secrets in labels and texts; none if they have none.
fn without_secrets(counts: &Snapshot) -> Option<Snapshot> {
    if has_protected() { counts.with_texts(&without_protected) } else { None }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use swell_results::FileOptions;
    use swell_stats::{Observation, Recorder};

    fn monitor() -> RunMonitor {
        let sinks = Sinks::new(FileOptions::new("."));
        let resources = ResourceMonitor::begin(Arc::default(), Arc::default(), swell_net::now_ns());
        RunMonitor::new(Control::new(), sinks, Arc::new(|_| {}), SharedTrialState::default(), resources)
    }

    #[test]
    fn a_broken_engine_ends_the_watch() {
        for event in [Some(Event::Broken), None] {
            let (sender, inbox) = mpsc::channel();
            // Without an event: all that could send one are gone.
            if let Some(event) = event {
                sender.send(event).expect("the inbox is there");
            }
            drop(sender);
            let mut monitor = monitor();
            let seconds = monitor.publisher.subscribe(None);
            assert!(matches!(monitor.watch(&inbox), End::Broken));
            assert_eq!(seconds.map(|second| second.is_last).collect::<Vec<_>>(), [true]);
        }
    }

    #[test]
    fn figures_of_two_digits_get_their_third_at_the_end_and_contradictions_are_told() {
        let mut recorder = Recorder::default();
        (0..300).for_each(|at| {
            recorder.record(&Observation {
                label: "a",
                elapsed_ns: 1_000_000 + at,
                ..Observation::default()
            });
        });
        let counted = recorder.take_interval();
        let mut fine = Snapshot::default();
        for invalid in [false, true] {
            // The second time reports values that were never counted.
            fine.add_fine(&counted.rows[0]);
            let (sender, inbox) = mpsc::channel();
            sender.send(Event::Counts(1, Box::new(counted.coarse(0)))).expect("the inbox is there");
            let end = EndElsewhere { fine: Some(Arc::new(fine.clone())), ..EndElsewhere::default() };
            sender.send(Event::OverElsewhere(Box::new(end))).expect("the inbox is there");
            let mut monitor = monitor().of_load_elsewhere(1);
            let seconds = monitor.publisher.subscribe(None);
            let End::Elsewhere(end) = monitor.watch(&inbox) else { panic!("it ends elsewhere") };
            assert_eq!(end.invalid.is_some(), invalid, "{:?}", end.invalid);
            let last = seconds.last().expect("a second");
            assert_eq!(last.fine.as_ref().map(|fine| fine.rows.len()), Some(1));
            assert_eq!(monitor.watched.lock().run.snapshot.rows == counted.rows, !invalid);
        }
    }

    #[test]
    fn what_workers_hand_over_after_an_abandoned_trial_is_counted() {
        let (sender, inbox) = mpsc::channel();
        let mut recorder = Recorder::default();
        let mut counted = |at_s| {
            recorder.record(&Observation { label: "a", ..Observation::default() });
            Event::Counts(at_s, Box::new(recorder.take_interval()))
        };
        for event in [counted(1), Event::Abandon, counted(2), Event::Broken, counted(2)] {
            sender.send(event).expect("the inbox is there");
        }
        let mut monitor = monitor();
        assert!(matches!(monitor.watch(&inbox), End::Abandoned));
        assert_eq!(monitor.watched.lock().run.snapshot.total().samples, 3);
    }

    #[test]
    fn an_abandoned_trial_is_left_at_once_with_what_was_counted() {
        let (sender, inbox) = mpsc::channel();
        let mut recorder = Recorder::default();
        recorder.record(&Observation { label: "a", ..Observation::default() });
        sender.send(Event::Counts(1, Box::new(recorder.take_interval()))).expect("the inbox is there");
        sender.send(Event::Abandon).expect("the inbox is there");
        let mut monitor = monitor();
        let seconds = monitor.publisher.subscribe(None);
        assert!(matches!(monitor.watch(&inbox), End::Abandoned));
        let seconds: Vec<_> = seconds.collect();
        assert_eq!(seconds.iter().map(|second| second.total.samples).sum::<u64>(), 1);
        assert_eq!(seconds.last().map(|second| (second.samples, second.errors)), Some((1, 1)));
        assert_eq!(monitor.watched.lock().run.total().samples, 1);
    }
}
