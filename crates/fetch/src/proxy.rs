//! The proxy from the environment (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`; lower-case
//! names take precedence).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use url::Url;

use crate::Address;

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
    pub(crate) fn of(address: &Address<'_>, variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let set = |name: &str| {
            let value = variable(&name.to_ascii_lowercase()).or_else(|| variable(name))?;
            (!value.is_empty()).then_some(value)
        };
        if set("NO_PROXY").is_some_and(|list| is_exempt(address.host, &list)) {
            return None;
        }
        let of_scheme = if address.secure { "HTTPS_PROXY" } else { "HTTP_PROXY" };
        Self::parse(&set(of_scheme).or_else(|| set("ALL_PROXY"))?)
    }

    fn parse(text: &str) -> Option<Self> {
        let with_scheme = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
        let url = Url::parse(&with_scheme).ok().filter(|url| url.scheme() == "http")?;
        let credentials = format!("{}:{}", url.username(), url.password().unwrap_or_default());
        let authorization = (!url.username().is_empty()).then(|| basic(&credentials));
        let host = url.host_str()?.trim_matches(['[', ']']).to_owned();
        Some(Self { host, port: url.port().unwrap_or(80), authorization })
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
            let proxy = Proxy::of(&Address::parse(url).expect("a URL"), variable)?;
            Some((proxy.host, proxy.port, proxy.authorization))
        };
        let authorization = Some("Basic dTpwQA==".to_owned());
        assert_eq!(of("https://h/"), Some(("proxy".to_owned(), 3128, authorization)));
        assert_eq!(of("http://h/"), Some(("other".to_owned(), 80, None)));
        for url in ["https://local/", "http://a.example.org/", "https://EXAMPLE.org", "http://b.test"] {
            assert_eq!(of(url), None, "{url}");
        }
        assert!(of("https://notexample.org").is_some());
        assert_eq!(Proxy::of(&Address::parse("http://h").expect("a URL"), |_| None), None);
    }
}
