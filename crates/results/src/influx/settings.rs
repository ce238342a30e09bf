//! Arguments of the client, and the properties of all backend listeners.

use swell_expr::Properties;

/// What a Backend Listener is told.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Settings {
    pub(super) url: String,
    pub(super) token: String,
    /// These stand in lines as they are.
    pub(super) application: String,
    pub(super) measurement: String,
    pub(super) event_tags: String,
    /// Tags of the plan's own, each with a comma before it.
    pub(super) user_tags: String,
    pub(super) title: String,
    pub(super) summary_only: bool,
    pub(super) samplers: String,
    pub(super) percentiles: Vec<f32>,
    pub(super) interval_s: u64,
    /// Values in a window; of a fixed one the last so many, of a timed one all of an interval, up to this.
    pub(super) window: usize,
    pub(super) percentile_window: usize,
    pub(super) timed: bool,
    pub(super) connect_timeout_ms: u64,
    pub(super) read_timeout_ms: u64,
}

impl Settings {
    /// From arguments in the order of the plan.
    pub(super) fn new(arguments: &[(String, String)], props: &Properties) -> Self {
        let get = |name: &str, default: &str| {
            let found = arguments.iter().find(|(key, _)| key == name);
            found.map_or(default, |(_, value)| value.as_str()).to_owned()
        };
        let number = |name: &str, default: u64| {
            props.get(name).and_then(|text| text.trim().parse().ok()).unwrap_or(default)
        };
        let small = number("backend_metrics_window", 100) as usize;
        let mode = props.get("backend_metrics_window_mode").unwrap_or_default();
        let timed = mode.eq_ignore_ascii_case("timed");
        let window = if timed { number("backend_metrics_large_window", 5000) as usize } else { small };
        Self {
            url: get("influxdbUrl", ""),
            token: get("influxdbToken", ""),
            application: tag(&get("application", "")),
            measurement: tag(&get("measurement", "jmeter")),
            event_tags: tag(&get("eventTags", "")),
            user_tags: user_tags(arguments),
            title: get("testTitle", "Test"),
            summary_only: get("summaryOnly", "false").eq_ignore_ascii_case("true"),
            samplers: get("samplersRegex", ""),
            percentiles: get("percentiles", "")
                .split(';')
                .filter_map(|text| text.trim().parse().ok())
                .collect(),
            interval_s: number("backend_influxdb.send_interval", 5).max(1),
            window: window.max(1),
            percentile_window: small.max(1),
            timed,
            connect_timeout_ms: number("backend_influxdb.connection_timeout", 1000).max(1),
            read_timeout_ms: number("backend_influxdb.socket_timeout", 3000).max(1),
        }
    }
}

/// `tagToStringValue`.
pub(super) fn tag(text: &str) -> String {
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
        let pairs =
            [("application", "my app"), ("TAG_a b", "c=d"), ("percentiles", "90; 99.9;x"), ("TAG_e", " ")];
        let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let props = Properties::default();
        let settings = Settings::new(&pairs, &props);
        assert_eq!((&*settings.application, &*settings.measurement), ("my\\ app", "jmeter"));
        assert_eq!((&*settings.user_tags, settings.percentiles), (",a\\ b=c\\=d", vec![90.0, 99.9]));
        assert_eq!((settings.window, settings.timed, settings.interval_s), (100, false, 5));
        props.set("backend_metrics_window_mode", "timed");
        assert_eq!(Settings::new(&pairs, &props).window, 5000);
    }
}
