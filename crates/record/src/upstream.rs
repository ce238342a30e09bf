//! The proxy between the recorder and servers: the one that was asked for, or that of the
//! environment.

use std::collections::BTreeMap;
use std::net::IpAddr;

use swell_fetch::{Address, FetchError, Proxy, is_exempt};

/// URLs of both kinds, of a host that no list of exempt hosts has.
const URLS: [&str; 2] = ["http://swell.invalid/", "https://swell.invalid/"];

/// Which proxy leads to which server.
#[derive(Clone, Debug, Default)]
pub struct Upstream {
    /// The proxy that was asked for.
    given: Option<Proxy>,
    /// The environment.
    variables: BTreeMap<String, String>,
}

impl Upstream {
    /// `given`: the proxy that was asked for; none: that of the environment. `variable`: the
    /// environment.
    ///
    /// # Errors
    /// The environment names a proxy that cannot be used.
    pub fn new(given: Option<Proxy>, variable: impl Fn(&str) -> Option<String>) -> Result<Self, FetchError> {
        let names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"];
        let names = names.iter().flat_map(|name| [name.to_ascii_lowercase(), (*name).to_owned()]);
        let variables = names.filter_map(|name| variable(&name).map(|value| (name, value))).collect();
        let upstream = Self { given, variables };
        for url in URLS {
            upstream.of(&Address::parse(url)?)?;
        }
        Ok(upstream)
    }

    /// The proxy for a server. `host`: as in a URL. The machine itself is reached directly.
    pub(crate) fn on_the_way_to(&self, is_secure: bool, host: &str, port: u16) -> Option<Proxy> {
        if is_loopback(host) {
            return None;
        }
        let scheme = if is_secure { "https" } else { "http" };
        let address = Address::parse(&format!("{scheme}://{host}:{port}/")).ok()?;
        // What is wrong with the environment was told at the start.
        self.of(&address).ok().flatten()
    }

    /// Whether a proxy is at that port of this machine: a recorder there would ask itself.
    pub fn is_at_own_port(&self, port: u16) -> bool {
        let addresses = URLS.iter().filter_map(|url| Address::parse(url).ok());
        let mut proxies = addresses.filter_map(|address| self.of(&address).ok().flatten());
        proxies.any(|proxy| proxy.port == port && is_loopback(&proxy.host))
    }

    fn of(&self, address: &Address) -> Result<Option<Proxy>, FetchError> {
        let variable = |name: &str| self.variables.get(name).cloned();
        match &self.given {
            Some(_) if is_exempt(&address.host, variable) => Ok(None),
            Some(given) => Ok(Some(given.clone())),
            None => Proxy::of(address, variable),
        }
    }
}

fn is_loopback(host: &str) -> bool {
    let host = host.trim_matches(['[', ']']).trim_end_matches('.').to_ascii_lowercase();
    let address: Option<IpAddr> = host.parse().ok();
    host == "localhost"
        || host.ends_with(".localhost")
        || address.is_some_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upstream(given: Option<&str>, variables: &[(&str, &str)]) -> Result<Upstream, FetchError> {
        let given = given.map(|text| Proxy::parse(text).unwrap_or_else(|why| panic!("{why}")));
        Upstream::new(given, |name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn servers_are_reached_through_the_proxy_unless_they_are_exempt_or_this_machine() {
        let variables = [("https_proxy", "secure:1"), ("http_proxy", "plain:2"), ("NO_PROXY", "shop.test")];
        let of_environment = upstream(None, &variables).expect("usable");
        let given = upstream(Some("http://u:p@given:3"), &variables).expect("usable");
        for (is_secure, host, wanted) in [
            (true, "a.test", ["secure", "given"]),
            (false, "a.test", ["plain", "given"]),
            (true, "[2001:db8::1]", ["secure", "given"]),
            (true, "www.shop.test", ["", ""]),
            (true, "localhost", ["", ""]),
            (false, "app.localhost", ["", ""]),
            (false, "127.0.0.1", ["", ""]),
            (true, "[::1]", ["", ""]),
        ] {
            let of = |upstream: &Upstream| {
                upstream.on_the_way_to(is_secure, host, 443).map(|proxy| proxy.host).unwrap_or_default()
            };
            assert_eq!([of(&of_environment), of(&given)], wanted, "{host}");
        }
        let own = upstream(None, &[("HTTPS_PROXY", "127.0.0.1:8888")]).expect("usable");
        assert_eq!([8888, 8889].map(|port| own.is_at_own_port(port)), [true, false]);
        assert!(!given.is_at_own_port(3), "it is on another machine");
        let none = upstream(None, &[]).expect("usable");
        assert!(none.on_the_way_to(true, "a.test", 443).is_none());
    }

    #[test]
    fn a_proxy_of_the_environment_that_cannot_be_used_is_an_error() {
        let error = upstream(None, &[("ALL_PROXY", "socks5://p:1")]).expect_err("unusable");
        assert!(error.to_string().contains("`ALL_PROXY`: socks5:// proxies are not supported"), "{error}");
        // One that was asked for is used instead.
        assert!(upstream(Some("http://p:1"), &[("ALL_PROXY", "socks5://p:1")]).is_ok());
    }
}
