//! Whom a sweep may load: machines of one's own, and those that are named.

use std::net::{IpAddr, ToSocketAddrs};

use swell_expr::Properties;
use swell_plan::{Node, Plan};
use url::{Host, Url};

use crate::exit::Failure;

/// An address that is no machine of one's own: neither loopback nor of a private network (RFC 1918, RFC 4193, link-local).
fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => !(v4.is_loopback() || v4.is_private() || v4.is_link_local() || v4.is_unspecified()),
        IpAddr::V6(v6) => {
            !(v6.is_loopback() || v6.is_unique_local() || v6.is_unicast_link_local() || v6.is_unspecified())
        }
    }
}

/// Refuses a host with an address that is not one's own, unless it is named.
fn check(host: &str, allowed: &[String]) -> Result<(), Failure> {
    if allowed.iter().any(|name| name.eq_ignore_ascii_case(host)) {
        return Ok(());
    }
    // A name that nobody knows gets no load.
    let mut addresses = (host, 0).to_socket_addrs().into_iter().flatten().map(|address| address.ip());
    match addresses.find(|address| is_public(*address)) {
        None => Ok(()),
        Some(address) => Err(Failure::settings(format!(
            "`{host}` ({address}) is neither this machine nor in a private network, so it is not loaded"
        ))
        .hint(format!("--i-may-load {host}, if you may"))),
    }
}

/// Checks the host of a URL in which settings have their places.
pub(super) fn check_url(url: &str, allowed: &[String]) -> Result<(), Failure> {
    let whole = if url.contains("://") { url.to_owned() } else { format!("http://{url}") };
    // What is no URL is told when the trial is made.
    match Url::parse(&whole).ok().as_ref().and_then(Url::host) {
        Some(Host::Domain(name)) => check(name, allowed),
        Some(Host::Ipv4(address)) => check(&address.to_string(), allowed),
        Some(Host::Ipv6(address)) => check(&address.to_string(), allowed),
        None => Ok(()),
    }
}

/// Checks the hosts that stand in a plan, and that of the property `host`. Those that only the running plan knows are not seen.
pub(super) fn check_plan(plan: &Plan, props: &Properties, allowed: &[String]) -> Result<(), Failure> {
    const HOSTS: [&str; 2] = ["HTTPSampler.domain", "TCPSampler.server"];
    let mut hosts: Vec<String> = props.get("host").into_iter().collect();
    plan.enabled_tree().walk(&mut |node: &Node| {
        hosts.extend(HOSTS.map(|name| node.element.text_or_empty(name).trim().to_owned()));
    });
    hosts.retain(|host| !host.is_empty() && !host.contains("${"));
    hosts.iter().try_for_each(|host| check(host.trim_matches(['[', ']']), allowed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_are_loaded_only_by_name() {
        for own in [
            "localhost:8080/a",
            "http://127.0.0.1:1/",
            "http://10.1.2.3/",
            "http://[::1]:8/",
            "http://[fd00::1]/",
        ] {
            assert!(check_url(own, &[]).is_ok(), "{own}");
        }
        for other in [
            "http://93.184.216.34/",
            "https://172.32.0.1:8443/a",
            "http://[2606:2800:220:1::1]/",
            "http://[::ffff:93.184.216.34]/",
        ] {
            let failure = check_url(other, &[]).expect_err(other);
            assert!(failure.hint.is_some_and(|hint| hint.starts_with("--i-may-load ")), "{other}");
        }
        assert!(check_url("http://93.184.216.34/", &["93.184.216.34".to_owned()]).is_ok());
        let props = Properties::default();
        props.set("host", "93.184.216.34");
        let plan = Plan::new(Node::new(swell_plan::Element::new("TestPlan", "TestPlanGui", "p")));
        assert!(check_plan(&plan, &props, &[]).is_err());
        assert!(check_plan(&plan, &Properties::default(), &[]).is_ok());
    }
}
