//! Makes the controllers of a thread group from their elements.

use swell_api::{Make, Role, StartMode};
use swell_expr::Template;
use swell_plan::{Element, Node, Severity};

use crate::compile_context::GroupCompileContext;
use crate::control::{self, Control, Kind};
use crate::group_load::{GroupKind, Load};
use crate::kinds::Native;
use crate::trace::TracedControl;

impl GroupCompileContext<'_> {
    /// A controller without its children and listeners.
    pub(super) fn control(&self, node: &Node) -> Control {
        let element = &node.element;
        let kind = match self.role(element) {
            Some(Role::ThreadGroup) => self.main_controller(element),
            _ => self.kind(node),
        };
        // `AbstractThreadGroup.initialize` gives its loop controller the group's name, but only
        // instead of one.
        let main = element.element("ThreadGroup.main_controller");
        let is_nameless = main.is_some_and(|main| main.attribute("testname").is_none());
        let name = if is_nameless { Template::constant_text("") } else { self.name(element) };
        let index = kind
            .iterates()
            .then(|| name.constant())
            .flatten()
            .map(|name| self.compile.expr.names.slot(&format!("__jm__{name}__idx")));
        let shows_index = self.indexes_are_read && kind.iterates();
        let traced = self.compile.traced.then(|| {
            let children = self.runnable(node).map(|child| child.element.name().to_owned()).collect();
            Box::new(TracedControl::new(node, &kind, children))
        });
        Control { kind, children: Vec::new(), listeners: Vec::new(), name, shows_index, index, traced }
    }

    fn main_controller(&self, group: &Element) -> Kind {
        let virtual_user =
            |per_arrival| Kind::VirtualUser { iterations: self.template(group, "Iterations"), per_arrival };
        match self.load {
            // One that something else runs has no users here.
            Load::Own(GroupKind::OpenModel) | Load::External(_) => Kind::OneShot,
            Load::Own(GroupKind::Concurrency) => virtual_user(false),
            Load::Own(GroupKind::Arrivals | GroupKind::FreeFormArrivals) => virtual_user(true),
            Load::Own(GroupKind::Plain | GroupKind::Stepping | GroupKind::Ultimate) => self.main_loop(group),
            Load::Foreign(foreign) => match foreign.mode() {
                StartMode::Users => self.main_loop(group),
                StartMode::OneShot => Kind::OneShot,
                StartMode::Iterations { .. } => virtual_user(true),
            },
        }
    }

    fn main_loop(&self, group: &Element) -> Kind {
        let Some(main) = group.element("ThreadGroup.main_controller") else {
            let message =
                "the thread group has no loop controller, so its users fail, as in JMeter".to_owned();
            let property = Some("ThreadGroup.main_controller");
            let hint = "add one, or delete the thread group";
            self.compile.note(Severity::Warning, group, property, message, Some(hint));
            return Kind::OneShot;
        };
        control::make::loop_of(self, main)
    }

    fn kind(&self, node: &Node) -> Kind {
        match self.make(&node.element) {
            Make::Controller(make) => Kind::Foreign(make(node, self.compile)),
            _ => match self.native(&node.element) {
                Some(
                    Native::Controller(make) | Native::TimedController(make) | Native::Transaction(make),
                ) => make(self, node),
                _ => Kind::Simple,
            },
        }
    }
}
