//! Access control: the requested host, the origin of the request, and the secret that it carries.
//!
//! Any web page in the user's browser can send requests to 127.0.0.1, and a name can be bound to it
//! after the page was loaded. So the `Host` must be an address or `localhost`; changes must come
//! from the page itself; and all figures require a secret. The secret is in the fragment of the
//! address, where neither logs nor `Referer` include it, and is sent in `Authorization`. It is
//! never a cookie: cookies ignore ports, so any other server on the host, such as the server under
//! test, would receive it.

use std::cell::Cell;
use std::net::IpAddr;

use rand::TryRngCore as _;
use rand::rngs::OsRng;
use swell_http1::server::{Header, Refusal, RequestHead, header};

/// Alphabet of secrets: base 32 of RFC 4648, in lower case.
const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// Number of wrong secrets that are answered without a delay.
const WRONG_AT_ONCE: u32 = 20;

/// What the holder of a secret may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rights {
    /// View.
    Look,
    /// View and change.
    Change,
}

/// What a secret is for.
struct Key {
    rights: Rights,
    /// The secret of the address.
    token: String,
}

impl Key {
    fn new(rights: Rights) -> std::io::Result<Self> {
        Ok(Self { rights, token: secret()? })
    }
}

/// How a page can be requested.
#[derive(Clone, Debug)]
pub(crate) struct AccessOptions {
    /// Its port.
    pub(crate) port: u16,
    /// It is served over TLS.
    pub(crate) is_encrypted: bool,
    /// A host name of the page, in addition to its addresses.
    pub(crate) name: Option<String>,
    /// The command that printed the address, for messages.
    pub(crate) command: &'static str,
}

/// The secrets of a page, and how it can be requested.
pub(crate) struct Access {
    options: AccessOptions,
    keys: [Key; 2],
    wrong: Cell<u32>,
}

impl Access {
    /// New secrets of 128 bits from the kernel.
    ///
    /// # Errors
    /// The kernel provides no random numbers.
    pub(crate) fn new(options: AccessOptions) -> std::io::Result<Self> {
        let keys = [Key::new(Rights::Change)?, Key::new(Rights::Look)?];
        Ok(Self { options, keys, wrong: Cell::new(0) })
    }

    /// The secrets of the two addresses: to change, and to view only.
    pub(crate) fn tokens(&self) -> [String; 2] {
        self.keys.each_ref().map(|key| key.token.clone())
    }

    /// Refuses a request for another host, and a change that another page sends.
    pub(crate) fn check_origin(&self, head: &RequestHead<'_>) -> Result<(), Refusal> {
        let mut hosts = head.headers.iter().filter(|field| field.name.eq_ignore_ascii_case("host"));
        let host = hosts.next().and_then(|field| std::str::from_utf8(field.value).ok()).unwrap_or_default();
        if hosts.next().is_some() || !self.is_own_host(host) {
            let message = format!(
                "wrong address: this page is at {}://127.0.0.1:{}/",
                self.scheme(),
                self.options.port
            );
            return Err(Refusal::new(421, message));
        }
        if matches!(head.method, "GET" | "HEAD") {
            return Ok(());
        }
        let own = format!("{}://{host}", self.scheme());
        let origin = header(head.headers, "origin");
        let site = header(head.headers, "sec-fetch-site");
        let is_foreign = origin.is_some_and(|origin| !origin.eq_ignore_ascii_case(own.as_bytes()))
            || site.is_some_and(|site| site != b"same-origin");
        if is_foreign {
            return Err(Refusal::new(403, "requests from another page cannot change anything here"));
        }
        Ok(())
    }

