//! `TransactionController` in both styles: with a parent sample (`TransactionSampler`), and with an
//! additional sample.

use swell_api::{SampleResult, Text};
use swell_expr::Template;

use super::{Turn, Walk};
use crate::control::state::More;
use crate::control::transaction::{AbandonedTransaction, Additional, Transaction};
use crate::control::{ControlId, Halt, Kind, LAST_SAMPLE_OK, Next};

impl Walk<'_> {
    fn label(&mut self, name: &Template) -> Result<Text, Halt> {
        let name = name.eval(self.cx).into_owned();
        self.answered()?;
        Ok(name.into())
    }

    /// `nextWithTransactionSampler`.
    pub(super) fn next_with_parent(&mut self, id: ControlId) -> Result<Option<Next>, Halt> {
        let control = self.control(id);
        if self.transaction(id).as_ref().is_some_and(|running| running.done) {
            *self.transaction(id) = None;
            return Ok(None);
        }
        if self.state(id).first || self.transaction(id).is_none() {
            let label = self.label(&control.name)?;
            let now_ns = self.out.now_ns();
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

    /// `nextWithoutTransactionSampler`. JMeter calls it again for each child that had nothing and
    /// counts those calls as samples, so the number in the message can be larger than that of the
    /// samples.
    pub(super) fn next_additional(&mut self, id: ControlId) -> Result<Option<Next>, Halt> {
        let control = self.control(id);
        if self.state(id).first {
            let label = self.label(&control.name)?;
            let now_ns = self.out.now_ns();
            self.state(id).more = More::Additional(Some(Box::new(Additional::start(label, now_ns))));
        }
        let mut calls = 1;
        loop {
            let state = self.state(id);
            let last = state.current == state.len(control);
            let turn = match self.turn(id) {
                Ok(turn) => turn,
                Err(halt) => {
                    self.count_calls(id, calls - 1);
                    return Err(halt);
                }
            };
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

    /// `triggerEndOfLoop` of a transaction with parent sample; `inner` is one that was just left
    /// below it.
    pub(super) fn leave_transaction(
        &mut self,
        id: ControlId,
        inner: Option<AbandonedTransaction>,
    ) -> Option<AbandonedTransaction> {
        let include_timers = matches!(self.control(id).kind, Kind::Transaction { include_timers: true, .. });
        let now_ns = self.out.now_ns();
        let Some(mut running) = self.transaction(id).take() else { return inner };
        if let (Some(Next::Transaction(sub)), Some(mut inner)) = (running.sub, inner)
            && sub == inner.id
        {
            // It gets the name of the thread, as whatever is put under a sample, but no number of
            // threads.
            inner.transaction.result.thread_name = Text::Shared(self.cx.user.thread_name.clone());
            self.out.part_done(&inner.transaction.result, self.cx);
            running.add(inner.transaction.result);
        }
        running.end(include_timers, now_ns);
        Some(AbandonedTransaction { id, transaction: running })
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
