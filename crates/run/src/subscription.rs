//! Any number of subscribers to the seconds of a trial. A slow subscriber never delays the trial:
//! its queue is short, and seconds that do not fit are merged.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};

use parking_lot::{Condvar, Mutex};

use crate::Second;

/// Seconds that wait for a subscriber at most; later ones are merged into the last of them.
const MOST: usize = 60;

/// Called when an empty queue gets an entry; it must not block.
pub(crate) type Notify = Box<dyn Fn() + Send + Sync>;

/// The seconds of a trial, in order. As an iterator, it waits for each second and ends with the
/// trial.
pub struct Subscription(Arc<Queue>);

struct Queue {
    state: Mutex<State>,
    ready: Condvar,
    notify: Option<Notify>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Arc<Second>>,
    over: bool,
}

/// The sending end of all subscriptions of a trial.
#[derive(Default)]
pub(crate) struct Publisher(Mutex<PublishedState>);

#[derive(Default)]
struct PublishedState {
    queues: Vec<Weak<Queue>>,
    over: bool,
}

impl Subscription {
    /// The next second if it is there already.
    pub fn try_next(&self) -> Option<Arc<Second>> {
        self.0.state.lock().waiting.pop_front()
    }

    /// Whether nothing is waiting and nothing will come.
    pub fn is_over(&self) -> bool {
        let state = self.0.state.lock();
        state.over && state.waiting.is_empty()
    }
}

impl Iterator for Subscription {
    type Item = Arc<Second>;

    fn next(&mut self) -> Option<Arc<Second>> {
        let mut state = self.0.state.lock();
        loop {
            if state.waiting.is_empty() && !state.over {
                self.0.ready.wait(&mut state);
                continue;
            }
            return state.waiting.pop_front();
        }
    }
}

impl Queue {
    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state.lock();
        let had_none = state.waiting.is_empty();
        change(&mut state);
        drop(state);
        self.ready.notify_all();
        if let Some(notify) = self.notify.as_ref().filter(|_| had_none) {
            notify();
        }
    }
}

impl State {
    fn put(&mut self, second: &Arc<Second>) {
        if self.waiting.len() >= MOST
            && let Some(last) = self.waiting.pop_back()
        {
            let merged = Arc::unwrap_or_clone(last).followed_by(second);
            self.waiting.push_back(Arc::new(merged));
        } else {
            self.waiting.push_back(second.clone());
        }
    }
}

impl Publisher {
    pub(crate) fn subscribe(&self, notify: Option<Notify>) -> Subscription {
        let mut known = self.0.lock();
        let state = Mutex::new(State { over: known.over, ..State::default() });
        let queue = Arc::new(Queue { state, ready: Condvar::new(), notify });
        known.queues.push(Arc::downgrade(&queue));
        Subscription(queue)
    }

    /// Whether anybody would get a second.
    pub(crate) fn has_subscribers(&self) -> bool {
        let mut known = self.0.lock();
        known.queues.retain(|queue| queue.strong_count() > 0);
        !known.queues.is_empty()
    }

    pub(crate) fn publish(&self, second: Second) {
        let second = Arc::new(second);
        self.each(|state| state.put(&second));
    }

    /// Nothing more will come.
    pub(crate) fn close(&self) {
        self.0.lock().over = true;
        self.each(|state| state.over = true);
    }

    fn each(&self, change: impl Fn(&mut State)) {
        // Not while the list is locked: a subscriber may subscribe when it is notified.
        let queues: Vec<_> = self.0.lock().queues.iter().filter_map(Weak::upgrade).collect();
        for queue in queues {
            queue.change(&change);
        }
    }
}

/// A trial that never starts leaves no subscriber waiting.
impl Drop for Publisher {
    fn drop(&mut self) {
        self.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_stats::{Observation, Recorder};

    /// A second with this number of samples.
    fn second(at_ns: i64, samples: usize) -> Second {
        let mut recorder = Recorder::default();
        let seen = Observation { label: "a", success: true, ..Observation::default() };
        (0..samples).for_each(|_| recorder.record(&seen));
        let counted = Arc::new(recorder.take_interval());
        let total = counted.total();
        Second { at_ns, total, parts: vec![(at_ns, counted)], ..Second::default() }
    }

    #[test]
    fn what_does_not_fit_is_merged_and_nothing_is_lost() {
        let publisher = Publisher::default();
        let slow = publisher.subscribe(None);
        let quick = publisher.subscribe(None);
        let mut taken = 0;
        for at_ns in 0..MOST as i64 + 5 {
            publisher.publish(second(at_ns, 2));
            taken += quick.try_next().expect("just published").total.samples;
        }
        publisher.close();
        let seconds: Vec<_> = slow.collect();
        let last = seconds.last().expect("some");
        assert_eq!((seconds.len(), last.intervals, last.at_ns), (MOST, 6, MOST as i64 + 4));
        assert_eq!(last.labels().get("a", false).map(|row| row.stats.samples), Some(12));
        let all: u64 = seconds.iter().map(|second| second.total.samples).sum();
        assert_eq!((all, taken, quick.is_over()), (130, 130, true));
    }

    #[test]
    fn a_subscriber_after_the_end_gets_nothing_and_does_not_wait() {
        let publisher = Publisher::default();
        assert!(!publisher.has_subscribers());
        let early = publisher.subscribe(None);
        assert!(publisher.has_subscribers());
        publisher.publish(second(1, 1));
        publisher.close();
        assert!(!early.is_over() && early.count() == 1);
        assert_eq!(publisher.subscribe(None).count(), 0);
        assert!(!publisher.has_subscribers(), "both were dropped");
    }

    #[test]
    fn subscribers_of_a_trial_that_is_dropped_do_not_wait() {
        let publisher = Publisher::default();
        let seconds = publisher.subscribe(None);
        drop(publisher);
        assert_eq!(seconds.count(), 0);
    }

    #[test]
    fn a_subscriber_is_told_when_there_is_something_and_not_for_each() {
        let publisher = Publisher::default();
        let (tell, told) = std::sync::mpsc::channel();
        let seconds = publisher.subscribe(Some(Box::new(move || tell.send(()).expect("it listens"))));
        publisher.publish(second(1, 1));
        publisher.publish(second(2, 1));
        assert_eq!(told.try_iter().count(), 1);
        assert!(seconds.try_next().is_some() && seconds.try_next().is_some());
        publisher.close();
        assert_eq!((told.try_iter().count(), seconds.is_over()), (1, true), "the end is something, too");
    }
}
