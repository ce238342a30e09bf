//! Makes controllers from their elements, without their children.

use std::sync::Arc;

use parking_lot::Mutex;
use swell_api::script_place;
use swell_plan::{Element, Node, PropertyValue, Severity};

use super::{Counts, ForEach, Kind, Throughput};
use crate::compile_context::GroupCompileContext;

/// Loop Controller.
pub(crate) fn looping(context: &GroupCompileContext<'_>, node: &Node) -> Kind {
    loop_of(context, &node.element)
}

/// While Controller.
pub(crate) fn while_loop(context: &GroupCompileContext<'_>, node: &Node) -> Kind {
    Kind::While { condition: context.template(&node.element, "WhileController.condition") }
}

/// ForEach Controller.
pub(crate) fn for_each(context: &GroupCompileContext<'_>, node: &Node) -> Kind {
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
pub(crate) fn conditional(context: &GroupCompileContext<'_>, node: &Node) -> Kind {
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
        let missing = context.compile.expr.missing_remote().map(|missing| format!("{missing}\n{hint}"));
        let hint = missing.as_deref().unwrap_or(hint);
        context.compile.note(Severity::Error, element, Some(property), message, Some(hint));
    }
    let place = script_place(element);
    let every_child = element.flag("IfController.evaluateAll", false);
    Kind::If { condition, expression, every_child, place, script }
}

/// Interleave Controller.
pub(crate) fn interleave(_: &GroupCompileContext<'_>, node: &Node) -> Kind {
    let across_users = node.element.flag("InterleaveControl.accrossThreads", false);
    Kind::Interleave { whole: runs_whole(&node.element), across_users }
}

/// Random Controller.
pub(crate) fn random(_: &GroupCompileContext<'_>, node: &Node) -> Kind {
    Kind::Random { whole: runs_whole(&node.element) }
}

fn runs_whole(element: &Element) -> bool {
    element.text("InterleaveControl.style") == Some("1")
}

/// Switch Controller.
pub(crate) fn switch(context: &GroupCompileContext<'_>, node: &Node) -> Kind {
    Kind::Switch {
        value: context.template(&node.element, "SwitchController.value"),
        names: context.runnable(node).map(|child| context.name(&child.element)).collect(),
    }
}

/// Runtime Controller.
pub(crate) fn run_time(context: &GroupCompileContext<'_>, node: &Node) -> Kind {
    Kind::RunTime { seconds: context.whole_number(&node.element, "RunTime.seconds") }
}

/// Critical Section Controller.
pub(crate) fn critical(context: &GroupCompileContext<'_>, node: &Node) -> Kind {
    Kind::Critical { lock: context.template(&node.element, "CriticalSectionController.lockName") }
}

/// Transaction Controller.
pub(crate) fn transaction(_: &GroupCompileContext<'_>, node: &Node) -> Kind {
    Kind::Transaction {
        parent: with_parent(&node.element),
        include_timers: node.element.flag("TransactionController.includeTimers", true),
    }
}

/// Weighted Switch Controller: the rows of enabled children; those of old versions have no such
/// column.
pub(crate) fn weighted(context: &GroupCompileContext<'_>, node: &Node) -> Kind {
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
pub(crate) fn throughput(context: &GroupCompileContext<'_>, node: &Node) -> Kind {
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
pub(crate) fn with_parent(element: &Element) -> bool {
    element.flag("TransactionController.parent", false)
}

/// The loops of a Loop Controller, or of the one of a thread group.
pub(crate) fn loop_of(context: &GroupCompileContext<'_>, element: &Element) -> Kind {
    let loops = context.whole_number(element, "LoopController.loops");
    Kind::Loop { loops, forever: element.flag("LoopController.continue_forever", true) }
}
