//! Marks of elements: what the rest of the plan makes of them.

use swell_api::{READS_OBJECTS, Registry, Role, SET_BY_SCRIPT, Treatment};
use swell_plan::{Element, Node};

/// How scripts call their sampler.
const NAMES: [&str; 3] = ["sampler", "CurrentSampler", "currentSampler"];
/// What may follow that every native sampler tells as JMeter's.
const READS: [&str; 2] = ["getName()", "name"];

/// Marks samplers with a script before them that may set more than is known of every sampler, and scripts that may read objects of others.
pub(super) fn mark(root: &mut Node, registry: &Registry) {
    below(root, false, registry);
    if stores_objects(root, registry) {
        mark_readers(root);
    }
}

fn is_script(element: &Element) -> bool {
    ["JSR223", "BeanShell", "BSF"].iter().any(|start| element.class.starts_with(start))
}

/// Whether a script of an engine may put objects into the properties, which native scripts know as texts.
fn stores_objects(root: &Node, registry: &Registry) -> bool {
    let stores = |text: &str| text.contains("props") && text.contains("put");
    let is_native = |element: &Element| {
        registry.kind(element).is_some_and(|kind| matches!(kind.treatment, Treatment::Native))
    };
    let mut any = false;
    root.walk(&mut |node| {
        let element = &node.element;
        let is_function = |text: &str| text.contains("${__") && stores(text);
        any = any || element.any_text(&is_function);
        any = any || is_script(element) && element.any_text(&stores) && !is_native(element);
    });
    any
}

fn mark_readers(node: &mut Node) {
    let reads = |text: &str| text.contains("props.get(");
    if is_script(&node.element) && node.element.any_text(&reads) {
        node.element.set_attribute(READS_OBJECTS, "true");
    }
    node.children.iter_mut().for_each(mark_readers);
}

fn below(node: &mut Node, is_set: bool, registry: &Registry) {
    let is_set = is_set || has_setter(node, registry);
    for child in &mut node.children {
        let is_sampler = || registry.role(&child.element) == Some(Role::Sampler);
        if (is_set || has_setter(child, registry)) && is_sampler() {
            child.element.set_attribute(SET_BY_SCRIPT, "true");
        }
        below(child, is_set, registry);
    }
}

/// Whether such a script stands below it.
fn has_setter(node: &Node, registry: &Registry) -> bool {
    node.children.iter().map(|child| &child.element).any(|element| {
        is_script(element)
            && matches!(registry.role(element), Some(Role::PreProcessor | Role::Timer))
            && element.properties.iter().filter_map(|property| property.value.as_text()).any(may_set)
    })
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
    use swell_plan::Element;

    fn marked(script: &str) -> Vec<String> {
        let element = |class: &str, name: &str| Node::new(Element::new(class, "X", name));
        let mut before = element("JSR223PreProcessor", "script");
        before.element.set_text("script", script);
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
        mark(&mut root, &Registry::of(kinds));
        let mut names = Vec::new();
        root.walk(&mut |node| {
            if node.element.attribute(SET_BY_SCRIPT).is_some() {
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

    fn readers(other: &str) -> usize {
        let script = |text: &str| {
            let mut node = Node::new(Element::new("JSR223Sampler", "X", "s"));
            node.element.set_text("script", text);
            node
        };
        let mut root = Node::new(Element::new("TestPlan", "X", "plan"))
            .with(script(other))
            .with(script("props.get('a')"));
        mark(&mut root, &Registry::default());
        root.children.iter().filter(|node| node.element.attribute(READS_OBJECTS).is_some()).count()
    }

    #[test]
    fn scripts_that_read_properties_are_marked_where_others_may_put_objects_there() {
        assert_eq!(readers("props.put('a', [1, 2])"), 1);
        assert_eq!(readers("vars.put('a', props.get('b'))"), 2);
        assert_eq!(readers("vars.put('a', 'b')"), 0);
    }
}
