//! Hosts named in a plan, and whether they have an address.

use std::net::{IpAddr, ToSocketAddrs as _};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use swell_expr::{Compiler, Properties};
use swell_plan::{Diagnostic, Node, Place, Severity};
use swell_study::safety::host_properties;

/// Hosts that are looked up: a plan with more is made by a program.
pub(super) const MOST: usize = 50;

/// A name server that takes longer for all of them tells nothing.
const PATIENCE: Duration = Duration::from_secs(2);

/// A host and where it stands first.
pub(super) struct Host {
    name: String,
    place: Place,
}

/// The value of a text that is known before the run: of literals, variables of the plan and
/// properties.
pub(super) fn constant(text: &str, variables: &[(String, String)], props: &Properties) -> Option<String> {
    Compiler::new(Arc::default()).template(text.trim()).known(variables, props)
}

/// Whether the plan's names are looked up by this machine, and not by a proxy or a table of the
/// plan.
pub(super) fn are_resolved_here(root: &Node, props: &Properties) -> bool {
    let has = |name: &str| props.get(name).is_some_and(|value| !value.is_empty());
    let mut here = !["http.proxyHost", "https.proxyHost", "swell.http.connect_to", "swell.http.unix_socket"]
        .into_iter()
        .any(has);
    root.walk(&mut |node| {
        let element = &node.element;
        here &=
            element.class != "DNSCacheManager" && element.text_or_empty("HTTPSampler.proxyHost").is_empty();
    });
    here
}

/// The hosts of a plan that are known before it runs, each once.
pub(super) fn of_plan(root: &Node, variables: &[(String, String)], props: &Properties) -> Vec<Host> {
    let mut hosts: Vec<Host> = Vec::new();
    root.walk(&mut |node| {
        let element = &node.element;
        for property in host_properties(element) {
            let Some(text) = element.text(property).filter(|text| !text.is_empty()) else { continue };
            let Some(name) = constant(text, variables, props).filter(|name| is_host(name)) else { continue };
            if hosts.len() < MOST && hosts.iter().all(|host| host.name != name) {
                let line = element.line;
                let path = element.path.clone();
                let place = Place { file: None, line, element: path, property: Some(property.to_owned()) };
                hosts.push(Host { name, place });
            }
        }
    });
    hosts
}

/// A name or an address as hosts have them.
fn is_host(text: &str) -> bool {
    let is_name =
        |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_'));
    !text.is_empty() && (is_name(text) || bare(text).parse::<IpAddr>().is_ok())
}

/// An address without its brackets.
fn bare(host: &str) -> &str {
    host.trim_start_matches('[').trim_end_matches(']')
}

/// Those without an address, in their order; what is not known in time has one.
pub(super) fn unknown(hosts: &[Host]) -> Vec<Diagnostic> {
    let (to, answers) = mpsc::channel();
    for (number, host) in hosts.iter().enumerate() {
        let to = to.clone();
        let name = bare(&host.name).to_owned();
        std::thread::spawn(move || {
            let error = (name.as_str(), 0).to_socket_addrs().err();
            // The receiver may have stopped waiting.
            let _ = to.send((number, error.map(|error| error.to_string())));
        });
    }
    drop(to);
    let until = Instant::now() + PATIENCE;
    let mut found: Vec<(usize, String)> = Vec::new();
    while let Ok((number, error)) = answers.recv_timeout(until.saturating_duration_since(Instant::now())) {
        found.extend(error.map(|why| (number, why)));
    }
    found.sort_unstable();
    found.into_iter().map(|(number, why)| told(&hosts[number], &why)).collect()
}

fn told(host: &Host, why: &str) -> Diagnostic {
    let why = why.strip_prefix("failed to lookup address information: ").unwrap_or(why);
    Diagnostic {
        severity: Severity::Warning,
        place: host.place.clone(),
        message: format!("`{}` has no address ({why}): requests to it will fail", host.name),
        hint: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_plan::Element;

    #[test]
    fn texts_are_known_where_they_are_literals_variables_or_properties() {
        let props = Properties::default();
        props.set("host", "set");
        let variables = [("h".to_owned(), "of-plan".to_owned()), ("made".to_owned(), "${x}".to_owned())];
        let table = [
            ("a.test", Some("a.test")),
            ("${h}", Some("of-plan")),
            ("${__P(host,other)}", Some("set")),
            ("${__P(none,other)}", Some("other")),
            ("${__property(none,,other)}", Some("other")),
            ("${made}", None),
            ("${none}", None),
            ("a.${h}", Some("a.of-plan")),
            ("${__P( host , other )}", Some("other")),
            ("${__property(none)}", Some("none")),
            ("${__property(host,v)}", None),
            ("${__UUID}", None),
            ("${__P(${h})}", None),
        ];
        for (text, value) in table {
            assert_eq!(constant(text, &variables, &props).as_deref(), value, "{text}");
        }
    }

    #[test]
    fn hosts_without_an_address_are_told_with_their_place() {
        let sampler = |host: &str| {
            let element = Element::new("HTTPSamplerProxy", "HttpTestSampleGui", "a");
            Node::new(element.with_text("HTTPSampler.domain", host))
        };
        let root = Node::new(Element::new("TestPlan", "TestPlanGui", "p"));
        let hosts =
            ["localhost", "no-such-host.invalid", "127.0.0.1", "[::1]", "no-such-host.invalid", "${x}"];
        let root = hosts.into_iter().map(sampler).fold(root, Node::with);
        let hosts = of_plan(&root, &[], &Properties::default());
        assert_eq!(
            hosts.iter().map(|host| &*host.name).collect::<Vec<_>>(),
            ["localhost", "no-such-host.invalid", "127.0.0.1", "[::1]"]
        );
        assert_eq!(unknown(&hosts).len(), 1);
        let told: Vec<String> = unknown(&hosts).iter().map(ToString::to_string).collect();
        assert!(
            told.iter()
                .all(|text| text.contains("HTTPSampler.domain: `no-such-host.invalid` has no address"))
        );
    }
}
