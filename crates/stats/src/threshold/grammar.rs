//! Parses the text of a rule.

use std::sync::Arc;

use swell_regex::{Dialect, Reach, Regex};

use crate::FigureName;

use super::metric::{APDEX, FigurePart, Metric, Statistic, Times, Unit};
use super::nearest::nearest;
use super::parse_error::ParseError;
use super::scanner::Scanner;
use super::scope::{Group, Labels, Pattern, Scope};
use super::{Comparison, Limit, Threshold, Window};

const SCOPES: [&str; 4] = ["label", "transaction", "each", "group"];
/// The word that names a custom figure.
const FIGURE: &str = "figure";
const TIMES: [(&str, Times); 5] = [
    ("elapsed", Times::Elapsed),
    ("response", Times::Response),
    ("latency", Times::Latency),
    ("connect", Times::Connect),
    ("handshake", Times::Handshake),
];
const STATISTICS: [(&str, Statistic); 7] = [
    ("median", Statistic::Quantile(0.5)),
    ("med", Statistic::Quantile(0.5)),
    ("mean", Statistic::Mean),
    ("avg", Statistic::Mean),
    ("average", Statistic::Mean),
    ("min", Statistic::Min),
    ("max", Statistic::Max),
];
const COUNTS: [(&str, Metric); 9] = [
    ("apdex", APDEX),
    ("errors", Metric::ErrorPercent),
    ("rps", Metric::Rate),
    ("rate", Metric::Rate),
    ("throughput", Metric::Rate),
    ("samples", Metric::Samples),
    ("count", Metric::Samples),
    ("requests", Metric::Samples),
    ("hits", Metric::Samples),
];
const CLAUSES: [&str; 4] = ["for", "over", "after", "abort"];
/// What people write after a limit with a blank between.
const UNITS: [&str; 7] = ["us", "µs", "ms", "s", "sec", "m", "min"];

/// The longest window: its intervals are kept.
const LONGEST_WINDOW_MS: u64 = 600_000;

pub(super) fn parse(text: &str) -> Result<Threshold, ParseError> {
    let mut scanner = Scanner::new(text.trim_end());
    if scanner.is_at_end() {
        return Err(scanner.wrong_here(|_| "the rule is empty".to_owned(), metrics_hint()));
    }
    let scope = scope(&mut scanner)?;
    let metric = metric(&mut scanner)?;
    let comparison = comparison(&mut scanner)?;
    let (metric, limit) = limit(&mut scanner, metric)?;
    let mut threshold = Threshold {
        text: text.trim().to_owned(),
        scope,
        metric,
        comparison,
        limit,
        window: Window::Whole,
        after_ms: 0,
        aborts: false,
    };
    while !scanner.is_at_end() {
        clause(&mut scanner, &mut threshold)?;
    }
    Ok(threshold)
}

fn scope(scanner: &mut Scanner<'_>) -> Result<Scope, ParseError> {
    let each = scanner.peek_word() == "each";
    if each {
        scanner.take_word();
    }
    let transactions = match scanner.peek_word() {
        "group" if !each => return group(scanner),
        "label" => false,
        "transaction" => true,
        _ if each => {
            let message =
                |found: &str| format!("expected what to judge separately after `each`, found `{found}`");
            return Err(scanner.wrong_here(message, "each label: p(95)<1s".to_owned()));
        }
        _ => return Ok(Scope::All),
    };
    scanner.take_word();
    let labels = if scanner.take("(") { labels(scanner)? } else { Labels::Any };
    end_of_scope(scanner)?;
    Ok(Scope::Rows { transactions, each, labels })
}

