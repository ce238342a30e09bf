//! Causes of failed samples for a tester: what was expected, what was received instead.

use jiff::Timestamp;
use swell_stats::verdict::is_nothing;
use swell_stats::{
    ErrorRow, Example, FailureKind, GRPC_FAILED_CODE, GRPC_NOT_MADE, NO_HTTP_CODE, NO_HTTP_MESSAGE, Summary,
    WEBSOCKET_MESSAGE,
};

use crate::number::{count, ms, without_zeros};
use crate::plain::plain;

/// What Java says where an exception has no message.
const NO_MESSAGE: &str = "null";

/// A cause of failed samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cause {
    /// Its kind, such as `connection refused`.
    pub(crate) kind: &'static str,
    /// What a good sample has.
    pub(crate) expected: String,
    /// What came instead.
    pub(crate) got: String,
    /// A short description, such as `connection refused by 127.0.0.1:8080`.
    pub(crate) words: String,
}

/// The cause of a row of errors. All texts are one plain line.
pub(crate) fn cause(row: &ErrorRow) -> Cause {
    let kind = kind_words(row.kind);
    let starts = [NO_HTTP_MESSAGE, WEBSOCKET_MESSAGE, GRPC_NOT_MADE];
    let said = starts.iter().find_map(|start| row.message.strip_prefix(start));
    let message = line(said.unwrap_or(&row.message));
    let (expected, got) = expected_and_got(row, &message);
    let words = words(row, kind, &message, &got);
    Cause { kind, expected, got, words }
}

/// What happened in a run that says nothing of a server, since nearly nothing answered or not one
/// sample succeeded; none for others, and where no sample was taken.
pub fn total_failure(summary: &Summary) -> Option<String> {
    total_failure_parts(summary).map(|(what, why)| what.to_owned() + &why)
}

/// The same as what happened, and the rest of the line.
pub(crate) fn total_failure_parts(summary: &Summary) -> Option<(&'static str, String)> {
    let total = &summary.total;
    let what = if total.samples > 0 && summary.unanswered == total.samples {
        "nothing answered"
    } else if is_nothing(summary.unanswered, total.samples) {
        "almost nothing answered"
    } else if total.samples > 0 && total.errors == total.samples {
        "not one sample succeeded"
    } else {
        return None;
    };
    let samples =
        if total.samples == 1 { "1 sample".to_owned() } else { format!("{} samples", count(total.samples)) };
    let Some(first) = summary.errors.first() else {
        return Some((what, format!(" ({samples})")));
    };
    let words = cause(first).words;
    // One cause may have several messages: Java says less of an unknown name the second time.
    let of_cause = summary.errors.iter().filter(|row| cause(row).words == words);
    let part = of_cause.map(|row| row.count).sum();
    Some((what, format!(": {words} ({} % of {samples})", share(part, total.samples))))
}

/// Samples of a hundred, as few digits as they need.
pub(crate) fn share(part: u64, of: u64) -> String {
    without_zeros(&format!("{:.2}", 100.0 * part as f64 / of.max(1) as f64)).to_owned()
}

/// The start of an example in UTC, whole seconds, without the day if that is the day of the first
/// sample.
pub(crate) fn short_time_of(example: &Example, run_start_ns: Option<i64>) -> String {
    let of = |ns: i64| Timestamp::from_millisecond(ns.div_euclid(1_000_000)).unwrap_or_default();
    let time = of(example.start_ns);
    let day = |time: Timestamp| time.strftime("%Y-%m-%d").to_string();
    let is_same_day = run_start_ns.is_some_and(|start_ns| day(of(start_ns)) == day(time));
    time.strftime(if is_same_day { "%H:%M:%S UTC" } else { "%Y-%m-%d %H:%M:%S UTC" }).to_string()
}

/// The start of an example in UTC, whole milliseconds.
pub(crate) fn time_of(example: &Example) -> String {
    let time = Timestamp::from_millisecond(example.start_ns.div_euclid(1_000_000)).unwrap_or_default();
    format!("{time:.3}")
}

