//! How it is known that a server serves.

use std::fmt;
use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::str::FromStr;
use std::time::Duration;

use fancy_regex::Regex;

use super::{Template, UnknownSetting};

/// How long a look at a port or URL may take.
const PROBE: Duration = Duration::from_secs(5);

/// The sign that a server serves. As text: `line:REGEX`, `http://HOST:PORT/PATH` or
/// `tcp:HOST:PORT`; the last two may have settings in them, such as `{port}`.
#[derive(Clone, Debug)]
pub enum Ready {
    /// It prints a line that matches; a first group of the pattern is its port.
    Line(Box<Regex>),
    /// This URL is answered by a status below 500.
    Url(Template),
    /// A connection to this host and port is taken.
    Tcp(Template),
}

impl FromStr for Ready {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(pattern) = text.strip_prefix("line:") {
            let made =
                Regex::new(pattern).map_err(|error| format!("invalid pattern `{pattern}`: {error}"))?;
            return Ok(Self::Line(Box::new(made)));
        }
        if let Some(place) = text.strip_prefix("tcp:") {
            return match place.rsplit_once(':') {
                Some((host, port)) if !host.is_empty() && !port.is_empty() => {
                    Ok(Self::Tcp(Template::new(place)))
                }
                _ => {
                    Err(format!("missing host or port in `{text}`: expected for example tcp:localhost:8080"))
                }
            };
        }
        if text.starts_with("http://") {
            return Ok(Self::Url(Template::new(text)));
        }
        let https = if text.starts_with("https://") { " (for https, use tcp:HOST:PORT)" } else { "" };
        Err(format!(
            "invalid readiness check `{text}`: use line:PATTERN, http://HOST:PORT/PATH or \
            tcp:HOST:PORT{https}"
        ))
    }
}

impl fmt::Display for Ready {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(pattern) => write!(f, "a line of output that matches `{}`", pattern.as_str()),
            Self::Url(url) => write!(f, "a response of {url} with a status below 500"),
            Self::Tcp(place) => write!(f, "a connection to {place}"),
        }
    }
}

impl Ready {
    /// With settings in their places.
    pub(super) fn filled(&self, settings: &[(String, String)]) -> Result<Self, UnknownSetting> {
        Ok(match self {
            Self::Line(pattern) => Self::Line(pattern.clone()),
            Self::Url(url) => Self::Url(Template::new(url.fill(settings)?)),
            Self::Tcp(place) => Self::Tcp(Template::new(place.fill(settings)?)),
        })
    }

    /// Whether the URL or port answers now; a line is not looked for here.
    pub(super) fn answers(&self) -> bool {
        match self {
            Self::Line(_) => false,
            Self::Tcp(place) => connect(&place.to_string()).is_some(),
            Self::Url(url) => status_of(&url.to_string()).is_some_and(|status| status < 500),
        }
    }
}

fn connect(place: &str) -> Option<TcpStream> {
    place.to_socket_addrs().ok()?.find_map(|address| TcpStream::connect_timeout(&address, PROBE).ok())
}

/// The status that a plain request for this URL is answered with.
fn status_of(url: &str) -> Option<u16> {
    let rest = url.strip_prefix("http://")?;
    let (host, path) = rest.find('/').map_or((rest, "/"), |at| rest.split_at(at));
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.bytes().all(|b| b.is_ascii_digit()));
    let place = if has_port { host.to_owned() } else { format!("{host}:80") };
    let mut stream = connect(&place)?;
    stream.set_read_timeout(Some(PROBE)).ok()?;
    stream.set_write_timeout(Some(PROBE)).ok()?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    // `HTTP/1.1 200`
    let mut head = [0; 12];
    stream.read_exact(&mut head).ok()?;
    status_in(&head)
}

fn status_in(head: &[u8; 12]) -> Option<u16> {
    let text = std::str::from_utf8(head).ok()?;
    let (version, status) = text.split_once(' ')?;
    version.starts_with("HTTP/1.").then(|| status.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_read_from_text() {
        for (text, want) in [
            (r"line:ready (\d+)", r"a line of output that matches `ready (\d+)`"),
            ("tcp:localhost:{port}", "a connection to localhost:{port}"),
            ("http://[::1]:1/up", "a response of http://[::1]:1/up with a status below 500"),
        ] {
            assert_eq!(text.parse::<Ready>().expect(text).to_string(), want);
        }
        for (text, why) in [
            ("line:(", "invalid pattern"),
            ("tcp:8080", "missing host or port"),
            ("https://a/", "use tcp:"),
            ("ready", "use line:PATTERN"),
            ("", "use line:PATTERN"),
        ] {
            let error = text.parse::<Ready>().expect_err(text);
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn a_status_is_read_from_the_head() {
        assert_eq!(status_in(b"HTTP/1.1 204"), Some(204));
        assert_eq!(status_in(b"HTTP/1.0 503"), Some(503));
        assert_eq!(status_in(b"SSH-2.0-Open"), None);
        assert_eq!(status_in(b"HTTP/1.1 2\xff "), None);
    }
}
