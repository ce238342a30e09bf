//! Targets of connections.

use std::rc::Rc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The target of a connection, which is the key of idle connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// With TLS.
    pub secure: bool,
    /// As in the URL, in lower case.
    pub host: Rc<str>,
    /// The port.
    pub port: u16,
    /// The user in the URL, mostly none: JMeter has a client for each (`HttpClientKey`).
    pub user: Option<Rc<str>>,
    /// The proxy on the way.
    pub proxy: Option<Rc<Proxy>>,
}

impl Target {
    /// What a proxy may ask for, where the request itself goes to it.
    pub fn proxy_credentials(&self) -> Option<&Credentials> {
        self.proxy.as_ref().filter(|_| !self.secure)?.credentials.as_ref()
    }

    /// Requests go to a proxy, in absolute form, without a tunnel.
    pub fn is_proxied(&self) -> bool {
        self.proxy.is_some() && !self.secure
    }
}

/// An HTTP proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proxy {
    /// The host.
    pub host: Rc<str>,
    /// The port.
    pub port: u16,
    /// The credentials that it receives when it asks.
    pub credentials: Option<Credentials>,
}

/// A user name and password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credentials {
    /// The name, with its domain before it if it has one.
    pub user: String,
    /// The password.
    pub password: Rc<str>,
}

impl Credentials {
    /// A domain before the name, in capitals (`NTCredentials`).
    pub fn new(domain: &str, user: &str, password: Rc<str>) -> Self {
        let user =
            if domain.is_empty() { user.to_owned() } else { format!("{}\\{user}", domain.to_uppercase()) };
        Self { user, password }
    }
}

/// The `Authorization` of Basic (RFC 7617): HttpClient sends ASCII, `?` for all else.
pub fn basic(credentials: &Credentials) -> String {
    let text = format!("{}:{}", credentials.user, credentials.password);
    let bytes: Vec<u8> = text.chars().map(|c| if c.is_ascii() { c as u8 } else { b'?' }).collect();
    format!("Basic {}", STANDARD.encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn basic_is_ascii() {
        let of = |domain: &str, user: &str, password: &str| {
            basic(&Credentials::new(domain, user, password.into()))
        };
        assert_eq!(of("", "u", "p"), "Basic dTpw");
        assert_eq!(of("", "u\u{e9}", "p:\u{e9}\u{20ac}"), "Basic dT86cDo/Pw==");
        assert_eq!(of("dom", "u", ""), of("", "DOM\\u", ""));
    }
}
