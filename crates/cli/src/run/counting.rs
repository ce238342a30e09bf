//! The listener that every run has: the counts.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use swell_elements::Needs;
use swell_engine::{Listener, RootListeners, SampleEvent};
use swell_results::CountingListener;

use super::desk::Event;

/// Counts the samples of a worker and hands the counts over each second.
struct Counting {
    counts: CountingListener,
    to: Sender<Event>,
}

impl Counting {
    fn hand_over(&self, at_s: i64) {
        // Nobody takes it only if the user has left the run by a second interrupt.
        let _gone = self.to.send(Event::Counts(at_s, Box::new(self.counts.take_interval())));
    }
}

impl Listener for Counting {
    fn needs(&self) -> Needs {
        self.counts.needs()
    }

    fn sample(&self, event: &SampleEvent<'_>) {
        self.counts.sample(event);
    }

    fn tick(&self, at_ns: i64) {
        self.hand_over(at_ns / 1_000_000_000 - 1);
    }

    fn finish(&self) {
        self.hand_over(swell_net::now_ns() / 1_000_000_000);
    }
}

/// Root listeners of a run: the counts. (The file of `-l` is an element of the plan, as in JMeter.)
pub(crate) fn root_listeners(to: Sender<Event>) -> RootListeners {
    Arc::new(move |_| {
        vec![Rc::new(Counting { counts: CountingListener::default(), to: to.clone() }) as Rc<dyn Listener>]
    })
}
