//! JMeter's InfluxDB client (`InfluxdbBackendListenerClient`).

mod lines;
mod settings;

use std::time::Duration;

use swell_expr::{Host, Properties};

use super::Users;
use super::arguments::{Arguments, number};
use super::metering::Metering;
use super::sums::Client;
use super::trust::trusting;
use super::udp;
use super::windows::{Interval, Windows};
use crate::post::{Post, Timeouts};
use settings::Settings;
pub(super) use settings::tag;

/// How lines are sent.
pub(super) enum Transport {
    Http(Post),
    /// To `host:port`.
    Udp(String),
}

impl Transport {
    /// That of the class that an argument names; without one lines go by HTTP.
    ///
    /// # Errors
    /// The class is unknown, or the trust store of the run cannot be read.
    pub(super) fn new(arguments: &Arguments, props: &Properties, host: &dyn Host) -> Result<Self, String> {
        let url = arguments.get("influxdbUrl", "").to_owned();
        let tls = || swell_fetch::is_secure(&url).then(|| trusting(props, host)).transpose();
        let ms = |name: &str, default| Duration::from_millis(number(props, name, default).max(1));
        match arguments.get(super::arguments::SENDER, "").trim().rsplit('.').next() {
            Some("" | "HttpMetricsSender") => {
                let tls = tls()?;
                let timeouts = Timeouts {
                    connect: ms("backend_influxdb.connection_timeout", 1000),
                    read: ms("backend_influxdb.socket_timeout", 3000),
                };
                let headers = headers(arguments.get("influxdbToken", ""));
                Ok(Self::Http(Post::new(url, headers, timeouts, tls)))
            }
            Some("UdpMetricsSender") => Ok(Self::Udp(url)),
            other => Err(format!(
                "invalid metrics sender `{}`: expected HttpMetricsSender or UdpMetricsSender",
                other.unwrap_or_default()
            )),
        }
    }

    pub(super) fn send(&self, lines: &str) -> Result<(), String> {
        match self {
            Self::Http(post) => post.send(lines.as_bytes()).map(drop).map_err(|failed| failed.why),
            Self::Udp(address) => udp::send(address, lines),
        }
    }

    pub(super) fn to(&self) -> String {
        let (Self::Http(Post { url, .. }) | Self::Udp(url)) = self;
        format!("InfluxDB at {url}")
    }
}

/// Those of JMeter's client. `token`: of InfluxDB 2; may be empty.
fn headers(token: &str) -> Vec<(&'static str, String)> {
    let token = Some(token.trim()).filter(|token| !token.is_empty());
    let authorization = token.map(|token| ("Authorization", format!("Token {token}")));
    let content_type = ("Content-Type", "text/plain; charset=UTF-8".to_owned());
    [("User-Agent", "ApacheJMeter5.6.3".to_owned())]
        .into_iter()
        .chain(authorization)
        .chain([content_type])
        .collect()
}

/// The client.
pub(super) struct Influx {
    settings: Settings,
    transport: Transport,
    metering: Metering,
}

impl Influx {
    /// From its arguments.
    ///
    /// # Errors
    /// As [`Transport::new`].
    pub(super) fn new(arguments: &Arguments, props: &Properties, host: &dyn Host) -> Result<Self, String> {
        Ok(Self {
            settings: Settings::new(arguments, props),
            transport: Transport::new(arguments, props, host)?,
            metering: settings::metering(arguments, props),
        })
    }
}

impl Client for Influx {
    fn metering(&self) -> &Metering {
        &self.metering
    }

    fn interval_s(&self) -> u64 {
        self.settings.interval_s
    }

    fn started(&self, now_ms: i64) -> Option<String> {
        Some(lines::event(&self.settings, "started", now_ms))
    }

    fn ended(&self, now_ms: i64) -> String {
        lines::event(&self.settings, "ended", now_ms)
    }

    fn lines(&self, sums: &Interval, windows: &Windows, users: Users, now_ms: i64) -> String {
        lines::interval(&self.settings, sums, windows, users, now_ms)
    }

    fn send(&self, lines: &str) -> Result<(), String> {
        self.transport.send(lines)
    }

    fn to(&self) -> String {
        self.transport.to()
    }
}

#[cfg(test)]
mod tests {
    use swell_expr::testing::TestHost;

    use super::super::trust::jks_of;
    use super::*;

    #[test]
    fn the_sender_is_named_by_its_class() {
        let sender = |class: &str| {
            let arguments = Arguments::from([("influxdbMetricsSender", class), ("influxdbUrl", "h:1")]);
            Transport::new(&arguments, &Properties::default(), &TestHost::default())
        };
        let package = "org.apache.jmeter.visualizers.backend.influxdb.";
        assert!(
            matches!(sender(&format!("{package}UdpMetricsSender")), Ok(Transport::Udp(to)) if to == "h:1")
        );
        assert!(matches!(sender(&format!("{package}HttpMetricsSender")), Ok(Transport::Http(_))));
        assert!(matches!(sender(""), Ok(Transport::Http(_))));
        assert!(sender("com.example.Sender").is_err());
    }

    #[test]
    fn https_trusts_the_store_of_the_run() {
        let arguments = Arguments::from([("influxdbUrl", "https://h/write")]);
        let props = Properties::default();
        let host = TestHost::default();
        let new = |props: &Properties, host: &TestHost| Transport::new(&arguments, props, host);
        assert!(matches!(new(&props, &host), Ok(Transport::Http(post)) if post.has_tls()));
        props.set("javax.net.ssl.trustStore", "trust.jks");
        assert!(new(&props, &host).is_err_and(|why| why.contains("trust.jks")));
        host.add_file("trust.jks", jks_of(&[]));
        assert!(new(&props, &host).is_err_and(|why| why.contains("no certificate")));
        host.add_file("trust.jks", jks_of(&[b"certificate"]));
        assert!(new(&props, &host).is_ok());
        let plain = Arguments::from([("influxdbUrl", "http://h/write")]);
        let transport = Transport::new(&plain, &props, &host);
        assert!(matches!(transport, Ok(Transport::Http(post)) if !post.has_tls()));
    }
}
