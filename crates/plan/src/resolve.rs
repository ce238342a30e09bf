//! The tree for a run: Module and Include Controllers are replaced with their targets, and disabled
//! elements are removed (`JMeter.convertSubTree`, `ModuleController`, `IncludeController`).

use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;

use crate::diagnostic::{Diagnostic, Place, Severity};
use crate::element::{Element, Node, NodeId};
use crate::plan::{Plan, join, set_path};
use crate::read::read;
use crate::weight::weight;
use crate::xml::DEPTH_LIMIT;

/// A plan may grow by this many elements through modules within modules.
const COPY_LIMIT: u32 = 250_000;

/// And by this many bytes of memory.
const COPY_BYTES: usize = 48 << 20;

/// Loads the file that an Include Controller names. It gets the trimmed text of the plan, and
/// returns the path and the bytes of the file, or an error. The caller decides where to look up
/// relative paths, and whether to add `includecontroller.prefix`.
pub type IncludeLoader<'a> = dyn FnMut(&str) -> Result<(PathBuf, Vec<u8>), String> + 'a;

/// A plan that is ready to be compiled.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The Test Plan. Elements of the plan keep their ids; each copy from a module or an include
    /// has a new id above them. Included elements have line 0, since their lines are those of
    /// another file.
    pub root: Node,
    /// What could not be replaced, and what reading the included files gave.
    pub diagnostics: Vec<Diagnostic>,
}

impl Plan {
    /// Replaces controllers and removes disabled elements. A Module Controller that points nowhere
    /// is an error. An Include Controller whose file cannot be read stays empty with a warning, and
    /// the run continues, as in JMeter.
    pub fn resolve(&self, load: &mut IncludeLoader<'_>) -> Resolved {
        self.resolve_within(COPY_LIMIT, load)
    }

    fn resolve_within(&self, copies: u32, load: &mut IncludeLoader<'_>) -> Resolved {
        let first_id = self.highest_id() + 1;
        let mut resolver = Resolver {
            plan: self,
            load,
            diagnostics: Vec::new(),
            next_id: first_id,
            last_id: first_id.saturating_add(copies),
            bytes: 0,
            full: false,
            modules: Vec::new(),
            files: self.file.iter().map(|file| file.to_path_buf()).collect(),
            read: HashMap::new(),
        };
        let root = resolver.node(&self.root, Scope { path: "", depth: 1, origin: Origin::Plan });
        Resolved { root, diagnostics: resolver.diagnostics }
    }

    fn highest_id(&self) -> u32 {
        let mut highest = 0;
        for node in std::iter::once(&self.root).chain(&self.beside) {
            node.walk(&mut |node| highest = highest.max(node.id.0));
        }
        highest
    }

    /// The element that a path of names from the root points at; the first name is that of JMeter's
    /// invisible root. Where several match, the last one (`ModuleController.traverse`).
    fn target(&self, names: &[&str]) -> Option<&Node> {
        match names {
            [_, first, rest @ ..] if self.root.element.name() == *first => below(&self.root, rest),
            _ => None,
        }
    }
}

impl Element {
    /// Whether JMeter puts other elements below it before a test (`ReplaceableController`); in a
    /// resolved plan they are there.
    pub fn stands_for_others(&self) -> bool {
        matches!(&*self.class, "ModuleController" | "IncludeController")
    }
}

/// Names on the way to a Module Controller's target.
fn node_path(controller: &Element) -> Vec<&str> {
    let names = controller.collection("ModuleController.node_path");
    names.iter().filter_map(|name| name.value.as_text()).collect()
}

fn below<'a>(node: &'a Node, names: &[&str]) -> Option<&'a Node> {
    let Some((first, rest)) = names.split_first() else { return Some(node) };
    let matching = node.children.iter().rev();
    let mut matching =
        matching.filter(|child| child.element.class != "ModuleController" && child.element.name() == *first);
    matching.find_map(|child| below(child, rest))
}

