//! Variables of extractors that are numbered: `name_1` and so on, and those of XPath extractors:
//! `name`, `name_matchNr`, `name_1`.

use std::cell::RefCell;

use swell_api::{CompileContext, Placement, YieldBudget};
use swell_expr::{Context, Slot, Template, Value};
use swell_plan::Element;

use crate::field::VarName;

/// The variables that existed before an extractor ran.
pub struct Numbered {
    base: String,
    count_before: usize,
}

impl Numbered {
    /// The variable of an element. Names that are set on every run get their places.
    pub fn variable(element: &Element, compile: &CompileContext, property: &str) -> VarName {
        let variable = VarName::of(element, compile, property);
        if let Some(name) = variable.constant() {
            for ending in ["_matchNr", "_1", "_2"] {
                compile.expr.names.slot(&format!("{name}{ending}"));
            }
        }
        variable
    }

    /// Sets the default, and no matches.
    pub fn start(cx: &mut Context, variable: &VarName, default: &Template) -> Self {
        let base = variable.name(cx).into_owned();
        let default = default.eval_value(cx);
        variable.put(cx, default);
        let count_name = format!("{base}_matchNr");
        let count_before = cx.vars.get(&count_name).and_then(|count| count.parse().ok()).unwrap_or(0);
        cx.vars.put(&count_name, "0");
        cx.vars.remove(&format!("{base}_1"));
        Self { base, count_before }
    }

    /// Sets the matches. One without text leaves its variable as it is.
    pub async fn save(self, cx: &mut Context, variable: &VarName, matches: Vec<Option<String>>) {
        let Self { base, count_before } = self;
        let mut pace = YieldBudget::new(Placement::Anywhere);
        let count = matches.len();
        cx.vars.put(&format!("{base}_matchNr"), count.to_string());
        if let Some(Some(first)) = matches.first() {
            variable.put(cx, first.as_str());
        }
        for (at, value) in matches.into_iter().enumerate() {
            if let Some(value) = value {
                cx.vars.put(&format!("{base}_{}", at + 1), value);
            }
            pace.steps(1).await;
        }
        cx.vars.remove(&format!("{base}_{}", count + 1));
        for number in count + 2..=count_before {
            cx.vars.remove(&format!("{base}_{number}"));
            pace.steps(1).await;
        }
    }
}

/// The slots of an element's numbered variables, made at their first use: so that the names are made
/// once and not for each sample. Only the first few have slots, since each takes room in every user.
#[derive(Default)]
pub struct NumberedSlots(RefCell<Vec<Slot>>);

impl NumberedSlots {
    /// Numbers that have slots.
    pub(crate) const MOST: usize = 16;

    /// Sets the variable of a number from 1 on. `base` is the same in each call.
    pub fn put(&self, cx: &mut Context, base: &str, number: usize, value: impl Into<Value>) {
        if number > Self::MOST {
            return cx.vars.put(&format!("{base}_{number}"), value);
        }
        let mut slots = self.0.borrow_mut();
        for missing in slots.len() + 1..=number {
            slots.push(cx.vars.slot(&format!("{base}_{missing}")));
        }
        cx.vars.put_slot(slots[number - 1], value);
    }
}

/// Removes the numbered variables, up to the first that is not there.
pub async fn clear_numbered(cx: &mut Context, variable: &str, pace: &mut YieldBudget) {
    clear_numbered_from(1, cx, variable, pace).await;
}

/// The same from a number on.
pub async fn clear_numbered_from(first: usize, cx: &mut Context, variable: &str, pace: &mut YieldBudget) {
    let mut number = first;
    while cx.vars.remove(&format!("{variable}_{number}")).is_some() {
        number += 1;
        pace.steps(1).await;
    }
}
