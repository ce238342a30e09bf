//! JMeter's InfluxDB client (`InfluxdbBackendListenerClient`).

mod lines;
mod settings;

use swell_expr::Properties;

use super::Users;
use super::arguments::{Arguments, number};
use super::http::Post;
use super::metering::Metering;
use super::sums::Client;
use super::udp;
use super::windows::{Interval, Windows};
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
    /// There is no such class.
    pub(super) fn new(arguments: &Arguments, props: &Properties) -> Result<Self, String> {
        let url = arguments.get("influxdbUrl", "").to_owned();
        match arguments.get(super::listener::SENDER, "").trim().rsplit('.').next() {
            Some("" | "HttpMetricsSender") => Ok(Self::Http(Post {
                url,
                token: arguments.get("influxdbToken", "").to_owned(),
                connect_timeout_ms: number(props, "backend_influxdb.connection_timeout", 1000).max(1),
                read_timeout_ms: number(props, "backend_influxdb.socket_timeout", 3000).max(1),
            })),
            Some("UdpMetricsSender") => Ok(Self::Udp(url)),
            other => Err(format!(
                "`{}` is no sender that is known here: there are HttpMetricsSender and UdpMetricsSender",
                other.unwrap_or_default()
            )),
        }
    }

    pub(super) fn send(&self, lines: &str) -> Result<(), String> {
        match self {
            Self::Http(post) => post.send(lines),
            Self::Udp(address) => udp::send(address, lines),
        }
    }

    pub(super) fn to(&self) -> String {
        let (Self::Http(Post { url, .. }) | Self::Udp(url)) = self;
        format!("InfluxDB at {url}")
    }
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
    /// There is no such sender.
    pub(super) fn new(arguments: &Arguments, props: &Properties) -> Result<Self, String> {
        Ok(Self {
            settings: Settings::new(arguments, props),
            transport: Transport::new(arguments, props)?,
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
    use super::*;

    #[test]
    fn the_sender_is_named_by_its_class() {
        let sender = |class: &str| {
            let arguments = Arguments::from([("influxdbMetricsSender", class), ("influxdbUrl", "h:1")]);
            Transport::new(&arguments, &Properties::default())
        };
        let package = "org.apache.jmeter.visualizers.backend.influxdb.";
        assert!(
            matches!(sender(&format!("{package}UdpMetricsSender")), Ok(Transport::Udp(to)) if to == "h:1")
        );
        assert!(matches!(sender(&format!("{package}HttpMetricsSender")), Ok(Transport::Http(_))));
        assert!(matches!(sender(""), Ok(Transport::Http(_))));
        assert!(sender("com.example.Sender").is_err());
    }
}
