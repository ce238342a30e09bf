//! Replaces names that differ from run to run in any text.

use super::Observation;
use crate::recorder::Request;

/// Replacements for all texts of a run.
#[derive(Debug)]
pub(super) struct Replacements(Vec<(String, &'static str)>);

impl Replacements {
    pub(super) fn new(observation: &Observation) -> Self {
        let mut pairs = Vec::new();
        if !observation.folder.is_empty() {
            pairs.push((observation.folder.clone(), "FOLDER"));
        }
        pairs.extend(observation.ports.iter().map(|port| (port.to_string(), "PORT")));
        for request in &observation.requests {
            pairs.extend(boundary(request).map(|boundary| (boundary, "BOUNDARY")));
        }
        // Samples also show boundaries of requests that were not sent.
        for (_, content) in &observation.files {
            for before in ["multipart/form-data; boundary=", "<queryString class=\"java.lang.String\">--"] {
                let shown = content.split(before).skip(1).filter_map(random_start);
                pairs.extend(shown.map(|boundary| (boundary.to_owned(), "BOUNDARY")));
            }
        }
        Self(pairs)
    }

    pub(super) fn apply(&self, text: &str) -> String {
        let replaced =
            self.0.iter().fold(text.to_owned(), |text, (from, to)| replaced_whole(&text, from, to));
        let replaced = DIGEST.iter().fold(replaced, |text, (before, after)| between(&text, before, after));
        let replaced = between(&replaced, "It took ", " milli");
        let replaced = between(&replaced, " (Java/", ")");
        let replaced = WEBSOCKET.iter().fold(replaced, |text, before| between(&text, before, "="));
        let replaced = without_forbidden_references(&replaced);
        let replaced: String = replaced.split_inclusive('\n').map(masked_variable).collect();
        without_multipart_length(&replaced)
    }
}

/// Replaces a text, except a number inside a longer number: a body may contain the digits of a
/// port.
fn replaced_whole(text: &str, from: &str, to: &str) -> String {
    let is_number = from.bytes().all(|byte| byte.is_ascii_digit());
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (at, _) in text.match_indices(from) {
        let before = &text[..at];
        let after = &text[at + from.len()..];
        let is_part =
            before.ends_with(|c: char| c.is_ascii_digit()) || after.starts_with(|c: char| c.is_ascii_digit());
        if !(is_number && is_part) {
            out.push_str(&text[done..at]);
            out.push_str(to);
            done = at + from.len();
        }
    }
    out.push_str(&text[done..]);
    out
}

/// Random parts of digest credentials and values that depend on them, as sent and as written in
/// XML.
const DIGEST: [(&str, &str); 4] =
    [("cnonce=\"", "\""), ("response=\"", "\""), ("cnonce=&quot;", "&quot;"), ("response=&quot;", "&quot;")];

/// Random keys of WebSocket upgrades, and what answers them.
const WEBSOCKET: [&str; 2] = ["Sec-WebSocket-Key: ", "Sec-WebSocket-Accept: "];

/// JMeter writes references to characters that XML does not allow, such as `&#x1;`, which no XML
/// reader accepts. Swell writes U+FFFD instead (docs/differences.md).
fn without_forbidden_references(text: &str) -> String {
    let mut parts = text.split("&#x");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let reference = part.split_once(';').and_then(|(digits, rest)| {
            let code = u32::from_str_radix(digits, 16).ok()?;
            let is_allowed =
                matches!(code, 0x9 | 0xa | 0xd | 0x20..=0xd7ff | 0xe000..=0xfffd | 0x1_0000..=0x10_ffff);
            (!is_allowed).then_some(rest)
        });
        if let Some(rest) = reference {
            out.push('\u{fffd}');
            out.push_str(rest);
        } else {
            out.push_str("&#x");
            out.push_str(part);
        }
    }
    out
}

/// Masks the length of a multipart body, which includes that of its random boundary. JMeter shows
/// it before the content type.
fn without_multipart_length(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let multipart = lines.peek().is_some_and(|next| next.starts_with("Content-Type: multipart/"));
        if multipart && line.starts_with("Content-Length: ") {
            out.push_str("Content-Length: *\n");
        } else {
            out.push_str(line);
        }
    }
    out
}

/// Returns the random boundary with which a text starts.
fn random_start(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_').unwrap_or(text.len());
    (30..=40).contains(&end).then(|| &text[..end])
}

/// Returns the boundary of a multipart request, which is random in content and in length. A header
/// of the plan may hide it.
pub(super) fn boundary(request: &Request) -> Option<String> {
    let content_type = request.header("content-type").unwrap_or_default();
    if let Some((_, boundary)) = content_type.split_once("boundary=") {
        return Some(boundary.split(';').next().unwrap_or_default().trim_matches('"').to_owned());
    }
    let body = String::from_utf8_lossy(&request.body);
    let boundary = body.strip_prefix("--")?.lines().next()?.trim_end_matches("--");
    let is_random = (30..=40).contains(&boundary.len()) && !boundary.contains(char::is_whitespace);
    (is_random && body.trim_end().ends_with(&format!("--{boundary}--"))).then(|| boundary.to_owned())
}

