//! Forwards the samples of thread groups run by another component to the listeners.

use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use swell_api::{GroupSample, Listener, RunningGroup, SampleEvent, SampleResult};
use swell_expr::{Context, UserIdentity};
use swell_net::Sender;

use super::commands::{Command, Delivery, Event};
use super::live::{Live, StopMode};
use super::worker::Worker;
use crate::control::is_transaction_message;
use crate::prepare::context;
use crate::program::ExternalListeners;

/// How long one call waits for samples: users are counted at least at this interval.
const LONGEST_WAIT: Duration = Duration::from_millis(200);
/// Samples after which a worker lets its users continue.
const AT_ONCE: usize = 32;

/// Receives the samples of a group on a separate thread, and passes them to a worker.
pub(super) struct SampleForwarder {
    pub(super) place: usize,
    pub(super) name: Arc<str>,
    pub(super) running: Arc<dyn RunningGroup>,
    pub(super) live: Arc<Live>,
    pub(super) worker: Sender<Command>,
    pub(super) events: Sender<Event>,
}

impl SampleForwarder {
    /// Starts its thread, which ends with the group.
    ///
    /// # Errors
    /// The thread cannot start; the group is stopped.
    pub(super) fn start(self) -> Result<(), String> {
        let running = self.running.clone();
        let thread = std::thread::Builder::new().name("swell-group".to_owned()).spawn(move || {
            let how = self.work();
            // The run has finished early because a worker failed, which was reported.
            let _ = self.events.send(Event::ExternalEnded(self.place, how));
        });
        thread.map(drop).map_err(|error| {
            running.stop(true);
            format!("cannot start a thread: {error}")
        })
    }

    fn work(&self) -> Result<(), String> {
        loop {
            let taken = self.running.take(LONGEST_WAIT);
            self.live.external_users(self.place, self.running.users());
            if let Some(at_once) = taken.stops_test {
                self.live.raise(if at_once { StopMode::Immediate } else { StopMode::Graceful });
                let _ = self.events.send(Event::Stop);
            }
            if !taken.samples.is_empty() || taken.ended.is_some() {
                self.deliver(taken.samples, taken.ended.is_some());
            }
            if let Some(how) = taken.ended {
                return how;
            }
        }
    }

    /// Waits until the worker has reported them: samples wait at their source if the worker is
    /// busy.
    fn deliver(&self, samples: Vec<GroupSample>, is_last: bool) {
        let (done, told) = mpsc::channel();
        let delivery = Delivery { group: self.place, name: self.name.clone(), samples, is_last, _done: done };
        // A worker that is gone drops it.
        let _ = self.worker.send(Command::Deliver(delivery));
        let _ = told.recv();
    }
}

/// Tells samples to the listeners that hear of them.
pub(super) async fn deliver(worker: &Rc<Worker>, delivery: Delivery) {
    let program = worker.program.groups[delivery.group].clone();
    let listeners = program.external.as_ref().expect("only such groups have deliveries");
    let random = worker.random_of(delivery.group, 0);
    let mut cx = context(&worker.prepared.settings, worker.initial().clone(), random, worker.heavy.clone());
    let group_name: Rc<str> = (*delivery.name).into();
    let thread_name = group_name.clone();
    cx.user = UserIdentity { thread_name, group_name, thread_index: 0, group_number: 0, group_users: 0 };
    for (count, sample) in (1..).zip(delivery.samples) {
        tell(worker, listeners, &mut cx, delivery.group, sample);
        if count % AT_ONCE == 0 {
            swell_net::yield_now().await;
        }
    }
    if delivery.is_last {
        worker.program.listeners.iter().for_each(|listener| listener.group_done());
    }
}

fn tell(worker: &Worker, listeners: &ExternalListeners, cx: &mut Context, group: usize, told: GroupSample) {
    let GroupSample { sample, variables, heard_by } = told;
    let mut sample = SampleResult::from(sample);
    let live = &worker.live;
    let of_group = live.groups[group].active.load(Ordering::Relaxed);
    let others = live.active.load(Ordering::Relaxed).saturating_sub(of_group);
    sample.all_threads = sample.group_threads + others;
    for sub in &mut sample.sub_results {
        sub.all_threads = sub.group_threads + others;
    }
    // Without `ready_ns` this engine caused no delay.
    if sample.timing.intended_ns == 0 {
        sample.timing.intended_ns = sample.timing.start_ns;
    }
    if let Some(charset) = worker.fallback_charset {
        sample.set_fallback_charset(charset);
    }
    cx.user.thread_name = (*sample.thread_name).into();
    for (name, value) in variables {
        cx.vars.put(&name, value);
    }
    let made = count_and_mark(&mut sample);
    worker.samples.set(worker.samples.get() + made);
    worker.external_samples.set(worker.external_samples.get() + made);
    for place in listeners.of(&heard_by) {
        let listener = &worker.program.listeners[place as usize];
        tell_of_parts(&**listener, &sample, cx);
        if listener.changes() {
            listener.change(cx, &mut sample);
        } else {
            listener.sample(&SampleEvent { sample: &sample, cx });
        }
    }
}

/// How many samples it is: those inside where it is a transaction. Transactions inside are marked,
/// which JMeter tells by their messages.
fn count_and_mark(sample: &mut SampleResult) -> u64 {
    if !sample.is_transaction {
        return 1;
    }
    let mut made = 0;
    for sub in &mut sample.sub_results {
        sub.is_transaction = is_transaction_message(&sub.message);
        if sub.timing.intended_ns == 0 {
            sub.timing.intended_ns = sub.timing.start_ns;
        }
        made += count_and_mark(sub);
    }
    made
}

/// Tells a listener of the samples inside a transaction.
fn tell_of_parts(listener: &dyn Listener, sample: &SampleResult, cx: &Context) {
    if !sample.is_transaction {
        return;
    }
    for sub in &sample.sub_results {
        tell_of_parts(listener, sub, cx);
        listener.inner_sample(&SampleEvent { sample: sub, cx });
    }
}
