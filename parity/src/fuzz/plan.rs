//! Combines random groups into one plan: one after another, with a request between two groups that
//! marks where the next one begins.

use swell_plan::{Element, Node, Plan, Property, PropertyValue};

use super::Setting;
use crate::case::{Order, Rules};
use crate::fuzz::grammar::GRAMMAR;
use crate::fuzz::rng::ChoiceRng;

/// Stands for the group's name in the texts of a group; the name differs between groups of a plan.
pub(super) const NAME: &str = "@group@";

/// The parts of a plan.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    /// What all groups share.
    pub(super) setting: Setting,
    /// The groups, each with its further elements.
    pub(super) groups: Vec<Vec<Node>>,
    /// Whether the groups are a complete test: nothing is added between them.
    pub(super) whole: bool,
}

/// Returns the name of a group in the plan; all names have the same length, so they change no
/// sizes.
pub(super) fn name(index: usize) -> String {
    format!("G{index:02}")
}

impl Trial {
    /// Returns the plan for both programs.
    pub(super) fn plan(&self) -> Plan {
        let mut root = named(&self.setting.root, "all");
        root.element = root.element.with_text("TestPlan.comments", &self.comment());
        for (index, nodes) in self.groups.iter().enumerate() {
            if !self.whole {
                let mark = GRAMMAR.nodes("Mark", &mut ChoiceRng::new(0, &[]));
                root.children.extend(mark.iter().map(|node| named(node, &index.to_string())));
            }
            root.children.extend(nodes.iter().map(|node| named(node, &name(index))));
        }
        Plan::new(root)
    }

    /// Returns the rules for comparing one group, or all groups if there is no number.
    pub(super) fn rules(&self, group: Option<usize>) -> Rules {
        let groups = match group {
            Some(index) => &self.groups[index..=index],
            None => &self.groups[..],
        };
        let mut rules = Rules { properties: self.setting.properties.clone(), ..Rules::default() };
        if group.is_none() && !self.whole {
            rules.order = Order::Thread;
        }
        for node in self.setting.root.children.iter().chain(groups.iter().flatten()) {
            node.walk(&mut |node| adapt(&mut rules, &node.element));
        }
        rules
    }

    /// Returns the rules as lines of a comment, for a plan that is written to a file.
    fn comment(&self) -> String {
        let rules = self.rules(None);
        let mut lines: Vec<String> =
            rules.properties.iter().map(|(name, value)| format!("property {name}={value}")).collect();
        if rules.order == Order::Thread && self.groups.len() == 1 {
            lines.push("order thread".to_owned());
        }
        lines.extend(rules.masked.iter().map(|column| format!("mask {column}")));
        lines.iter().flat_map(|line| ["parity: ", line, "\n"]).collect()
    }
}

/// Adapts the rules to an element.
fn adapt(rules: &mut Rules, element: &Element) {
    let mut mask = |columns: &[&str]| {
        for column in columns {
            if !rules.masked.iter().any(|known| known == column) {
                rules.masked.push((*column).to_owned());
            }
        }
    };
    match element.class.as_str() {
        // It shows times and JMeter's internal variables.
        "DebugSampler" | "DebugPostProcessor" => mask(&["bytes"]),
        // The boundary has a random length.
        "HTTPSamplerProxy" => mask(if sends_parts(element) { &["sentBytes"] } else { &[] }),
        class if class.ends_with("ThreadGroup") => {
            let users = element.text_or_empty("ThreadGroup.num_threads");
            if !["", "1"].contains(&users) {
                mask(&["grpThreads", "allThreads"]);
                rules.order = Order::Thread;
            }
        }
        _ => {}
    }
}

fn sends_parts(element: &Element) -> bool {
    element.flag("HTTPSampler.DO_MULTIPART_POST", false) || element.element("HTTPsampler.Files").is_some()
}

/// Returns a copy in which [`NAME`] is replaced with a name.
fn named(node: &Node, name: &str) -> Node {
    let mut node = node.clone();
    rename(&mut node, name);
    node
}

fn rename(node: &mut Node, name: &str) {
    rename_element(&mut node.element, name);
    for child in &mut node.children {
        rename(child, name);
    }
}

fn rename_element(element: &mut Element, name: &str) {
    for (_, value) in &mut element.attributes {
        *value = value.replace(NAME, name);
    }
    for property in &mut element.properties {
        rename_property(property, name);
    }
}

fn rename_property(property: &mut Property, name: &str) {
    property.name = property.name.replace(NAME, name);
    property.written = None;
    match &mut property.value {
        PropertyValue::Element(element) => rename_element(element, name),
        PropertyValue::Collection(members) | PropertyValue::Map(members) => {
            for member in members {
                rename_property(member, name);
            }
        }
        PropertyValue::Text(text)
        | PropertyValue::Int(text)
        | PropertyValue::Long(text)
        | PropertyValue::Float(text)
        | PropertyValue::Double(text)
        | PropertyValue::Bool(text)
        | PropertyValue::Xml(text) => *text = text.replace(NAME, name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzz::grammar::elements;

    /// Groups of requests with these properties, below a thread group with these.
    fn trial(whole: bool, groups: &[&str]) -> Trial {
        let rng = &mut ChoiceRng::new(0, &[]);
        let setting = Setting { properties: Vec::new(), root: GRAMMAR.nodes("Plan", rng).remove(0) };
        Trial { setting, groups: groups.iter().map(|text| elements(text)).collect(), whole }
    }

    #[test]
    fn groups_get_names_and_marks() {
        let group = "<ThreadGroup guiclass=\"ThreadGroupGui\" testname=\"@group@\"/><hashTree><HTTPSamplerProxy guiclass=\"HttpTestSampleGui\" testname=\"s\"><stringProp name=\"HTTPSampler.path\">/@group@/a</stringProp></HTTPSamplerProxy></hashTree>";
        let text = swell_plan::write(&trial(false, &[group, group]).plan());
        for part in ["/mark/0", "testname=\"G00\"", "/G00/a", "/mark/1", "testname=\"G01\"", "/G01/a"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains(NAME));
        assert!(!swell_plan::write(&trial(true, &[group]).plan()).contains("/mark/"));
    }

    #[test]
    fn rules_follow_from_what_there_is() {
        let several = "<ThreadGroup guiclass=\"\" testname=\"\"><stringProp name=\"ThreadGroup.num_threads\">2</stringProp></ThreadGroup>";
        let shown = "<DebugSampler guiclass=\"\" testname=\"\"/>";
        let trial = trial(false, &[several, shown]);
        let masked = |group| trial.rules(group).masked.join(" ");
        assert_eq!(masked(Some(0)), "grpThreads allThreads");
        assert_eq!(masked(Some(1)), "bytes");
        assert_eq!((trial.rules(Some(0)).order, trial.rules(Some(1)).order), (Order::Thread, Order::Run));
    }
}
