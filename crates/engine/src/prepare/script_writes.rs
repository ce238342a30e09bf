//! Marks elements whose sampler or properties may be read or written by scripts of the plan.

use swell_api::{IS_KEPT, READS_OBJECTS, Registry, Role, SET_BY_PROPERTY, SET_BY_SCRIPT, Treatment};
use swell_expr::Host;
use swell_plan::{Element, Node};

/// How scripts call their sampler.
const NAMES: [&str; 3] = ["sampler", "CurrentSampler", "currentSampler"];
/// What may follow that every native sampler tells as JMeter's.
const READS: [&str; 2] = ["getName()", "name"];
/// What all ways to ask for the sampler before have in them.
const SAMPLER_BEFORE: &str = "reviousSampler";
/// Functions with scripts; `__jexl2` and `__jexl3` are two of them.
const SCRIPT_FUNCTIONS: [&str; 4] = ["${__groovy", "${__BeanShell", "${__javaScript", "${__jexl"];
/// The largest file that is read for this, bytes.
const LARGEST: u64 = 1 << 20;

/// Marks samplers with a script before them that may set more than is known of every sampler, all
/// samplers where scripts that are not steps of their packages may read them, and scripts that may
/// read objects of others.
pub(super) fn mark(root: &mut Node, registry: &Registry, host: &dyn Host) {
    below(root, None, registry, host);
    if stores_objects(root, registry, host) {
        mark_readers(root);
    }
    if reads_other_samplers(root, host) {
        mark_samplers(root, registry, (IS_KEPT, "true"));
    }
}

/// Whether a script may ask for the sampler before that of its package, or a function for the one
/// that it is evaluated for.
fn reads_other_samplers(root: &Node, host: &dyn Host) -> bool {
    let reads_before = |text: &str| text.contains(SAMPLER_BEFORE);
    let runs_script = |text: &str| SCRIPT_FUNCTIONS.iter().any(|name| text.contains(name));
    let reads_now = |text: &str| text.contains("ampler") && runs_script(text);
    let mut any = false;
    root.walk(&mut |node| {
        let element = &node.element;
        let asks_before = || element.any_text(&reads_before) || file_may(element, host, &reads_before);
        any = any || element.any_text(&reads_now) || element.runs_script() && asks_before();
    });
    any
}

/// Gives a mark to every sampler at and below a node.
pub(super) fn mark_samplers(node: &mut Node, registry: &Registry, mark: (&str, &str)) {
    if registry.role(&node.element) == Some(Role::Sampler) {
        node.element.set_attribute(mark.0, mark.1);
    }
    node.children.iter_mut().for_each(|child| mark_samplers(child, registry, mark));
}

/// Whether this may hold of the file of a script element. Unknown for a file with a variable name
/// and for a missing file.
fn file_may(element: &Element, host: &dyn Host, holds: &dyn Fn(&str) -> bool) -> bool {
    let name = element.script_file();
    !name.is_empty() && script_in(name, host).is_none_or(|script| holds(&script))
}

/// Whether this holds of the file of a script element, as far as it can be read now.
pub(super) fn file_does(element: &Element, host: &dyn Host, holds: &dyn Fn(&str) -> bool) -> bool {
    script_in(element.script_file(), host).is_some_and(|script| holds(&script))
}

