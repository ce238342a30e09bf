//! `ForeachController`.

use swell_expr::Value;
use swell_trace::Verdict;

use super::{Entry, Turn, Walk};
use crate::control::{ControlId, ForEach, Halt};
use crate::number;

impl Walk<'_> {
    /// The variable of the coming turn: `<input>_<n>`, counted from 1.
    fn item(&mut self, id: ControlId, each: &ForEach) -> Option<Value> {
        let number = self.state(id).loops + 1;
        let separator = if each.separator { "_" } else { "" };
        let name = format!("{}{separator}{number}", &*each.input.eval(self.cx));
        self.cx.vars.get(&name).cloned()
    }

    /// Reports the item of the coming turn.
    fn note_item(&mut self, id: ControlId, each: &ForEach, verdict: Verdict) {
        let number = self.state(id).loops + 1;
        let separator = if each.separator { "_" } else { "" };
        let input = each.input.eval(self.cx).into_owned();
        let name = format!("{input}{separator}{number}");
        let text = match (verdict, self.item(id, each)) {
            (Verdict::Skipped, None) => format!("there is no variable `{name}`"),
            (_, Some(value)) => format!("`{name}` = \"{value}\""),
            (_, None) => format!("`{name}`"),
        };
        self.note(id, verdict, Some(&input), text);
    }

    fn at_end_index(&mut self, id: ControlId, each: &ForEach) -> bool {
        let end = each.end.as_ref().map_or(i32::MAX, |end| number::int(&end.eval(self.cx)));
        self.state(id).loops >= end
    }

    /// `resetLoopCount`: the start index is exclusive.
    pub(super) fn start_foreach(&mut self, id: ControlId, each: &ForEach) {
        let start = self.start_index(each);
        self.state(id).loops = start;
    }

    fn start_index(&mut self, each: &ForEach) -> i32 {
        each.start.as_ref().map_or(0, |start| number::int(&start.eval(self.cx)))
    }

    /// `isDone`, which also sets the output variable.
    pub(super) fn foreach_done(&mut self, id: ControlId, each: &ForEach) -> bool {
        if self.at_end_index(id, each) {
            return true;
        }
        match self.item(id, each) {
            Some(value) => {
                let output = each.output.eval(self.cx);
                self.cx.vars.put(&output, value);
                false
            }
            None => self.state(id).done,
        }
    }

    pub(super) fn enter_foreach(&mut self, id: ControlId, each: &ForEach) -> Result<Entry, Halt> {
        let before = self.cx.evaluated();
        if !self.state(id).broken && self.item(id, each).is_some() {
            if self.is_traced(id) && self.state(id).first && self.state(id).iteration == 0 {
                self.note_item(id, each, Verdict::Entered);
            }
            return self.answered().map(|()| Entry::Go);
        }
        let start = self.start_index(each);
        if self.is_traced(id) && self.state(id).first && self.state(id).loops == start {
            self.note_item(id, each, Verdict::Skipped);
        }
        self.decided(before)?;
        self.state(id).broken = false;
        self.re_initialize(id);
        self.state(id).loops = start;
        Ok(Entry::Leave)
    }

    pub(super) fn foreach_end(&mut self, id: ControlId, each: &ForEach) -> Result<Turn, Halt> {
        let before = self.cx.evaluated();
        let loops = self.state(id).loops;
        // As it will be in the coming turn.
        self.state(id).loops = loops + 1;
        let goes_on = !self.state(id).broken && self.item(id, each).is_some() && !self.at_end_index(id, each);
        let start = if goes_on { 0 } else { self.start_index(each) };
        self.state(id).loops = loops;
        self.decided(before)?;
        self.re_initialize(id);
        if goes_on {
            if self.is_traced(id) {
                self.note_item(id, each, Verdict::Turn);
            }
            return Ok(Turn::Again);
        }
        self.state(id).broken = false;
        self.state(id).loops = start;
        Ok(Turn::End)
    }
}