/// Where an element of the resolved tree comes from.
#[derive(Clone, Copy, PartialEq)]
enum Origin {
    Plan,
    Module,
    Include,
}

#[derive(Clone, Copy)]
struct Scope<'a> {
    path: &'a str,
    depth: usize,
    origin: Origin,
}

struct Resolver<'p, 'l> {
    plan: &'p Plan,
    load: &'l mut IncludeLoader<'l>,
    diagnostics: Vec<Diagnostic>,
    next_id: u32,
    last_id: u32,
    /// What the copies take.
    bytes: usize,
    /// It was said that they are too many: there are no more.
    full: bool,
    /// Targets of the modules we are in.
    modules: Vec<NodeId>,
    /// Files we are in.
    files: Vec<PathBuf>,
    /// Files that were read, by the names that Include Controllers give them.
    read: HashMap<String, ReadFile>,
}

/// Path and plan of an included file.
type ReadFile = (PathBuf, Rc<Option<Plan>>);

impl Resolver<'_, '_> {
    fn node(&mut self, node: &Node, scope: Scope<'_>) -> Node {
        let mut element = node.element.clone();
        let mut id = node.id;
        if scope.origin != Origin::Plan {
            id = NodeId(self.next_id);
            self.next_id += 1;
            let path = join(scope.path, element.name());
            set_path(&mut element, path);
            self.bytes += size_of::<Node>() + weight(&element);
        }
        if scope.origin == Origin::Include {
            element.line = 0;
        }
        let inside = Scope { path: &element.path, depth: scope.depth + 1, ..scope };
        let children = match &*element.class {
            "ModuleController" => self.module(&element, inside),
            "IncludeController" => self.include(&element, &node.children, inside),
            _ => self.enabled(&node.children, inside),
        };
        Node { id, element, children }
    }

    fn enabled(&mut self, nodes: &[Node], scope: Scope<'_>) -> Vec<Node> {
        let mut kept = Vec::with_capacity(nodes.len());
        for node in nodes {
            if node.element.enabled() {
                kept.push(self.node(node, scope));
            } else if scope.origin == Origin::Plan {
                self.check_disabled(node);
            }
        }
        kept
    }

    /// JMeter looks up the targets of disabled Module Controllers too, and does not start if one is
    /// missing.
    fn check_disabled(&mut self, node: &Node) {
        node.walk(&mut |node| {
            let element = &node.element;
            if element.class == "ModuleController" && self.plan.target(&node_path(element)).is_none() {
                let message = "a disabled Module Controller has no target; JMeter does not start such a plan, Swell ignores the controller";
                self.report(element, Severity::Note, message, None);
            }
        });
    }

    /// The target with everything below it as the only child. The controller's own children are
    /// dropped.
    fn module(&mut self, controller: &Element, scope: Scope<'_>) -> Vec<Node> {
        if scope.origin == Origin::Include {
            self.report(
                controller,
                Severity::Warning,
                "a Module Controller in an included file is empty, as in JMeter",
                None,
            );
            return Vec::new();
        }
        let names = node_path(controller);
        let plan = self.plan;
        let Some(target) = plan.target(&names) else {
            let path = names.get(1..).unwrap_or_default();
            let (message, hint) = if path.is_empty() {
                ("it names no element to run".to_owned(), "choose one in JMeter")
            } else {
                let hint = "choose the target again in JMeter; an element in its path was renamed, moved or \
                            deleted";
                (format!("unknown element `{}`", path.join(" > ")), hint)
            };
            self.report(controller, Severity::Error, message, Some(hint));
            return Vec::new();
        };
        if self.is_too_large(controller, scope) {
            return Vec::new();
        }
        if self.modules.contains(&target.id) {
            let message = format!("the module `{}` contains itself", target.element.name());
            self.report(
                controller,
                Severity::Error,
                message,
                Some("let the module point at a part that does not contain it"),
            );
            return Vec::new();
        }
        self.modules.push(target.id);
        let mut copy = self.node(target, Scope { origin: Origin::Module, ..scope });
        self.modules.pop();
        if !copy.element.enabled() {
            copy.element.properties.retain(|p| p.name != "TestElement.enabled");
            copy.element.set_attribute("enabled", "true");
        }
        vec![copy]
    }

