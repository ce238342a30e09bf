//! The proxy from the environment (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`; lower-case
//! names take precedence).

use std::net::IpAddr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use url::Url;

use crate::address::{Address, user_of};
use crate::error::FetchError;

/// A proxy without TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proxy {
    /// Its name or address, without brackets.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// The value of `Proxy-Authorization`.
    pub authorization: Option<String>,
}

impl Proxy {
    /// The proxy on the way to an address. `variable`: the environment.
    ///
    /// # Errors
    /// The environment names one that needs TLS or SOCKS, or none that can be read. Without it the
    /// request might leave a network that it should not.
    pub fn of(
        address: &Address,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, FetchError> {
        if is_exempt(&address.host, &variable) {
            return Ok(None);
        }
        let set = |name| set(name, &variable);
        let of_scheme = if address.secure { "HTTPS_PROXY" } else { "HTTP_PROXY" };
        let Some((name, value)) = set(of_scheme).or_else(|| set("ALL_PROXY")) else { return Ok(None) };
        let proxy = Self::parse(&value);
        proxy.map(Some).map_err(|why| {
            let host = &address.host;
            FetchError::ProxyVariable(
                name,
                format!("{why}; set it to http://HOST:PORT, or add {host} to NO_PROXY"),
            )
        })
    }

    /// Host and port, as in a URL.
    pub fn place(&self) -> String {
        let Self { host, port, .. } = self;
        if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
    }

    /// Parses `http://user:password@host:port`.
    ///
    /// # Errors
    /// It is not the URL of a proxy without TLS. The text may hold a password, so the error does
    /// not repeat it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let with_scheme = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
        let url = Url::parse(&with_scheme).map_err(|error| error.to_string())?;
        if url.scheme() != "http" {
            return Err(format!("{}:// proxies are not supported", url.scheme()));
        }
        let host = url.host_str().ok_or("it names no host")?.trim_matches(['[', ']']).to_owned();
        let authorization = user_of(&url).map(|user| basic(&user));
        Ok(Self { host, port: url.port().unwrap_or(80), authorization })
    }
}

/// The value of a header field for `name:password` of a URL.
pub(crate) fn basic(user: &str) -> String {
    let (name, password) = user.split_once(':').unwrap_or((user, ""));
    let plain = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    format!("Basic {}", STANDARD.encode(format!("{}:{}", plain(name), plain(password))))
}

/// A variable of the environment with its name, unless it is empty.
fn set(name: &str, variable: impl Fn(&str) -> Option<String>) -> Option<(String, String)> {
    let names = [name.to_ascii_lowercase(), name.to_owned()];
    let (name, value) = names.into_iter().find_map(|name| variable(&name).map(|value| (name, value)))?;
    (!value.is_empty()).then_some((name, value))
}

/// Whether `NO_PROXY` of an environment has the host.
pub fn is_exempt(host: &str, variable: impl Fn(&str) -> Option<String>) -> bool {
    set("NO_PROXY", variable).is_some_and(|(_, list)| is_in_list(host, &list))
}

/// Whether a list has the host. As for curl, it has names of hosts and domains, addresses and
/// networks such as 10.0.0.0/8, separated by commas or spaces.
fn is_in_list(host: &str, list: &str) -> bool {
    let host = host.to_ascii_lowercase();
    let entries = list.split([',', ' ', '\t']).map(str::to_ascii_lowercase);
    entries.filter(|entry| !entry.is_empty()).any(|entry| {
        let domain = entry.trim_start_matches("*.").trim_start_matches('.').trim_matches(['[', ']']);
        let is_below = || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'));
        entry == "*" || !domain.is_empty() && (host == domain || is_below()) || is_in_network(&host, &entry)
    })
}

