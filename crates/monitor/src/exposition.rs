//! Prometheus's text format, version 0.0.4, and the additions of OpenMetrics 1.0 that concern
//! values (timestamps in seconds, exemplars, `# EOF`):
//! <https://prometheus.io/docs/instrumenting/exposition_formats/>.

use std::borrow::Cow;
use std::collections::HashMap;

/// A line with a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample<'t> {
    /// The name of the series.
    pub name: &'t str,
    /// Its labels, as they stand between the braces.
    pub labels: Vec<(&'t str, Cow<'t, str>)>,
    /// Its value; it may be no number or infinite.
    pub value: f64,
}

impl Sample<'_> {
    /// The value of a label; empty where there is none, as Prometheus has it.
    pub fn label(&self, name: &str) -> &str {
        self.labels.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value)
    }
}

/// A page of an exporter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exposition<'t> {
    /// Its samples, in their order.
    pub samples: Vec<Sample<'t>>,
    /// `counter`, `gauge`, … of names that have a `# TYPE` line.
    pub types: HashMap<&'t str, &'t str>,
    /// Lines that are not understood.
    pub bad_lines: usize,
}

/// More samples are left out: a page that is larger than any exporter's.
const MOST_SAMPLES: usize = 100_000;

/// Reads a page. Lines that are not understood are counted and left out.
pub fn read(text: &str) -> Exposition<'_> {
    let mut found = Exposition::default();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(comment) = line.strip_prefix('#') {
            let mut words = comment.split_whitespace();
            if words.next() == Some("TYPE")
                && let (Some(name), Some(kind)) = (words.next(), words.next())
            {
                found.types.insert(name, kind);
            }
        } else if let Some(sample) = sample(line) {
            if found.samples.len() < MOST_SAMPLES {
                found.samples.push(sample);
            }
        } else {
            found.bad_lines += 1;
        }
    }
    found
}

impl Exposition<'_> {
    /// Whether a series only grows: a counter, or a sum or count of a histogram or summary.
    pub fn is_counter(&self, name: &str) -> bool {
        let of = |name: &str| self.types.get(name).copied();
        if let Some(kind) = of(name) {
            return kind == "counter";
        }
        let base = ["_total", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end));
        base.and_then(of).is_some_and(|kind| matches!(kind, "counter" | "histogram" | "summary"))
    }
}

/// `name{label="value",…} value [time] [# exemplar]`
fn sample(line: &str) -> Option<Sample<'_>> {
    let end = line.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == ':'))?;
    let (name, rest) = line.split_at(end);
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let rest = rest.trim_start();
    let (labels, rest) = match rest.strip_prefix('{') {
        Some(inside) => labels(inside)?,
        None => (Vec::new(), rest),
    };
    Some(Sample { name, labels, value: number(rest.split_whitespace().next()?)? })
}

type Labels<'t> = Vec<(&'t str, Cow<'t, str>)>;

/// The text after the opening brace, and the rest after the closing one.
fn labels(mut rest: &str) -> Option<(Labels<'_>, &str)> {
    let mut found = Vec::new();
    loop {
        rest = rest.trim_start();
        if let Some(rest) = rest.strip_prefix('}') {
            return Some((found, rest));
        }
        let (name, behind) = rest.split_once('=')?;
        let (value, behind) = quoted(behind.trim_start().strip_prefix('"')?)?;
        found.push((name.trim(), value));
        rest = behind.trim_start();
        rest = match rest.strip_prefix(',') {
            Some(rest) => rest,
            None if rest.starts_with('}') => rest,
            None => return None,
        };
    }
}

/// A text up to its closing quote, with `\\`, `\"` and `\n` undone, and the rest.
fn quoted(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let end = text.find(['"', '\\'])?;
    if text.as_bytes()[end] == b'"' {
        return Some((Cow::Borrowed(&text[..end]), &text[end + 1..]));
    }
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((Cow::Owned(value), &text[at + 1..])),
            '\\' => match chars.next()?.1 {
                'n' => value.push('\n'),
                other => value.push(other),
            },
            other => value.push(other),
        }
    }
    None
}

/// A number as Go's `ParseFloat` reads it, in the forms that exporters write.
fn number(text: &str) -> Option<f64> {
    match text {
        "+Inf" | "Inf" => Some(f64::INFINITY),
        "-Inf" => Some(f64::NEG_INFINITY),
        "NaN" => Some(f64::NAN),
        // Rust also reads `inf`, `infinity` and `nan` in any case.
        _ => {
            text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)).then(|| text.parse().ok())?
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_page_is_read() {
        let page = "# HELP x a\n# TYPE http_requests_total counter\n\
            http_requests_total{method=\"post\",code=\"200\",} 1027 1395066363000\n\
            msdos_file_access_time_seconds{path=\"C:\\\\DIR\\\\FILE.TXT\",error=\"no:\\n\\\"x\\\"\"} 1.458255915e9\n\
            plain 12.47\nodd { a = \"}\" } -Inf # {id=\"1\"} 0.5\nnot_a_number NaN\n# TYPE d histogram\nd_sum 5\n# EOF\n";
        let read = read(page);
        assert_eq!((read.samples.len(), read.bad_lines), (6, 0));
        let [first, second, third, fourth, fifth, _] = &read.samples[..] else { panic!("six") };
        assert_eq!((first.label("code"), first.value), ("200", 1027.0));
        assert_eq!((second.label("path"), second.label("error")), ("C:\\DIR\\FILE.TXT", "no:\n\"x\""));
        assert_eq!((third.name, third.value, third.label("none")), ("plain", 12.47, ""));
        assert_eq!((fourth.label("a"), fourth.value), ("}", f64::NEG_INFINITY));
        assert!(fifth.value.is_nan());
        let counts = |name| read.is_counter(name);
        assert!(counts("http_requests_total") && counts("d_sum") && !counts("plain") && !counts("x_total"));
    }

    #[test]
    fn lines_that_are_none_are_counted() {
        for line in
            ["<html>", "a{b=\"c\" 5", "a{b=c} 5", "a", "a x", "a nan", "5a 5", "{a=\"b\"} 1", "a{b=\"c\\"]
        {
            assert_eq!(read(line).bad_lines, 1, "{line}");
            assert_eq!(read(line).samples.len(), 0, "{line}");
        }
    }

    proptest! {
        #[test]
        fn what_was_written_is_read(name in "[a-z_:][a-z0-9_:]{0,9}", label in "[a-z]{1,5}", value in any::<String>(), number in any::<f64>()) {
            let escaped = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            // Only \n ends a line; others are part of the text, and `lines` takes a \r before it.
            let line = format!("{name}{{{label}=\"{escaped}\"}} {number}");
            let read = read(&line);
            prop_assume!(number.is_finite());
            prop_assert_eq!(read.samples.len(), 1);
            prop_assert_eq!(read.samples[0].label(&label), value);
            prop_assert_eq!(read.samples[0].value.to_bits(), number.to_bits());
        }

        #[test]
        fn nothing_panics(text in any::<String>()) {
            let _ = read(&text);
        }
    }
}