    /// Whether there are as many copies as there may be; said once, since every controller that is
    /// left would say it.
    fn is_too_large(&mut self, controller: &Element, scope: Scope<'_>) -> bool {
        let large = scope.depth > DEPTH_LIMIT || self.next_id > self.last_id || self.bytes > COPY_BYTES;
        if large && !self.full {
            let message = format!(
                "the plan grows without limit: modules and included files add more than {COPY_LIMIT} elements, {} MiB, or \
                 {DEPTH_LIMIT} levels",
                COPY_BYTES >> 20
            );
            let hint = "look for a file or module that is included several times at each level";
            self.report(controller, Severity::Error, message, Some(hint));
        }
        self.full |= large;
        large
    }

    /// The children of the file's first Test Fragment.
    fn include(&mut self, controller: &Element, own: &[Node], scope: Scope<'_>) -> Vec<Node> {
        let name = controller.text_or_empty("IncludeController.includepath").trim();
        if name.is_empty() {
            return self.enabled(own, scope);
        }
        if self.is_too_large(controller, scope) {
            return Vec::new();
        }
        let (path, plan) = match self.file(name) {
            Ok(file) => file,
            Err(problem) => {
                let message =
                    format!("cannot read `{name}`, so nothing is included, as in JMeter: {problem}");
                self.report(controller, Severity::Warning, message, None);
                return Vec::new();
            }
        };
        if self.files.contains(&path) {
            let message = format!("`{}` includes itself", path.display());
            self.report(controller, Severity::Error, message, None);
            return Vec::new();
        }
        let Some(plan) = plan.as_ref() else {
            let message = format!("`{}` is not a plan, so nothing is included, as in JMeter", path.display());
            self.report(controller, Severity::Warning, message, None);
            return Vec::new();
        };
        let Some(fragment) =
            plan.root.children.iter().find(|node| node.element.class == "TestFragmentController")
        else {
            let message =
                format!("`{}` has no Test Fragment, so nothing is included, as in JMeter", path.display());
            self.report(
                controller,
                Severity::Warning,
                message,
                Some("move the elements to include into a Test Fragment below the Test Plan"),
            );
            return Vec::new();
        };
        self.files.push(path);
        let included = self.enabled(&fragment.children, Scope { origin: Origin::Include, ..scope });
        self.files.pop();
        included
    }

    /// The file that an Include Controller names, and its plan if it is one. It is read once,
    /// however often it is included.
    fn file(&mut self, name: &str) -> Result<ReadFile, String> {
        if let Some(known) = self.read.get(name) {
            return Ok(known.clone());
        }
        let (path, bytes) = (self.load)(name)?;
        let reading = read(&bytes, Some(&path));
        let new = reading.diagnostics.into_iter().filter(|found| !self.diagnostics.contains(found));
        let new: Vec<_> = new.collect();
        self.diagnostics.extend(new);
        let file = (path, Rc::new(reading.plan));
        self.read.insert(name.to_owned(), file.clone());
        Ok(file)
    }