fn script_in(name: &str, host: &dyn Host) -> Option<String> {
    let path = host.find(name.as_ref());
    let is_readable = |found: std::fs::Metadata| found.is_file() && found.len() <= LARGEST;
    if name.contains("${")
        || host.may_use(name.as_ref()).is_err()
        || !std::fs::metadata(&path).is_ok_and(is_readable)
    {
        return None;
    }
    let bytes = std::fs::read(&path).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether a script of an engine may put objects into the properties, which native scripts know as
/// texts.
fn stores_objects(root: &Node, registry: &Registry, host: &dyn Host) -> bool {
    let stores = |text: &str| text.contains("props") && text.contains("put");
    let is_native = |element: &Element| {
        registry.kind(element).is_some_and(|kind| matches!(kind.treatment, Treatment::Native))
    };
    let mut any = false;
    root.walk(&mut |node| {
        let element = &node.element;
        let is_function = |text: &str| text.contains("${__") && stores(text);
        any = any || element.any_text(&is_function);
        let may_store = || element.any_text(&stores) || file_may(element, host, &stores);
        any = any || element.runs_script() && !is_native(element) && may_store();
    });
    any
}

fn mark_readers(node: &mut Node) {
    let reads = |text: &str| text.contains("props.get(");
    if node.element.runs_script() && node.element.any_text(&reads) {
        node.element.set_attribute(READS_OBJECTS, "true");
    }
    node.children.iter_mut().for_each(mark_readers);
}

fn below(node: &mut Node, set: Option<Set>, registry: &Registry, host: &dyn Host) {
    let set = set.max(set_below(node, registry, host));
    for child in &mut node.children {
        let set_here = set.max(set_below(child, registry, host));
        let how = set_here.filter(|_| registry.role(&child.element) == Some(Role::Sampler));
        match how {
            None => {}
            Some(Set::Somehow) => child.element.set_attribute(SET_BY_SCRIPT, "true"),
            Some(Set::ByProperty) => child.element.set_attribute(SET_BY_SCRIPT, SET_BY_PROPERTY),
        }
        below(child, set, registry, host);
    }
}

/// What scripts may set of a sampler.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Set {
    /// What its class has methods for.
    Somehow,
    /// Any property by its name.
    ByProperty,
}

/// What the scripts directly below an element may set.
fn set_below(node: &Node, registry: &Registry, host: &dyn Host) -> Option<Set> {
    let all = node.children.iter().map(|child| &child.element);
    let before = |element: &&Element| {
        element.runs_script() && matches!(registry.role(element), Some(Role::PreProcessor | Role::Timer))
    };
    all.filter(before).filter_map(|script| set_by(script, host)).max()
}

fn set_by(script: &Element, host: &dyn Host) -> Option<Set> {
    let says = |holds: &dyn Fn(&str) -> bool| {
        let mut texts = script.properties.iter().filter_map(|property| property.value.as_text());
        texts.any(holds) || file_may(script, host, holds)
    };
    // `setProperty`, `removeProperty`, `getProperty(name).setObjectValue`, and all others of
    // `propertyIterator`.
    let by_property = |text: &str| may_set(text) && text.contains("roperty");
    if says(&by_property) {
        return Some(Set::ByProperty);
    }
    says(&may_set).then_some(Set::Somehow)
}

