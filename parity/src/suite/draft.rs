//! A case before it is a file.

use swell_plan::{Element, Node, Plan, PropertyValue, write};

/// A plan with a name, a word on what it shows, and rules for its comparison.
#[derive(Clone, Debug)]
pub struct Draft {
    name: &'static str,
    about: &'static str,
    rules: Vec<String>,
    root: Element,
    children: Vec<Node>,
}

impl Draft {
    pub(super) fn new(
        name: &'static str,
        about: &'static str,
        children: impl IntoIterator<Item = Node>,
    ) -> Self {
        let root = Element::new("TestPlan", "TestPlanGui", name)
            .with_flag("TestPlan.functional_mode", false)
            .with_flag("TestPlan.serialize_threadgroups", false)
            .with_element("TestPlan.user_defined_variables", super::parts::arguments(&[]));
        Self { name, about, rules: Vec::new(), root, children: children.into_iter().collect() }
    }

    /// Adds a rule: what stands behind `parity:` in the comment.
    pub(super) fn rule(mut self, rule: &str) -> Self {
        self.rules.push(rule.to_owned());
        self
    }

    /// Sets a switch of the Test Plan.
    pub(super) fn flag(mut self, name: &str, value: bool) -> Self {
        self.root = super::parts::replaced(self.root, name, PropertyValue::Bool(value.to_string()));
        self
    }

    /// Sets the variables of the Test Plan.
    pub(super) fn variables(mut self, pairs: &[(&str, &str)]) -> Self {
        self.root.properties.retain(|p| p.name != "TestPlan.user_defined_variables");
        self.root = self.root.with_element("TestPlan.user_defined_variables", super::parts::arguments(pairs));
        self
    }

    /// Name of its file.
    pub fn file_name(&self) -> String {
        format!("{}.jmx", self.name)
    }

    /// The comment of its Test Plan.
    pub fn comment(&self) -> String {
        let rules = self.rules.iter().map(|rule| format!("\nparity: {rule}"));
        self.about.to_owned() + &rules.collect::<String>()
    }

    /// The file.
    pub fn jmx(&self) -> String {
        let mut root = Node::new(self.root.clone().with_text("TestPlan.comments", &self.comment()));
        root.children.clone_from(&self.children);
        write(&Plan::new(root))
    }
}
