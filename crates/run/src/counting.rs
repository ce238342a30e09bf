//! The listener of every trial, which counts.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use swell_api::{Listener, Needs, SampleEvent};
use swell_debug::KeptFailures;
use swell_engine::RootListeners;
use swell_results::CountingListener;
use swell_stats::FigureName;

use crate::failures::FailureKeeper;
use crate::figures::FigureCounter;
use crate::give_up::BackOff;
use crate::monitor::Event;

/// Counts the samples of a worker and hands the counts over each second, or each half of one.
struct SampleCounter {
    counts: Rc<CountingListener>,
    to: Sender<Event>,
    twice_a_second: bool,
    /// Users wait where no server is reached.
    back_off: Option<BackOff>,
    /// Keeps the first failures. It is asked here and not as one more listener: a call of a
    /// listener that cannot be inlined costs as much as what it records of a sample.
    failures: Option<FailureKeeper>,
}

impl SampleCounter {
    #[inline]
    fn after_count(&self, event: &SampleEvent<'_>) {
        if let Some(back_off) = &self.back_off {
            back_off.sample(event.sample);
        }
        if let Some(failures) = &self.failures {
            failures.take(event);
        }
    }

    fn hand_over(&self, at_s: i64) {
        // The monitor is gone only if the trial was abandoned.
        let _ = self.to.send(Event::Counts(at_s, Box::new(self.counts.take_interval())));
    }
}

impl Listener for SampleCounter {
    fn needs(&self) -> Needs {
        let bodies = self.failures.as_ref().is_some_and(FailureKeeper::needs_bodies);
        let counts = self.counts.needs();
        Needs { body: counts.body || bodies, ..counts }
    }

    fn sample(&self, event: &SampleEvent<'_>) {
        self.counts.sample(event);
        self.after_count(event);
    }

    fn inner_sample(&self, event: &SampleEvent<'_>) {
        self.counts.inner_sample(event);
        self.after_count(event);
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

/// How samples are counted.
#[derive(Clone)]
pub(crate) struct Counting {
    /// Where counts go.
    pub(crate) to: Sender<Event>,
    /// Users wait where no server is reached.
    pub(crate) backs_off: bool,
    /// Counts are handed over each half of a second.
    pub(crate) twice_a_second: bool,
    /// Custom figures, in the order in which their variables are watched.
    pub(crate) figures: Vec<FigureName>,
    /// Keeps the first failures.
    pub(crate) failures: Option<Arc<KeptFailures>>,
}

/// Root listeners of a trial: the counts, and those of custom figures if there are any.
pub(crate) fn root_listeners(counting: Counting) -> RootListeners {
    Arc::new(move |_| {
        let Counting { to, backs_off, twice_a_second, figures, failures } = counting.clone();
        let back_off = backs_off.then(BackOff::default);
        let counts = Rc::new(CountingListener::default());
        let failures = failures.map(FailureKeeper::new);
        let samples = SampleCounter { counts: counts.clone(), to, twice_a_second, back_off, failures };
        let mut all = vec![Rc::new(samples) as Rc<dyn Listener>];
        if !figures.is_empty() {
            all.push(Rc::new(FigureCounter { counts, names: figures.into() }));
        }
        all
    })
}
