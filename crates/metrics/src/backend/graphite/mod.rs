//! JMeter's Graphite client (`GraphiteBackendListenerClient`).

mod metrics;
mod sender;

use swell_expr::Properties;

use super::Users;
use super::arguments::{Arguments, number};
use super::metering::{Labels, Metering};
use super::sums::Client;
use super::windows::{Interval, Windows};
use metrics::{Metrics, Percentile};
use sender::{Form, Sender};

/// The client.
pub(super) struct Graphite {
    sender: Sender,
    prefix: String,
    percentiles: Vec<Percentile>,
    interval_s: u64,
    metering: Metering,
}

impl Graphite {
    /// From its arguments.
    ///
    /// # Errors
    /// The sender is unknown.
    pub(super) fn new(arguments: &Arguments, props: &Properties) -> Result<Self, String> {
        let form = match arguments.get("graphiteMetricsSender", "").trim().rsplit('.').next() {
            Some("TextGraphiteMetricsSender") => Form::Text,
            Some("PickleGraphiteMetricsSender") => Form::Pickle,
            other => {
                let other = other.unwrap_or_default();
                let known = "TextGraphiteMetricsSender or PickleGraphiteMetricsSender";
                return Err(format!("invalid metrics sender `{other}`: expected {known}"));
            }
        };
        let port = arguments.get("graphitePort", "2003").parse().unwrap_or(2003);
        let percentiles = percentiles(arguments).filter_map(Percentile::new);
        Ok(Self {
            sender: Sender::new(arguments.get("graphiteHost", ""), port, form),
            prefix: arguments.get("rootMetricsPrefix", "jmeter.").to_owned(),
            percentiles: percentiles.collect(),
            interval_s: number(props, "backend_graphite.send_interval", 1).max(1),
            metering: Metering::new(labels(arguments), props),
        })
    }

    /// Percentiles that are no numbers.
    #[expect(clippy::unused_self, reason = "they are left out of it")]
    pub(super) fn bad_percentiles<'a>(&self, arguments: &'a Arguments) -> impl Iterator<Item = &'a str> {
        percentiles(arguments).filter(|text| Percentile::new(text).is_none())
    }
}

fn percentiles(arguments: &Arguments) -> impl Iterator<Item = &str> {
    arguments.get("percentiles", "").split(';').map(str::trim).filter(|text| !text.is_empty())
}

fn labels(arguments: &Arguments) -> Labels {
    let list = arguments.get("samplersList", "");
    if arguments.flag("summaryOnly", true) {
        Labels::None
    } else if arguments.flag("useRegexpForSamplersList", false) {
        Labels::Matching(list.to_owned())
    } else {
        Labels::Of(list.split(';').map(str::to_owned).collect())
    }
}

impl Client for Graphite {
    fn metering(&self) -> &Metering {
        &self.metering
    }

    fn interval_s(&self) -> u64 {
        self.interval_s
    }

    fn started(&self, _: i64) -> Option<String> {
        None
    }

    fn ended(&self, _: i64) -> String {
        String::new()
    }

    fn lines(&self, sums: &Interval, windows: &Windows, users: Users, now_ms: i64) -> String {
        let mut metrics = Metrics::new(&self.percentiles);
        for (label, sums) in &sums.labels {
            if let Some(windows) = windows.label(label) {
                metrics.add(&metrics::name(label), sums, windows);
            }
        }
        metrics.add("all", &sums.all, windows.all());
        metrics.users(windows.users(), users);
        self.sender.written(&metrics.all, &self.prefix, now_ms.div_euclid(1000))
    }

    fn send(&self, lines: &str) -> Result<(), String> {
        self.sender.send(lines)
    }

    fn to(&self) -> String {
        self.sender.to()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_decide_on_labels_and_sender() {
        let package = "org.apache.jmeter.visualizers.backend.graphite";
        let sender = format!("{package}.PickleGraphiteMetricsSender");
        let arguments = Arguments::from([
            ("graphiteMetricsSender", sender.as_str()),
            ("summaryOnly", "false"),
            ("samplersList", "a;b c"),
            ("percentiles", "90; 99.9;x"),
        ]);
        let client = Graphite::new(&arguments, &Properties::default()).expect("a client");
        assert_eq!(client.metering.labels, Labels::Of(vec!["a".into(), "b c".into()]));
        assert_eq!((client.percentiles.len(), &*client.prefix, client.interval_s), (2, "jmeter.", 1));
        assert_eq!(client.bad_percentiles(&arguments).collect::<Vec<_>>(), ["x"]);
        assert_eq!(labels(&Arguments::default()), Labels::None);
        let regex = [("summaryOnly", "false"), ("useRegexpForSamplersList", "true"), ("samplersList", "a.*")];
        assert_eq!(labels(&Arguments::from(regex)), Labels::Matching("a.*".into()));
        assert!(Graphite::new(&Arguments::default(), &Properties::default()).is_err());
    }
}