fn may_set(script: &str) -> bool {
    NAMES.iter().any(|name| {
        script.match_indices(name).any(|(place, _)| {
            let rest = &script[place + name.len()..];
            let rest = rest.strip_prefix("()").unwrap_or(rest);
            let is_word = !rest.starts_with(|next: char| next.is_alphanumeric());
            is_word
                && !rest.strip_prefix('.').is_some_and(|rest| READS.iter().any(|read| rest.starts_with(read)))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_expr::testing::TestHost;
    use swell_plan::Element;

    fn marked(script: &str) -> Vec<String> {
        marked_by("script", script)
    }

    fn marked_by(property: &str, text: &str) -> Vec<String> {
        let element = |class: &str, name: &str| Node::new(Element::new(class, "X", name));
        let mut before = element("JSR223PreProcessor", "script");
        before.element.set_text(property, text);
        let below = element("GenericController", "inner").with(element("TCPSampler", "below"));
        let group =
            element("ThreadGroup", "group").with(element("TCPSampler", "in scope")).with(below).with(before);
        let other = element("ThreadGroup", "other").with(element("TCPSampler", "elsewhere"));
        let mut root = element("TestPlan", "plan").with(group).with(other);
        let kinds = [
            swell_api::ElementKind::native(Role::Sampler, "TCPSampler", "", swell_api::Make::Config),
            swell_api::ElementKind::native(
                Role::PreProcessor,
                "JSR223PreProcessor",
                "",
                swell_api::Make::Config,
            ),
        ];
        mark(&mut root, &Registry::of(kinds), &TestHost::default());
        let mut names = Vec::new();
        root.walk(&mut |node| {
            if let Some(how) = node.element.attribute(SET_BY_SCRIPT) {
                let is_by_property = ["roperty", "${", "absent"].iter().any(|word| text.contains(word));
                assert_eq!(how == SET_BY_PROPERTY, is_by_property, "{text}");
                names.push(node.element.name().to_owned());
            }
        });
        names
    }

    #[test]
    fn samplers_in_the_scope_of_a_script_that_sets_them_are_marked() {
        let both = ["in scope", "below"];
        assert_eq!(marked("sampler.setRequestData('x')"), both);
        assert_eq!(marked("ctx.currentSampler.setProperty('a', 'b')"), both);
        assert_eq!(marked("def s = ctx.getCurrentSampler(); s.server = 'b'"), both);
    }

    #[test]
    fn a_script_that_only_asks_for_the_name_sets_nothing() {
        for script in
            ["vars.put('n', sampler.getName())", "sampler.name", "ctx.getCurrentSampler().name", "samplers"]
        {
            assert_eq!(marked(script), [""; 0], "{script}");
        }
    }

    #[test]
    fn a_script_in_a_file_sets_what_the_file_says_or_anything_where_nobody_can_read_it() {
        let folder = std::env::temp_dir().join(format!("swell-marks-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = |name: &str, script: &str| {
            let path = folder.join(name);
            std::fs::write(&path, script).unwrap();
            path.to_string_lossy().into_owned()
        };
        let sets = file("sets.groovy", "sampler.setRequestData('x')");
        let reads = file("reads.groovy", "vars.put('n', sampler.name)");
        let both = ["in scope", "below"];
        assert_eq!(marked_by("filename", &sets), both);
        assert_eq!(marked_by("filename", &reads), [""; 0]);
        assert_eq!(marked_by("filename", "${__P(dir)}/reads.groovy"), both);
        assert_eq!(marked_by("filename", &folder.join("absent").to_string_lossy()), both);
        assert_eq!(marked_by("filename", " "), [""; 0]);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    fn kept(property: &str, text: &str) -> usize {
        let element = |class: &str| Node::new(Element::new(class, "X", class));
        let mut script = element("JSR223Listener");
        script.element.set_text(property, text);
        let group = element("ThreadGroup").with(element("TCPSampler")).with(element("TCPSampler"));
        let mut root = element("TestPlan").with(group).with(script);
        let kind = swell_api::ElementKind::native(Role::Sampler, "TCPSampler", "", swell_api::Make::Config);
        mark(&mut root, &Registry::of([kind]), &TestHost::default());
        let mut kept = 0;
        root.walk(&mut |node| kept += usize::from(node.element.attribute(IS_KEPT).is_some()));
        kept
    }

    #[test]
    fn samplers_are_kept_where_a_script_asks_for_the_one_before_or_a_function_for_its_own() {
        for text in ["ctx.previousSampler.name", "ctx.getPreviousSampler()", "${__groovy(sampler.name)}"] {
            assert_eq!(kept("script", text), 2, "{text}");
        }
        assert_eq!(kept("filename", "${__P(dir)}/any.groovy"), 2);
        for text in ["sampler.name", "ctx.previousResult", "${__samplerName()}", "Sampler ${__P(x)}"] {
            assert_eq!(kept("script", text), 0, "{text}");
        }
    }

    fn readers(other: &str) -> usize {
        let script = |text: &str| {
            let mut node = Node::new(Element::new("JSR223Sampler", "X", "s"));
            node.element.set_text("script", text);
            node
        };
        let mut root = Node::new(Element::new("TestPlan", "X", "plan"))
            .with(script(other))
            .with(script("props.get('a')"));
        mark(&mut root, &Registry::default(), &TestHost::default());
        root.children.iter().filter(|node| node.element.attribute(READS_OBJECTS).is_some()).count()
    }

    #[test]
    fn scripts_that_read_properties_are_marked_where_others_may_put_objects_there() {
        assert_eq!(readers("props.put('a', [1, 2])"), 1);
        assert_eq!(readers("vars.put('a', props.get('b'))"), 2);
        assert_eq!(readers("vars.put('a', 'b')"), 0);
    }
}