    fn report(
        &mut self,
        element: &Element,
        severity: Severity,
        message: impl Into<String>,
        hint: Option<&str>,
    ) {
        let place = Place {
            file: self.plan.file.clone(),
            line: element.line,
            element: element.path.clone(),
            property: None,
        };
        let hint = hint.map(str::to_owned);
        self.diagnostics.push(Diagnostic { severity, place, message: message.into(), hint });
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::element::{Property, PropertyValue};
    use crate::write::write;

    fn controller(name: &str) -> Node {
        Node::new(Element::new("GenericController", "LogicControllerGui", name))
    }

    fn disabled(name: &str) -> Node {
        Node::new(Element::new("GenericController", "LogicControllerGui", name).disabled())
    }

    fn fragment(name: &str) -> Node {
        Node::new(Element::new("TestFragmentController", "TestFragmentControllerGui", name).disabled())
    }

    fn test_plan() -> Node {
        Node::new(Element::new("TestPlan", "TestPlanGui", "P"))
    }

    fn module(name: &str, path: &[&str]) -> Node {
        let names = path.iter().map(|name| Property::new("", PropertyValue::Text((*name).to_owned())));
        let path = PropertyValue::Collection(names.collect());
        Node::new(
            Element::new("ModuleController", "ModuleControllerGui", name)
                .with("ModuleController.node_path", path),
        )
    }

    fn include(name: &str, file: &str) -> Node {
        let element = Element::new("IncludeController", "IncludeControllerGui", name);
        Node::new(element.with_text("IncludeController.includepath", file))
    }

    fn no_files(name: &str) -> Result<(PathBuf, Vec<u8>), String> {
        Err(format!("no {name}"))
    }

    /// Ids and paths, and the messages.
    fn outline(resolved: &Resolved) -> (Vec<(u32, String)>, Vec<String>) {
        let mut nodes = Vec::new();
        resolved.root.walk(&mut |node| nodes.push((node.id.0, node.element.path.clone())));
        (nodes, resolved.diagnostics.iter().map(|d| d.message.clone()).collect())
    }

    fn owned(nodes: &[(u32, &str)]) -> Vec<(u32, String)> {
        nodes.iter().map(|(id, path)| (*id, (*path).to_owned())).collect()
    }

    #[test]
    fn a_module_stands_for_a_copy_of_its_target_even_a_disabled_one() {
        let target = fragment("F").with(controller("a")).with(disabled("off"));
        let group = controller("G").with(module("M", &["root", "P", "F"]).with(controller("dropped")));
        let plan = Plan::new(test_plan().with(target).with(group));
        let resolved = plan.resolve(&mut no_files);
        let expected =
            [(0, "P"), (4, "P > G"), (5, "P > G > M"), (7, "P > G > M > F"), (8, "P > G > M > F > a")];
        assert_eq!(outline(&resolved), (owned(&expected), vec![]));
        assert!(resolved.root.children[0].children[0].children[0].element.enabled());
    }

    #[test]
    fn of_several_targets_the_last_full_match_counts_and_modules_are_none() {
        let first = controller("a").with(controller("b").with(controller("first")));
        let second = controller("a").with(controller("b").with(controller("second")));
        let third = controller("a").with(module("b", &["root", "P", "a", "b"]));
        let plan = Plan::new(test_plan().with(first).with(second).with(third));
        let resolved = plan.resolve(&mut no_files);
        assert_eq!(outline(&resolved).0.last().expect("a tree").1, "P > a > b > b > second");
    }

    #[test]
    fn a_module_without_target_or_within_itself_is_an_error() {
        let group = controller("G")
            .with(module("lost", &["root", "P", "X"]))
            .with(module("new", &[]))
            .with(module("loop", &["root", "P", "G"]));
        let resolved = Plan::new(test_plan().with(group)).resolve(&mut no_files);
        let messages = outline(&resolved).1;
        assert!(messages[0].contains("unknown element `P > X`"), "{messages:?}");
        assert!(messages[1].contains("it names no element to run"), "{messages:?}");
        assert!(messages.iter().any(|m| m.contains("contains itself")), "{messages:?}");
        assert!(resolved.diagnostics.iter().all(|d| d.severity == Severity::Error));
    }

    #[test]
    fn a_disabled_module_without_target_is_only_noted() {
        let group =
            disabled("G").with(module("lost", &["root", "P", "X"])).with(module("well", &["root", "P", "G"]));
        let resolved = Plan::new(test_plan().with(group)).resolve(&mut no_files);
        let severities: Vec<Severity> = resolved.diagnostics.iter().map(|d| d.severity).collect();
        assert_eq!(severities, [Severity::Note]);
    }

    #[test]
    fn modules_that_double_again_and_again_end_in_an_error() {
        let mut root = test_plan();
        for level in 0..40 {
            let next = format!("c{}", level + 1);
            let path = ["root", "P", &*next];
            root =
                root.with(controller(&format!("c{level}")).with(module("m", &path)).with(module("n", &path)));
        }
        let resolved = Plan::new(root.with(controller("c40"))).resolve_within(1000, &mut no_files);
        assert!(outline(&resolved).1.iter().any(|m| m.contains("without limit")));
    }

    #[test]
    fn files_that_include_the_next_twice_again_and_again_end_in_one_error() {
        let text = "x".repeat(200_000);
        let mut names = Vec::new();
        let mut load = |name: &str| {
            names.push(name.to_owned());
            let next = format!("{}.jmx", name.trim_end_matches(".jmx").parse::<u32>().expect("a number") + 1);
            let heavy =
                Node::new(Element::new("GenericController", "g", "c").with_text("TestPlan.comments", &text));
            let inner = fragment("F").with(heavy).with(include("I", &next)).with(include("J", &next));
            Ok((PathBuf::from(name), write(&Plan::new(test_plan().with(inner))).into_bytes()))
        };
        let resolved = Plan::new(test_plan().with(include("I", "0.jmx"))).resolve(&mut load);
        let (nodes, messages) = outline(&resolved);
        assert_eq!(messages.len(), 1, "{messages:?}");
        assert!(messages[0].contains("grows without limit"), "{messages:?}");
        assert!(nodes.len() < 1000, "{} elements of 200 kB", nodes.len());
        let read: HashSet<_> = names.iter().collect();
        assert_eq!(read.len(), names.len(), "each file is read once");
    }

    #[test]
    fn an_include_stands_for_the_first_fragment_of_its_file() {
        let inner =
            fragment("F").with(controller("x").with(disabled("off"))).with(include("again", "two.jmx"));
        let one = write(&Plan::new(
            test_plan().with(controller("not this")).with(inner).with(fragment("nor this")),
        ));
        let two = write(&Plan::new(
            test_plan().with(fragment("F2").with(controller("y")).with(module("M", &["root", "P"]))),
        ));
        let mut load = |name: &str| match name {
            "one.jmx" => Ok((PathBuf::from("one.jmx"), one.clone().into_bytes())),
            "two.jmx" => Ok((PathBuf::from("two.jmx"), two.clone().into_bytes())),
            _ => Err("no such file".to_owned()),
        };
        let plan = Plan::new(test_plan().with(include("I", " one.jmx ")).with(include("J", "three.jmx")));
        let resolved = plan.resolve(&mut load);
        let (nodes, messages) = outline(&resolved);
        let expected = [
            (0, "P"),
            (1, "P > I"),
            (3, "P > I > x"),
            (4, "P > I > again"),
            (5, "P > I > again > y"),
            (6, "P > I > again > M"),
            (2, "P > J"),
        ];
        assert_eq!(nodes, owned(&expected));
        assert!(messages[0].contains("included file is empty"), "{messages:?}");
        assert!(messages[1].contains("cannot read `three.jmx`"), "{messages:?}");
    }

    #[test]
    fn an_include_that_cannot_be_used_is_told() {
        let own = write(&Plan::new(test_plan().with(fragment("F").with(include("I", "own.jmx")))));
        let bare = write(&Plan::new(test_plan().with(controller("c"))));
        let cases = [
            (own.as_bytes(), "includes itself", Severity::Error),
            (bare.as_bytes(), "no Test Fragment", Severity::Warning),
            (b"<html/>", "is not a plan", Severity::Warning),
        ];
        for (bytes, part, severity) in cases {
            let mut load = |_: &str| Ok((PathBuf::from("own.jmx"), bytes.to_vec()));
            let resolved = Plan::new(test_plan().with(include("I", "own.jmx"))).resolve(&mut load);
            let found = resolved.diagnostics.iter().find(|d| d.message.contains(part));
            assert_eq!(found.map(|d| d.severity), Some(severity), "{:?}", resolved.diagnostics);
        }
    }
}
