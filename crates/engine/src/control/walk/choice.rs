//! If, Switch, Random, Random Order.

use rand::Rng;
use rand::seq::SliceRandom;
use std::rc::Rc;
use swell_expr::{Level, RemoteFunction, ScriptFailure, ScriptPlace, Template};

use super::Walk;
use crate::control::ControlId;

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
        if expression {
            return text.eq_ignore_ascii_case("true");
        }
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
    pub(super) fn select(&mut self, id: ControlId, value: &Template, names: &[Template]) -> u32 {
        let text = value.eval(self.cx);
        let text = text.trim();
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

    /// `RandomOrderController.reorder`.
    pub(super) fn reorder(&mut self, id: ControlId) {
        let control = self.control(id);
        let mut left = self.state(id).left(control);
        left.shuffle(&mut self.cx.random);
        self.state(id).order = Some(left.into());
    }
}
