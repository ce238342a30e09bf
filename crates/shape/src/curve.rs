//! Measured load profiles: tables of times and levels, access logs, responses of Prometheus.

use std::collections::BTreeMap;

use jiff::fmt::strtime;
use serde_json::Value;

use crate::ShapePart;

/// Loads the content of a file or address that a profile names.
pub type Load<'a> = &'a mut dyn FnMut(CurveSource, &str) -> Result<Curve, String>;

/// Source of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CurveSource {
    /// A file of lines `time,level`.
    Csv,
    /// An access log in the common or combined format: requests per second.
    AccessLog {
        /// The length of the counted intervals, in seconds; none: about 300 intervals.
        every_s: Option<f64>,
    },
    /// The JSON of a Prometheus range query: a file, or the address of the query.
    Prometheus,
}

/// Levels at times.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Times in seconds, increasing, with their levels.
    pub points: Vec<(f64, f64)>,
    /// Each level holds until the next point; otherwise levels are interpolated.
    pub is_steps: bool,
}

/// Maximum number of points of a curve.
const MOST_POINTS: usize = 100_000;

impl Curve {
    /// The parts of a profile that follows this curve.
    pub(crate) fn parts(&self, with_steps: bool) -> Vec<ShapePart> {
        let pairs = self.points.windows(2);
        pairs
            .map(|pair| {
                let (from_s, from) = pair[0];
                let (to_s, to) = pair[1];
                let to = if self.is_steps || with_steps { from } else { to };
                ShapePart::Line { from, to, length_s: to_s - from_s }
            })
            .collect()
    }

    fn checked(points: Vec<(f64, f64)>, is_steps: bool) -> Result<Self, String> {
        if points.len() < 2 {
            return Err("expected at least two points of time and level".to_owned());
        }
        if points.len() > MOST_POINTS {
            return Err(format!("expected at most {MOST_POINTS} points"));
        }
        if let Some(pair) = points.windows(2).find(|pair| pair[1].0 <= pair[0].0) {
            return Err(format!("times must increase, but {} comes after {}", pair[1].0, pair[0].0));
        }
        Ok(Self { points, is_steps })
    }

    /// Parses lines of a time and a level, separated by a comma, a semicolon, a tab or blanks. A
    /// header line is skipped.
    ///
    /// # Errors
    /// A line is not a time and a level, or times do not increase.
    pub fn of_csv(text: &str) -> Result<Self, String> {
        let mut points = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let mut cells = line.split([',', ';', '\t', ' ']).map(str::trim).filter(|cell| !cell.is_empty());
            let pair = cells.next().zip(cells.next());
            let read = pair.and_then(|(time, level)| {
                let at_s = crate::value::seconds(time).ok().or_else(|| clock(time))?;
                Some((at_s, crate::value::level(level).ok()?))
            });
            match read {
                Some(point) => points.push(point),
                None if points.is_empty() && number == 1 => {}
                None => {
                    return Err(format!(
                        "line {number} is not a time and a level, such as `30,500`: `{}`",
                        shortened(line)
                    ));
                }
            }
            if points.len() > MOST_POINTS {
                break;
            }
        }
        Self::checked(points, false)
    }

    /// Counts the requests of an access log. Lines without a time are skipped, as long as there are
    /// others.
    ///
    /// # Errors
    /// No line has a time in brackets, or all of them are of one second.
    pub fn of_access_log(
        lines: impl IntoIterator<Item = impl AsRef<str>>,
        every_s: Option<f64>,
    ) -> Result<Self, String> {
        let mut counts: BTreeMap<i64, u64> = BTreeMap::new();
        for line in lines {
            if let Some(second) = log_second(line.as_ref()) {
                *counts.entry(second).or_default() += 1;
            }
        }
        let (Some(first), Some(last)) = (counts.keys().next().copied(), counts.keys().next_back().copied())
        else {
            return Err("no line has a time such as [10/Oct/2000:13:55:36 -0700]".to_owned());
        };
        let length_s = last.saturating_sub(first).saturating_add(1) as f64;
        let every_s = every_s.unwrap_or((length_s / 300.0).ceil()).max(1.0);
        let buckets = (length_s / every_s).ceil();
        if buckets > MOST_POINTS as f64 {
            return Err(format!(
                "it has more than {MOST_POINTS} intervals of {every_s} s: count longer ones, as in every=1h"
            ));
        }
        let mut sums = vec![0_u64; buckets as usize];
        for (second, count) in counts {
            sums[((second - first) as f64 / every_s) as usize] += count;
        }
        let mut points: Vec<_> = (0..)
            .zip(&sums)
            .map(|(place, count)| (f64::from(place) * every_s, *count as f64 / every_s))
            .collect();
        // The last interval ends with the log, so that no request is lost or spread.
        let (at_s, _) = points[points.len() - 1];
        let left_s = length_s - at_s;
        let place = points.len() - 1;
        points[place].1 = sums[place] as f64 / left_s;
        points.push((length_s, 0.0));
        Self::checked(points, true)
    }

    /// Parses the response to a range query; several series are summed.
    ///
    /// # Errors
    /// It is not such a response, or has no series.
    pub fn of_prometheus(text: &str) -> Result<Self, String> {
        let answer: Value = serde_json::from_str(text).map_err(|error| {
            format!(
                "the file is not \
            JSON: {error}"
            )
        })?;
        if answer["status"] == "error" {
            return Err(format!(
                "Prometheus reported: {}",
                shortened(answer["error"].as_str().unwrap_or("error"))
            ));
        }
        let data = if answer["data"].is_object() { &answer["data"] } else { &answer };
        let series = data["result"]
            .as_array()
            .ok_or("the file is not a Prometheus response: data.result is missing")?;
        // Milliseconds as keys: equal times of several series must match.
        let mut sums: BTreeMap<i64, f64> = BTreeMap::new();
        for one in series {
            let values = one["values"]
                .as_array()
                .ok_or("the file is not a range of times: use query_range with start, end and step")?;
            for pair in values {
                let at_s = pair[0].as_f64().ok_or("a time is not a number")?;
                let level = pair[1].as_str().and_then(|text| text.parse::<f64>().ok()).or(pair[1].as_f64());
                let level = level.ok_or("a value is not a number")?;
                if level.is_finite() && at_s.abs() < 1e12 {
                    *sums.entry((at_s * 1e3) as i64).or_default() += level.max(0.0);
                }
            }
        }
        let first = sums.keys().next().copied().unwrap_or(0);
        let points = sums.into_iter().map(|(at_ms, level)| ((at_ms - first) as f64 / 1e3, level));
        Self::checked(points.collect(), false)
    }
}

