//! Destinations of metrics, as given on the command line.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::str::FromStr;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use percent_encoding::percent_decode_str;
use swell_fetch::Address;

/// The destination of metrics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// They are served here, for a Prometheus server that fetches them.
    Prometheus(SocketAddr),
    /// They are posted to a URL by Prometheus remote write.
    RemoteWrite(Receiver),
    /// They are posted to a URL by OpenTelemetry's protocol.
    Otlp(Receiver),
}

/// A URL with the sender's credentials.
#[derive(Clone, PartialEq, Eq)]
pub struct Receiver {
    /// Without name and password.
    pub(super) url: String,
    /// Value of the header `Authorization`, from name and password of the URL.
    pub(super) authorization: Option<String>,
}

/// The password stays out of messages.
impl std::fmt::Debug for Receiver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.url)
    }
}

const KINDS: &str = "prometheus=ADDRESS:PORT, remote-write=URL and otlp=URL";

impl FromStr for Destination {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let none = || format!("KIND=WHERE is wanted, of {KINDS}");
        let (kind, place) = text.split_once('=').ok_or_else(none)?;
        match kind {
            "prometheus" => listen_at(place).map(Self::Prometheus),
            "remote-write" => Receiver::read(place, "/api/v1/write").map(Self::RemoteWrite),
            "otlp" => Receiver::read(place, "/v1/metrics").map(Self::Otlp),
            other => Err(format!("there is no kind of export `{other}`: there are {KINDS}")),
        }
    }
}

impl Destination {
    /// Its kind, as the command line names it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Prometheus(_) => "prometheus",
            Self::RemoteWrite(_) => "remote-write",
            Self::Otlp(_) => "otlp",
        }
    }

    /// Where it is, without a password.
    pub fn place(&self) -> String {
        match self {
            Self::Prometheus(address) => format!("http://{address}/metrics"),
            Self::RemoteWrite(receiver) | Self::Otlp(receiver) => receiver.url.clone(),
        }
    }
}

fn listen_at(text: &str) -> Result<SocketAddr, String> {
    let of_port = |port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
    text.parse().map(of_port).or_else(|_| text.parse()).map_err(|_| {
        format!("invalid listen address `{text}`: expected a port or an address with a port, such as 9464, 0.0.0.0:9464 or [::]:9464")
    })
}

impl Receiver {
    /// `path`: where a URL without one means.
    fn read(text: &str, path: &str) -> Result<Self, String> {
        let text = text.trim();
        let (scheme, rest) = text.split_once("://").unwrap_or_default();
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (place, target) = rest.split_at(end);
        let (user, host) = place.rsplit_once('@').map_or((None, place), |(user, host)| (Some(user), host));
        let target = match target.split('#').next() {
            None | Some("" | "/") => path,
            Some(target) => target,
        };
        let url = format!("{scheme}://{host}{target}");
        let is_host = !host.is_empty() && Address::parse(&url).is_ok();
        if !is_host || url.contains(|c: char| c.is_control() || c == ' ') {
            return Err(format!(
                "a URL is wanted, such as http://127.0.0.1:9090{path} or https://NAME:PASSWORD@host{path}"
            ));
        }
        let decoded = |user: &str| percent_decode_str(user).collect::<Vec<u8>>();
        let authorization = user.map(|user| format!("Basic {}", BASE64_STANDARD.encode(decoded(user))));
        Ok(Self { url, authorization })
    }

    /// Whether it speaks TLS.
    pub(super) fn is_secure(&self) -> bool {
        swell_fetch::is_secure(&self.url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn destinations_are_a_kind_and_a_place() {
        let places = [
            ("prometheus=9464", "http://127.0.0.1:9464/metrics"),
            ("prometheus=0.0.0.0:1", "http://0.0.0.0:1/metrics"),
            ("prometheus=[::1]:80", "http://[::1]:80/metrics"),
            ("remote-write=http://mimir:9009", "http://mimir:9009/api/v1/write"),
            ("remote-write=https://u:p@h/api/v1/push", "https://h/api/v1/push"),
            ("otlp=http://[::1]:4318/", "http://[::1]:4318/v1/metrics"),
            ("otlp=http://h/x?y=1#z", "http://h/x?y=1"),
        ];
        for (text, place) in places {
            let destination: Destination = text.parse().unwrap_or_else(|why| panic!("{text}: {why}"));
            assert_eq!(destination.place(), place);
            assert!(text.starts_with(destination.kind()));
        }
        let Ok(Destination::RemoteWrite(receiver)) = "remote-write=http://a:b%40c@h".parse() else {
            panic!("a receiver")
        };
        assert_eq!(receiver.authorization.as_deref(), Some("Basic YTpiQGM="));
        assert_eq!(format!("{receiver:?}"), "http://h/api/v1/write");
    }

    #[test]
    fn what_is_wrong_is_said_without_a_password() {
        for (text, why) in [
            ("", "KIND=WHERE"),
            ("prometheus", "KIND=WHERE"),
            ("graphite=h:1", "no kind of export `graphite`: there are prometheus="),
            ("prometheus=http://h", "invalid listen address"),
            ("prometheus=99999", "invalid listen address"),
            ("otlp=localhost:4318", "such as http://"),
            ("otlp=ftp://h", "such as http://"),
            ("remote-write=http://user:secret@", "such as http://"),
            ("otlp=http://h:port", "such as http://"),
            ("otlp=http://h/a b", "such as http://"),
        ] {
            let said = text.parse::<Destination>().expect_err(text);
            assert!(said.contains(why) && !said.contains("secret"), "{text}: {said}");
        }
    }
}