/// Replaces the text between two others with a star, everywhere in a line.
fn between(text: &str, before: &str, after: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(before) {
        let (head, tail) = rest.split_at(at + before.len());
        out.push_str(head);
        rest = match tail.find(after) {
            Some(end) if !tail[..end].contains('\n') => {
                out.push('*');
                &tail[end..]
            }
            _ => tail,
        };
    }
    out + rest
}

/// Masks values from the clock and identities of Java objects in a line of a Debug Sampler.
fn masked_variable(line: &str) -> String {
    const NAMES: [&str; 4] = ["START.MS", "START.YMD", "START.HMS", "TESTSTART.MS"];
    const PACKAGE: &str = "JMeterThread.pack=org.apache.jmeter.threads.SamplePackage@";
    // A database connection pool is shown by its address in memory.
    let is_pool = line.contains("=org.apache.jmeter.protocol.jdbc.config.DataSourceElement$");
    if is_pool {
        return String::new();
    }
    if line.starts_with(PACKAGE) {
        return format!("{PACKAGE}*{}", if line.ends_with('\n') { "\n" } else { "" });
    }
    let found = NAMES.iter().find(|name| line.starts_with(&format!("{name}=")));
    match found {
        Some(name) => format!("{name}=*{}", if line.ends_with('\n') { "\n" } else { "" }),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_not_replaced_within_a_longer_number() {
        let text = "34567 http://h:34567/ \"big\": 12345678901234567890, 345678 034567;34567";
        let wanted = "PORT http://h:PORT/ \"big\": 12345678901234567890, 345678 034567;PORT";
        assert_eq!(replaced_whole(text, "34567", "PORT"), wanted);
        assert_eq!(replaced_whole("1xYz-12", "xYz-1", "BOUNDARY"), "1BOUNDARY2");
    }

    #[test]
    fn what_differs_from_run_to_run_is_replaced() {
        let head =
            b"POST / HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=xYz-1; charset=UTF-8\r\n\r\n";
        let request = Request { connection: 0, client: None, head: head.to_vec(), body: Vec::new() };
        let body = b"--012345678901234567890123456789\r\n\r\na\r\n--012345678901234567890123456789--\r\n";
        let hidden = Request {
            connection: 0,
            client: None,
            head: b"POST / HTTP/1.1\r\n\r\n".to_vec(),
            body: body.to_vec(),
        };
        let observation = Observation {
            requests: vec![request, hidden],
            files: vec![(
                "samples.xml".to_owned(),
                "Content-Type: multipart/form-data; boundary=abcdefghijabcdefghijabcdefghij; charset=x\n\
                 <queryString class=\"java.lang.String\">--ABCDEFGHIJABCDEFGHIJABCDEFGHIJ&#xd;"
                    .to_owned(),
            )],
            ports: vec![41234],
            folder: "/tmp/run".to_owned(),
            log: String::new(),
        };
        let replacements = Replacements::new(&observation);
        let cases = [
            ("Host: 127.0.0.1:41234", "Host: 127.0.0.1:PORT"),
            ("/tmp/run/a.csv", "FOLDER/a.csv"),
            ("--012345678901234567890123456789", "--BOUNDARY"),
            ("--abcdefghijabcdefghijabcdefghij--", "--BOUNDARY--"),
            ("--ABCDEFGHIJABCDEFGHIJABCDEFGHIJ--", "--BOUNDARY--"),
            ("--xYz-1--", "--BOUNDARY--"),
            ("a\nSTART.MS=123\nb=1\n", "a\nSTART.MS=*\nb=1\n"),
            (
                "a=1\nJMeterThread.pack=org.apache.jmeter.threads.SamplePackage@1f\n__jmv_SAME_USER=true\n",
                "a=1\nJMeterThread.pack=org.apache.jmeter.threads.SamplePackage@*\n__jmv_SAME_USER=true\n",
            ),
            ("It took 23 milliseconds, but", "It took * milliseconds, but"),
            ("a&#x0;b&#x1F;c&#xd;&#x85;&#xzz;&#x1", "a\u{fffd}b\u{fffd}c&#xd;&#x85;&#xzz;&#x1"),
            ("cnonce=\"ab\", response=\"cd\"", "cnonce=\"*\", response=\"*\""),
            ("response=&quot;cd&quot;", "response=&quot;*&quot;"),
            (
                "Content-Length: 5\nContent-Type: multipart/form-data\n",
                "Content-Length: *\nContent-Type: multipart/form-data\n",
            ),
            (
                "Content-Length: 5\nContent-Type: text/plain\n",
                "Content-Length: 5\nContent-Type: text/plain\n",
            ),
            ("It took \n23 milliseconds", "It took \n23 milliseconds"),
            ("plain", "plain"),
        ];
        for (text, expected) in cases {
            assert_eq!(replacements.apply(text), expected);
        }
    }
}
