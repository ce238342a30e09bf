//! Ways to a site: the DNS Cache Manager element and the proxy of a sampler.

use std::rc::Rc;

use swell_engine::Compile;
use swell_expr::{Context, Template};
use swell_plan::{Node, PropertyValue, Severity};

use super::managers::flag;
use super::merge::Merged;

/// Hosts and their addresses, separated by commas.
pub(crate) type Hosts = Rc<[(Rc<str>, Rc<str>)]>;

/// A DNS Cache Manager.
pub(crate) struct DnsManager {
    hosts: Vec<(Template, Template)>,
}

impl DnsManager {
    pub(super) fn new(node: &Node, compile: &Compile) -> Self {
        let element = &node.element;
        let servers = element.property("DNSCacheManager.servers");
        let any = matches!(servers, Some(PropertyValue::Collection(servers)) if !servers.is_empty());
        if any && flag(element.text("DNSCacheManager.isCustomResolver")) {
            let what = "DNS servers are not asked yet: names are resolved by the system".to_owned();
            compile.note(Severity::Warning, element, Some("DNSCacheManager.servers"), what, None);
        }
        let host = |host| {
            let text = |name: &str| compile.template(host, name, "");
            (text("StaticHost.Name"), text("StaticHost.Address"))
        };
        Self { hosts: element.elements("DNSCacheManager.hosts").map(host).collect() }
    }

    /// The hosts of its table now.
    pub(crate) fn hosts(&self, cx: &mut Context) -> Hosts {
        self.hosts.iter().map(|(name, address)| (name.eval_value(cx), address.eval_value(cx))).collect()
    }
}

/// The proxy of a sampler.
pub(crate) struct ProxySpec {
    host: Template,
    port: Template,
}

/// A proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Proxy {
    pub(crate) host: Rc<str>,
    pub(crate) port: u16,
}

impl ProxySpec {
    pub(super) fn new(merged: &Merged<'_>, compile: &Compile) -> Option<Box<Self>> {
        let text = |name: &str| merged.find(name).map(|(element, text)| compile.text(element, name, text));
        let (host, port) = (text("HTTPSampler.proxyHost")?, text("HTTPSampler.proxyPort")?);
        if let Some((element, _)) = merged.find("HTTPSampler.proxyUser") {
            let what = "a proxy that wants a name is not supported yet".to_owned();
            compile.note(Severity::Error, element, Some("HTTPSampler.proxyUser"), what, None);
        }
        let scheme = merged.find("HTTPSampler.proxyScheme");
        if let Some((element, scheme)) = scheme.filter(|(_, scheme)| !scheme.eq_ignore_ascii_case("http")) {
            let what = format!("a proxy is spoken to by HTTP, not `{scheme}`");
            compile.note(Severity::Error, element, Some("HTTPSampler.proxyScheme"), what, Some("http"));
        }
        Some(Box::new(Self { host, port }))
    }

    /// The proxy now; none without a host or a port (`HTTPHCAbstractImpl.isDynamicProxy`).
    pub(crate) fn get(&self, cx: &mut Context) -> Option<Rc<Proxy>> {
        let host = self.host.eval_value(cx);
        let port = self.port.eval(cx).trim().parse().ok().filter(|port| *port > 0)?;
        (!host.trim().is_empty()).then(|| Rc::new(Proxy { host, port }))
    }

    pub(crate) fn is_settled(&self) -> bool {
        self.host.is_settled() && self.port.is_settled()
    }
}
