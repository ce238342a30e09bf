//! If, Switch, Random, Random Order.

use rand::Rng;
use rand::seq::SliceRandom;
use std::rc::Rc;
use swell_expr::{Level, RemoteFunction, ScriptFailure, ScriptPlace, Template};

use swell_trace::Verdict;

use super::Walk;
use crate::control::{ControlId, Kind};

impl Walk<'_> {
    /// Whether the condition of an If Controller holds.
    pub(super) fn holds(
        &mut self,
        id: ControlId,
        condition: &Template,
        expression: bool,
        place: &Rc<ScriptPlace>,
        script: Option<&RemoteFunction>,
    ) -> bool {
        let text = condition.eval(self.cx);
        let text = text.trim();
        let holds = if expression {
            text.eq_ignore_ascii_case("true")
        } else {
            self.script_holds(id, text, place, script)
        };
        if self.is_traced(id) {
            let verdict = if holds { Verdict::Entered } else { Verdict::Skipped };
            let is_said = !expression || holds || text.eq_ignore_ascii_case("false");
            let what = if is_said { holds.to_string() } else { "false, since it is not `true`".to_owned() };
            self.note(id, verdict, Some(text), what);
        }
        holds
    }

    /// Whether the script of an If Controller gives true.
    fn script_holds(
        &mut self,
        id: ControlId,
        text: &str,
        place: &Rc<ScriptPlace>,
        script: Option<&RemoteFunction>,
    ) -> bool {
        let control = self.control(id);
        match swell_expr::condition::evaluate_with(text, &control.name, script, self.cx) {
            Ok(holds) => holds,
            Err(ScriptFailure::Unsupported(reason)) => {
                self.cx.refuse(place, reason, text);
                false
            }
            Err(ScriptFailure::Exception(problem)) => {
                let name = self.control(id).name.eval(self.cx).into_owned();
                self.cx.host.log(Level::Error, &format!("{name}: condition [{text}]: {problem}"));
                false
            }
        }
    }

    /// `SwitchController.getSelectionAsInt`.
    pub(super) fn select(&mut self, id: ControlId, text: &str, names: &[Template]) -> u32 {
        let control = self.control(id);
        let len = self.state(id).len(control);
        if text.is_empty() {
            return 0;
        }
        if text.bytes().all(|b| b.is_ascii_digit())
            && let Ok(index) = text.parse::<i32>()
        {
            let index = index as u32;
            return if index < len { index } else { 0 };
        }
        let mut default = u32::MAX;
        for place in 0..len {
            let original = self.state(id).original(place);
            let name = names[original as usize].eval(self.cx);
            if *name == *text {
                return place;
            }
            if name.eq_ignore_ascii_case("default") {
                default = place;
            }
        }
        default
    }

    pub(super) fn random_below(&mut self, count: u32) -> u32 {
        if count == 0 { 0 } else { self.cx.random.random_range(0..count) }
    }

    /// Reports what a Switch Controller chose. `selected`: the place of a child.
    pub(super) fn note_choice(&mut self, id: ControlId, value: &str, selected: u32) {
        let control = self.control(id);
        let len = self.state(id).len(control);
        if selected >= len {
            let names = self.child_names(id);
            let text = format!("no child has the name `{value}` or `default`; there are `{names}`");
            return self.note(id, Verdict::Skipped, Some(value), text);
        }
        let name = self.child_name(id, self.state_of(id).original(selected));
        let is_beyond = value.parse::<i32>().is_ok_and(|number| number as u32 >= len);
        let text = if is_beyond {
            format!("there is no child number {value}, so the first runs: `{name}`")
        } else {
            format!("chose `{name}`")
        };
        self.note(id, Verdict::Entered, Some(value), text);
    }

    /// Reports the child that an interleaving controller chose.
    pub(super) fn note_child(&mut self, id: ControlId) {
        let state = self.state_of(id);
        let name = self.child_name(id, state.original(state.current));
        self.note(id, Verdict::Entered, None, format!("chose `{name}`"));
    }

    /// Reports that a Once Only Controller runs, or the order of a Random Order Controller.
    pub(super) fn note_first(&mut self, id: ControlId) {
        let control = self.control(id);
        let text = match control.kind {
            Kind::RandomOrder => {
                let state = self.state_of(id);
                let names = (0..state.len(control)).map(|place| self.child_name(id, state.original(place)));
                format!("order: `{}`", names.collect::<Vec<_>>().join("`, `"))
            }
            _ => "runs, since this is the first iteration".to_owned(),
        };
        self.note(id, Verdict::Entered, None, text);
    }

    /// `RandomOrderController.reorder`.
    pub(super) fn reorder(&mut self, id: ControlId) {
        let control = self.control(id);
        let mut left = self.state(id).left(control);
        left.shuffle(&mut self.cx.random);
        self.state(id).order = Some(left.into());
    }
}
