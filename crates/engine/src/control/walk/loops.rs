//! Loop, While, Runtime, Once Only and Critical Section Controllers; decision of the Throughput
//! Controller.

use std::sync::Arc;

use swell_expr::Template;
use swell_trace::Verdict;

use super::{Entry, Turn, Walk};
use crate::control::state::More;
use crate::control::{ControlId, Counts, Halt, Kind, LAST_SAMPLE_OK, Throughput};
use crate::number;

/// `LoopController.INFINITE_LOOP_COUNT`.
const INFINITE: i32 = -1;

impl Walk<'_> {
    /// `LoopController.endOfLoop` with `getLoops`: a positive count is read once a run of the loop,
    /// others each time.
    fn read_loops(&mut self, id: ControlId, loops: &Template) -> Result<(), Halt> {
        let before = self.cx.evaluated();
        let limit = match self.state(id).limit {
            Some(limit) if limit != 0 && limit != INFINITE => limit,
            // A text that is constant need not be read again to be the same.
            Some(limit) if loops.constant().is_some() => limit,
            _ => number::int_of(loops, self.cx),
        };
        self.decided(before)?;
        self.state(id).limit = Some(limit);
        Ok(())
    }

    fn loop_over(&mut self, id: ControlId) -> bool {
        let state = self.state(id);
        state.broken || state.limit.is_some_and(|limit| limit > INFINITE && state.loops >= limit)
    }

    /// The number of turns as a report shows it: evaluating it once more could give another one.
    fn turns_text(&mut self, id: ControlId, loops: &Template) -> String {
        let limit = self.state(id).limit.unwrap_or_default();
        loops.constant().map_or_else(|| limit.to_string(), str::to_owned)
    }

    /// Reports the turn of a loop that begins.
    fn note_turn(&mut self, id: ControlId, loops: &Template) {
        let state = self.state(id);
        let turn = state.loops + 1;
        let limit = state.limit.filter(|limit| *limit > INFINITE);
        let text = match limit {
            Some(limit) => format!("turn {turn} of {limit}"),
            None => format!("turn {turn}, without end"),
        };
        let verdict = if turn == 1 { Verdict::Entered } else { Verdict::Turn };
        let evaluated = self.turns_text(id, loops);
        self.note(id, verdict, Some(&evaluated), text);
    }

    /// What was evaluated since then is acted on now, unless an answer is missing.
    pub(super) fn decided(&mut self, since: usize) -> Result<(), Halt> {
        self.answered()?;
        self.cx.settle(since);
        Ok(())
    }

    /// Whether all that was evaluated has its answers.
    pub(super) fn answered(&self) -> Result<(), Halt> {
        if self.cx.is_suspended() { Err(Halt::Suspended) } else { Ok(()) }
    }

    pub(super) fn enter_loop(
        &mut self,
        id: ControlId,
        loops: &Template,
        forever: bool,
    ) -> Result<Entry, Halt> {
        self.read_loops(id, loops)?;
        if !self.loop_over(id) {
            if self.is_traced(id) && self.state(id).first && self.state(id).loops == 0 {
                self.note_turn(id, loops);
            }
            return Ok(Entry::Go);
        }
        if self.is_traced(id) && self.state(id).loops == 0 {
            let text = self.turns_text(id, loops);
            self.note(id, Verdict::Skipped, Some(&text), format!("{text} turns"));
        }
        if !forever {
            self.set_done(id);
        }
        self.state(id).broken = false;
        Ok(Entry::Leave)
    }

    pub(super) fn loop_end(&mut self, id: ControlId, loops: &Template, forever: bool) -> Result<Turn, Halt> {
        self.read_loops(id, loops)?;
        self.re_initialize(id);
        if !self.loop_over(id) {
            if self.is_traced(id) {
                self.note_turn(id, loops);
            }
            return Ok(Turn::Again);
        }
        if forever {
            self.reset_loop_count(id);
        } else {
            self.set_done(id);
        }
        Ok(Turn::End)
    }

    /// `resetLoopCount` of all kinds that loop.
    pub(super) fn reset_loop_count(&mut self, id: ControlId) {
        match &self.control(id).kind {
            Kind::Loop { .. } => {
                let state = self.state(id);
                state.loops = 0;
                state.limit = None;
            }
            Kind::While { .. } => self.state(id).iteration = 0,
            Kind::VirtualUser { .. } => self.state(id).loops = 0,
            Kind::ForEach(each) => self.start_foreach(id, each),
            Kind::RunTime { .. } => {
                let state = self.state(id);
                state.loops = 0;
                state.more = More::Since(None);
            }
            _ => {}
        }
    }

    /// `WhileController.endOfLoop`.
    pub(super) fn while_over(
        &mut self,
        id: ControlId,
        condition: &Template,
        at_end: bool,
    ) -> Result<bool, Halt> {
        let before = self.cx.evaluated();
        let is_over = self.while_is_over(id, condition, at_end)?;
        self.cx.settle(before);
        Ok(is_over)
    }

    fn while_is_over(&mut self, id: ControlId, condition: &Template, at_end: bool) -> Result<bool, Halt> {
        if self.state(id).broken {
            return Ok(true);
        }
        let text = condition.eval(self.cx);
        self.answered()?;
        let text = text.trim();
        let is_over = self.while_text_ends(text, at_end);
        if self.is_traced(id) && (at_end || is_over || self.state(id).iteration == 0) {
            let turn = self.state(id).iteration + if at_end { 2 } else { 1 };
            let (verdict, what) = match (is_over, at_end) {
                (true, true) => (Verdict::Left, format!("ends after turn {}", turn - 1)),
                (true, false) => (Verdict::Skipped, "never entered".to_owned()),
                (false, true) => (Verdict::Turn, format!("turn {turn}")),
                (false, false) => (Verdict::Entered, format!("turn {turn}")),
            };
            self.note(id, verdict, Some(text), what);
        }
        Ok(is_over)
    }

    /// Whether the evaluated condition of a While Controller ends it.
    fn while_text_ends(&self, text: &str, at_end: bool) -> bool {
        if (at_end && text.is_empty()) || text.eq_ignore_ascii_case("LAST") {
            let last = self.cx.vars.get(LAST_SAMPLE_OK);
            return last.is_some_and(|ok| ok.eq_ignore_ascii_case("false"));
        }
        text.eq_ignore_ascii_case("false")
    }

    pub(super) fn enter_while(&mut self, id: ControlId, condition: &Template) -> Result<Entry, Halt> {
        // What this has is acted on when the iteration has started.
        if !self.state(id).first {
            return Ok(Entry::Go);
        }
        let before = self.cx.evaluated();
        let is_over = self.while_is_over(id, condition, false)?;
        if !is_over {
            return Ok(Entry::Go);
        }
        self.cx.settle(before);
        self.state(id).broken = false;
        self.reset_loop_count(id);
        Ok(Entry::Leave)
    }

    pub(super) fn while_end(&mut self, id: ControlId, condition: &Template) -> Result<Turn, Halt> {
        let is_over = self.while_over(id, condition, true)?;
        self.re_initialize(id);
        if !is_over {
            return Ok(Turn::Again);
        }
        self.state(id).broken = false;
        self.reset_loop_count(id);
        Ok(Turn::End)
    }

    /// `RunTime.getRuntime`.
    pub(super) fn seconds(&mut self, seconds: &Template) -> i64 {
        number::long_of(seconds, self.cx)
    }

    fn runtime_over(&mut self, id: ControlId, limit_s: i64) -> bool {
        let now_ns = self.out.now_ns();
        let since_ns = match self.state(id).more {
            More::Since(Some(since)) => since,
            _ => now_ns,
        };
        (now_ns - since_ns) / 1_000_000_000 >= limit_s
    }

    pub(super) fn enter_runtime(&mut self, id: ControlId, seconds: &Template) -> Result<Entry, Halt> {
        let limit_s = self.read_seconds(seconds)?;
        let begins = matches!(self.state(id).more, More::Since(None));
        if begins {
            let now_ns = self.out.now_ns();
            self.state(id).more = More::Since(Some(now_ns));
        }
        let is_over = self.runtime_over(id, limit_s);
        if self.is_traced(id) && (begins || is_over) {
            self.note_runtime(id, limit_s, begins, is_over);
        }
        if !is_over {
            return Ok(Entry::Go);
        }
        self.re_initialize(id);
        self.reset_loop_count(id);
        Ok(Entry::Leave)
    }

    pub(super) fn runtime_end(&mut self, id: ControlId, seconds: &Template) -> Result<Turn, Halt> {
        let limit_s = self.read_seconds(seconds)?;
        self.re_initialize(id);
        let is_over = self.runtime_over(id, limit_s);
        if self.is_traced(id) {
            self.note_runtime(id, limit_s, false, is_over);
        }
        if !is_over {
            return Ok(Turn::Again);
        }
        self.reset_loop_count(id);
        Ok(Turn::End)
    }

    /// Reports that a Runtime Controller begins, continues or ends.
    fn note_runtime(&mut self, id: ControlId, limit_s: i64, begins: bool, is_over: bool) {
        let turn = self.state(id).loops + 1;
        let (verdict, text) = match (begins, is_over) {
            (true, true) => (Verdict::Skipped, format!("{limit_s} s: nothing runs")),
            (true, false) => (Verdict::Entered, format!("runs for {limit_s} s")),
            (false, true) => (Verdict::Left, format!("ends after {limit_s} s")),
            (false, false) => (Verdict::Turn, format!("turn {turn}, within {limit_s} s")),
        };
        self.note(id, verdict, Some(&limit_s.to_string()), text);
    }

    fn read_seconds(&mut self, seconds: &Template) -> Result<i64, Halt> {
        let before = self.cx.evaluated();
        let limit_s = self.seconds(seconds);
        self.decided(before)?;
        Ok(limit_s)
    }

    /// `LoopIterationListener.iterationStart` of a controller, called by the one above.
    pub(super) fn iteration_start(&mut self, id: ControlId, above: ControlId) {
        match &self.control(id).kind {
            // What is suspended here is done once more from its start.
            Kind::Loop { .. } | Kind::While { .. } | Kind::ForEach(_) => {
                self.re_initialize(id);
                self.reset_loop_count(id);
            }
            Kind::OnceOnly => {
                // Loops count their iterations from 1, all others from 0 (bug 39509).
                let first = i32::from(matches!(self.control(above).kind, Kind::Loop { .. }));
                let count = self.iteration_count(above);
                if count == first {
                    self.re_initialize(id);
                } else if self.is_traced(id) {
                    let iteration = count - first + 1;
                    let text = format!("not in iteration {iteration}: it runs in the first one only");
                    self.note(id, Verdict::Skipped, None, text);
                }
            }
            Kind::Throughput(throughput) => self.decide(id, throughput),
            _ => {}
        }
    }

    /// `ThroughputController.iterationStart`: whether it runs this time.
    fn decide(&mut self, id: ControlId, throughput: &Throughput) {
        let limit = self.amount(throughput);
        if self.cx.is_suspended() {
            return;
        }
        let step = |counts: &mut Counts| {
            counts.iteration += 1;
            let runs = if throughput.percent {
                let executions = f64::from(counts.executions);
                let iteration = f64::from(counts.iteration);
                (100.0 * executions + 50.0) / (iteration + 1.0) < limit
            } else {
                f64::from(counts.executions) < limit
            };
            counts.executions += i32::from(runs);
            runs
        };
        let More::Throughput { counts, runs } = &mut self.state(id).more else { return };
        *runs = match &throughput.shared {
            Some(shared) => step(&mut shared.lock()),
            None => step(counts),
        };
        if self.is_traced(id) {
            self.note_throughput(id, throughput, limit);
        }
    }

    /// Reports whether a Throughput Controller runs in this iteration.
    fn note_throughput(&mut self, id: ControlId, throughput: &Throughput, limit: f64) {
        let More::Throughput { counts, runs } = &self.state(id).more else { return };
        let runs = *runs;
        let counts = throughput.shared.as_ref().map_or(*counts, |shared| *shared.lock());
        let Counts { executions, iteration } = counts;
        let of = if throughput.percent { format!("{limit} %") } else { format!("{limit} executions") };
        let text = format!("execution {executions}, iteration {}, of {of}", iteration + 1);
        let verdict = if runs { Verdict::Entered } else { Verdict::Skipped };
        self.note(id, verdict, Some(&limit.to_string()), text);
    }

    /// Percentage or number of executions; an invalid number is 100 or 1, as in JMeter.
    fn amount(&mut self, throughput: &Throughput) -> f64 {
        let text = throughput.amount.as_ref().map(|amount| amount.eval(self.cx));
        let text = text.as_deref().unwrap_or_default();
        if throughput.percent {
            f64::from(text.trim().parse::<f32>().unwrap_or(100.0))
        } else {
            f64::from(text.parse::<i32>().unwrap_or(1))
        }
    }

    /// `ThroughputController.isDone`.
    pub(super) fn throughput_done(&mut self, id: ControlId, throughput: &Throughput) -> bool {
        let limit = self.amount(throughput);
        let control = self.control(id);
        let state = self.state(id);
        let len = state.len(control);
        let More::Throughput { counts, .. } = &state.more else { return true };
        let executions = match &throughput.shared {
            Some(shared) => shared.lock().executions,
            None => counts.executions,
        };
        let through = !throughput.percent && f64::from(executions) >= limit && state.current >= len;
        len == 0 || limit == 0.0 || through
    }

    /// `CriticalSectionController.next`: the lock is taken before the first child.
    pub(super) fn enter_critical(&mut self, id: ControlId, lock: &Template) -> Result<Entry, Halt> {
        let name = lock.eval(self.cx);
        self.answered()?;
        let holds = matches!(self.state(id).more, More::Lock(Some(_)));
        if name.is_empty() && self.is_traced(id) && self.state(id).first {
            self.note(id, Verdict::Entered, Some(""), "it has no lock name, so it locks nothing".to_owned());
        }
        if name.is_empty() || !self.state(id).first || holds {
            return Ok(Entry::Go);
        }
        let name: Arc<str> = (*name).into();
        if !self.out.try_lock(&name) {
            return Err(Halt::Wait(name));
        }
        self.state(id).more = More::Lock(Some(name.clone()));
        if self.is_traced(id) {
            self.note(id, Verdict::Entered, Some(&name), format!("holds the lock `{name}`"));
        }
        Ok(Entry::Go)
    }

    /// Gives back the lock of a critical section, if it holds one.
    pub(super) fn release(&mut self, id: ControlId) {
        if let More::Lock(held) = &mut self.state(id).more
            && let Some(name) = held.take()
        {
            self.out.unlock(&name);
        }
    }
}
