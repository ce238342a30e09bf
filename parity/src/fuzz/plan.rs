//! Random groups as one plan: one after another, with a request between two that tells where the next begins.

use swell_plan::{Element, Node, Plan, Property, PropertyValue};

use super::Setting;
use crate::case::{Order, Rules};
use crate::fuzz::grammar::GRAMMAR;
use crate::fuzz::rng::ChoiceRng;

/// Stands in the texts of a group for its name in the plan, which differs from those of the others.
pub(super) const NAME: &str = "@group@";

/// A plan before it is put together.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    /// What all groups share.
    pub(super) setting: Setting,
    /// The groups, each with what stands beside it.
    pub(super) groups: Vec<Vec<Node>>,
    /// Whether the groups are a whole test: nothing is put between them.
    pub(super) whole: bool,
}

/// Name of a group in the plan: always of the same length, so that it changes no sizes.
pub(super) fn name(index: usize) -> String {
    format!("G{index:02}")
}

impl Trial {
    /// The plan for both programs.
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

    /// The rules of the comparison of one group; of all, without a number.
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

    /// The rules as lines of a comment, for a plan that is kept.
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

/// What an element does to a comparison.
fn adapt(rules: &mut Rules, element: &Element) {
    let mut mask = |columns: &[&str]| {
        for column in columns {
            if !rules.masked.iter().any(|known| known == column) {
                rules.masked.push((*column).to_owned());
            }
        }
    };
    match element.class.as_str() {
        // It shows times and variables of JMeter's own.
        "DebugSampler" | "DebugPostProcessor" => mask(&["bytes"]),
        // The boundary is of random length.
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

/// A copy in which [`NAME`] is a name.
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
