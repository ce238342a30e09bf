//! Which machines a study may load: private ones, and those that are named.

use std::net::{IpAddr, ToSocketAddrs};

use swell_plan::{Element, Node, Plan};

/// An address outside of private machines: neither loopback nor of a private network (RFC 1918, RFC
/// 4193, link-local).
pub fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => !(v4.is_loopback() || v4.is_private() || v4.is_link_local() || v4.is_unspecified()),
        IpAddr::V6(v6) => {
            !(v6.is_loopback() || v6.is_unique_local() || v6.is_unicast_link_local() || v6.is_unspecified())
        }
    }
}

/// Whether a host may be loaded: it is allowed by name, or all of its addresses are private.
///
/// # Errors
/// Why not, as text.
pub fn check_host(host: &str, allowed: &[String]) -> Result<(), String> {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    if allowed.iter().any(|name| name.eq_ignore_ascii_case(bare)) {
        return Ok(());
    }
    // An unknown name gets no load; the trial reports the error.
    let addresses: Vec<IpAddr> =
        (bare, 0).to_socket_addrs().map(|all| all.map(|address| address.ip()).collect()).unwrap_or_default();
    match addresses.into_iter().find(|address| is_public(*address)) {
        None => Ok(()),
        Some(address) => {
            Err(format!("`{host}` ({address}) is neither this machine nor in a private network"))
        }
    }
}

/// Whether an address that a trial connected to may be loaded.
///
/// # Errors
/// Why not, as text.
pub fn check_address(address: IpAddr, allowed: &[String]) -> Result<(), String> {
    if !is_public(address) {
        return Ok(());
    }
    let is_of = |name: &String| {
        (name.as_str(), 0).to_socket_addrs().is_ok_and(|mut all| all.any(|of_name| of_name.ip() == address))
    };
    if allowed.iter().any(is_of) {
        return Ok(());
    }
    Err(format!("the plan connected to {address}, which is neither this machine nor in a private network"))
}

/// Hosts in a plan, without those that only the running plan knows.
pub fn hosts_of(plan: &Plan) -> Vec<String> {
    let mut hosts: Vec<String> = Vec::new();
    plan.enabled_tree().walk(&mut |node: &Node| {
        for name in host_properties(&node.element) {
            let host = node.element.text_or_empty(name).trim().to_owned();
            if !host.is_empty() && !host.contains("${") && !hosts.contains(&host) {
                hosts.push(host);
            }
        }
    });
    hosts
}

/// Starts of the classes of WebSocket samplers.
const WEBSOCKETS: [&str; 2] =
    ["eu.luminis.jmeter.wssampler.", "JMeter.plugins.functional.samplers.websocket."];

/// Properties that name a host, each with the start of the classes that have it.
const HOSTS: [(&str, &str); 4] = [
    ("", "HTTPSampler.domain"),
    ("", "TCPSampler.server"),
    (WEBSOCKETS[0], "server"),
    (WEBSOCKETS[1], "serverAddress"),
];

/// The properties of an element that name a host.
pub fn host_properties(element: &Element) -> impl Iterator<Item = &'static str> {
    HOSTS.into_iter().filter(|(class, _)| element.class.starts_with(class)).map(|(_, property)| property)
}

/// Whether an element is a sampler that has a WebSocket.
pub fn is_websocket(element: &Element) -> bool {
    WEBSOCKETS.iter().any(|start| element.class.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_of_ones_own_are_told_from_others() {
        for own in [
            "127.0.0.1",
            "10.1.2.3",
            "192.168.0.9",
            "172.16.5.5",
            "::1",
            "fd00::1",
            "fe80::1",
            "::ffff:10.0.0.1",
        ] {
            assert!(!is_public(own.parse().expect("an address")), "{own}");
        }
        for other in ["93.184.216.34", "172.32.0.1", "2606:2800:220:1::1", "::ffff:93.184.216.34"] {
            assert!(is_public(other.parse().expect("an address")), "{other}");
        }
    }

    #[test]
    fn others_are_loaded_only_by_name() {
        assert_eq!(check_host("127.0.0.1", &[]), Ok(()));
        assert_eq!(check_host("[::1]", &[]), Ok(()));
        let why = check_host("93.184.216.34", &[]).expect_err("it is public");
        assert!(why.contains("93.184.216.34"), "{why}");
        let allowed = ["93.184.216.34".to_owned()];
        assert_eq!(check_host("93.184.216.34", &allowed), Ok(()));
        let address = "93.184.216.34".parse().expect("an address");
        assert_eq!(check_address(address, &allowed), Ok(()));
        assert!(check_address(address, &[]).is_err());
    }

    #[test]
    fn hosts_of_a_plan_are_those_that_stand_in_it() {
        let sampler = |host: &str| {
            Node::new(
                Element::new("HTTPSamplerProxy", "HttpTestSampleGui", "a")
                    .with_text("HTTPSampler.domain", host),
            )
        };
        let root = Node::new(Element::new("TestPlan", "TestPlanGui", "plan"));
        let plan =
            Plan::new(root.with(sampler("a.example")).with(sampler("${host}")).with(sampler("a.example")));
        assert_eq!(hosts_of(&plan), ["a.example"]);
        let open = Element::new("eu.luminis.jmeter.wssampler.OpenWebSocketSampler", "x", "open");
        let old = Element::new("JMeter.plugins.functional.samplers.websocket.WebSocketSampler", "x", "ws");
        let root = Node::new(Element::new("TestPlan", "TestPlanGui", "plan"))
            .with(Node::new(open.with_text("server", "b.example")))
            .with(Node::new(old.with_text("serverAddress", "c.example")))
            .with(Node::new(Element::new("Other", "x", "x").with_text("server", "d.example")));
        assert_eq!(hosts_of(&Plan::new(root)), ["b.example", "c.example"]);
    }
}
