//! Figures of each interval in InfluxDB's line protocol, for versions 1, 2 and 3.

use swell_stats::Interval;

use super::board::{Board, Value};
use super::destination::Receiver;
use super::rows::{Number, rows_of, values_of};
use super::text::put;

/// Headers of a request, besides its length.
pub(super) const HEADERS: [(&str, &str); 1] = [("Content-Type", "text/plain; charset=utf-8")];

/// A request is sent as soon as it has this many bytes.
const MOST_BYTES: usize = 1 << 20;

/// Parameters of a URL that go to the server as they are.
const PASSED: [&str; 6] = ["db", "rp", "consistency", "org", "orgID", "bucket"];

/// Reads a URL: that of version 1 has `db`, that of version 2 `org` and `bucket`. A token, or a
/// name and password, go into the header.
///
/// # Errors
/// The URL is invalid or names neither database nor bucket. The text has no secret.
pub(super) fn receiver(text: &str) -> Result<Receiver, String> {
    let Receiver { url, mut authorization } = Receiver::read(text, "/")?;
    let (place, query) = url.split_once('?').unwrap_or((&url, ""));
    let mut passed = Vec::new();
    let mut is_second = None;
    for (name, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
        match name {
            "token" => authorization = Some(format!("Token {value}")),
            "precision" => {}
            name if PASSED.contains(&name) && !value.is_empty() => {
                passed.push(format!("{name}={value}"));
                match name {
                    "db" => is_second = Some(false),
                    "bucket" => is_second = Some(true),
                    _ => {}
                }
            }
            other => {
                let known = PASSED.join(", ");
                return Err(format!("invalid parameter `{other}` of the URL: expected {known} or token"));
            }
        }
    }
    let path = match is_second {
        Some(false) => "/write",
        Some(true) => "/api/v2/write",
        None => {
            return Err(
                "the URL names no database and no bucket: write http://HOST:8086?db=NAME for version 1, \
                        http://HOST:8086?org=NAME&bucket=NAME&token=TOKEN for version 2"
                    .to_owned(),
            );
        }
    };
    let has_path = place.split_once("://").is_some_and(|(_, rest)| rest.trim_end_matches('/').contains('/'));
    let place = if has_path { place.to_owned() } else { format!("{}{path}", place.trim_end_matches('/')) };
    passed.push("precision=ms".to_owned());
    Ok(Receiver { url: format!("{place}?{}", passed.join("&")), authorization })
}

/// Collects lines until they are sent.
#[derive(Default)]
pub(super) struct Influx {
    lines: String,
}

impl Influx {
    /// Adds the lines of an interval that the board has taken, and returns a request if one is due.
    pub(super) fn take(&mut self, board: &Board, interval: &Interval, is_due: bool) -> Option<Vec<u8>> {
        self.labels(board, interval);
        self.failures(board, interval);
        self.levels(board);
        let is_full = self.lines.len() >= MOST_BYTES;
        ((is_due || is_full) && !self.lines.is_empty()).then(|| std::mem::take(&mut self.lines).into_bytes())
    }

    fn labels(&mut self, board: &Board, interval: &Interval) {
        for row in rows_of(board, interval) {
            let tags = tags(board, &[("kind", row.kind), ("label", row.label)]);
            let mut fields = format!("interval_ms={}i", interval.length_ms);
            put_values(&mut fields, row.values());
            self.line("swell", &tags, &fields, board.at_ms());
            for (name, figure) in row.stats.figures.iter() {
                let own = [("figure", name.as_str()), ("kind", row.kind), ("label", row.label)];
                let mut fields = String::new();
                put_values(&mut fields, values_of(figure));
                if let Some(fields) = fields.strip_prefix(',') {
                    self.line("swell_figure", &self::tags(board, &own), fields, board.at_ms());
                }
            }
        }
    }

    fn failures(&mut self, board: &Board, interval: &Interval) {
        for (kind, count) in interval.labels.errors.kinds() {
            let tags = tags(board, &[("cause", kind.name())]);
            self.line("swell_failures", &tags, &format!("samples={count}i"), board.at_ms());
        }
    }

