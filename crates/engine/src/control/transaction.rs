//! `TransactionController` in both styles: with a parent sample (`TransactionSampler`), and with an additional sample.

use swell_api::{SampleResult, Text};
use swell_expr::Template;

use super::actions::Left;
use super::loops::LAST_SAMPLE_OK;
use super::state::More;
use super::walk::{Turn, Walk};
use super::{ControlId, Halt, Kind, Next};

/// A transaction with parent sample that runs (`TransactionSampler`).
pub(crate) struct Transaction {
    /// What to run in it now.
    pub(crate) sub: Option<Next>,
    /// It is over; its sample waits to be reported.
    pub(crate) done: bool,
    /// Its sample was reported: JMeter may do so again, but writes the same sample to a file only once
    /// (`SampleResult.markFile`).
    pub(crate) reported: bool,
    pub(crate) result: SampleResult,
    calls: u32,
    failing: u32,
    total_ns: i64,
    connect_ns: i64,
}

impl Transaction {
    fn start(label: Text, now_ns: i64) -> Self {
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
    fn end(&mut self, include_timers: bool, now_ns: i64) {
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

    /// What there is so far, without the sub-samples: for a transaction that is reported although it goes on.
    pub(crate) fn partial(&self) -> SampleResult {
        let mut result = self.result.clone();
        if result.timing.end_ns == 0 {
            result.timing.end_ns = result.timing.start_ns;
        }
        result
    }
}

/// A transaction without parent sample that runs.
pub(crate) struct Additional {
    result: SampleResult,
    calls: u32,
    failing: u32,
    pause_ns: i64,
    previous_end_ns: i64,
    latency_ns: i64,
    connect_ns: i64,
}

impl Additional {
    fn start(label: Text, now_ns: i64) -> Self {
        let result = started(label, now_ns);
        let (pause_ns, latency_ns, connect_ns) = (0, 0, 0);
        Self { result, calls: 0, failing: 0, pause_ns, previous_end_ns: now_ns, latency_ns, connect_ns }
    }

    /// `sampleOccurred`.
    fn add(&mut self, sample: &SampleResult, include_timers: bool) {
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
    fn end(mut self, now_ns: i64) -> SampleResult {
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

fn summary(calls: u32, failing: u32) -> Text {
    format!("Number of samples in transaction : {calls}, number of failing samples : {failing}").into()
}

impl Walk<'_> {
    fn label(&mut self, name: &Template) -> Text {
        name.eval(self.cx).into_owned().into()
    }

    /// `nextWithTransactionSampler`.
    pub(super) fn next_with_parent(&mut self, id: ControlId) -> Result<Option<Next>, Halt> {
        let control = self.control(id);
        if self.transaction(id).as_ref().is_some_and(|running| running.done) {
            *self.transaction(id) = None;
            return Ok(None);
        }
        if self.state(id).first || self.transaction(id).is_none() {
            let (label, now_ns) = (self.label(&control.name), self.out.now_ns());
            *self.transaction(id) = Some(Box::new(Transaction::start(label, now_ns)));
        }
        let sub = self.next_plain(id)?;
        let now_ns = self.out.now_ns();
        let include_timers = matches!(control.kind, Kind::Transaction { include_timers: true, .. });
        if let Some(running) = self.transaction(id) {
            running.sub = sub;
            if sub.is_none() {
                running.end(include_timers, now_ns);
            }
        }
        Ok(Some(Next::Transaction(id)))
    }

    /// `nextWithoutTransactionSampler`. JMeter calls it again for each child that had nothing and counts those calls as
    /// samples, so the number in the message can be larger than that of the samples.
    pub(super) fn next_additional(&mut self, id: ControlId) -> Result<Option<Next>, Halt> {
        let control = self.control(id);
        if self.state(id).first {
            let (label, now_ns) = (self.label(&control.name), self.out.now_ns());
            self.state(id).more = More::Additional(Some(Box::new(Additional::start(label, now_ns))));
        }
        let mut calls = 1;
        loop {
            let state = self.state(id);
            let last = state.current == state.len(control);
            let turn = self.turn(id)?;
            match turn {
                Turn::Again => calls += 1,
                Turn::Found(next) => {
                    self.count_calls(id, calls);
                    return Ok(Some(next));
                }
                Turn::End if last => {
                    self.end_additional(id);
                    return Ok(None);
                }
                Turn::End => {
                    self.count_calls(id, calls);
                    return Ok(None);
                }
            }
        }
    }

    fn count_calls(&mut self, id: ControlId, calls: u32) {
        if let More::Additional(Some(running)) = &mut self.state(id).more {
            running.calls += calls;
        }
    }

    fn end_additional(&mut self, id: ControlId) {
        let include_timers = matches!(self.control(id).kind, Kind::Transaction { include_timers: true, .. });
        let More::Additional(running) = &mut self.state(id).more else { return };
        let Some(mut running) = running.take() else { return };
        let now_ns = self.out.now_ns();
        if !include_timers {
            running.pause_ns += now_ns - running.previous_end_ns;
        }
        let mut result = running.end(now_ns);
        if result.success {
            result.code = Text::Static("200");
        }
        self.out.transaction_done(result, self.cx);
    }

    /// `triggerEndOfLoop` of a transaction without parent sample.
    pub(super) fn leave_additional(&mut self, id: ControlId) {
        let More::Additional(running) = &mut self.state(id).more else { return };
        let Some(running) = running.take() else { return };
        let mut result = running.end(self.out.now_ns());
        result.success = self.cx.vars.get(LAST_SAMPLE_OK).is_some_and(|ok| **ok == *"true");
        self.out.transaction_done(result, self.cx);
    }

    /// `triggerEndOfLoop` of a transaction with parent sample; `inner` is one that was just left below it.
    pub(super) fn leave_transaction(&mut self, id: ControlId, inner: Option<Left>) -> Option<Left> {
        let include_timers = matches!(self.control(id).kind, Kind::Transaction { include_timers: true, .. });
        let now_ns = self.out.now_ns();
        let Some(mut running) = self.transaction(id).take() else { return inner };
        if let (Some(Next::Transaction(sub)), Some(mut inner)) = (running.sub, inner)
            && sub == inner.id
        {
            // It gets the name of the thread, as whatever is put under a sample, but no number of threads.
            inner.transaction.result.thread_name = Text::Shared(self.cx.user.thread_name.clone());
            running.add(inner.transaction.result);
        }
        running.end(include_timers, now_ns);
        Some(Left { id, transaction: running })
    }

    /// The running transaction of a controller with parent sample.
    pub(crate) fn transaction(&mut self, id: ControlId) -> &mut Option<Box<Transaction>> {
        match &mut self.state(id).more {
            More::Transaction(running) => running,
            _ => unreachable!("transaction controllers with parent sample have this state"),
        }
    }

    /// Tells a transaction without parent sample of a sample in its scope.
    pub(crate) fn sample_occurred(&mut self, id: ControlId, sample: &SampleResult) {
        let include_timers = matches!(self.control(id).kind, Kind::Transaction { include_timers: true, .. });
        if let More::Additional(Some(running)) = &mut self.state(id).more {
            running.add(sample, include_timers);
        }
    }
}
