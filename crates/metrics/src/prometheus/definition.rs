//! The metrics that a listener defines (`ListenerCollectorConfig`).

use swell_plan::Element;

/// A metric of a listener.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Definition {
    pub(super) name: String,
    pub(super) help: String,
    pub(super) labels: Vec<String>,
    pub(super) kind: Kind,
    pub(super) measuring: Measuring,
    /// Assertions are counted, not samples.
    pub(super) assertions: bool,
    /// Names of counters end with `_total`.
    pub(super) has_suffix: bool,
}

/// Property: `true` has names of counters end with `_total`, as builds of the plug-in with a newer
/// client of Prometheus write them.
pub(super) const SUFFIX: &str = "swell.prometheus.total_suffix";

/// Type of a metric.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Counter,
    /// Nothing that a listener measures sets it.
    Gauge,
    /// Upper bounds in ascending order, without infinity.
    Histogram(Vec<f64>),
    Summary {
        quantiles: Vec<f64>,
        window_s: i64,
    },
    SuccessRatio,
}

/// The measured quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measuring {
    ResponseTime,
    ResponseSize,
    Latency,
    IdleTime,
    ConnectTime,
    Successes,
    Failures,
    Count,
    Ratio,
}

const BUCKETS: &str = "100,500,1000,3000";
const QUANTILES: &str = "0.75,0.5|0.95,0.1|0.99,0.01";
const WINDOW_S: i64 = 60;

impl Definition {
    /// Reads an element; `text` evaluates its properties.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn read(element: &Element, text: impl Fn(&Element, &str) -> String) -> Result<Self, String> {
        let or = |name: &str, default: &str| {
            let said = text(element, name);
            if said.is_empty() { default.to_owned() } else { said }
        };
        let name = text(element, "collector.metric_name");
        if !is_name(&name, true) {
            return Err(format!("invalid metric name `{name}`"));
        }
        let labels = element.collection("collector.labels").iter();
        let labels: Vec<_> = labels.filter_map(|label| label.value.as_text().map(str::to_owned)).collect();
        if let Some(bad) = labels.iter().find(|label| !is_name(label, false)) {
            return Err(format!("invalid label name `{bad}`"));
        }
        let measuring = or("listener.collector.measuring", "ResponseTime");
        Ok(Self {
            help: or("collector.help", "default help string"),
            kind: kind(&or("collector.type", "COUNTER"), &text(element, "collector.quantiles_or_buckets"))?,
            measuring: Measuring::of(&measuring)
                .ok_or_else(|| format!("`{measuring}` is nothing to measure"))?,
            assertions: text(element, "listener.collector.listen_to").eq_ignore_ascii_case("assertions"),
            name,
            labels,
            has_suffix: false,
        })
    }
}

fn is_name(text: &str, colons: bool) -> bool {
    let good = |(at, c): (usize, char)| {
        c.is_ascii_alphabetic() || c == '_' || colons && c == ':' || at > 0 && c.is_ascii_digit()
    };
    !text.is_empty() && text.chars().enumerate().all(good)
}

fn kind(name: &str, numbers: &str) -> Result<Kind, String> {
    Ok(match name {
        "COUNTER" => Kind::Counter,
        "GAUGE" => Kind::Gauge,
        "SUCCESS_RATIO" => Kind::SuccessRatio,
        "HISTOGRAM" => {
            let mut bounds = bounds(numbers);
            if bounds.is_empty() {
                bounds = self::bounds(BUCKETS);
            }
            Kind::Histogram(bounds)
        }
        "SUMMARY" => {
            let (numbers, window) = numbers.split_once(';').unwrap_or((numbers, ""));
            let mut quantiles = quantiles(numbers);
            if quantiles.is_empty() {
                quantiles = self::quantiles(QUANTILES);
            }
            Kind::Summary { quantiles, window_s: window.trim().parse().unwrap_or(WINDOW_S).max(1) }
        }
        other => {
            let known = "COUNTER, GAUGE, HISTOGRAM, SUMMARY or SUCCESS_RATIO";
            return Err(format!("invalid metric type `{other}`: expected {known}"));
        }
    })
}

fn bounds(text: &str) -> Vec<f64> {
    let mut bounds: Vec<f64> = text
        .split(',')
        .filter_map(|bound| bound.trim().parse().ok())
        .filter(|bound: &f64| bound.is_finite())
        .collect();
    bounds.sort_unstable_by(f64::total_cmp);
    bounds.dedup();
    bounds
}

/// Pairs of a quantile and its error; errors are not read, since quantiles are exact to a hundredth
/// here.
fn quantiles(text: &str) -> Vec<f64> {
    let pairs = text.split('|').filter_map(|pair| pair.split_once(','));
    let quantile = pairs.filter_map(|(quantile, error)| {
        error.trim().parse::<f64>().ok()?;
        quantile.trim().parse().ok()
    });
    quantile.filter(|quantile| (0.0..=1.0).contains(quantile)).collect()
}

impl Measuring {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "ResponseTime" => Self::ResponseTime,
            "ResponseSize" => Self::ResponseSize,
            "Latency" => Self::Latency,
            "IdleTime" => Self::IdleTime,
            "ConnectTime" => Self::ConnectTime,
            "SuccessTotal" => Self::Successes,
            "FailureTotal" => Self::Failures,
            "CountTotal" => Self::Count,
            "SuccessRatio" => Self::Ratio,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_plan::{Property, PropertyValue};

    fn read(texts: &[(&str, &str)], labels: &[&str]) -> Result<Definition, String> {
        let labels = labels.iter().map(|label| Property::new("", PropertyValue::Text((*label).to_owned())));
        let element = Element::new("com.github.johrstrom.listener.ListenerCollectorConfig", "", "")
            .with("collector.labels", PropertyValue::Collection(labels.collect()));
        let element = texts.iter().fold(element, |element, (name, value)| element.with_text(name, value));
        Definition::read(&element, |element, name| element.text_or_empty(name).to_owned())
    }

    #[test]
    fn what_is_missing_has_the_plug_ins_defaults() {
        let found =
            read(&[("collector.metric_name", "m"), ("collector.type", "HISTOGRAM")], &["label"]).unwrap();
        assert_eq!(found.kind, Kind::Histogram(vec![100.0, 500.0, 1000.0, 3000.0]));
        assert_eq!((&*found.help, found.measuring), ("default help string", Measuring::ResponseTime));
        assert_eq!((found.labels, found.assertions), (vec!["label".to_owned()], false));
    }

    #[test]
    fn quantiles_and_buckets_are_numbers() {
        assert_eq!(kind("HISTOGRAM", "10, x,5,10"), Ok(Kind::Histogram(vec![5.0, 10.0])));
        let summary =
            |quantiles: &[f64], window_s| Ok(Kind::Summary { quantiles: quantiles.to_vec(), window_s });
        assert_eq!(kind("SUMMARY", "0.5,0.1|0.9,0.01;30"), summary(&[0.5, 0.9], 30));
        assert_eq!(kind("SUMMARY", "0.5"), summary(&[0.75, 0.95, 0.99], 60));
        assert!(kind("ODD", "").is_err());
    }

    #[test]
    fn names_are_prometheus_names() {
        for (name, good) in [("a_b:c1", true), ("1a", false), ("a-b", false), ("", false)] {
            assert_eq!(read(&[("collector.metric_name", name)], &[]).is_ok(), good, "{name}");
        }
        assert!(read(&[("collector.metric_name", "m")], &["a:b"]).is_err());
    }
}
