//! Routes to a server: the DNS Cache Manager element and a sampler's proxy.

use std::rc::Rc;

use swell_api::CompileContext;
use swell_connect::{Credentials, Hosts, ManagerNames, Proxy, UserNames};
use swell_expr::{Context, Properties, Template};
use swell_plan::{Node, PropertyValue, Severity};

use super::flag::flag;
use super::merge::Merged;

/// A DNS Cache Manager.
pub(crate) struct DnsManager {
    /// The element, by which what a user has looked up is found.
    id: u32,
    hosts: Vec<(Template, Template)>,
    /// None: names are looked up by the system.
    servers: Option<Vec<Template>>,
    /// `DNSCacheManager.clearEachIteration`.
    clear_each_iteration: bool,
}

impl DnsManager {
    pub(super) fn new(node: &Node, compile: &CompileContext) -> Self {
        let element = &node.element;
        let host = |host| {
            let text = |name: &str| compile.template(host, name, "");
            (text("StaticHost.Name"), text("StaticHost.Address"))
        };
        let name = "DNSCacheManager.servers";
        let servers = match element.property(name) {
            Some(PropertyValue::Collection(servers)) => {
                let texts = servers.iter().filter_map(|server| server.value.as_text());
                texts.map(|text| compile.text(element, name, text)).collect()
            }
            _ => Vec::new(),
        };
        // Without any, JMeter asks the system, too.
        let custom = flag(element.text("DNSCacheManager.isCustomResolver")) && !servers.is_empty();
        Self {
            id: node.id.0,
            hosts: element.elements("DNSCacheManager.hosts").map(host).collect(),
            servers: custom.then_some(servers),
            clear_each_iteration: flag(element.text("DNSCacheManager.clearEachIteration")),
        }
    }

    /// A sampler of this manager begins.
    pub(crate) fn begin(&self, names: &mut UserNames, cx: &mut Context) {
        if !names.select(self.id) {
            let hosts = self.hosts(cx);
            let servers = self.servers(cx);
            let clear_each_iteration = self.clear_each_iteration;
            names.add(self.id, ManagerNames { hosts, servers, clear_each_iteration });
        } else if !self.is_constant() {
            names.set_hosts(self.hosts(cx));
        }
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &Template> {
        let hosts = self.hosts.iter().flat_map(|(name, address)| [name, address]);
        hosts.chain(self.servers.iter().flatten())
    }

    /// Whether its table is always the same.
    fn is_constant(&self) -> bool {
        self.hosts.iter().all(|(name, address)| name.constant().is_some() && address.constant().is_some())
    }

    /// The hosts of its table now.
    fn hosts(&self, cx: &mut Context) -> Hosts {
        self.hosts.iter().map(|(name, address)| (name.eval_value(cx), address.eval_value(cx))).collect()
    }

    /// The names or addresses of its servers now.
    fn servers(&self, cx: &mut Context) -> Option<Vec<Rc<str>>> {
        Some(self.servers.as_ref()?.iter().map(|server| server.eval_value(cx)).collect())
    }
}

/// The proxy of a sampler.
pub(crate) struct ProxySpec {
    host: Template,
    port: Template,
    user: Template,
    password: Template,
}

impl ProxySpec {
    pub(super) fn new(merged: &Merged<'_>, compile: &CompileContext) -> Option<Box<Self>> {
        let text = |name: &str| merged.find(name).map(|(element, text)| compile.text(element, name, text));
        let host = text("HTTPSampler.proxyHost")?;
        let port = text("HTTPSampler.proxyPort")?;
        let scheme = merged.find("HTTPSampler.proxyScheme");
        if let Some((element, scheme)) = scheme.filter(|(_, scheme)| !scheme.eq_ignore_ascii_case("http")) {
            let what = format!("invalid proxy scheme `{scheme}`: only http is supported");
            compile.note(Severity::Error, element, Some("HTTPSampler.proxyScheme"), what, Some("http"));
        }
        let or_empty = |name: &str| text(name).unwrap_or_else(|| Template::constant_text(""));
        let user = or_empty("HTTPSampler.proxyUser");
        let password = or_empty("HTTPSampler.proxyPass");
        Some(Box::new(Self { host, port, user, password }))
    }