fn end_of_scope(scanner: &mut Scanner<'_>) -> Result<(), ParseError> {
    if scanner.take(":") {
        return Ok(());
    }
    let message = |_: &str| "expected `:` between the scope of the rule and its condition".to_owned();
    Err(scanner.wrong_here(message, r#"label("Login"): p(99)<800ms"#.to_owned()))
}

/// `group("checkout")`.
fn group(scanner: &mut Scanner<'_>) -> Result<Scope, ParseError> {
    scanner.take_word();
    let name = scanner.take("(").then(|| in_parentheses(scanner)).transpose()?.flatten();
    let Some(name) = name else {
        let message = |_: &str| "expected the name of a group in parentheses".to_owned();
        return Err(scanner.wrong_here(message, r#"group("checkout"): p(95)<800ms"#.to_owned()));
    };
    end_of_scope(scanner)?;
    Ok(Scope::Rows { transactions: false, each: false, labels: Labels::Of(Group::named(name)) })
}

/// A name, with or without quotes, up to the closing parenthesis; none if it is not closed.
fn in_parentheses(scanner: &mut Scanner<'_>) -> Result<Option<String>, ParseError> {
    for quote in ['"', '\''] {
        if scanner.take(quote.encode_utf8(&mut [0; 4])) {
            let name = scanner.take_quoted(quote)?;
            return Ok(scanner.take(")").then_some(name));
        }
    }
    let Some((name, _)) = scanner.rest().split_once(')') else { return Ok(None) };
    scanner.at += name.len() + 1;
    Ok(Some(name.trim().to_owned()))
}

/// `figure(order_total).p(95)`, or a blank for the point.
fn figure(scanner: &mut Scanner<'_>, start: usize) -> Result<Metric, ParseError> {
    let named = scanner.take("(").then(|| in_parentheses(scanner)).transpose()?.flatten();
    let Some(name) = named.as_deref().and_then(FigureName::new) else {
        let message =
            "expected the name of a figure in parentheses: letters, digits, `_`, `-` and `.`, at most 32";
        return Err(scanner.wrong_from(
            start,
            message.to_owned(),
            "figure(order_total).p(95)<500".to_owned(),
        ));
    };
    scanner.take(".");
    scanner.skip_blanks();
    let start = scanner.at;
    let part = match scanner.take_word() {
        "count" | "samples" => Some(FigurePart::Count),
        "sum" => Some(FigurePart::Sum),
        word => statistic(scanner, word, start)?.map(FigurePart::Statistic),
    };
    if let Some(part) = part {
        Ok(Metric::Figure(name, part))
    } else {
        let message = format!("expected what of figure({name}) the rule means");
        let hint = format!("write figure({name}).p(95), .median, .mean, .min, .max, .sum or .count");
        Err(scanner.wrong_from(start, message, hint))
    }
}

fn labels(scanner: &mut Scanner<'_>) -> Result<Labels, ParseError> {
    let labels = if scanner.take("\"") {
        Labels::Named(scanner.take_quoted('"')?)
    } else if scanner.take("'") {
        Labels::Named(scanner.take_quoted('\'')?)
    } else if scanner.take("/") {
        let start = scanner.at - 1;
        Labels::Matching(Arc::new(pattern(scanner, start)?))
    } else {
        let message = |_: &str| "expected a label in quotes or a pattern in slashes".to_owned();
        return Err(scanner.wrong_here(message, r#"label("Login") or label(/^api\/.*/)"#.to_owned()));
    };
    if scanner.take(")") {
        return Ok(labels);
    }
    Err(scanner.wrong_here(|_| "missing `)`".to_owned(), String::new()))
}

fn pattern(scanner: &mut Scanner<'_>, start: usize) -> Result<Pattern, ParseError> {
    let text = scanner.take_quoted('/')?;
    // As in other syntaxes with patterns in slashes: `i` ignores case.
    let text =
        if scanner.rest().starts_with('i') && scanner.take("i") { format!("(?i){text}") } else { text };
    match Regex::new(&text, Dialect::Oro, Reach::Anywhere) {
        Ok(regex) => Ok(Pattern { text, regex }),
        Err(error) => {
            Err(scanner.wrong_from(start, format!("invalid regular expression: {error}"), String::new()))
        }
    }
}

fn metric(scanner: &mut Scanner<'_>) -> Result<Metric, ParseError> {
    scanner.skip_blanks();
    let start = scanner.at;
    let word = scanner.take_word();
    if let Some((_, times)) = TIMES.iter().find(|(name, _)| *name == word) {
        if !scanner.take(".") {
            let hint = format!("write {word}.p(95), {word}.mean, {word}.max, …");
            return Err(scanner.wrong_from(
                start,
                format!(
                    "the rule does not say which of the {word} \
                times it means"
                ),
                hint,
            ));
        }
        let start = scanner.at;
        let word = scanner.take_word();
        return match statistic(scanner, word, start)? {
            Some(statistic) => Ok(Metric::Time(*times, statistic)),
            None => Err(unknown_metric(scanner, start, word)),
        };
    }
    if word == FIGURE {
        return figure(scanner, start);
    }
    if let Some((_, metric)) = COUNTS.iter().find(|(name, _)| *name == word) {
        let has_times = *metric == APDEX && scanner.take("(");
        return if has_times { apdex(scanner) } else { Ok(*metric) };
    }
    match statistic(scanner, word, start)? {
        Some(statistic) => Ok(Metric::Time(Times::Elapsed, statistic)),
        None => Err(unknown_metric(scanner, start, word)),
    }
}

/// The times of `apdex(500,1500)`, with or without units.
fn apdex(scanner: &mut Scanner<'_>) -> Result<Metric, ParseError> {
    scanner.skip_blanks();
    let start = scanner.at;
    let mut times_ms = [0.0; 2];
    for (time_ms, end) in times_ms.iter_mut().zip([",", ")"]) {
        scanner.skip_blanks();
        let at = scanner.at;
        let number = scanner.take_number();
        let taken = number.map(|number| in_unit(scanner, at, number, Unit::Milliseconds)).transpose()?;
        match taken {
            Some(taken) if scanner.take(end) => *time_ms = taken,
            _ => {
                let message =
                    "apdex requires two times: satisfied up to the first, tolerated up to the second";
                return Err(scanner.wrong_from(
                    start,
                    message.to_owned(),
                    "apdex(500ms,1500ms)>0.9".to_owned(),
                ));
            }
        }
    }
    let [satisfied_ms, tolerated_ms] = times_ms.map(|ms| ms.round() as u64);
    if satisfied_ms > tolerated_ms {
        let message = "the first time of apdex must be less than the second".to_owned();
        return Err(scanner.wrong_from(start, message, "apdex(500ms,1500ms)>0.9".to_owned()));
    }
    Ok(Metric::Apdex { satisfied_ms, tolerated_ms })
}

fn statistic(scanner: &mut Scanner<'_>, word: &str, start: usize) -> Result<Option<Statistic>, ParseError> {
    let percent = match word.strip_prefix('p') {
        Some("") if scanner.take("(") => {
            let percent = scanner.take_number();
            if !scanner.take(")") {
                let message = |_: &str| "invalid percentile: expected p(99) or p(99.9)".to_owned();
                return Err(scanner.wrong_here(message, String::new()));
            }
            percent
        }
        Some(digits) => match with_fraction(scanner, digits).parse::<f64>() {
            Ok(percent) => Some(percent),
            Err(_) => return Ok(None),
        },
        None => {
            let found = STATISTICS.iter().find(|(name, _)| *name == word);
            return Ok(found.map(|(_, statistic)| *statistic));
        }
    };
    if let Some(percent) = percent.filter(|percent| *percent > 0.0 && *percent <= 100.0) {
        return Ok(Some(Statistic::Quantile(percent / 100.0)));
    }
    let message = "invalid percentile: expected a number above 0 and up to 100".to_owned();
    Err(scanner.wrong_from(start, message, "p(99)<800ms".to_owned()))
}

/// The digits of `p99.9`: a word ends at the point.
fn with_fraction(scanner: &mut Scanner<'_>, digits: &str) -> String {
    let rest = scanner.rest();
    let fraction = rest.strip_prefix('.').unwrap_or_default();
    let length = fraction.find(|c: char| !c.is_ascii_digit()).unwrap_or(fraction.len());
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if length == 0 || !is_number {
        return digits.to_owned();
    }
    scanner.at += 1 + length;
    format!("{digits}.{}", &fraction[..length])
}

fn unknown_metric(scanner: &mut Scanner<'_>, start: usize, word: &str) -> ParseError {
    if word.is_empty() {
        return scanner.wrong_here(|found| missing("a figure", found), metrics_hint());
    }
    let statistics = STATISTICS.iter().map(|(name, _)| *name);
    let counts = COUNTS.iter().map(|(name, _)| *name);
    let known =
        statistics.chain(counts).chain(TIMES.iter().map(|(name, _)| *name)).chain(SCOPES).chain([FIGURE]);
    let near = nearest(word, known).map(|known| format!("did you mean `{known}`?"));
    let hint = match near {
        Some(near) => near,
        None if scanner.rest().trim_start().starts_with(':') => {
            format!("for samples of one label write label(\"{word}\"): …")
        }
        None => metrics_hint(),
    };
    scanner.wrong_from(start, format!("unknown figure `{word}`"), hint)
}

fn metrics_hint() -> String {
    "figures are p(99), median, mean, min, max, errors, rps, samples, apdex; of other times latency.p(99), connect.mean, …; of custom figures figure(NAME).p(95)"
        .to_owned()
}

fn comparison(scanner: &mut Scanner<'_>) -> Result<Comparison, ParseError> {
    for (sign, comparison) in [
        ("<=", Comparison::LessOrEqual),
        (">=", Comparison::GreaterOrEqual),
        ("<", Comparison::Less),
        (">", Comparison::Greater),
    ] {
        if scanner.take(sign) {
            return Ok(comparison);
        }
    }
    let hint = "invalid comparison: use <, <=, > or >=".to_owned();
    Err(scanner.wrong_here(|found| missing("a comparison", found), hint))
}

/// A share of errors has a `%`, a number of them has none.
fn limit(scanner: &mut Scanner<'_>, metric: Metric) -> Result<(Metric, Limit), ParseError> {
    if scanner.peek_word() == "baseline" {
        scanner.take_word();
        return Ok((metric, baseline(scanner, metric)?));
    }
    scanner.skip_blanks();
    let start = scanner.at;
    // Only custom figures can be negative.
    let sign = if metric.unit() == Unit::Own && scanner.take("-") { -1.0 } else { 1.0 };
    let Some(number) = scanner.take_number().map(|number| sign * number) else {
        let hint = "invalid limit: expected a number such as 800ms, 1%, 200, or baseline*1.1".to_owned();
        return Err(scanner.wrong_here(|found| missing("a limit", found), hint));
    };
    if metric != Metric::ErrorPercent {
        return Ok((metric, Limit::Fixed(in_unit(scanner, start, number, metric.unit())?)));
    }
    if scanner.take("%") {
        return Ok((metric, Limit::Fixed(number)));
    }
    if number.fract() != 0.0 {
        let message = format!("invalid number of failed samples `{number}`");
        return Err(scanner.wrong_from(
            start,
            message,
            format!("a share is written {}%", rounded(number * 100.0)),
        ));
    }
    Ok((Metric::Errors, Limit::Fixed(number)))
}

fn baseline(scanner: &mut Scanner<'_>, metric: Metric) -> Result<Limit, ParseError> {
    let expects_number = |scanner: &mut Scanner<'_>| {
        scanner.take_number().ok_or_else(|| {
            let hint = "baseline*1.1, baseline+10%, baseline+50ms".to_owned();
            scanner.wrong_here(|found| missing("a number", found), hint)
        })
    };
    if scanner.take("*") {
        return Ok(Limit::Baseline { factor: expects_number(scanner)?, plus: 0.0 });
    }
    let sign = match (scanner.take("+"), scanner.take("-")) {
        (true, _) => 1.0,
        (_, true) => -1.0,
        _ => return Ok(Limit::Baseline { factor: 1.0, plus: 0.0 }),
    };
    scanner.skip_blanks();
    let start = scanner.at;
    let number = expects_number(scanner)?;
    // For a share of errors, too, `+10%` is a tenth more.
    if scanner.take("%") {
        return Ok(Limit::Baseline { factor: 1.0 + sign * number / 100.0, plus: 0.0 });
    }
    Ok(Limit::Baseline { factor: 1.0, plus: sign * in_unit(scanner, start, number, metric.unit())? })
}

/// A number with its unit, in the unit of the metric. A bare time is in milliseconds, a bare rate a
/// second.
fn in_unit(scanner: &mut Scanner<'_>, start: usize, number: f64, unit: Unit) -> Result<f64, ParseError> {
    let rest = scanner.rest();
    let sign = match unit {
        Unit::Milliseconds if rest.starts_with(char::is_alphabetic) || rest.starts_with('µ') => {
            scanner.take_word()
        }
        Unit::PerSecond if scanner.take("/") => scanner.take_word(),
        Unit::Percent => {
            scanner.take("%");
            ""
        }
        // A unit directly follows its number: a word after a blank is a clause.
        _ if rest.starts_with(char::is_alphabetic) => scanner.take_word(),
        _ if rest.starts_with('%') => {
            scanner.take("%");
            "%"
        }
        _ => "",
    };
    let factor = match (unit, sign) {
        (_, "") | (Unit::Milliseconds, "ms") | (Unit::PerSecond, "s" | "sec") => 1.0,
        (Unit::Milliseconds, "us" | "µs") => 1e-3,
        (Unit::Milliseconds, "s" | "sec") => 1e3,
        (Unit::Milliseconds, "m" | "min") => 6e4,
        (Unit::Milliseconds, "h") => 3.6e6,
        (Unit::PerSecond, "m" | "min") => 1.0 / 60.0,
        (Unit::PerSecond, "h") => 1.0 / 3600.0,
        _ => {
            let (what, hint) = match unit {
                Unit::Milliseconds => (
                    "an invalid unit of time",
                    "use us, ms, s, m or h; a number without a unit is milliseconds",
                ),
                Unit::PerSecond => {
                    ("an invalid unit of a rate", "use /s, /m or /h; a number without a unit is per second")
                }
                Unit::Percent => ("an invalid unit of a share", "write a share as 1%"),
                Unit::Count => (
                    "an invalid unit of a number of samples",
                    "use a number without a unit: \
                    samples>1000",
                ),
                Unit::Index => ("an invalid unit of apdex", "use a number from 0 to 1: apdex>0.9"),
                Unit::Own => {
                    ("an invalid unit of a custom figure", "write the number as the variable has it")
                }
            };
            return Err(scanner.wrong_from(start, format!("`{sign}` is {what}"), hint.to_owned()));
        }
    };
    Ok(number * factor)
}

fn clause(scanner: &mut Scanner<'_>, threshold: &mut Threshold) -> Result<(), ParseError> {
    scanner.skip_blanks();
    let start = scanner.at;
    match scanner.take_word() {
        "abort" => threshold.aborts = true,
        "after" => threshold.after_ms = time(scanner)?,
        word @ ("for" | "over") => {
            if threshold.window != Window::Whole {
                let message = "a rule can have only one window".to_owned();
                return Err(scanner.wrong_from(start, message, "write two rules".to_owned()));
            }
            let window_ms = time(scanner)?;
            if window_ms == 0 || window_ms > LONGEST_WINDOW_MS {
                let message = "invalid window: expected more than 0 s and at most 10 m".to_owned();
                return Err(scanner.wrong_from(start, message, String::new()));
            }
            threshold.window = if word == "for" { Window::For(window_ms) } else { Window::Over(window_ms) };
        }
        word => {
            let hint = match nearest(word, CLAUSES) {
                _ if UNITS.contains(&word) => format!("write the limit without a space before `{word}`"),
                Some(known) => format!("did you mean `{known}`?"),
                None => "options are: for 10s, over 30s, after 60s, abort".to_owned(),
            };
            scanner.at = start;
            return Err(scanner.wrong_here(|found| format!("unexpected `{found}`"), hint));
        }
    }
    Ok(())
}

fn time(scanner: &mut Scanner<'_>) -> Result<u64, ParseError> {
    scanner.skip_blanks();
    let start = scanner.at;
    let Some(number) = scanner.take_number() else {
        return Err(
            scanner.wrong_here(|found| missing("a time", found), "such as 10s, 500ms or 2m".to_owned())
        );
    };
    let is_bare = !scanner.rest().starts_with(char::is_alphabetic);
    // A bare time of a window is in seconds, as `-d 10` is.
    let ms = if is_bare { number * 1e3 } else { in_unit(scanner, start, number, Unit::Milliseconds)? };
    Ok(ms.round() as u64)
}

fn missing(what: &str, found: &str) -> String {
    if found.is_empty() { format!("missing {what}") } else { format!("missing {what} before `{found}`") }
}

fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}
#[cfg(test)]
mod tests;