pub(crate) fn kind_words(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Request => "request cannot be created",
        FailureKind::ResourceExhaustion => "resource limit of this machine",
        FailureKind::NameNotFound => "name not found",
        FailureKind::Refused => "connection refused",
        FailureKind::Unreachable => "unreachable",
        FailureKind::ConnectTimeout => "connect timeout",
        FailureKind::Tls => "TLS failed",
        FailureKind::Reset => "connection reset",
        FailureKind::ClosedEarly => "closed early",
        FailureKind::ResponseTimeout => "response timeout",
        FailureKind::TotalTimeout => "total timeout",
        FailureKind::NotHttp => "not HTTP",
        FailureKind::Undecodable => "body cannot be decoded",
        FailureKind::Status => "status",
        FailureKind::Resource => "embedded resource",
        FailureKind::Assertion => "assertion",
        FailureKind::Script => "script",
        FailureKind::Interrupted => "interrupted",
        FailureKind::Other => "other",
    }
}

fn words(row: &ErrorRow, kind: &str, message: &str, got: &str) -> String {
    match (row.kind, target(message)) {
        (FailureKind::Refused, Some(target)) => format!("{kind} by {target}"),
        (FailureKind::ConnectTimeout, Some(target)) => format!(
            "no connection to {target} before \
            the timeout"
        ),
        (FailureKind::NameNotFound, _) => format!("{kind}: {}", host(message)),
        (FailureKind::ResponseTimeout | FailureKind::TotalTimeout, _) => format!("{kind}, {got}"),
        (FailureKind::Reset | FailureKind::Refused, _) => kind.to_owned(),
        (FailureKind::Assertion, _) => {
            format!("{kind} `{}`{}: {message}", line(&row.assertion), other_status(&line(&row.code)))
        }
        (FailureKind::Status, _) if row.code == GRPC_FAILED_CODE => format!("gRPC {kind} {got}"),
        (FailureKind::Status, _) => format!("{kind} {got}"),
        _ => format!("{kind}: {got}"),
    }
}

/// A status other than success, which an assertion was applied to.
fn other_status(code: &str) -> String {
    let is_status = code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_digit());
    if is_status && !code.starts_with('2') { format!(", status {code}") } else { String::new() }
}

fn expected_and_got(row: &ErrorRow, message: &str) -> (String, String) {
    let took = || format!("after {} ms", ms(row.first.elapsed_ns as f64 / 1e6));
    let to =
        |what: &str| target(message).map_or_else(|| what.to_owned(), |target| format!("{what} to {target}"));
    let (expected, got) = match row.kind {
        FailureKind::Request if row.message.starts_with(GRPC_NOT_MADE) => {
            ("a valid request".to_owned(), message.to_owned())
        }
        FailureKind::Request => ("a valid request".to_owned(), exception(row, message)),
        FailureKind::ResourceExhaustion => ("a socket on this machine".to_owned(), message.to_owned()),
        FailureKind::NameNotFound => (format!("an address for {}", host(message)), "none".to_owned()),
        FailureKind::Refused => (to("a connection"), "a refusal".to_owned()),
        FailureKind::Unreachable => (to("a connection"), message.to_owned()),
        FailureKind::ConnectTimeout => (to("a connection"), format!("none {}", took())),
        FailureKind::Tls => ("a TLS connection".to_owned(), message.to_owned()),
        FailureKind::Reset => ("a complete response".to_owned(), "a reset of the connection".to_owned()),
        FailureKind::ClosedEarly => closed_early(message),
        FailureKind::ResponseTimeout => {
            ("a response before the timeout".to_owned(), format!("none {}", took()))
        }
        FailureKind::TotalTimeout => (
            "the whole sample before its timeout (http.total_timeout)".to_owned(),
            format!("no end {}", took()),
        ),
        FailureKind::NotHttp if message == NO_MESSAGE => {
            ("an HTTP response".to_owned(), "something else".to_owned())
        }
        FailureKind::NotHttp => ("an HTTP response".to_owned(), message.to_owned()),
        FailureKind::Undecodable => {
            ("a body in the encoding that its head declares".to_owned(), undecodable(row, message))
        }
        FailureKind::Status if row.code == GRPC_FAILED_CODE => {
            ("the gRPC status 0 OK".to_owned(), message.to_owned())
        }
        FailureKind::Status => {
            ("a status of 200 to 399".to_owned(), format!("{} {message}", line(&row.code)))
        }
        FailureKind::Resource => ("all resources of the page".to_owned(), message.to_owned()),
        FailureKind::Assertion => asserted(row, message),
        FailureKind::Script | FailureKind::Interrupted => ("a sample".to_owned(), exception(row, message)),
        FailureKind::Other => ("success".to_owned(), exception(row, message)),
    };
    (expected, got.trim().to_owned())
}