    /// The proxy now; none without a host or a port (`HTTPHCAbstractImpl.isDynamicProxy`).
    pub(crate) fn get(&self, cx: &mut Context) -> Option<Rc<Proxy>> {
        let host = self.host.eval_value(cx);
        let port = self.port.eval(cx).trim().parse().ok().filter(|port| *port > 0)?;
        let user = self.user.eval_value(cx);
        let password = self.password.eval_value(cx);
        let credentials = (!user.is_empty()).then(|| Credentials::new("", &user, password));
        (!host.trim().is_empty()).then(|| Rc::new(Proxy { host, port, credentials }))
    }

    pub(crate) fn is_settled(&self) -> bool {
        [&self.host, &self.port, &self.user, &self.password].into_iter().all(Template::is_settled)
    }
}

/// The proxy of a run (`http.proxyHost` and related properties; `-H -P -N -u -a`).
#[derive(Clone, Debug)]
pub(crate) struct RunProxy {
    proxy: Rc<Proxy>,
    /// Hosts that are reached without it, as they are, or from a `*` on.
    direct: Vec<String>,
}

impl RunProxy {
    /// None without a host or a port.
    pub(super) fn new(props: &Properties) -> Option<Self> {
        let text = |name: &str| props.get(name).unwrap_or_default();
        let host = text("http.proxyHost");
        let port = text("http.proxyPort").trim().parse().ok().filter(|port| *port > 0)?;
        let user = text("http.proxyUser");
        let domain = text("http.proxyDomain");
        let password = text("http.proxyPass").into();
        let credentials = (!user.is_empty()).then(|| Credentials::new(&domain, &user, password));
        let direct = text("http.nonProxyHosts");
        let direct = direct.split('|').filter(|host| !host.is_empty()).map(str::to_owned).collect();
        let proxy = Rc::new(Proxy { host: host.as_str().into(), port, credentials });
        (!host.is_empty()).then_some(Self { proxy, direct })
    }

    /// The proxy for a host, if it is reached by one (`HTTPHCAbstractImpl.isNonProxy`).
    pub(crate) fn for_host(&self, host: &str) -> Option<&Rc<Proxy>> {
        let is_direct = self.direct.iter().any(|direct| match direct.strip_prefix('*') {
            Some(end) => host.ends_with(end),
            None => host == direct,
        });
        (!is_direct).then_some(&self.proxy)
    }
}

/// The kind of name in a sampler's source address (`HTTPSampler.ipSourceType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SourceKind {
    /// A host.
    Host,
    /// An interface, any of its addresses.
    Device,
    /// An interface, its IPv4 address.
    DeviceV4,
    /// An interface, its IPv6 address.
    DeviceV6,
}

impl SourceKind {
    pub(super) fn new(merged: &Merged<'_>, compile: &CompileContext) -> Self {
        let name = "HTTPSampler.ipSourceType";
        match merged.find(name) {
            None => Self::Host,
            Some((element, text)) => Self::of(text).unwrap_or_else(|| {
                let what = format!("invalid source address type `{text}`");
                let hint =
                    "use 0 (host or address), 1 (device), 2 (its IPv4 address) or 3 (its IPv6 address)";
                compile.note(Severity::Error, element, Some(name), what, Some(hint));
                Self::Host
            }),
        }
    }

    pub(super) fn of(number: &str) -> Option<Self> {
        Some(match number {
            "0" => Self::Host,
            "1" => Self::Device,
            "2" => Self::DeviceV4,
            "3" => Self::DeviceV6,
            _ => return None,
        })
    }

    /// What a script has set.
    pub(crate) fn of_script(number: &str) -> Self {
        Self::of(number.trim()).unwrap_or(Self::Host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_proxy_of_a_run() {
        let props = Properties::default();
        props.set("http.proxyHost", "p");
        assert!(RunProxy::new(&props).is_none(), "no port");
        props.set("http.proxyPort", "3128");
        props.set("http.nonProxyHosts", "*.local|exact.test|10.*");
        props.set("http.proxyUser", "u");
        let proxy = RunProxy::new(&props).unwrap();
        let table = [
            ("h", true),
            ("a.local", false),
            ("local", true),
            ("exact.test", false),
            ("x.exact.test", true),
            ("10.0.0.1", true),
        ];
        for (host, wanted) in table {
            assert_eq!(proxy.for_host(host).is_some(), wanted, "{host}");
        }
        let found = proxy.for_host("h").unwrap();
        assert_eq!((&*found.host, found.port), ("p", 3128));
        assert_eq!(found.credentials.as_ref().map(|c| c.user.as_str()), Some("u"));
    }
}
