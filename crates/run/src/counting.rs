//! The listener of every trial, which counts.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use swell_api::{Listener, Needs, SampleEvent};
use swell_engine::RootListeners;
use swell_results::CountingListener;

use crate::give_up::BackOff;
use crate::monitor::Event;

/// Counts the samples of a worker and hands the counts over each second, or each half of one.
struct SampleCounter {
    counts: CountingListener,
    to: Sender<Event>,
    twice_a_second: bool,
    /// Users wait where no server is reached.
    back_off: Option<BackOff>,
}

impl SampleCounter {
    fn hand_over(&self, at_s: i64) {
        // The monitor is gone only if the trial was abandoned.
        let _ = self.to.send(Event::Counts(at_s, Box::new(self.counts.take_interval())));
    }
}

impl Listener for SampleCounter {
    fn needs(&self) -> Needs {
        self.counts.needs()
    }

    fn sample(&self, event: &SampleEvent<'_>) {
        self.counts.sample(event);
        if let Some(back_off) = &self.back_off {
            back_off.sample(event.sample);
        }
    }

    fn inner_sample(&self, event: &SampleEvent<'_>) {
        self.counts.inner_sample(event);
        if let Some(back_off) = &self.back_off {
            back_off.sample(event.sample);
        }
    }

    fn pause_ns(&self) -> i64 {
        self.back_off.as_ref().map_or(0, BackOff::pause_ns)
    }

    fn tick(&self, at_ns: i64) {
        self.hand_over(at_ns / 1_000_000_000 - 1);
    }

    fn half_tick(&self, at_ns: i64) {
        if self.twice_a_second {
            self.hand_over(at_ns / 1_000_000_000);
        }
    }

    fn finish(&self) {
        self.hand_over(swell_net::now_ns() / 1_000_000_000);
    }
}

/// Root listeners of a trial: the counts. `backs_off`: users wait where no server is reached; `twice_a_second`: they are handed over each
/// half of a second.
pub(crate) fn root_listeners(to: Sender<Event>, backs_off: bool, twice_a_second: bool) -> RootListeners {
    Arc::new(move |_| {
        let back_off = backs_off.then(BackOff::default);
        let counts = CountingListener::default();
        let to = to.clone();
        let counting = SampleCounter { counts, to, twice_a_second, back_off };
        vec![Rc::new(counting) as Rc<dyn Listener>]
    })
}