/// Whether an address is in a network, such as 10.0.0.0/8.
fn is_in_network(host: &str, network: &str) -> bool {
    let Some((begin, bits)) = network.split_once('/') else { return false };
    let (Ok(host), Ok(begin), Ok(bits)) = (host.parse(), begin.parse(), bits.parse::<u32>()) else {
        return false;
    };
    match (host, begin) {
        (IpAddr::V4(host), IpAddr::V4(begin)) if bits <= 32 => {
            (u32::from(host) ^ u32::from(begin)).checked_shr(32 - bits).unwrap_or(0) == 0
        }
        (IpAddr::V6(host), IpAddr::V6(begin)) if bits <= 128 => {
            (u128::from(host) ^ u128::from(begin)).checked_shr(128 - bits).unwrap_or(0) == 0
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proxy_depends_on_scheme_and_exempt_hosts() {
        let variables = [
            ("HTTPS_PROXY", "http://u:p%40@proxy:3128"),
            ("http_proxy", "other"),
            ("HTTP_PROXY", "unused:1"),
            ("NO_PROXY", "local, .example.org,*.test"),
        ];
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        let of = |url: &str| {
            let found = Proxy::of(&Address::parse(url).expect("a URL"), variable);
            let proxy = found.unwrap_or_else(|error| panic!("{error}"))?;
            Some((proxy.host, proxy.port, proxy.authorization))
        };
        let authorization = Some("Basic dTpwQA==".to_owned());
        assert_eq!(of("https://h/"), Some(("proxy".to_owned(), 3128, authorization)));
        assert_eq!(of("http://h/"), Some(("other".to_owned(), 80, None)));
        for url in ["https://local/", "http://a.example.org/", "https://EXAMPLE.org", "http://b.test"] {
            assert_eq!(of(url), None, "{url}");
        }
        assert!(of("https://notexample.org").is_some());
        let without = Proxy::of(&Address::parse("http://h").expect("a URL"), |_| None);
        assert!(matches!(without, Ok(None)));
    }

    #[test]
    fn exempt_hosts_are_names_domains_addresses_and_networks() {
        let list = "a.test b.test,10.0.0.0/8, 192.0.2.7 ,[::1],2001:db8::/32,0.0.0.0/33";
        for host in ["a.test", "x.B.test", "10.9.8.7", "192.0.2.7", "::1", "2001:db8:1::2"] {
            assert!(is_in_list(host, list), "{host}");
        }
        for host in ["aa.test", "11.0.0.1", "192.0.2.70", "2001:db9::1", "8.8.8.8"] {
            assert!(!is_in_list(host, list), "{host}");
        }
        assert!(is_in_list("anything", "*") && is_in_list("8.8.8.8", "0.0.0.0/0"));
    }

    #[test]
    fn proxy_that_cannot_be_used_is_an_error_that_names_its_variable() {
        let of = |name: &'static str, value: &'static str, exempt: Option<&'static str>| {
            let variable = |asked: &str| match asked {
                "NO_PROXY" => exempt.map(str::to_owned),
                asked => (asked == name).then(|| value.to_owned()),
            };
            let found = Proxy::of(&Address::parse("https://repo.test/").expect("a URL"), variable);
            found.map(|proxy| proxy.is_some()).map_err(|error| error.to_string())
        };
        let hint = "; set it to http://HOST:PORT, or add repo.test to NO_PROXY";
        let table = [
            ("https_proxy", "socks5://u:secret@p:1080", "socks5:// proxies are not supported"),
            ("HTTPS_PROXY", "https://p", "https:// proxies are not supported"),
            ("ALL_PROXY", "socks5h://p:1", "socks5h:// proxies are not supported"),
            ("https_proxy", "http://p:x", "invalid port number"),
        ];
        for (name, value, why) in table {
            let wanted = format!("cannot use the proxy in `{name}`: {why}{hint}");
            assert_eq!(of(name, value, None), Err(wanted), "{value}");
            assert_eq!(of(name, value, Some("test")), Ok(false), "{value}");
        }
        assert_eq!(of("HTTP_PROXY", "socks5://p", None), Ok(false), "it is for other URLs");
    }
}
