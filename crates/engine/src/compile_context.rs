//! The context in which a thread group is compiled.

use swell_api::{CompileContext, Make, Registry, Role};
use swell_expr::Template;
use swell_plan::{Element, Node, Severity};

use crate::group_load::Load;

/// Compile options that do not come from the plan.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CompileOptions {
    /// JMeter's roundings.
    pub(crate) compat: bool,
    /// Only to see what is wrong: listeners are not made, so no file is opened.
    pub(crate) dry: bool,
}

/// The context in which a thread group is compiled.
pub(crate) struct GroupCompileContext<'c> {
    pub(crate) registry: &'c Registry,
    pub(crate) compile: &'c CompileContext,
    pub(crate) options: CompileOptions,
    /// Place of the thread group in the plan.
    pub(crate) group: usize,
    /// When its users come and go.
    pub(crate) load: &'c Load,
    /// Something may read the loop indexes.
    pub(crate) indexes_are_read: bool,
    /// A function may read the response before.
    pub(crate) reads_previous: bool,
    /// A function that a provider answers may read samples.
    pub(crate) functions_read_samples: bool,
}

impl<'c> GroupCompileContext<'c> {
    /// The role of an element.
    pub(crate) fn role(&self, element: &Element) -> Option<Role> {
        self.registry.role(element)
    }

    /// How to create an element; `None` if no kind claims it.
    pub(crate) fn make(&self, element: &Element) -> Make {
        self.registry.kind(element).map_or(Make::Nothing, |kind| kind.make.clone())
    }

    /// The children of a controller that can be next.
    pub(crate) fn runnable<'n>(&'c self, node: &'n Node) -> impl Iterator<Item = &'n Node> + use<'n, 'c> {
        let can_be_next =
            |node: &Node| matches!(self.role(&node.element), Some(Role::Controller | Role::Sampler));
        node.children.iter().filter(move |child| can_be_next(child))
    }

    pub(crate) fn template(&self, element: &Element, property: &str) -> Template {
        self.compile.template(element, property, "")
    }

    pub(crate) fn optional(&self, element: &Element, property: &str) -> Option<Template> {
        element.text(property).map(|text| self.compile.text(element, property, text))
    }

    pub(crate) fn name(&self, element: &Element) -> Template {
        self.compile.text(element, "TestElement.name", element.name())
    }

    /// A property that ought to be a whole number. One that is none is 0 for JMeter, and mostly a
    /// mistake.
    pub(crate) fn whole_number(&self, element: &Element, property: &str) -> Template {
        let template = self.template(element, property);
        if let Some(text) = template.constant()
            && !text.is_empty()
            && text.parse::<i64>().is_err()
        {
            let message = format!("`{text}` is not a whole number; 0 is used");
            self.compile.note(Severity::Warning, element, Some(property), message, None);
        }
        template
    }
}
