//! A line of a log: the common and combined formats of Apache and nginx, or JSON as nginx, Caddy
//! and Traefik write it.

use serde_json::Value;

use crate::time::milliseconds;

/// A request of a log.
#[derive(Debug, PartialEq)]
pub(super) struct Line {
    /// Milliseconds since 1970.
    pub(super) at_ms: f64,
    pub(super) method: String,
    pub(super) target: String,
    /// 0: the log does not have it.
    pub(super) status: u16,
    /// Empty: the log does not have it.
    pub(super) host: String,
}

/// The end of the year 2100: sums of times stay whole numbers.
const LATEST_MS: f64 = 4_133_980_800_000.0;

/// Reads a line.
///
/// # Errors
/// What it lacks.
pub(super) fn parsed(line: &str) -> Result<Line, &'static str> {
    let read = if line.trim_start().starts_with('{') { of_json(line) } else { of_text(line) };
    read.and_then(|line| {
        if (0.0..LATEST_MS).contains(&line.at_ms) { Ok(line) } else { Err("its time is not of this century") }
    })
}

/// `host ident user [time] "GET /path HTTP/1.1" status …`.
fn of_text(line: &str) -> Result<Line, &'static str> {
    const UNKNOWN: &str = "the line is not of the common or combined format";
    let (before, rest) = line.split_once(" [").ok_or(UNKNOWN)?;
    let (time, rest) = rest.split_once(']').ok_or(UNKNOWN)?;
    let at_ms = log_time(time).ok_or("its time is not as [10/Oct/2000:13:55:36 -0700]")?;
    let rest = rest.trim_start().strip_prefix('"').ok_or(UNKNOWN)?;
    let end = end_of_quoted(rest).ok_or(UNKNOWN)?;
    let (method, target) = request(&rest[..end]).ok_or("it has no request line of HTTP")?;
    let status = rest[end + 1..].split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(0);
    // `vhost:port client - - […]`, as some servers of many sites write.
    let first = before.split(' ').next().unwrap_or_default();
    let host = if before.split(' ').count() >= 4 { without_port(first) } else { "" };
    Ok(Line { at_ms, method, target, status, host: host.to_owned() })
}

fn end_of_quoted(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.bytes().position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    })
}

fn log_time(text: &str) -> Option<f64> {
    let parsed = jiff::fmt::strtime::parse("%d/%b/%Y:%H:%M:%S %z", text).ok()?;
    Some(parsed.to_timestamp().ok()?.as_millisecond() as f64)
}

/// Method and target of a request line. Servers write odd bytes as `\x0A`.
fn request(line: &str) -> Option<(String, String)> {
    let mut words = line.split(' ');
    let method =
        words.next().filter(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_uppercase()))?;
    let rest = line[method.len()..].trim();
    let target = match rest.rsplit_once(' ') {
        Some((target, version)) if version.starts_with("HTTP/") => target,
        _ => rest,
    };
    let is_target = !target.is_empty() && method.len() <= 20;
    is_target.then(|| (method.to_owned(), without_escapes(target)))
}

/// `\x0A` becomes `%0A`, `\"` becomes `%22`.
fn without_escapes(target: &str) -> String {
    if !target.contains('\\') {
        return target.to_owned();
    }
    let mut out = String::with_capacity(target.len());
    let mut rest = target;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let hex = after
            .strip_prefix('x')
            .and_then(|hex| hex.get(..2))
            .filter(|hex| u8::from_str_radix(hex, 16).is_ok());
        rest = if let Some(hex) = hex {
            out.push('%');
            out.push_str(hex);
            &after[3..]
        } else if let Some(after) = after.strip_prefix('"') {
            out.push_str("%22");
            after
        } else {
            out.push_str("%5C");
            after
        };
    }
    out.push_str(rest);
    out
}

/// Fields of JSON by the names that servers and people give them.
fn of_json(line: &str) -> Result<Line, &'static str> {
    const TIMES: [&str; 10] = [
        "ts",
        "StartUTC",
        "time_iso8601",
        "@timestamp",
        "timestamp",
        "time",
        "time_local",
        "msec",
        "StartLocal",
        "start_time",
    ];
    let object: Value = serde_json::from_str(line).map_err(|_| "the line is not JSON")?;
    // Caddy has the request in an object.
    let request_object = object.get("request").filter(|request| request.is_object());
    let field = |names: &[&str]| {
        let in_request = |name: &&str| request_object.and_then(|request| request.get(*name));
        names.iter().find_map(|name| in_request(name).or_else(|| object.get(*name)))
    };
    let text = |names: &[&str]| field(names).and_then(Value::as_str);
    let at_ms = TIMES.iter().find_map(|name| object.get(*name).and_then(time_of)).ok_or("it has no time")?;
    let line_of_request = text(&["request", "request_line"]).and_then(request);
    let named = || {
        let method = text(&["method", "request_method", "RequestMethod", "verb"])?;
        let target = text(&["uri", "request_uri", "RequestPath", "path", "url", "request_path"])?;
        let query = text(&["args", "query_string", "query"])
            .filter(|query| !query.is_empty() && !target.contains('?'));
        let query = query.map(|query| format!("?{}", query.trim_start_matches('?'))).unwrap_or_default();
        Some((method.to_ascii_uppercase(), format!("{target}{query}")))
    };
    let (method, target) = line_of_request.or_else(named).ok_or("it has no method and path")?;
    let status = field(&["status", "DownstreamStatus", "status_code", "response_code"]).and_then(number);
    let host = text(&["RequestHost", "http_host", "host", "server_name", "vhost"]).map(without_port);
    Ok(Line {
        at_ms,
        method,
        target,
        status: status.filter(|status| (0.0..1000.0).contains(status)).map_or(0, |status| status as u16),
        host: host.unwrap_or_default().to_owned(),
    })
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.parse().ok()).filter(|number: &f64| number.is_finite())
}

/// A time as text, or as seconds, milliseconds, microseconds or nanoseconds since 1970.
fn time_of(value: &Value) -> Option<f64> {
    if let Some(number) = number(value) {
        let factor = match number {
            _ if number < 0.0 => return None,
            _ if number < 1e11 => 1e3,
            _ if number < 1e14 => 1.0,
            _ if number < 1e17 => 1e-3,
            _ => 1e-6,
        };
        return Some(number * factor);
    }
    let text = value.as_str()?;
    milliseconds(text).or_else(|| log_time(text.trim_matches(['[', ']'])))
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}
