//! User Parameters (`org.apache.jmeter.modifiers.UserParameters`): values by user, set before each
//! sampler or once per iteration.

use swell_api::{CompileContext, IterationElement, PreProcessor};
use swell_expr::{Context, Template};
use swell_plan::{Element, PropertyValue};

use crate::field::VarName;

const NAMES: &str = "UserParameters.names";
const VALUES: &str = "UserParameters.thread_values";

struct UserParameters {
    names: Vec<VarName>,
    /// Values by column: users take them in turn.
    columns: Vec<Vec<Template>>,
}

/// The pre-processor: it sets the variables before each sampler, unless they are set once an
/// iteration.
pub(crate) fn pre_processor(element: &Element, compile: &CompileContext) -> Box<dyn PreProcessor> {
    if per_iteration(element) {
        return Box::new(UserParameters { names: Vec::new(), columns: Vec::new() });
    }
    Box::new(UserParameters::new(element, compile))
}

/// The part that runs once an iteration, if there is one.
pub(crate) fn iteration_element(
    element: &Element,
    compile: &CompileContext,
) -> Option<Box<dyn IterationElement>> {
    per_iteration(element)
        .then(|| Box::new(UserParameters::new(element, compile)) as Box<dyn IterationElement>)
}

fn per_iteration(element: &Element) -> bool {
    element.flag("UserParameters.per_iteration", false)
}

impl UserParameters {
    fn new(element: &Element, compile: &CompileContext) -> Self {
        let names = element.collection(NAMES).iter().filter_map(|property| property.value.as_text());
        let names = names.map(|name| VarName::new(compile.text(element, NAMES, name), compile)).collect();
        let columns = element.collection(VALUES).iter().filter_map(|property| match &property.value {
            PropertyValue::Collection(members) => Some(members),
            _ => None,
        });
        let template = |text: &str| compile.text(element, VALUES, text);
        let columns = columns
            .map(|column| column.iter().filter_map(|p| p.value.as_text()).map(template).collect())
            .collect();
        Self { names, columns }
    }

    fn set(&self, cx: &mut Context) {
        if self.columns.is_empty() {
            return;
        }
        let column = &self.columns[cx.user.thread_index as usize % self.columns.len()];
        for (name, value) in self.names.iter().zip(column) {
            let value = value.eval(cx);
            name.put(cx, &*value);
        }
    }
}

impl PreProcessor for UserParameters {
    fn process(&self, cx: &mut Context) {
        self.set(cx);
    }
}

impl IterationElement for UserParameters {
    fn iteration_start(&self, cx: &mut Context) {
        self.set(cx);
    }
}
