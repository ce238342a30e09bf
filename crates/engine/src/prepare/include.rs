//! Include Controllers: the first Test Fragment of another plan (`IncludeController.loadIncludedElements`).

use std::path::Path;
use std::sync::Arc;

use swell_plan::{Node, Plan, Severity};

use super::main_context::MainContext;
use super::tree::{Grower, plain};

const PATH: &str = "IncludeController.includepath";

impl Grower<'_> {
    /// What stands below an Include Controller.
    pub(super) fn include(&mut self, node: &Node) -> Vec<Node> {
        let written = plain(node, PATH);
        if written.is_empty() {
            return Vec::new();
        }
        // Functions such as `__P` resolve, variables do not exist yet.
        let main = MainContext::new(self.settings, self.file.clone());
        let path = main.eval(&node.element, PATH, written);
        let prefix = self.settings.props.get("includecontroller.prefix").unwrap_or_default();
        let path = format!("{prefix}{}", path.trim());
        let Some(plan) = self.load(node, Path::new(&path)) else { return Vec::new() };
        let Some(fragment) = fragment(&plan.root) else {
            let message = format!("there is no Test Fragment in `{path}`, so nothing is included");
            let hint = "put what is to be included below a Test Fragment";
            self.note(Severity::Warning, node, PATH, message, hint);
            return Vec::new();
        };
        if !self.enter() {
            let message = format!("the plan `{path}` includes itself");
            self.error(node, PATH, message, "include a plan without this include");
            return Vec::new();
        }
        let grown = self.grow_included(fragment, &plan);
        self.depth -= 1;
        grown
    }

    fn load(&mut self, node: &Node, path: &Path) -> Option<Plan> {
        let bytes = match self.settings.host.read_file(path) {
            Ok(bytes) => bytes,
            Err(problem) => {
                let message = format!("cannot read `{}`: {problem}", path.display());
                let hint = "the path is taken from the working directory, then from the folder of the plan";
                self.error(node, PATH, message, hint);
                return None;
            }
        };
        let mut reading = swell_plan::read(&bytes, Some(path));
        self.diagnostics.append(&mut reading.diagnostics);
        reading.plan
    }

    fn grow_included(&mut self, fragment: &Node, plan: &Plan) -> Vec<Node> {
        let mut inner = Grower {
            settings: self.settings,
            file: plan.file.clone().or_else(|| self.file.as_ref().map(Arc::clone)),
            root: &plan.root,
            diagnostics: Vec::new(),
            next_id: self.next_id,
            depth: self.depth,
        };
        let mut grown = inner.grow_all(&fragment.children);
        for node in &mut grown {
            inner.renumber(node);
        }
        self.next_id = inner.next_id;
        let mut found = inner.diagnostics;
        self.diagnostics.append(&mut found);
        grown
    }
}

/// `IncludeController.getProperBranch`: the first Test Fragment right below the Test Plan.
fn fragment(root: &Node) -> Option<&Node> {
    if root.element.class == "TestFragmentController" {
        return Some(root);
    }
    root.children.iter().find(|node| node.element.class == "TestFragmentController")
}
