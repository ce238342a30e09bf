//! RegEx User Parameters (`RegExUserParameters`): sets parameters whose names and values are groups
//! of an extractor.

use std::collections::HashMap;
use std::rc::Rc;

use swell_api::{CompileContext, RequestChange, RequestTexts, Step, StepProgress, User};
use swell_expr::{Context, Level, Template, Value, Vars};
use swell_plan::Node;

/// The element.
pub(crate) struct UserParameters {
    /// Reference name of the extractor.
    reference: Template,
    /// Groups of names and of values.
    names: Template,
    values: Template,
}

impl UserParameters {
    pub(crate) fn step(node: &Node, compile: &CompileContext) -> Rc<dyn Step> {
        let text = |name: &str| compile.template(&node.element, &format!("RegExUserParameters.{name}"), "");
        Rc::new(Self {
            reference: text("regex_ref_name"),
            names: text("param_names_gr_nr"),
            values: text("param_values_gr_nr"),
        })
    }
}

impl Step for UserParameters {
    fn run<'a>(
        &'a self,
        user: &'a mut User,
        _sample: Option<&'a mut swell_api::SampleResult>,
    ) -> StepProgress<'a> {
        let cx = &mut user.cx;
        let [reference, names, values] =
            [&self.reference, &self.names, &self.values].map(|template| template.eval_value(cx));
        match pairs(&cx.vars, &reference, &names, &values) {
            Some(pairs) if !pairs.is_empty() => {
                user.change_request(Values(pairs));
            }
            _ => {
                let line =
                    "RegExUserParameters: the groups of the expression are missing, no parameter is changed";
                cx.host.log(Level::Info, line);
            }
        }
        StepProgress::Done(())
    }
}

/// Names and values of all matches; none if the extractor left none.
fn pairs(vars: &Vars, reference: &str, names: &str, values: &str) -> Option<HashMap<Value, Value>> {
    let group = |i: u32, group: &str| vars.get(&format!("{reference}_{i}_g{group}")).cloned();
    let count: u32 = vars.get(&format!("{reference}_matchNr"))?.parse().ok()?;
    group(1, names).zip(group(1, values))?;
    Some((1..=count).filter_map(|i| group(i, names).zip(group(i, values))).collect())
}

struct Values(HashMap<Value, Value>);

impl RequestChange for Values {
    fn apply(&self, request: &mut RequestTexts, _cx: &mut Context) {
        for argument in &mut request.arguments {
            if let Some(value) = self.0.get(&*argument.name) {
                argument.value = value.to_string();
            }
        }
    }
}
