//! Controllers from their elements.

use std::sync::{Arc, Mutex};

use swell_expr::Template;
use swell_plan::{Element, Node, PropertyValue, Severity};

use super::build::CompileContext;
use crate::control::{Control, Counts, ForEach, Kind, Throughput};
use crate::kinds::{GroupKind, Native};
use crate::prepare::Load;
use swell_api::{Make, Role, StartMode, script_place};

impl CompileContext<'_> {
    fn template(&self, element: &Element, property: &str) -> Template {
        self.compile.template(element, property, "")
    }

    fn optional(&self, element: &Element, property: &str) -> Option<Template> {
        element.text(property).map(|text| self.compile.text(element, property, text))
    }

    pub(super) fn name(&self, element: &Element) -> Template {
        self.compile.text(element, "TestElement.name", element.name())
    }

    /// A property that ought to be a whole number. One that is none is 0 for JMeter, and mostly a mistake.
    pub(crate) fn whole_number(&self, element: &Element, property: &str) -> Template {
        let template = self.template(element, property);
        if let Some(text) = template.constant()
            && !text.is_empty()
            && text.parse::<i64>().is_err()
        {
            let message = format!("`{text}` is no whole number and counts as 0");
            self.compile.note(Severity::Warning, element, Some(property), message, None);
        }
        template
    }

    /// A controller without its children and listeners.
    pub(super) fn control(&self, node: &Node) -> Control {
        let element = &node.element;
        let kind = match self.role(element) {
            Some(Role::ThreadGroup) => self.main_controller(element),
            _ => self.kind(node),
        };
        // `AbstractThreadGroup.initialize` gives its loop controller the group's name, but only in the place of one.
        let main = element.element("ThreadGroup.main_controller");
        let is_nameless = main.is_some_and(|main| main.attribute("testname").is_none());
        let name = if is_nameless { Template::constant_text("") } else { self.name(element) };
        let index = kind
            .iterates()
            .then(|| name.constant())
            .flatten()
            .map(|name| self.compile.expr.names.slot(&format!("__jm__{name}__idx")));
        let shows_index = self.indexes_are_read && kind.iterates();
        Control { kind, children: Vec::new(), listeners: Vec::new(), name, shows_index, index }
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
            let (property, hint) =
                (Some("ThreadGroup.main_controller"), "add one, or delete the thread group");
            self.compile.note(Severity::Warning, group, property, message, Some(hint));
            return Kind::OneShot;
        };
        self.loop_of(main)
    }

    fn loop_of(&self, element: &Element) -> Kind {
        let loops = self.whole_number(element, "LoopController.loops");
        Kind::Loop { loops, forever: element.flag("LoopController.continue_forever", true) }
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

/// Loop Controller.
pub(crate) fn looping(context: &CompileContext<'_>, node: &Node) -> Kind {
    context.loop_of(&node.element)
}

/// While Controller.
pub(crate) fn while_loop(context: &CompileContext<'_>, node: &Node) -> Kind {
    Kind::While { condition: context.template(&node.element, "WhileController.condition") }
}

/// ForEach Controller.
pub(crate) fn for_each(context: &CompileContext<'_>, node: &Node) -> Kind {
    let element = &node.element;
    Kind::ForEach(Box::new(ForEach {
        input: context.template(element, "ForeachController.inputVal"),
        output: context.template(element, "ForeachController.returnVal"),
        start: context.optional(element, "ForeachController.startIndex"),
        end: context.optional(element, "ForeachController.endIndex"),
        separator: element.flag("ForeachController.useSeparator", true),
    }))
}

/// If Controller.
pub(crate) fn conditional(context: &CompileContext<'_>, node: &Node) -> Kind {
    let element = &node.element;
    let property = "IfController.condition";
    let condition = context.template(element, property);
    let expression = element.flag("IfController.useExpression", false);
    let remote = || swell_expr::condition::remote(&condition, &context.compile.expr);
    let script = if expression { None } else { remote() };
    if !expression
        && script.is_none()
        && let Err(reason) = swell_expr::condition::check(&condition)
    {
        let message = format!("the condition {}: {reason}", swell_expr::NEEDS_SCRIPT);
        let hint =
            "comparisons of texts and numbers work; or tick \"Interpret Condition as Variable Expression\"";
        context.compile.note(Severity::Error, element, Some(property), message, Some(hint));
    }
    let place = script_place(element);
    let every_child = element.flag("IfController.evaluateAll", false);
    Kind::If { condition, expression, every_child, place, script }
}

/// Interleave Controller.
pub(crate) fn interleave(_: &CompileContext<'_>, node: &Node) -> Kind {
    let across_users = node.element.flag("InterleaveControl.accrossThreads", false);
    Kind::Interleave { whole: runs_whole(&node.element), across_users }
}

/// Random Controller.
pub(crate) fn random(_: &CompileContext<'_>, node: &Node) -> Kind {
    Kind::Random { whole: runs_whole(&node.element) }
}

fn runs_whole(element: &Element) -> bool {
    element.text("InterleaveControl.style") == Some("1")
}

/// Switch Controller.
pub(crate) fn switch(context: &CompileContext<'_>, node: &Node) -> Kind {
    Kind::Switch {
        value: context.template(&node.element, "SwitchController.value"),
        names: context.runnable(node).map(|child| context.name(&child.element)).collect(),
    }
}

/// Runtime Controller.
pub(crate) fn run_time(context: &CompileContext<'_>, node: &Node) -> Kind {
    Kind::RunTime { seconds: context.whole_number(&node.element, "RunTime.seconds") }
}

/// Critical Section Controller.
pub(crate) fn critical(context: &CompileContext<'_>, node: &Node) -> Kind {
    Kind::Critical { lock: context.template(&node.element, "CriticalSectionController.lockName") }
}

/// Transaction Controller.
pub(crate) fn transaction(_: &CompileContext<'_>, node: &Node) -> Kind {
    Kind::Transaction {
        parent: with_parent(&node.element),
        include_timers: node.element.flag("TransactionController.includeTimers", true),
    }
}

/// Weighted Switch Controller: the rows of enabled children; those of old versions have no such column.
pub(crate) fn weighted(context: &CompileContext<'_>, node: &Node) -> Kind {
    let element = &node.element;
    let cells = |row: &PropertyValue| -> Vec<String> {
        let PropertyValue::Collection(cells) = row else { return Vec::new() };
        cells.iter().filter_map(|cell| cell.value.as_text().map(str::to_owned)).collect()
    };
    let rows = element.collection("Weights").iter().map(|row| cells(&row.value));
    let enabled = rows.filter(|row| row.get(2).is_none_or(|enabled| enabled == "true"));
    let weight =
        |row: Vec<String>| context.compile.text(element, "Weights", row.get(1).map_or("", String::as_str));
    Kind::Weighted { weights: enabled.map(weight).collect(), random: element.flag("IsRandomChoice", false) }
}

/// Throughput Controller.
pub(crate) fn throughput(context: &CompileContext<'_>, node: &Node) -> Kind {
    let element = &node.element;
    let percent = element.text("ThroughputController.style") == Some("1");
    let property =
        if percent { "ThroughputController.percentThroughput" } else { "ThroughputController.maxThroughput" };
    let amount = raw_text(element, property).map(|text| context.compile.text(element, property, text));
    let shared = (!element.flag("ThroughputController.perThread", true)).then(|| {
        let key = format!("throughput controller {} of group {}", node.id.0, context.group);
        context.compile.expr.shared.get::<Mutex<Counts>>(&key, Mutex::default)
    });
    let shared: Option<Arc<Mutex<Counts>>> = shared;
    Kind::Throughput(Box::new(Throughput { percent, amount, shared }))
}

/// The text of a property, also where it was saved as a bean (`FloatProperty`).
fn raw_text<'e>(element: &'e Element, property: &str) -> Option<&'e str> {
    match element.property(property) {
        Some(PropertyValue::Xml(xml)) => {
            let (_, rest) = xml.split_once("<value>")?;
            rest.split_once("</value>").map(|(value, _)| value)
        }
        Some(value) => value.as_text(),
        None => element.text(property),
    }
}

/// Whether a Transaction Controller makes a parent sample.
pub(super) fn with_parent(element: &Element) -> bool {
    element.flag("TransactionController.parent", false)
}
