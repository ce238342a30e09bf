//! The proxy from the environment (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`; lower-case
//! names take precedence).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use url::Url;

use crate::address::{Address, user_of};
use crate::error::FetchError;

/// A proxy without TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Proxy {
    pub(crate) host: String,
    pub(crate) port: u16,
    /// The value of `Proxy-Authorization`.
    pub(crate) authorization: Option<String>,
}

impl Proxy {
    /// The proxy on the way to an address. `variable`: the environment.
    ///
    /// # Errors
    /// The environment names one that needs TLS or SOCKS, or none that can be read. Without it the
    /// request might leave a network that it should not.
    pub(crate) fn of(
        address: &Address,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, FetchError> {
        let set = |name: &str| {
            let names = [name.to_ascii_lowercase(), name.to_owned()];
            let (name, value) =
                names.into_iter().find_map(|name| variable(&name).map(|value| (name, value)))?;
            (!value.is_empty()).then_some((name, value))
        };
        if set("NO_PROXY").is_some_and(|(_, list)| is_exempt(&address.host, &list)) {
            return Ok(None);
        }
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

    /// The value may hold a password, so errors do not repeat it.
    fn parse(text: &str) -> Result<Self, String> {
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

/// Whether a list of hosts and domains, separated by commas, has the host.
fn is_exempt(host: &str, list: &str) -> bool {
    let host = host.to_ascii_lowercase();
    list.split(',').map(|entry| entry.trim().to_ascii_lowercase()).any(|entry| {
        let domain = entry.trim_start_matches("*.").trim_start_matches('.');
        entry == "*"
            || !domain.is_empty()
                && (host == domain || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.')))
    })
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
