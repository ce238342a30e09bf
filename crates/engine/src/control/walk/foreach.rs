//! `ForeachController`.

use swell_expr::Value;

use super::{Entry, Turn, Walk};
use crate::control::{ControlId, ForEach};
use crate::number;

impl Walk<'_> {
    /// The variable of the coming turn: `<input>_<n>`, counted from 1.
    fn item(&mut self, id: ControlId, each: &ForEach) -> Option<Value> {
        let number = self.state(id).loops + 1;
        let separator = if each.separator { "_" } else { "" };
        let name = format!("{}{separator}{number}", &*each.input.eval(self.cx));
        self.cx.vars.get(&name).cloned()
    }

    fn at_end_index(&mut self, id: ControlId, each: &ForEach) -> bool {
        let end = each.end.as_ref().map_or(i32::MAX, |end| number::int(&end.eval(self.cx)));
        self.state(id).loops >= end
    }

    /// `resetLoopCount`: the start index is exclusive.
    pub(super) fn start_foreach(&mut self, id: ControlId, each: &ForEach) {
        let start = each.start.as_ref().map_or(0, |start| number::int(&start.eval(self.cx)));
        self.state(id).loops = start;
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

    pub(super) fn enter_foreach(&mut self, id: ControlId, each: &ForEach) -> Entry {
        if !self.state(id).broken && self.item(id, each).is_some() {
            return Entry::Go;
        }
        self.state(id).broken = false;
        self.re_initialize(id);
        self.start_foreach(id, each);
        Entry::Leave
    }

    pub(super) fn foreach_end(&mut self, id: ControlId, each: &ForEach) -> Turn {
        self.re_initialize(id);
        if !self.state(id).broken && self.item(id, each).is_some() && !self.at_end_index(id, each) {
            return Turn::Again;
        }
        self.state(id).broken = false;
        self.start_foreach(id, each);
        Turn::End
    }
}
