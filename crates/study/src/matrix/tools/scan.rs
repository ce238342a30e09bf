//! Finding figures in the text of tools.

use serde_json::Value;

/// A source as text; bytes that are none become signs for that.
pub(super) fn text(output: &super::Output<'_>, source: usize) -> Option<String> {
    output.get(source).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
}

/// A source as JSON.
pub(super) fn json(output: &super::Output<'_>, source: usize) -> Option<Value> {
    serde_json::from_slice(output.get(source)?).ok()
}

/// A JSON number at a path of names.
pub(super) fn at(value: &Value, path: &[&str]) -> Option<f64> {
    path.iter().try_fold(value, |value, name| value.get(name))?.as_f64()
}

/// The sum of the numbers of a JSON object; none for other values.
pub(super) fn sum(value: Option<&Value>) -> Option<f64> {
    Some(value?.as_object()?.values().filter_map(Value::as_f64).fold(0.0, |sum, number| sum + number))
}

/// The number that begins a text, after blanks; commas between thousands are left out.
pub(super) fn number(text: &str) -> Option<f64> {
    let text = text.trim_start();
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ','))).unwrap_or(text.len());
    text[..end].replace(',', "").parse().ok()
}

/// The number after the first occurrence of a text.
pub(super) fn after(text: &str, word: &str) -> Option<f64> {
    number(text.split_once(word)?.1)
}

/// The number before the first place of a word.
pub(super) fn before(text: &str, word: &str) -> Option<f64> {
    let line = text.split_once(word)?.0.trim_end();
    number(line.rsplit(|c: char| c.is_whitespace() || c == ':').next()?)
}

/// The rest of the line that starts, after blanks, with this text.
pub(super) fn line<'t>(text: &'t str, words: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.trim_start().strip_prefix(words))
}

/// A time with its unit, as `12.30ms`, `870us`, `1.2s`, `2.00m`: milliseconds.
pub(super) fn time_ms(text: &str) -> Option<f64> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let value: f64 = text[..end].parse().ok()?;
    let factor = match text[end..].split_whitespace().next()? {
        "ns" => 1e-6,
        "us" | "µs" => 1e-3,
        "ms" => 1.0,
        "s" => 1e3,
        "m" | "min" => 6e4,
        "h" => 3.6e6,
        _ => return None,
    };
    Some(value * factor)
}

/// The value at a quantile of counted values, by nearest rank: the least value that as large a part
/// of all is not above.
pub(super) fn quantile(counted: &[(f64, f64)], quantile: f64) -> Option<f64> {
    let total: f64 = counted.iter().map(|(_, count)| count).sum();
    let wanted = (quantile * total).ceil().max(1.0);
    let mut so_far = 0.0;
    let reached = |(value, count): &(f64, f64)| {
        so_far += count;
        (so_far >= wanted).then_some(*value)
    };
    counted.iter().find_map(reached)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_beside_their_words() {
        let text = "  12,345 requests in 3.07s, 638KB read\nRequests/sec:   1421.76\n";
        assert_eq!(before(text, " requests in"), Some(12345.0));
        assert_eq!(after(text, "Requests/sec:"), Some(1421.76));
        assert_eq!((line(text, "Requests/sec:"), line(text, "x")), (Some("   1421.76"), None));
        for (text, ms) in [("14.82ms", 14.82), ("870us", 0.87), (" 1.5s ", 1500.0), ("2m", 120_000.0)] {
            assert!(time_ms(text).is_some_and(|found| (found - ms).abs() < 1e-9), "{text}");
        }
        assert_eq!((time_ms("12"), time_ms("ms"), number("x"), number("-")), (None, None, None, None));
    }

    #[test]
    fn quantiles_are_of_counted_values() {
        let counted = [(10.0, 50.0), (20.0, 49.0), (30.0, 1.0)];
        let of = |part| quantile(&counted, part);
        assert_eq!((of(0.5), of(0.51), of(0.99), of(1.0)), (Some(10.0), Some(20.0), Some(20.0), Some(30.0)));
        assert_eq!(quantile(&[], 0.5), None);
    }
}
