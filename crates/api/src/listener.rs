//! Listeners, which receive samples.

use swell_expr::Context;

use crate::{Needs, SampleResult};

/// A finished sample with the user that made it.
pub struct SampleEvent<'a> {
    /// The sample, after post-processors and assertions.
    pub sample: &'a SampleResult,
    /// The user; `sample_variables` are read from it.
    pub cx: &'a Context,
}

/// Receives the samples in its scope, on the worker that made them. Each worker has a separate
/// listener.
pub trait Listener {
    /// What it reads.
    fn needs(&self) -> Needs;
    /// One sample. Must not block longer than a buffer takes to be handed over.
    fn sample(&self, event: &SampleEvent<'_>);
    /// One sample that JMeter reports only as a part of a larger one: inside a transaction with
    /// parent sample, or in a branch of a Parallel Controller that has a sample. Called when it
    /// ends, before [`Listener::sample`] gets the larger one.
    fn inner_sample(&self, _event: &SampleEvent<'_>) {}
    /// It changes samples before the listeners after it get them (Save Responses to a file names
    /// the file).
    fn changes(&self) -> bool {
        false
    }
    /// One sample, instead of [`Listener::sample`], of a listener that changes samples or
    /// variables.
    fn change(&self, _cx: &mut Context, _sample: &mut SampleResult) {}
    /// How long the user whose sample failed waits before it continues, in nanoseconds; called
    /// after each failed sample.
    fn pause_ns(&self) -> i64 {
        0
    }
    /// A second of the clock has ended (the same on all workers): snapshots are handed over here.
    fn tick(&self, _at_ns: i64) {}
    /// Half of a second of the clock has passed (the same on all workers).
    fn half_tick(&self, _at_ns: i64) {}
    /// The worker has no users of a thread group any more: what is buffered is handed over, so that
    /// the samples of groups and phases that follow each other stay in that order though other
    /// workers make them.
    fn group_done(&self) {}
    /// The worker ends: hand over what is buffered.
    fn finish(&self) {}
}
