//! Names and values of an interval's metrics.

use swell_java::format::double_to_string;

use super::super::Users;
use super::super::table::Sums;
use super::super::windows::{Label, Window};

/// A percentage and its name.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Percentile {
    percent: f64,
    name: String,
}

impl Percentile {
    /// None if the text is not a number.
    pub(super) fn new(text: &str) -> Option<Self> {
        // Java's Float; its text has two digits at most (`DecimalFormat("0.##")`).
        let percent: f32 = text.trim().parse().ok()?;
        let percent = f64::from(percent);
        let digits = format!("{percent:.2}");
        let shown = digits.trim_end_matches('0').trim_end_matches('.');
        Some(Self { percent, name: name(shown) })
    }
}

/// A text as a part of a name (`AbstractGraphiteMetricsSender.sanitizeString`).
pub(super) fn name(text: &str) -> String {
    text.replace(['\\', ' '], "-").replace('.', "_")
}

/// The collected metrics.
pub(super) struct Metrics<'p> {
    percentiles: &'p [Percentile],
    /// Names without the common prefix, and values.
    pub(super) all: Vec<(String, String)>,
}

impl<'p> Metrics<'p> {
    pub(super) fn new(percentiles: &'p [Percentile]) -> Self {
        Self { percentiles, all: Vec::new() }
    }

    fn put(&mut self, context: &str, name: &str, value: &dyn ToString) {
        self.all.push((format!("{context}.{name}"), value.to_string()));
    }

    /// What was summed up of a label, if it had samples.
    pub(super) fn add(&mut self, context: &str, sums: &Sums, windows: &Label) {
        let total = sums.successes + sums.failures;
        if total == 0 {
            return;
        }
        let numbers = [
            ("ok.count", sums.successes),
            ("ko.count", sums.failures),
            ("a.count", total),
            ("h.count", sums.hits),
            ("sb.bytes", sums.sent),
            ("rb.bytes", sums.received),
        ];
        for (name, value) in numbers {
            self.put(context, name, &value);
        }
        if sums.successes > 0 {
            self.times(context, "ok", &windows.ok, &windows.ok);
        }
        if sums.failures > 0 {
            self.times(context, "ko", &windows.ko, &windows.ko);
        }
        self.times(context, "a", &windows.all, &windows.last);
    }

    fn times(&mut self, context: &str, of: &str, window: &Window, last: &Window) {
        let values = [("min", window.min()), ("max", window.max()), ("avg", window.mean())];
        for (name, value) in values {
            self.put(context, &format!("{of}.{name}"), &double_to_string(value.unwrap_or(f64::NAN)));
        }
        for Percentile { percent, name } in self.percentiles {
            self.put(context, &format!("{of}.pct{name}"), &double_to_string(last.percentile(*percent)));
        }
    }

    /// Virtual users.
    pub(super) fn users(&mut self, active: &Window, Users { started, finished }: Users) {
        let whole = |value: Option<f64>| value.unwrap_or_default() as i64;
        let values = [("minAT", active.min()), ("maxAT", active.max()), ("meanAT", active.mean())];
        for (name, value) in values {
            self.put("test", name, &whole(value));
        }
        self.put("test", "startedT", &started);
        self.put("test", "endedT", &finished);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::metering::{Labels, Metering};
    use super::super::super::table::Table;
    use super::super::super::windows::Windows;
    use super::*;
    use swell_api::SampleResult;
    use swell_expr::Properties;

    #[test]
    fn metrics_are_those_of_jmeter() {
        let metering = Metering::new(Labels::Of(vec!["a b.c".into()]), &Properties::default());
        let mut table = Table::new(&metering);
        for (ms, success) in [(10, true), (30, false)] {
            let mut sample =
                SampleResult { label: "a b.c".into(), success, bytes: 7, ..SampleResult::default() };
            (sample.sent_bytes, sample.all_threads) = (3, 2);
            sample.timing.start_ns = 1_000_000;
            sample.timing.end_ns = (ms + 1) * 1_000_000;
            table.add(&sample);
        }
        let mut windows = Windows::default();
        let sums = windows.take_in(vec![table.take()], &metering);
        let percentiles = ["90", "99.9"].map(|text| Percentile::new(text).expect("a number"));
        let mut metrics = Metrics::new(&percentiles);
        let label = windows.label("a b.c").expect("it is named");
        metrics.add(&name("a b.c"), &sums.labels["a b.c"], label);
        metrics.users(windows.users(), Users { started: 4, finished: 1 });
        let shown: Vec<_> = metrics.all.iter().map(|(name, value)| format!("{name} {value}")).collect();
        let label = "ok.count 1,ko.count 1,a.count 2,h.count 2,sb.bytes 6,rb.bytes 14,\
                     ok.min 10.0,ok.max 10.0,ok.avg 10.0,ok.pct90 10.0,ok.pct99_9 10.0,\
                     ko.min 30.0,ko.max 30.0,ko.avg 30.0,ko.pct90 30.0,ko.pct99_9 30.0,\
                     a.min 10.0,a.max 30.0,a.avg 20.0,a.pct90 30.0,a.pct99_9 30.0";
        let label: Vec<_> = label.split(',').map(|line| format!("a-b_c.{line}")).collect();
        let users = ["minAT 2", "maxAT 2", "meanAT 2", "startedT 4", "endedT 1"];
        let users: Vec<_> = users.iter().map(|line| format!("test.{line}")).collect();
        assert_eq!(shown, [label, users].concat());
        // An interval without samples has no metrics of labels.
        let sums = windows.take_in(vec![table.take()], &metering);
        let mut metrics = Metrics::new(&percentiles);
        metrics.add("all", &sums.all, windows.all());
        assert!(metrics.all.is_empty());
    }
}
