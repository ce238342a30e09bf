//! HTTP Requests that JMeter's sampler must send: because scripts change what the native sampler
//! keeps private, or because of settings that it does not support.

use swell_api::{Make, Registry, Role, SENT_BY_JMETER, Treatment};
use swell_expr::Host;
use swell_plan::{Element, Node};

use super::script_writes::{file_does, mark_samplers};

/// What a script says that reaches for such things: the managers of authorizations and of the
/// cache, and the client that sends.
const WORDS: [&str; 8] = [
    "getAuthManager",
    "setAuthManager",
    ".authManager",
    "getCacheManager",
    "setCacheManager",
    ".cacheManager",
    "setImplementation",
    "HTTPSampler.implementation",
];

/// Marks all HTTP Requests of the thread groups with such a script, or with a setting of HTTP that
/// is not native: they share cookies and connections, so all are sent by one client. The mark says
/// why.
pub(super) fn mark(root: &mut Node, registry: &Registry, host: &dyn Host) {
    let is_group = |node: &Node| registry.role(&node.element) == Some(Role::ThreadGroup);
    let reason = |node: &Node| {
        let mut found = None;
        node.walk(&mut |node| {
            if found.is_none() {
                found = reason_of(node, registry, host);
            }
        });
        found
    };
    let for_all = root.children.iter().filter(|child| !is_group(child)).find_map(reason);
    for child in &mut root.children {
        if !is_group(child) {
            continue;
        }
        if let Some(why) = for_all.clone().or_else(|| reason(child)) {
            // The mark has no meaning for samplers other than HTTP Requests.
            mark_samplers(child, registry, (SENT_BY_JMETER, &why));
        }
    }
}

/// Why an element needs the requests of its thread group to be sent by JMeter's client.
fn reason_of(node: &Node, registry: &Registry, host: &dyn Host) -> Option<String> {
    let element = &node.element;
    if element.runs_script() && says(element, host) {
        return Some(format!("the script of `{}` uses the objects of JMeter's client", element.name()));
    }
    let lack = lack_of(element, registry)?;
    Some(format!("of `{}`: {lack}", element.name()))
}

/// The setting that native code does not follow of a sampler, or of a config element that samplers
/// read.
fn lack_of(element: &Element, registry: &Registry) -> Option<String> {
    let is_read = registry.kinds().filter(|kind| matches!(kind.make, Make::Config | Make::Sampler(_)));
    let mut of_class = is_read.filter(|kind| kind.classes.iter().any(|class| **class == *element.class));
    of_class.find_map(|kind| kind.lack_of(element))
}

/// Why a sampler that would be native is sent by JMeter's client; none if nothing but itself is the
/// reason.
pub(crate) fn marked_because(element: &Element, registry: &Registry) -> Option<String> {
    let why = element.attribute(SENT_BY_JMETER)?;
    let mut unmarked = element.clone();
    unmarked.attributes.retain(|(name, _)| name != SENT_BY_JMETER);
    let is_native = registry.kind(&unmarked).is_some_and(|kind| matches!(kind.treatment, Treatment::Native));
    is_native.then(|| {
        format!("one client sends all HTTP samplers of a thread group, and JMeter's does so because {why}")
    })
}

fn says(script: &Element, host: &dyn Host) -> bool {
    let says = |text: &str| WORDS.iter().any(|word| text.contains(word));
    script.any_text(&says) || file_does(script, host, &says)
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_api::ElementKind;
    use swell_expr::testing::TestHost;

    fn marked(script: &str, is_above: bool) -> Vec<String> {
        let element = |class: &str, name: &str| Node::new(Element::new(class, "X", name));
        let mut before = element("JSR223PreProcessor", "script");
        before.element.set_text("script", script);
        if script == "none" {
            before = element("TCPSampler", "odd");
            before.element.set_text("odd", "setting");
        }
        let mut root = element("TestPlan", "plan");
        let mut first = element("ThreadGroup", "one").with(element("TCPSampler", "a"));
        first = first.with(element("GenericController", "c").with(element("TCPSampler", "b")));
        root = if is_above { root.with(before).with(first) } else { root.with(first.with(before)) };
        root = root.with(element("ThreadGroup", "two").with(element("TCPSampler", "c")));
        let kinds = [(Role::ThreadGroup, "ThreadGroup"), (Role::Sampler, "TCPSampler")];
        let odd = |element: &Element| element.text("odd").map(str::to_owned);
        let kinds = kinds.map(|(role, class)| ElementKind::native(role, class, "", Make::Config).lacks(odd));
        mark(&mut root, &Registry::of(kinds), &TestHost::default());
        let mut names = Vec::new();
        root.walk(&mut |node| {
            if node.element.attribute(SENT_BY_JMETER).is_some() {
                names.push(node.element.name().to_owned());
            }
        });
        names
    }

    #[test]
    fn samplers_of_a_group_are_marked_where_its_scripts_reach_for_their_managers() {
        assert_eq!(marked("sampler.getAuthManager().addAuth(a)", false), ["a", "b"]);
        assert_eq!(marked("sampler.cacheManager.clear()", true), ["a", "b", "c"]);
        assert_eq!(marked("sampler.setImplementation('Java')", false), ["a", "b"]);
        assert_eq!(marked("none", false), ["a", "b", "odd"], "a setting of one sampler");
        assert_eq!(marked("sampler.getHeaderManager().clear()", true), [""; 0]);
    }
}
