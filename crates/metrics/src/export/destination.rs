//! Destinations of metrics, as given on the command line.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use percent_encoding::percent_decode_str;
use swell_fetch::Address;

use super::influx;

/// The destination of metrics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// They are served here, for a Prometheus server that fetches them.
    Prometheus(SocketAddr),
    /// They are posted to a URL by Prometheus remote write.
    RemoteWrite(Receiver),
    /// They are posted to a URL by OpenTelemetry's protocol.
    Otlp(Receiver),
    /// They are posted to a URL as lines of InfluxDB.
    Influx(Receiver),
    /// They are sent by UDP to an agent of Datadog.
    Datadog(HostAndPort),
    /// They are sent by UDP to a server of StatsD.
    StatsD(HostAndPort),
    /// They are written to a file.
    Csv(PathBuf),
}

/// A receiver of datagrams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostAndPort {
    pub(super) host: String,
    pub(super) port: u16,
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

const KINDS: &str = "prometheus=ADDRESS:PORT, remote-write=URL, otlp=URL, influxdb=URL, \
                     datadog=HOST:PORT, statsd=HOST:PORT and csv=FILE";

impl FromStr for Destination {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let none = || format!("KIND=WHERE is wanted, of {KINDS}");
        let (kind, place) = text.split_once('=').ok_or_else(none)?;
        match kind {
            "prometheus" => listen_at(place).map(Self::Prometheus),
            "remote-write" => Receiver::read(place, "/api/v1/write").map(Self::RemoteWrite),
            "otlp" => Receiver::read(place, "/v1/metrics").map(Self::Otlp),
            "influxdb" => influx::receiver(place).map(Self::Influx),
            "datadog" => HostAndPort::read(place).map(Self::Datadog),
            "statsd" => HostAndPort::read(place).map(Self::StatsD),
            "csv" if place.is_empty() => Err("missing file; write csv=FILE".to_owned()),
            "csv" => Ok(Self::Csv(place.into())),
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
            Self::Influx(_) => "influxdb",
            Self::Datadog(_) => "datadog",
            Self::StatsD(_) => "statsd",
            Self::Csv(_) => "csv",
        }
    }

    /// Where it is, without a password.
    pub fn place(&self) -> String {
        match self {
            Self::Prometheus(address) => format!("http://{address}/metrics"),
            Self::RemoteWrite(receiver) | Self::Otlp(receiver) | Self::Influx(receiver) => {
                receiver.url.clone()
            }
            Self::Datadog(HostAndPort { host, port }) | Self::StatsD(HostAndPort { host, port }) => {
                let is_ipv6 = host.contains(':');
                if is_ipv6 { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
            }
            Self::Csv(path) => path.display().to_string(),
        }
    }

    /// The file that it writes.
    pub fn file(&self) -> Option<&PathBuf> {
        match self {
            Self::Csv(path) => Some(path),
            _ => None,
        }
    }

    /// Whether it speaks TLS.
    pub(super) fn is_secure(&self) -> bool {
        match self {
            Self::RemoteWrite(receiver) | Self::Otlp(receiver) | Self::Influx(receiver) => {
                swell_fetch::is_secure(&receiver.url)
            }
            _ => false,
        }
    }
}

/// The port of agents of Datadog and servers of StatsD.
const DATAGRAM_PORT: u16 = 8125;

impl HostAndPort {
    fn read(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "invalid address `{text}`: expected a host with or without a port, such as 127.0.0.1:8125 or [::1]:8125"
            )
        };
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => rest.split_once(']').ok_or_else(wrong)?,
            None => text.split_at(text.find(':').unwrap_or(text.len())),
        };
        let port = match port.strip_prefix(':') {
            Some(port) => port.parse().ok().filter(|port| *port != 0).ok_or_else(wrong)?,
            None if port.is_empty() => DATAGRAM_PORT,
            None => return Err(wrong()),
        };
        let is_part = |c: char| c.is_alphanumeric() || "-._:%".contains(c);
        if host.is_empty() || !host.chars().all(is_part) {
            return Err(wrong());
        }
        Ok(Self { host: host.to_owned(), port })
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
    pub(super) fn read(text: &str, path: &str) -> Result<Self, String> {
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
            ("datadog=agent", "agent:8125"),
            ("statsd=10.0.0.1:9125", "10.0.0.1:9125"),
            ("statsd=[::1]:1", "[::1]:1"),
            ("datadog=[fe80::1%eth0]", "[fe80::1%eth0]:8125"),
            ("csv=out/a=b.csv", "out/a=b.csv"),
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
            ("statsd=", "invalid address"),
            ("statsd=h:0", "such as 127.0.0.1:8125"),
            ("datadog=udp://h:1", "invalid address"),
            ("datadog=[::1", "invalid address"),
            ("datadog=[::1]1", "invalid address"),
            ("csv=", "csv=FILE"),
        ] {
            let said = text.parse::<Destination>().expect_err(text);
            assert!(said.contains(why) && !said.contains("secret"), "{text}: {said}");
        }
    }
}