    fn scheme(&self) -> &'static str {
        if self.options.is_encrypted { "https" } else { "http" }
    }

    /// An address, to which no name can be bound, `localhost`, or the name that the user gave; with
    /// the port of the page.
    fn is_own_host(&self, host: &str) -> bool {
        let Some((name, port)) = host.rsplit_once(':') else { return false };
        let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        let is_literal =
            address.parse::<IpAddr>().is_ok_and(|address| address.is_ipv4() != name.starts_with('['));
        let is_given = self.options.name.as_ref().is_some_and(|given| name.eq_ignore_ascii_case(given));
        port.parse() == Ok(self.options.port)
            && (is_literal || is_given || name.eq_ignore_ascii_case("localhost"))
    }

    /// Refuses a request without a secret in `Authorization`, and a change without the right to
    /// change.
    pub(crate) fn check_rights(&self, method: &str, headers: &[Header<'_>]) -> Result<Rights, Refusal> {
        let rights = self.rights(headers)?;
        if rights == Rights::Look && !matches!(method, "GET" | "HEAD") {
            return Err(Refusal::new(
                403,
                format!(
                    "this secret is read-only; to make changes, open the other address that `{}` printed",
                    self.options.command
                ),
            ));
        }
        Ok(rights)
    }

    fn rights(&self, headers: &[Header<'_>]) -> Result<Rights, Refusal> {
        let bearer = header(headers, "authorization").and_then(|value| value.strip_prefix(b"Bearer "));
        let known =
            self.keys.iter().find(|key| bearer.is_some_and(|bearer| same(bearer, key.token.as_bytes())));
        known.map(|key| key.rights).ok_or_else(|| self.unknown())
    }

    fn unknown(&self) -> Refusal {
        self.wrong.set(self.wrong.get().saturating_add(1));
        Refusal::new(
            401,
            format!(
                "missing secret: open the whole address that `{}` printed, including the part after #",
                self.options.command
            ),
        )
    }

    /// Whether the number of wrong secrets is large enough that each one is now delayed.
    pub(crate) fn is_guessed_at(&self) -> bool {
        self.wrong.get() > WRONG_AT_ONCE
    }
}

fn secret() -> std::io::Result<String> {
    let mut bytes = [0_u8; 26];
    OsRng.try_fill_bytes(&mut bytes).map_err(std::io::Error::other)?;
    Ok(bytes.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect())
}

/// Whether two texts are equal, in a time that does not reveal where they differ.
fn same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Request;
    use swell_http1::server::parse;

    fn access() -> Access {
        let key = |rights, token: &str| Key { rights, token: token.into() };
        let keys = [key(Rights::Change, "tttt"), key(Rights::Look, "llll")];
        let options =
            AccessOptions { port: 7000, is_encrypted: false, name: None, command: "swell run --live" };
        Access { options, keys, wrong: Cell::new(0) }
    }

    fn checked(access: &Access, request: &str) -> u16 {
        let check = |head: &RequestHead<'_>| {
            access.check_origin(head)?;
            access.check_rights(head.method, head.headers)?;
            Request::of(head, access)?.check_type("application/json")
        };
        parse(format!("{request}\r\n\r\n").as_bytes(), 8192, check)
            .map_or_else(|refusal| refusal.status, |_| 200)
    }

    #[test]
    fn only_addresses_and_localhost_are_asked_for() {
        let bearer = "Authorization: Bearer tttt";
        for (host, status) in [
            ("127.0.0.1:7000", 200),
            ("localhost:7000", 200),
            ("LOCALHOST:7000", 200),
            ("[::1]:7000", 200),
            ("192.168.1.5:7000", 200),
            ("127.0.0.1:7001", 421),
            ("127.0.0.1", 421),
            ("evil.example:7000", 421),
            ("evil.example", 421),
            ("127.0.0.1.evil.example:7000", 421),
            ("::1:7000", 421),
            ("", 421),
        ] {
            assert_eq!(
                checked(&access(), &format!("GET / HTTP/1.1\r\nHost: {host}\r\n{bearer}")),
                status,
                "{host}"
            );
        }
        assert_eq!(checked(&access(), &format!("GET / HTTP/1.1\r\n{bearer}")), 421, "no host");
        let twice = format!("GET / HTTP/1.1\r\nHost: localhost:7000\r\nHost: evil:7000\r\n{bearer}");
        assert_eq!(checked(&access(), &twice), 421);
    }

    #[test]
    fn only_the_page_itself_may_change_anything() {
        for (more, status) in [
            ("Content-Type: application/json", 200),
            (
                "Content-Type: application/json; charset=utf-8\r\nOrigin: http://127.0.0.1:7000\r\nSec-Fetch-Site: same-origin",
                200,
            ),
            ("Content-Type: application/json\r\nOrigin: http://127.0.0.1:7001", 403),
            ("Content-Type: application/json\r\nOrigin: http://localhost:7000", 403),
            ("Content-Type: application/json\r\nOrigin: https://127.0.0.1:7000", 403),
            ("Content-Type: application/json\r\nOrigin: null", 403),
            ("Content-Type: application/json\r\nSec-Fetch-Site: same-site", 403),
            ("Content-Type: text/plain", 415),
            ("X: y", 415),
        ] {
            let request = format!(
                "POST /api/stop HTTP/1.1\r\nHost: 127.0.0.1:7000\r\nAuthorization: Bearer tttt\r\n{more}"
            );
            assert_eq!(checked(&access(), &request), status, "{more}");
        }
    }

    #[test]
    fn an_encrypted_page_has_its_own_origin_and_name() {
        let mut access = access();
        access.options.is_encrypted = true;
        access.options.name = Some("load.example".into());
        let post = "Authorization: Bearer tttt\r\nContent-Type: application/json";
        for (host, more, status) in [
            ("load.example:7000", "Origin: https://load.example:7000", 200),
            ("LOAD.example:7000", "X: y", 200),
            ("10.0.0.1:7000", "Origin: https://10.0.0.1:7000", 200),
            ("load.example:7000", "Origin: http://load.example:7000", 403),
            ("load.example:7000", "Origin: https://evil.example:7000", 403),
            ("load.example", "X: y", 421),
            ("evil.load.example:7000", "X: y", 421),
        ] {
            let head = format!("POST / HTTP/1.1\r\nHost: {host}\r\n{post}\r\n{more}");
            assert_eq!(checked(&access, &head), status, "{host} {more}");
        }
    }

    #[test]
    fn who_may_look_may_not_change_anything() {
        for (method, more, status) in [
            ("GET", "Authorization: Bearer llll", 200),
            ("HEAD", "Authorization: Bearer llll", 200),
            ("POST", "Authorization: Bearer llll", 403),
            ("PUT", "Authorization: Bearer llll", 403),
            ("DELETE", "Authorization: Bearer llll", 403),
            ("POST", "Authorization: Bearer tttt", 200),
        ] {
            let head = format!(
                "{method} / HTTP/1.1\r\nHost: localhost:7000\r\nContent-Type: application/json\r\n{more}"
            );
            assert_eq!(checked(&access(), &head), status, "{method} {more}");
        }
    }

    #[test]
    fn the_secret_is_wanted_and_counted() {
        let access = access();
        for (more, status) in [
            ("Authorization: Bearer tttt", 200),
            ("Cookie: swell_7000=tttt", 401),
            ("Cookie: Authorization=Bearer tttt", 401),
            ("Authorization: Bearer ttt", 401),
            ("Authorization: Bearer ", 401),
            ("X: y", 401),
        ] {
            assert_eq!(
                checked(&access, &format!("GET / HTTP/1.1\r\nHost: localhost:7000\r\n{more}")),
                status,
                "{more}"
            );
        }
        assert!(!access.is_guessed_at());
        let get = |bearer: &str| {
            format!("GET / HTTP/1.1\r\nHost: localhost:7000\r\nAuthorization: Bearer {bearer}")
        };
        for _ in 0..WRONG_AT_ONCE {
            assert_eq!(checked(&access, &get("no")), 401);
        }
        assert!(access.is_guessed_at());
        assert_eq!(checked(&access, &get("tttt")), 200);
    }

    #[test]
    fn secrets_have_128_bits_and_more_and_are_never_the_same() {
        let [one, other] = [secret(), secret()].map(|secret| secret.expect("random numbers"));
        assert!(one != other && one.len() == 26, "{one}");
    }
}
