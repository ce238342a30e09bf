//! Running transactions: their counts, and their sample at the end.

use super::{ControlId, Next};
use swell_api::{SampleResult, Text};

/// A running transaction with a parent sample (`TransactionSampler`).
pub(crate) struct Transaction {
    /// What to run in it now.
    pub(crate) sub: Option<Next>,
    /// It has finished; its sample waits to be reported.
    pub(crate) done: bool,
    /// Its sample was reported: JMeter may do so again, but writes the same sample to a file only
    /// once (`SampleResult.markFile`).
    pub(crate) reported: bool,
    pub(crate) result: SampleResult,
    calls: u32,
    failing: u32,
    total_ns: i64,
    connect_ns: i64,
}

impl Transaction {
    pub(super) fn start(label: Text, now_ns: i64) -> Self {
        let result = started(label, now_ns);
        Self {
            sub: None,
            done: false,
            reported: false,
            result,
            calls: 0,
            failing: 0,
            total_ns: 0,
            connect_ns: 0,
        }
    }

    /// `addSubSamplerResult`.
    pub(crate) fn add(&mut self, sub: SampleResult) {
        self.calls += 1;
        let result = &mut self.result;
        if self.failing == 0 {
            result.code = sub.code.clone();
        }
        if !sub.success {
            result.success = false;
            self.failing += 1;
        }
        let timing = &sub.timing;
        result.timing.extend_to(timing);
        self.total_ns += timing.elapsed_ns();
        self.connect_ns += since_start_ns(&sub, timing.connected_ns);
        result.add_received(&sub);
        result.sent_bytes += sub.sent_bytes;
        result.header_size += sub.header_size;
        result.body_size += sub.body_size;
        result.sub_results.push(sub);
    }

    /// `setTransactionDone`.
    pub(super) fn end(&mut self, include_timers: bool, now_ns: i64) {
        self.done = true;
        let result = &mut self.result;
        result.message = summary(self.calls, self.failing);
        if result.success {
            result.code = Text::Static("200");
        }
        let timing = &mut result.timing;
        if !include_timers {
            timing.idle_ns = now_ns - timing.start_ns - self.total_ns;
            timing.end_ns = now_ns;
        }
        if timing.end_ns == 0 {
            timing.end_ns = timing.start_ns;
        }
        if self.connect_ns > 0 {
            timing.connected_ns = timing.start_ns + self.connect_ns;
        }
    }

    /// The current sample without its sub-samples: for a transaction that is reported while it is
    /// still running.
    pub(crate) fn partial(&self) -> SampleResult {
        let mut result = self.result.clone();
        if result.timing.end_ns == 0 {
            result.timing.end_ns = result.timing.start_ns;
        }
        result
    }
}

/// A transaction that ended because the user left it.
pub(crate) struct AbandonedTransaction {
    pub(crate) id: ControlId,
    pub(crate) transaction: Box<Transaction>,
}

/// A running transaction without a parent sample.
pub(crate) struct Additional {
    result: SampleResult,
    pub(super) calls: u32,
    failing: u32,
    pub(super) pause_ns: i64,
    pub(super) previous_end_ns: i64,
    latency_ns: i64,
    connect_ns: i64,
}

impl Additional {
    pub(super) fn start(label: Text, now_ns: i64) -> Self {
        let result = started(label, now_ns);
        let pause_ns = 0;
        let latency_ns = 0;
        let connect_ns = 0;
        Self { result, calls: 0, failing: 0, pause_ns, previous_end_ns: now_ns, latency_ns, connect_ns }
    }

    /// `sampleOccurred`.
    pub(super) fn add(&mut self, sample: &SampleResult, include_timers: bool) {
        let result = &mut self.result;
        result.thread_name = sample.thread_name.clone();
        result.add_received(sample);
        result.sent_bytes += sample.sent_bytes;
        let timing = &sample.timing;
        if !include_timers {
            self.pause_ns += timing.end_ns - timing.elapsed_ns() - self.previous_end_ns;
            self.previous_end_ns = timing.end_ns;
        }
        if !sample.success {
            result.success = false;
            self.failing += 1;
        }
        result.all_threads = sample.all_threads;
        result.group_threads = sample.group_threads;
        self.latency_ns += since_start_ns(sample, timing.first_byte_ns);
        self.connect_ns += since_start_ns(sample, timing.connected_ns);
    }

    /// The sample at its end.
    pub(super) fn end(mut self, now_ns: i64) -> SampleResult {
        let timing = &mut self.result.timing;
        timing.idle_ns = self.pause_ns;
        timing.end_ns = now_ns;
        if self.latency_ns > 0 {
            timing.first_byte_ns = timing.start_ns + self.latency_ns;
        }
        if self.connect_ns > 0 {
            timing.connected_ns = timing.start_ns + self.connect_ns;
        }
        self.result.message = summary(self.calls, self.failing);
        self.result
    }
}

fn started(label: Text, now_ns: i64) -> SampleResult {
    let mut result = SampleResult { label, success: true, is_transaction: true, ..SampleResult::default() };
    result.timing.start_ns = now_ns;
    result.timing.intended_ns = now_ns;
    result
}

fn since_start_ns(sample: &SampleResult, at_ns: i64) -> i64 {
    if at_ns == 0 { 0 } else { (at_ns - sample.timing.start_ns).max(0) }
}

/// Whether it is the message of a transaction
/// (`TransactionController.isFromTransactionController`).
pub(crate) fn is_transaction_message(message: &str) -> bool {
    message.starts_with("Number of samples in transaction : ")
}

fn summary(calls: u32, failing: u32) -> Text {
    format!("Number of samples in transaction : {calls}, number of failing samples : {failing}").into()
}
