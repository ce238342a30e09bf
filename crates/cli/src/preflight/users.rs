//! How many users a plan has at a time, and to how many addresses they connect, as far as its texts
//! say.

use std::collections::HashSet;

use swell_api::BZM_HTTP_SAMPLER;
use swell_expr::Properties;
use swell_plan::{Node, Plan, PropertyValue};
use swell_study::safety::is_websocket;

use super::names::constant;

/// Users of all thread groups of the main phase together; none where a group does not say.
pub(super) fn of_plan(root: &Node, props: &Properties) -> Option<u64> {
    let is_group = |node: &&Node| {
        let class = &node.element.class;
        class.ends_with("ThreadGroup") && !class.contains("Setup") && !class.contains("Post")
    };
    let groups: Vec<&Node> = root.children.iter().filter(is_group).collect();
    let each = groups.iter().map(|group| of_group(group, props));
    let all: Option<Vec<u64>> = each.collect();
    let serialized = root.element.flag("TestPlan.serialize_threadgroups", false);
    all.map(|all| if serialized { all.into_iter().max().unwrap_or(0) } else { all.into_iter().sum() })
}

fn of_group(group: &Node, props: &Properties) -> Option<u64> {
    let number = |text: &str| constant(text, &[], props)?.trim().parse::<u64>().ok();
    let element = &group.element;
    if let Some(rows) = Some(element.collection("ultimatethreadgroupdata")).filter(|rows| !rows.is_empty()) {
        let first = |row: &PropertyValue| match row {
            PropertyValue::Collection(cells) => number(cells.first()?.value.as_text()?),
            _ => None,
        };
        return rows.iter().map(|row| first(&row.value)).sum();
    }
    let target = element.text("TargetLevel").filter(|_| !element.class.contains("Arrivals"));
    number(target.or_else(|| element.text("ThreadGroup.num_threads"))?)
}

/// How many addresses the URLs of a plan of URLs have.
pub(super) fn origins(plan: &Plan) -> usize {
    destinations(&plan.root).unwrap_or(1)
}

/// Classes of samplers that connect, next to those of WebSockets.
const CONNECTING: [&str; 3] = ["HTTPSamplerProxy", "TCPSampler", BZM_HTTP_SAMPLER];

/// Whether samplers of a plan connect to somewhere.
pub(super) fn connect(root: &Node) -> bool {
    let mut connect = false;
    root.walk(&mut |node| {
        let class = &*node.element.class;
        connect |= CONNECTING.contains(&class) || is_websocket(&node.element);
    });
    connect
}

/// How many addresses the samplers of a plan name; none where one of them is not known.
pub(super) fn destinations(root: &Node) -> Option<usize> {
    let mut found = HashSet::new();
    let mut unknown = false;
    root.walk(&mut |node| {
        let element = &node.element;
        let Some(host) = element.text("HTTPSampler.domain") else {
            // Something else may connect, too.
            unknown |= element.class.ends_with("Sampler") && !element.class.starts_with("HTTP");
            return;
        };
        let port = element.text_or_empty("HTTPSampler.port");
        unknown |= host.contains("${") || port.contains("${");
        if !host.is_empty() {
            found.insert((
                host.to_owned(),
                port.to_owned(),
                element.text_or_empty("HTTPSampler.protocol").to_owned(),
            ));
        }
    });
    (!unknown && !found.is_empty()).then_some(found.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_plan::Element;

    fn plan(groups: &[(&str, &str)]) -> Node {
        let group = |(class, users): &(&str, &str)| {
            Node::new(Element::new(class, "x", "g").with_text("ThreadGroup.num_threads", users))
        };
        groups.iter().map(group).fold(Node::new(Element::new("TestPlan", "TestPlanGui", "p")), Node::with)
    }

    #[test]
    fn users_of_the_groups_of_the_main_phase_are_counted_together() {
        let props = Properties::default();
        props.set("users", "7");
        let users = |groups: &[(&str, &str)]| of_plan(&plan(groups), &props);
        assert_eq!(users(&[("ThreadGroup", "10"), ("ThreadGroup", "${__P(users,1)}")]), Some(17));
        assert_eq!(
            users(&[("SetupThreadGroup", "9"), ("ThreadGroup", "10"), ("PostThreadGroup", "9")]),
            Some(10)
        );
        assert_eq!(users(&[("ThreadGroup", "${n}")]), None);
    }

    #[test]
    fn samplers_that_name_one_address_connect_to_one() {
        let sampler = |host: &str, port: &str| {
            Node::new(
                Element::new("HTTPSamplerProxy", "x", "s")
                    .with_text("HTTPSampler.domain", host)
                    .with_text("HTTPSampler.port", port),
            )
        };
        let of = |places: &[(&str, &str)]| {
            let root = Node::new(Element::new("TestPlan", "TestPlanGui", "p"));
            destinations(&places.iter().map(|(host, port)| sampler(host, port)).fold(root, Node::with))
        };
        assert_eq!(of(&[("a", "1"), ("a", "1")]), Some(1));
        assert_eq!(of(&[("a", "1"), ("a", "2")]), Some(2));
        assert_eq!((of(&[("${h}", "1")]), of(&[])), (None, None));
    }
}
