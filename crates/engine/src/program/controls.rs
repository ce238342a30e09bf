//! Controllers from their elements.

use std::sync::{Arc, Mutex};

use swell_expr::Template;
use swell_plan::{Element, Node, PropertyValue, Severity};

use super::build::AtHand;
use crate::control::{Control, Counts, ForEach, Kind, Throughput};
use crate::prepare::{CONTROLLERS, GroupKind, Role, WEIGHTED, role};
use swell_api::script_place;

/// Whether a controller's class is known.
pub(super) fn is_native(class: &str) -> bool {
    CONTROLLERS.contains(&class)
}

impl AtHand<'_> {
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
        let kind = match role(element) {
            Role::ThreadGroup(_) | Role::ForeignThreadGroup => self.main_controller(element),
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
            |turns| Kind::VirtualUser { iterations: self.template(group, "Iterations"), turns };
        match GroupKind::of(group) {
            GroupKind::OpenModel => Kind::Visit,
            GroupKind::Concurrency => virtual_user(false),
            GroupKind::Arrivals | GroupKind::FreeFormArrivals => virtual_user(true),
            GroupKind::Plain | GroupKind::Stepping | GroupKind::Ultimate => self.main_loop(group),
        }
    }

    fn main_loop(&self, group: &Element) -> Kind {
        let Some(main) = group.element("ThreadGroup.main_controller") else {
            let message =
                "the thread group has no loop controller, so its users fail, as in JMeter".to_owned();
            let (property, hint) =
                (Some("ThreadGroup.main_controller"), "add one, or delete the thread group");
            self.compile.note(Severity::Warning, group, property, message, Some(hint));
            return Kind::Visit;
        };
        self.looping(main)
    }

    fn looping(&self, element: &Element) -> Kind {
        let loops = self.whole_number(element, "LoopController.loops");
        Kind::Loop { loops, forever: element.flag("LoopController.continue_forever", true) }
    }

    fn kind(&self, node: &Node) -> Kind {
        let element = &node.element;
        match element.class.as_str() {
            "LoopController" => self.looping(element),
            "WhileController" => {
                Kind::While { condition: self.template(element, "WhileController.condition") }
            }
            "ForeachController" => Kind::ForEach(Box::new(ForEach {
                input: self.template(element, "ForeachController.inputVal"),
                output: self.template(element, "ForeachController.returnVal"),
                start: self.optional(element, "ForeachController.startIndex"),
                end: self.optional(element, "ForeachController.endIndex"),
                separator: element.flag("ForeachController.useSeparator", true),
            })),
            "OnceOnlyController" => Kind::OnceOnly,
            "IfController" => self.conditional(element),
            "InterleaveControl" => Kind::Interleave {
                whole: element.text("InterleaveControl.style") == Some("1"),
                across_users: element.flag("InterleaveControl.accrossThreads", false),
            },
            "RandomController" => {
                Kind::Random { whole: element.text("InterleaveControl.style") == Some("1") }
            }
            "RandomOrderController" => Kind::RandomOrder,
            "SwitchController" => Kind::Switch {
                value: self.template(element, "SwitchController.value"),
                names: runnable(node).map(|child| self.name(&child.element)).collect(),
            },
            WEIGHTED => self.weighted(element),
            "ThroughputController" => Kind::Throughput(Box::new(self.throughput(node))),
            "RunTime" => Kind::RunTime { seconds: self.whole_number(element, "RunTime.seconds") },
            "CriticalSectionController" => {
                Kind::Critical { lock: self.template(element, "CriticalSectionController.lockName") }
            }
            "TransactionController" => Kind::Transaction {
                parent: with_parent(element),
                include_timers: element.flag("TransactionController.includeTimers", true),
            },
            _ => Kind::Simple,
        }
    }

    fn conditional(&self, element: &Element) -> Kind {
        let property = "IfController.condition";
        let condition = self.template(element, property);
        let expression = element.flag("IfController.useExpression", false);
        if !expression && let Err(reason) = swell_expr::condition::check(&condition) {
            let message = format!("the condition {}: {reason}", swell_expr::NEEDS_SCRIPT);
            let hint = "comparisons of texts and numbers work; or tick \"Interpret Condition as Variable Expression\"";
            self.compile.note(Severity::Error, element, Some(property), message, Some(hint));
        }
        let place = script_place(element);
        Kind::If {
            condition,
            expression,
            every_child: element.flag("IfController.evaluateAll", false),
            place,
        }
    }

    /// The rows of enabled children; those of old versions have no such column.
    fn weighted(&self, element: &Element) -> Kind {
        let cells = |row: &PropertyValue| -> Vec<String> {
            let PropertyValue::Collection(cells) = row else { return Vec::new() };
            cells.iter().filter_map(|cell| cell.value.as_text().map(str::to_owned)).collect()
        };
        let rows = element.collection("Weights").iter().map(|row| cells(&row.value));
        let enabled = rows.filter(|row| row.get(2).is_none_or(|enabled| enabled == "true"));
        let weight =
            |row: Vec<String>| self.compile.text(element, "Weights", row.get(1).map_or("", String::as_str));
        Kind::Weighted {
            weights: enabled.map(weight).collect(),
            random: element.flag("IsRandomChoice", false),
        }
    }

    fn throughput(&self, node: &Node) -> Throughput {
        let element = &node.element;
        let percent = element.text("ThroughputController.style") == Some("1");
        let property = if percent {
            "ThroughputController.percentThroughput"
        } else {
            "ThroughputController.maxThroughput"
        };
        let amount = raw_text(element, property).map(|text| self.compile.text(element, property, text));
        let shared = (!element.flag("ThroughputController.perThread", true)).then(|| {
            let key = format!("throughput controller {} of group {}", node.id.0, self.group);
            self.compile.expr.shared.get::<Mutex<Counts>>(&key, Mutex::default)
        });
        let shared: Option<Arc<Mutex<Counts>>> = shared;
        Throughput { percent, amount, shared }
    }
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

/// The children of a controller that can be next.
pub(super) fn runnable(node: &Node) -> impl Iterator<Item = &Node> {
    node.children.iter().filter(|child| matches!(role(&child.element), Role::Controller | Role::Sampler))
}
