//! Lines of InfluxDB's protocol, as JMeter's client writes them.

use std::fmt::Write;

use swell_java::format::double_to_string;

use super::super::Users;
use super::super::table::Sums;
use super::super::windows::{Interval, Label, Window, Windows};
use super::settings::{Settings, tag};

/// An annotation of the test's start or end.
pub(super) fn event(settings: &Settings, what: &str, now_ms: i64) -> String {
    let Settings { application, user_tags, event_tags, title, .. } = settings;
    let tags = if event_tags.is_empty() { String::new() } else { format!(",tags={event_tags}") };
    let text = format!("{title} {what}").trim().replace('"', "\\\"");
    format!(
        "events,application={application},title=ApacheJMeter{user_tags}{tags} text=\"{text}\" {now_ms}000000\n"
    )
}

/// The lines of an interval.
pub(super) fn interval(
    settings: &Settings,
    sums: &Interval,
    windows: &Windows,
    users: Users,
    now_ms: i64,
) -> String {
    let mut out = Lines { out: String::new(), settings, now_ms };
    for (label, sums) in &sums.labels {
        if let Some(windows) = windows.label(label) {
            out.label(&tag(label), sums, windows);
        }
    }
    out.all(&sums.all, windows.all());
    out.users(windows.users(), users);
    out.out
}

struct Lines<'s> {
    out: String,
    settings: &'s Settings,
    now_ms: i64,
}

impl Lines<'_> {
    fn line(&mut self, tags: &str, fields: &str) {
        let Settings { measurement, application, user_tags, .. } = self.settings;
        let now_ms = self.now_ms;
        writeln!(
            self.out,
            "{measurement},application={application}{tags}{user_tags} {fields} {now_ms}000000"
        )
        .expect("a string takes all");
    }

    fn label(&mut self, label: &str, sums: &Sums, windows: &Label) {
        let total = sums.successes + sums.failures;
        self.status(label, "all", total, sums, &windows.all, &windows.last);
        self.status(label, "ok", sums.successes, sums, &windows.ok, &windows.ok);
        self.status(label, "ko", sums.failures, sums, &windows.ko, &windows.ko);
        let mut errors: Vec<_> = sums.errors.iter().collect();
        errors.sort_unstable();
        for ((code, message), count) in errors {
            let tags =
                format!(",transaction={label},responseCode={},responseMessage={}", tag(code), tag(message));
            self.line(&tags, &format!("count={count}"));
        }
    }

    fn status(&mut self, label: &str, status: &str, count: u64, sums: &Sums, window: &Window, last: &Window) {
        if count > 0 {
            let mut fields = format!("count={count}");
            self.fields(&mut fields, sums, window, last);
            self.line(&format!(",transaction={label},statut={status}"), &fields);
        }
    }

    /// All samples together; times are those of the good ones.
    fn all(&mut self, sums: &Sums, windows: &Label) {
        let count = sums.successes + sums.failures;
        if count > 0 {
            let mut fields = format!("count={count},countError={}", sums.failures);
            self.fields(&mut fields, sums, &windows.ok, &windows.last);
            self.line(",transaction=all,statut=all", &fields);
        }
    }

    fn fields(&self, out: &mut String, sums: &Sums, window: &Window, last: &Window) {
        let times = [("avg", window.mean()), ("min", window.min()), ("max", window.max())];
        for (name, value) in times {
            if let Some(value) = value {
                write!(out, ",{name}={}", double_to_string(value)).expect("a string takes all");
            }
        }
        write!(out, ",hit={},sb={},rb={}", sums.hits, sums.sent, sums.received).expect("a string takes all");
        for percent in &self.settings.percentiles {
            let name = float(*percent);
            let value = last.percentile(f64::from(*percent));
            write!(out, ",pct{name}={}", double_to_string(value)).expect("a string takes all");
        }
    }

    fn users(&mut self, active: &Window, Users { started, finished }: Users) {
        let whole = |value: Option<f64>| value.unwrap_or_default() as i64;
        let fields = format!(
            "minAT={},maxAT={},meanAT={},startedT={started},endedT={finished}",
            whole(active.min()),
            whole(active.max()),
            whole(active.mean())
        );
        self.line(",transaction=internal", &fields);
    }
}

/// `Float.toString` of a percentage.
fn float(value: f32) -> String {
    let text = value.to_string();
    if text.contains('.') { text } else { text + ".0" }
}

#[cfg(test)]
mod tests {
    use super::super::super::arguments::Arguments;
    use super::super::super::table::Table;
    use super::super::settings::metering;
    use super::*;
    use swell_api::SampleResult;
    use swell_expr::Properties;

    #[test]
    fn lines_are_those_of_jmeter() {
        let arguments = Arguments::from([
            ("application", "app"),
            ("samplersRegex", ".*"),
            ("percentiles", "90;99.9"),
            ("TAG_run", "1"),
        ]);
        let settings = Settings::new(&arguments, &Properties::default());
        let metering = metering(&arguments, &Properties::default());
        let mut table = Table::new(&metering);
        for (ms, success) in [(10, true), (30, false)] {
            let mut sample = SampleResult {
                label: "a b".into(),
                code: "503".into(),
                message: "Not, now".into(),
                success,
                bytes: 7,
                sent_bytes: 3,
                all_threads: 2,
                ..SampleResult::default()
            };
            sample.timing.start_ns = 1_000_000;
            sample.timing.end_ns = (ms + 1) * 1_000_000;
            table.add(&sample);
        }
        let mut windows = Windows::default();
        let sums = windows.take_in(vec![table.take()], &metering);
        let text = interval(&settings, &sums, &windows, Users { started: 4, finished: 1 }, 5);
        let numbers = "hit=2,sb=6,rb=14";
        let head = "jmeter,application=app,transaction=a\\ b";
        let wanted = [
            format!("{head},statut=all,run=1 count=2,avg=20.0,min=10.0,max=30.0,{numbers},pct99.9=30.0,pct90.0=30.0 5000000"),
            format!("{head},statut=ok,run=1 count=1,avg=10.0,min=10.0,max=10.0,{numbers},pct99.9=10.0,pct90.0=10.0 5000000"),
            format!("{head},statut=ko,run=1 count=1,avg=30.0,min=30.0,max=30.0,{numbers},pct99.9=30.0,pct90.0=30.0 5000000"),
            format!("{head},responseCode=503,responseMessage=Not\\,\\ now,run=1 count=1 5000000"),
            format!("jmeter,application=app,transaction=all,statut=all,run=1 count=2,countError=1,avg=10.0,min=10.0,max=10.0,{numbers},pct99.9=30.0,pct90.0=30.0 5000000"),
            "jmeter,application=app,transaction=internal,run=1 minAT=2,maxAT=2,meanAT=2,startedT=4,endedT=1 5000000".to_owned(),
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), wanted);
        // The next interval has no samples, and nothing but users.
        let sums = windows.take_in(vec![table.take()], &metering);
        assert_eq!(interval(&settings, &sums, &windows, Users::default(), 6).lines().count(), 1);
    }

    #[test]
    fn events_name_the_test() {
        let arguments = Arguments::from([("testTitle", "A \"b\""), ("eventTags", "x y")]);
        let settings = Settings::new(&arguments, &Properties::default());
        assert_eq!(
            event(&settings, "started", 3),
            "events,application=,title=ApacheJMeter,tags=x\\ y text=\"A \\\"b\\\" started\" 3000000\n"
        );
    }
}
