//! Arguments of the client.

use swell_expr::Properties;
use swell_java::map;

use super::super::arguments::{Arguments, number};
use super::super::metering::{Labels, Metering};

/// The contents of the lines.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Settings {
    /// These go into lines verbatim.
    pub(super) application: String,
    pub(super) measurement: String,
    pub(super) event_tags: String,
    /// Tags of the plan's own, each with a comma before it.
    pub(super) user_tags: String,
    pub(super) title: String,
    pub(super) percentiles: Vec<f32>,
    pub(super) interval_s: u64,
}

impl Settings {
    /// From arguments in the order of the plan.
    pub(super) fn new(arguments: &Arguments, props: &Properties) -> Self {
        Self {
            application: tag(arguments.get("application", "")),
            measurement: tag(arguments.get("measurement", "jmeter")),
            event_tags: tag(arguments.get("eventTags", "")),
            user_tags: user_tags(&arguments.0),
            title: arguments.get("testTitle", "Test").to_owned(),
            percentiles: percentiles(arguments.get("percentiles", "")),
            interval_s: number(props, "backend_influxdb.send_interval", 5).max(1),
        }
    }
}

/// Percentages in the order of the map that JMeter keeps them in.
fn percentiles(list: &str) -> Vec<f32> {
    let parts = list.split(';');
    let expected = parts.clone().count();
    let mut found: Vec<(String, f32)> = Vec::new();
    for percent in parts.filter_map(|text| text.trim().parse::<f32>().ok()) {
        let shown = format!("{:.2}", f64::from(percent));
        let key = shown.trim_end_matches('0').trim_end_matches('.').to_owned();
        found.retain(|(known, _)| *known != key);
        found.push((key, percent));
    }
    let bins = map::bins(expected, found.len());
    found.sort_by_key(|(key, _)| map::bin(key, bins));
    found.into_iter().map(|(_, percent)| percent).collect()
}

/// What is summed up.
pub(super) fn metering(arguments: &Arguments, props: &Properties) -> Metering {
    let labels = if arguments.flag("summaryOnly", false) {
        Labels::None
    } else {
        Labels::Finding(arguments.get("samplersRegex", "").to_owned())
    };
    Metering::new(labels, props)
}

/// `tagToStringValue`.
pub(in crate::backend) fn tag(text: &str) -> String {
    text.trim().replace(' ', "\\ ").replace(',', "\\,").replace('=', "\\=").replace('\n', "\\n")
}

fn user_tags(arguments: &[(String, String)]) -> String {
    let tags = arguments.iter().filter(|(name, value)| name.starts_with("TAG_") && !value.trim().is_empty());
    let joined =
        tags.flat_map(|(name, value)| [",".to_owned(), tag(&name.trim()[4..]), "=".to_owned(), tag(value)]);
    joined.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_become_settings() {
        let arguments = Arguments::from([
            ("application", "my app"),
            ("TAG_a b", "c=d"),
            ("percentiles", "90; 99.9;x"),
            ("TAG_e", " "),
        ]);
        let settings = Settings::new(&arguments, &Properties::default());
        assert_eq!((&*settings.application, &*settings.measurement), ("my\\ app", "jmeter"));
        assert_eq!((&*settings.user_tags, settings.percentiles), (",a\\ b=c\\=d", vec![99.9, 90.0]));
        assert_eq!(settings.interval_s, 5);
        assert_eq!(metering(&arguments, &Properties::default()).labels, Labels::Finding(String::new()));
        let summary = Arguments::from([("summaryOnly", "TRUE")]);
        assert_eq!(metering(&summary, &Properties::default()).labels, Labels::None);
    }
}