/// Java's `EOFException` has no message where a stream ends inside the head or the trailer of gzip.
fn undecodable(row: &ErrorRow, message: &str) -> String {
    if message != NO_MESSAGE {
        return message.to_owned();
    }
    match class(&line(&row.code)) {
        Some("EOFException") => "an end inside the head or the trailer of its encoding".to_owned(),
        _ => exception(row, message),
    }
}

/// The last part of the class of Java's exception.
fn class(code: &str) -> Option<&str> {
    let class = code.strip_prefix(NO_HTTP_CODE)?;
    Some(class.rsplit('.').next().unwrap_or(class))
}

/// The last part of Java's class and its message, or code and message.
fn exception(row: &ErrorRow, message: &str) -> String {
    let code = line(&row.code);
    match class(&code) {
        Some(class) if message == NO_MESSAGE => format!("{class} without a message"),
        Some(class) => format!("{class}: {message}"),
        None => format!("{code} {message}"),
    }
}

/// `host:port` of `Connect to host:port [addresses] failed: …`, or of gRPC's message.
fn target(message: &str) -> Option<&str> {
    if let Some((_, target)) = message.split_once("io exception: Connection refused: ") {
        return Some(target);
    }
    let rest = message.strip_prefix("Connect to ")?;
    Some(rest.split(" [").next().unwrap_or(rest).split(" failed:").next().unwrap_or(rest))
}

/// The host in Java's message about an unknown name.
fn host(message: &str) -> &str {
    let starts = ["Failed to resolve host name: ", "io exception: unknown host: "];
    let rest = starts.iter().find_map(|start| Some(message.split_once(start)?.1));
    let message = rest.unwrap_or(message);
    message.split(": ").next().unwrap_or(message)
}

/// `Premature end of … (expected: 100; received: 4)`, `Truncated chunk (expected size: 5; actual
/// size: 2)`.
fn closed_early(message: &str) -> (String, String) {
    if message.ends_with("failed to respond") {
        return ("a response".to_owned(), "the end of the connection before its first byte".to_owned());
    }
    let number = |before: &str| {
        let rest = message.split_once(before)?.1;
        rest.split([';', ')']).next()
    };
    let sizes = [("expected: ", "received: ", "body"), ("expected size: ", "actual size: ", "chunk")];
    let found = sizes.iter().find_map(|(wanted, came, of)| Some((number(wanted)?, number(came)?, of)));
    found.map_or_else(
        || ("a complete response".to_owned(), message.to_owned()),
        |(wanted, came, of)| {
            (
                format!("{wanted} bytes of a {of}"),
                format!(
                    "{came} bytes, then the \
            end of the connection"
                ),
            )
        },
    )
}

/// JMeter's assertions say both in one sentence.
fn asserted(row: &ErrorRow, message: &str) -> (String, String) {
    // Duration, Size, JSON and JMESPath Assertion.
    const FORMS: [(&str, &str, &str); 5] = [
        ("The operation lasted too long: It took ", ", but should not have lasted longer than ", "at most "),
        ("The result was the wrong size: It was ", ", but should have been ", ""),
        ("Value expected to be ", ", but found ", "value "),
        ("Value in json path ", " expected to ", "value to "),
        ("Value expected to match regexp ", ", but it did not match: ", "value matching "),
    ];
    let of_form = FORMS.iter().find_map(|(start, middle, before)| {
        let (first, second) = message.strip_prefix(start)?.split_once(middle)?;
        let value_first = start.starts_with("The ");
        let (wanted, found) = if value_first { (second, first) } else { (first, second) };
        Some((format!("{before}{}", wanted.trim_end_matches('.')), found.trim_end_matches('.').to_owned()))
    });
    let name = line(&row.assertion);
    let of_pattern = || {
        let wanted = message.strip_prefix("Test failed: ").filter(|wanted| wanted.contains(" expected "))?;
        Some((
            wanted.replacen(" expected to ", " to ", 1),
            format!("a response with code {}", line(&row.code)),
        ))
    };
    match of_form.or_else(of_pattern) {
        Some((expected, got)) if name.is_empty() => (expected, got),
        Some((expected, got)) => (format!("{expected} (`{name}`)"), got),
        // The message of a script or a tester, or of an assertion that reports only what it
        // received.
        None if name.is_empty() => ("an assertion to hold".to_owned(), format!("\"{message}\"")),
        None => (format!("`{name}` to hold"), format!("\"{message}\"")),
    }
}