    /// Figures of the run in one line, and a line for each source of figures of the target.
    fn levels(&mut self, board: &Board) {
        let mut of_run = String::new();
        board.each(|series| {
            let name = series.definition.name();
            let name = name.strip_prefix("swell_").unwrap_or(&name);
            let is_of_run = series.definition.labels.is_empty();
            match (series.value, name.strip_prefix("target_")) {
                (Value::Count(count), _) if is_of_run => put(&mut of_run, format_args!(",{name}={count}i")),
                (Value::Level(level), None) if is_of_run && level.is_finite() => {
                    put(&mut of_run, format_args!(",{name}={level}"));
                }
                (Value::Level(level), Some(figure)) if series.changed == board.taken && level.is_finite() => {
                    let fields = format!("{figure}={level}");
                    self.line("swell_target", &tags_of(series.labels), &fields, board.at_ms());
                }
                _ => {}
            }
        });
        if let Some(fields) = of_run.strip_prefix(',') {
            self.line("swell_run", &tags(board, &[]), fields, board.at_ms());
        }
    }

    fn line(&mut self, measurement: &str, tags: &str, fields: &str, at_ms: i64) {
        put(&mut self.lines, format_args!("{measurement}{tags} {fields} {at_ms}\n"));
    }
}

/// Each with a comma before it.
fn put_values(out: &mut String, values: impl Iterator<Item = (&'static str, Number)>) {
    for (name, value) in values {
        match value {
            Number::Count(count) => put(out, format_args!(",{name}={count}i")),
            Number::Level(level) => put(out, format_args!(",{name}={level}")),
        }
    }
}

fn tags(board: &Board, more: &[(&'static str, &str)]) -> String {
    tags_of([&board.identity().labels(), more].concat())
}

/// Each with a comma before it, in the order of their names, which InfluxDB stores fastest. A tag
/// cannot be empty.
fn tags_of(mut pairs: Vec<(&str, &str)>) -> String {
    pairs.sort_unstable();
    let mut out = String::new();
    for (name, value) in pairs.iter().filter(|(_, value)| !value.is_empty()) {
        put(&mut out, format_args!(",{name}={}", escaped(value)));
    }
    out
}

/// The value of a tag. A backslash would change the meaning of what follows it, and versions differ
/// in what it does: it is written as a slash.
fn escaped(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for c in value.chars() {
        match c {
            ',' | '=' | ' ' => out.extend(['\\', c]),
            '\\' => out.push('/'),
            c if c.is_control() => out.push_str("\\ "),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use swell_stats::Reading;
    use swell_stats::reading::Known;

    use super::super::testing::{identity, interval, with_figures};
    use super::super::{Identity, TrialIdentity};
    use super::*;

    fn lines(board: &mut Board, influx: &mut Influx, interval: &Interval, is_due: bool) -> Option<String> {
        board.add(interval);
        influx.take(board, interval, is_due).map(|bytes| String::from_utf8(bytes).expect("text"))
    }

    #[test]
    fn a_url_says_version_and_credentials_and_shows_no_secret() {
        let read = |text: &str| receiver(text).map(|receiver| (receiver.url, receiver.authorization));
        let basic = Some("Basic dTpw".to_owned());
        let token = Some("Token s3cret==".to_owned());
        for (text, url, authorization) in [
            ("http://h:8086?db=jmeter", "http://h:8086/write?db=jmeter&precision=ms", None),
            ("https://u:p@h/?db=a&rp=week", "https://h/write?db=a&rp=week&precision=ms", basic),
            (
                "http://h?org=acme&bucket=load&token=s3cret==",
                "http://h/api/v2/write?org=acme&bucket=load&precision=ms",
                token.clone(),
            ),
            ("http://h/proxy/write?db=a&precision=ns", "http://h/proxy/write?db=a&precision=ms", None),
        ] {
            assert_eq!(read(text), Ok((url.to_owned(), authorization)), "{text}");
        }
        for (text, why) in [
            ("http://h:8086", "names no database and no bucket"),
            ("http://h?org=a&token=s3cret", "names no database and no bucket"),
            ("http://h?db=", "invalid parameter `db`"),
            ("http://h?databse=x&token=s3cret", "invalid parameter `databse` of the URL: expected db, rp,"),
            ("h:8086?db=x", "such as http://"),
        ] {
            let said = read(text).expect_err(text);
            assert!(said.contains(why) && !said.contains("s3cret"), "{text}: {said}");
        }
    }

    #[test]
    fn an_interval_is_lines_of_labels_failures_run_and_target() {
        let mut second = interval(1000, &[("a b,c=d\\", 2), ("bad", 1)]);
        second.readings = vec![Reading::new(&Arc::from("machine"), Known::MachineIdle, 0.5, 1.0)];
        let mut board = Board::new(identity(), 10);
        let text = lines(&mut board, &mut Influx::default(), &second, true).expect("a request");
        let values = "mean_ms=5,min_ms=5,p50_ms=5,p90_ms=5,p95_ms=5,p99_ms=5,max_ms=5";
        let wanted = [
            &format!(
                "swell,kind=sample,label=a\\ b\\,c\\=d/,run=nightly interval_ms=1000i,samples=2i,errors=0i,received_bytes=200i,sent_bytes=20i,{values} 2000"
            ),
            &format!(
                "swell,kind=sample,label=bad,run=nightly interval_ms=1000i,samples=1i,errors=1i,received_bytes=100i,sent_bytes=10i,{values} 2000"
            ),
            &format!(
                "swell,kind=total,label=(all),run=nightly interval_ms=1000i,samples=3i,errors=1i,received_bytes=300i,sent_bytes=30i,{values} 2000"
            ),
            "swell_failures,cause=connection_refused,run=nightly samples=1i 2000",
            "swell_target,run=nightly,source=machine machine_idle_ratio=0.5 2000",
            "swell_run,run=nightly connections_total=3i,users_started_total=9i,users_finished_total=2i,users_active=7,paused=0 2000",
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn figures_are_lines_of_each_label_and_of_all() {
        let mut board = Board::new(identity(), 10);
        let second = with_figures(interval(1000, &[("a", 1)]), &["-2.5"]);
        let text = lines(&mut board, &mut Influx::default(), &second, true).expect("a request");
        let found: Vec<_> = text.lines().filter(|line| line.starts_with("swell_figure")).collect();
        let values = "count=1i,sum=-2.5,mean=-2.5,min=-2.5,p50=-2.5,p90=-2.5,p95=-2.5,p99=-2.5,max=-2.5 2000";
        let of = |kind: &str, label: &str| {
            format!("swell_figure,figure=depth,kind={kind},label={label},run=nightly {values}")
        };
        assert_eq!(found, [of("sample", "a"), of("total", "(all)")]);
    }

    #[test]
    fn lines_of_many_intervals_are_one_request_and_trials_are_told_apart() {
        let trial = TrialIdentity { number: "3".into(), load: "users 50".into() };
        let mut board = Board::new(Identity { trial: Some(trial), ..identity() }, 10);
        let mut influx = Influx::default();
        assert_eq!(lines(&mut board, &mut influx, &interval(0, &[("a", 1)]), false), None);
        let text = lines(&mut board, &mut influx, &interval(1000, &[]), true).expect("a request");
        let heads: Vec<_> =
            text.lines().filter_map(|line| line.split_once(' ').map(|(head, _)| head)).collect();
        assert_eq!(heads[0], "swell,kind=sample,label=a,load=users\\");
        assert_eq!(heads.len(), 4, "two rows and a line of the run, then a line of the run: {text}");
        assert!(text.lines().all(|line| line.contains("load=users\\ 50,run=nightly,trial=3 ")), "{text}");
        assert_eq!(influx.lines, "");
    }
}