/// `13:55` or `13:55:36`.
fn clock(text: &str) -> Option<f64> {
    let mut parts = text.split(':').map(|part| part.parse::<u32>().ok());
    let hours = parts.next()??;
    let minutes = parts.next()??;
    let seconds = match parts.next() {
        Some(seconds) => seconds?,
        None => 0,
    };
    let is_sound = minutes < 60 && seconds < 60 && hours < 10_000 && parts.next().is_none();
    is_sound.then(|| f64::from(hours) * 3600.0 + f64::from(minutes * 60 + seconds))
}

/// The time of a line of an access log, in seconds since the epoch.
fn log_second(line: &str) -> Option<i64> {
    let (_, behind) = line.split_once('[')?;
    let (time, _) = behind.split_once(']')?;
    let parsed = strtime::parse("%d/%b/%Y:%H:%M:%S %z", time).ok()?;
    Some(parsed.to_timestamp().ok()?.as_second())
}

fn shortened(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tables_are_read() {
        let curve = Curve::of_csv("time;rate\n0;5\n30s; 10\n# later\n1m\t600/m\n").expect("a curve");
        assert_eq!(curve.points, [(0.0, 5.0), (30.0, 10.0), (60.0, 10.0)]);
        let day = Curve::of_csv("08:00,5\n08:30:30,7\n").expect("a curve");
        assert_eq!(day.points, [(28_800.0, 5.0), (30_630.0, 7.0)]);
        for (text, why) in [
            ("", "at least two points"),
            ("a,b\n1,2\n", "at least two points"),
            ("0,1\n1,x\n", "line 2 is not a time and a level"),
            ("0,1\n5,1\n5,2\n", "times must increase, but 5 comes after 5"),
            ("0,1\n1,-2\n", "line 2 is not a time and a level"),
        ] {
            let told = Curve::of_csv(text).expect_err(text);
            assert!(told.contains(why), "{text}: {told}");
        }
    }

    fn log(seconds: &[(u32, u32)]) -> Vec<String> {
        let line = |second: u32| {
            format!(
                "127.0.0.1 - frank [10/Oct/2000:13:{:02}:{:02} -0700] \"GET /a HTTP/1.0\" 200 2326",
                second / 60,
                second % 60
            )
        };
        seconds.iter().flat_map(|(second, count)| (0..*count).map(move |_| line(*second))).collect()
    }

    #[test]
    fn access_logs_are_counted_and_no_request_is_lost() {
        let lines = log(&[(0, 3), (1, 5), (9, 2), (61, 4)]);
        let lines: Vec<_> = lines.iter().map(String::as_str).chain(["garbage", "[x]"]).collect();
        for every_s in [None, Some(1.0), Some(7.0), Some(60.0), Some(1000.0)] {
            let curve = Curve::of_access_log(lines.iter().copied(), every_s).expect("a curve");
            let shape = crate::Shape::new(curve.parts(false), None);
            assert!(
                (shape.total() - 14.0).abs() < 1e-9 && (shape.length_s() - 62.0).abs() < 1e-9,
                "{every_s:?} {curve:?}"
            );
        }
        assert_eq!(
            Curve::of_access_log(lines, Some(60.0)).expect("a curve").points,
            [(0.0, 10.0 / 60.0), (60.0, 2.0), (62.0, 0.0)]
        );
        assert!(Curve::of_access_log(["x"], None).expect_err("no times").contains("no line has a time"));
    }

    #[test]
    fn answers_of_prometheus_are_summed_over_series() {
        let text = r#"{"status":"success","data":{"resultType":"matrix","result":[
            {"metric":{"a":"1"},"values":[[1435781430.781,"1"],[1435781445.781,"2.5"]]},
            {"metric":{"a":"2"},"values":[[1435781430.781,"10"],[1435781445.781,"NaN"],[1435781460.781,"3"]]}]}}"#;
        let curve = Curve::of_prometheus(text).expect("a curve");
        assert_eq!(curve.points, [(0.0, 11.0), (15.0, 2.5), (30.0, 3.0)]);
        for (text, why) in [
            ("x", "the file is not JSON"),
            ("{}", "not a Prometheus response"),
            (r#"{"status":"error","error":"bad query"}"#, "Prometheus reported: bad query"),
            (r#"{"data":{"result":[{"value":[1,"2"]}]}}"#, "query_range"),
            (r#"{"data":{"result":[]}}"#, "at least two points"),
        ] {
            let told = Curve::of_prometheus(text).expect_err(text);
            assert!(told.contains(why), "{text}: {told}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(text in any::<String>(), every in proptest::option::of(any::<f64>())) {
            let _ = Curve::of_csv(&text);
            let _ = Curve::of_access_log(text.lines(), every);
            let _ = Curve::of_prometheus(&text);
        }
    }
}