/// One plain line, with one space where there are several.
pub(crate) fn line(text: &str) -> String {
    plain(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(kind: FailureKind, code: &str, message: &str) -> ErrorRow {
        let first = Example { elapsed_ns: 2_000_000_000, ..Example::default() };
        ErrorRow { kind, code: code.into(), message: message.into(), count: 1, first, ..ErrorRow::default() }
    }

    /// Expected, received, and the short description.
    fn said(kind: FailureKind, code: &str, message: &str) -> [String; 3] {
        let cause = cause(&row(kind, code, message));
        [cause.expected, cause.got, cause.words]
    }

    /// Each line: message / expected / received / short description.
    #[track_caller]
    fn all_said(kind: FailureKind, lines: &[&str]) {
        for line in lines {
            let parts: Vec<_> = line.split(" / ").collect();
            assert_eq!(said(kind, "x", parts[0]).as_slice(), &parts[1..], "{kind:?}");
        }
    }

    #[test]
    fn connections_that_fail_name_the_server() {
        let refused =
            "Non HTTP response message: Connect to h:1 [h] failed: Connection refused / a connection to h:1";
        all_said(FailureKind::Refused, &[&format!("{refused} / a refusal / connection refused by h:1")]);
        let late = "Connect to h:1 failed: Connect timed out / a connection to h:1 / none after 2000 ms";
        all_said(
            FailureKind::ConnectTimeout,
            &[&format!("{late} / no connection to h:1 before the timeout")],
        );
        let unknown = "h.x: Name or service not known / an address for h.x / none / name not found: h.x";
        all_said(FailureKind::NameNotFound, &[unknown]);
        let short = "Too many open files / a socket on this machine / Too many open files";
        all_said(
            FailureKind::ResourceExhaustion,
            &[&format!("{short} / resource limit of this machine: Too many open files")],
        );
    }

    #[test]
    fn exchanges_that_fail_say_what_came_instead() {
        all_said(
            FailureKind::ResponseTimeout,
            &[
                "Read timed out / a response before the timeout / none after 2000 ms / response timeout, none after 2000 ms",
            ],
        );
        all_said(
            FailureKind::TotalTimeout,
            &[
                "The sample took longer than 80 ms in all (http.total_timeout) / the whole sample before its timeout (http.total_timeout) / no end after 2000 ms / total timeout, no end after 2000 ms",
            ],
        );
        all_said(
            FailureKind::Reset,
            &["Connection reset / a complete response / a reset of the connection / connection reset"],
        );
        let short = "4 bytes, then the end of the connection";
        let end = "a response / the end of the connection before its first byte";
        all_said(
            FailureKind::ClosedEarly,
            &[
                &format!(
                    "Premature (expected: 1,100; received: 4) / 1,100 bytes of a body / {short} / closed early: {short}"
                ),
                &format!(
                    "h:1 failed to respond / {end} / closed early: the end of the connection before its first byte"
                ),
            ],
        );
        all_said(
            FailureKind::NotHttp,
            &[
                "Non HTTP response message: null / an HTTP response / something else / not HTTP: something else",
            ],
        );
    }

    #[test]
    fn status_and_message_are_one_plain_line() {
        let status = said(FailureKind::Status, "503", "Service\r\n\u{1b}[31m Unavailable");
        let got = "503 Service ␛[31m Unavailable";
        assert_eq!(status, ["a status of 200 to 399", got, &format!("status {got}")]);
        let code = "Non HTTP response code: java.lang.Exception";
        let message = "Non HTTP response message: odd";
        assert_eq!(said(FailureKind::Other, code, message)[2], "other: Exception: odd");
    }

    #[test]
    fn failed_calls_of_grpc_say_their_status() {
        let status = said(FailureKind::Status, " 500", " 5 NOT_FOUND: no such user");
        let got = "5 NOT_FOUND: no such user";
        assert_eq!(status, ["the gRPC status 0 OK", got, &format!("gRPC status {got}")]);
        let not_made = said(FailureKind::Request, " 400", " GRPCSampler parsing exception: field `a`: odd");
        assert_eq!(not_made[2], "request cannot be created: field `a`: odd");
        let refused = " GRPCSampler parsing exception: server reflection: 14 UNAVAILABLE: io exception: \
             Connection refused: h:1";
        assert_eq!(said(FailureKind::Refused, " 400", refused)[2], "connection refused by h:1");
        let unknown = " 14 UNAVAILABLE: io exception: unknown host: h.x";
        assert_eq!(said(FailureKind::NameNotFound, " 500", unknown)[2], "name not found: h.x");
    }

    #[test]
    fn exceptions_without_a_message_say_what_failed() {
        let null = "Non HTTP response message: null";
        let [expected, got, words] =
            said(FailureKind::Undecodable, "Non HTTP response code: java.io.EOFException", null);
        assert_eq!(expected, "a body in the encoding that its head declares");
        assert_eq!(got, "an end inside the head or the trailer of its encoding");
        assert_eq!(words, format!("body cannot be decoded: {got}"));
        let argument = "Non HTTP response code: java.lang.IllegalArgumentException";
        let words = "request cannot be created: IllegalArgumentException without a message";
        assert_eq!(said(FailureKind::Request, argument, null)[2], words);
    }

    #[test]
    fn assertions_are_taken_apart() {
        let table = [
            (
                "Test failed: text expected to contain /foo/",
                "text to contain /foo/",
                "a response with code 200",
            ),
            (
                "The operation lasted too long: It took 120 milliseconds, but should not have lasted longer than 100 milliseconds.",
                "at most 100 milliseconds",
                "120 milliseconds",
            ),
            (
                "The result was the wrong size: It was 10 bytes, but should have been equal to 5 bytes.",
                "equal to 5 bytes",
                "10 bytes",
            ),
            ("Value expected to be 'a', but found 'b'", "value 'a'", "'b'"),
        ];
        for (message, expected, got) in table {
            let row = ErrorRow { assertion: "Check".into(), ..row(FailureKind::Assertion, "200", message) };
            let found = cause(&row);
            assert_eq!(
                (found.expected.as_str(), found.got.as_str()),
                (&*format!("{expected} (`Check`)"), got)
            );
        }
    }

    #[test]
    fn words_of_scripts_and_testers_are_what_came_and_not_what_was_expected() {
        for message in
            ["the price is 0", "Login failed", "No Nodes Matched //item", "Value expected to be positive"]
        {
            let row = ErrorRow { assertion: "Check".into(), ..row(FailureKind::Assertion, "200", message) };
            let Cause { expected, got, words, .. } = cause(&row);
            assert_eq!((expected.as_str(), got), ("`Check` to hold", format!("\"{message}\"")));
            assert_eq!(words, format!("assertion `Check`: {message}"));
            assert_eq!(cause(&ErrorRow { assertion: String::new(), ..row }).expected, "an assertion to hold");
        }
    }

    #[test]
    fn messages_of_one_cause_are_counted_together() {
        let unknown = |message, count| ErrorRow { count, ..row(FailureKind::NameNotFound, "x", message) };
        let mut summary = Summary {
            errors: vec![
                unknown("h.x", 7),
                unknown("h.x: Name or service not known", 2),
                ErrorRow { count: 1, ..row(FailureKind::Reset, "x", "Connection reset") },
            ],
            unanswered: 10,
            ..Summary::of(&swell_stats::Snapshot::default())
        };
        (summary.total.samples, summary.total.errors) = (10, 10);
        let said = total_failure(&summary).unwrap();
        assert_eq!(said, "nothing answered: name not found: h.x (90 % of 10 samples)");
    }

    #[test]
    fn shares_have_the_digits_they_need() {
        assert_eq!([share(1, 1), share(1, 3), share(1, 8), share(0, 0)], ["100", "33.33", "12.5", "0"]);
    }
}
