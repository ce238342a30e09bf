//! The upgrade as the plug-in asks for it and reads its answer (`WebSocketClient.connect`,
//! `checkServerResponse`).

use std::rc::Rc;

use swell_java::map;
use swell_websocket::handshake::{accept, has_token};

use super::failure::Failure;

/// Lines that the handshake has itself: those of a Header Manager are left out.
const OWN: [&str; 5] = ["Host", "Upgrade", "Connection", "Sec-WebSocket-Key", "Sec-WebSocket-Version"];

/// Most bytes of the answer's head.
pub(super) const HEAD_BYTES_MAX: usize = 64 * 1024;

/// Header lines in the order of Java's `HashMap`; of two with the same name the later one.
pub(super) fn in_order_of_map(lines: Vec<(Rc<str>, Rc<str>)>) -> Vec<(Rc<str>, Rc<str>)> {
    let mut kept: Vec<(Rc<str>, Rc<str>)> = Vec::with_capacity(lines.len());
    for (name, value) in lines {
        match kept.iter_mut().find(|(known, _)| *known == name) {
            Some(line) => line.1 = value,
            None => kept.push((name, value)),
        }
    }
    let bins = map::bins(16, kept.len());
    kept.sort_by_key(|(name, _)| map::bin(name, bins));
    kept
}

/// The request's bytes.
///
/// # Errors
/// A line end in a header line.
pub(super) fn request(
    target: &str,
    host: &str,
    lines: &[(Rc<str>, Rc<str>)],
    key: &str,
) -> Result<Vec<u8>, Failure> {
    let mut out = format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n");
    for (name, value) in lines {
        if OWN.iter().any(|own| own.eq_ignore_ascii_case(name)) {
            continue;
        }
        if name.contains(['\r', '\n']) || value.contains(['\r', '\n']) {
            let thrown = "java.lang.IllegalArgumentException: Invalid header; contains new line.";
            return Err(Failure::Thrown(thrown.to_owned()));
        }
        out.extend([name, ": ", value, "\r\n"]);
    }
    out.extend(["Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ", key]);
    out.push_str("\r\nSec-WebSocket-Version: 13\r\n\r\n");
    Ok(out.into_bytes())
}

/// The answer to the upgrade.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct UpgradeAnswer {
    /// Names and values in the order of the names, upper and lower case being equal.
    pub(super) lines: Vec<(String, String)>,
}

impl UpgradeAnswer {
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.lines.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| &**value)
    }

    /// The lines as the sample shows them.
    pub(super) fn text(&self) -> String {
        let lines: Vec<String> = self.lines.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        lines.join("\n")
    }
}

/// The length of the answer's head, if all of it is there.
pub(super) fn head_length(bytes: &[u8]) -> Option<usize> {
    let mut start = 0;
    for (at, _) in bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
        if start > 0 && bytes[start..at].trim_ascii().is_empty() {
            return Some(at + 1);
        }
        start = at + 1;
    }
    None
}

/// Reads a head, or what there is of one where the connection has ended.
///
/// # Errors
/// A status other than 101, a line that is missing or wrong.
pub(super) fn read_answer(head: &[u8], key: &str) -> Result<UpgradeAnswer, Failure> {
    let text: String = head.iter().filter(|byte| **byte != b'\r').map(|byte| char::from(*byte)).collect();
    if text.is_empty() {
        return Err(Failure::Io("Empty response; connection closed.".to_owned()));
    }
    let mut lines = text.lines();
    check_status(lines.next().unwrap_or_default())?;
    let mut answer = UpgradeAnswer::default();
    for line in lines.take_while(|line| !line.trim().is_empty()) {
        let Some((name, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        match answer.lines.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            Some((_, before)) => before.extend([", ", value]),
            None => answer.lines.push((name.to_owned(), value.to_owned())),
        }
    }
    answer.lines.sort_by_key(|(name, _)| name.to_ascii_lowercase());
    let refuse = |text: &str| Err(Failure::Upgrade(None, text.to_owned()));
    if !answer.value("Upgrade").is_some_and(|value| value.eq_ignore_ascii_case("websocket")) {
        return refuse("Server response should contain 'Upgrade' header with value 'websocket'");
    }
    if !answer.value("Connection").is_some_and(|value| has_token(value, "Upgrade")) {
        return refuse("Server response should contain 'Connection' header with value 'Upgrade'");
    }
    match answer.value("Sec-WebSocket-Accept") {
        None => refuse("Server response should contain 'Sec-WebSocket-Accept' header"),
        Some(value) if value != accept(key) => {
            refuse("Server response header 'Sec-WebSocket-Accept' has incorrect value.")
        }
        Some(_) => Ok(answer),
    }
}

/// `^HTTP/\d\.\d (\d{3})`.
fn check_status(line: &str) -> Result<(), Failure> {
    let status = line.strip_prefix("HTTP/").and_then(|rest| {
        let (version, rest) = rest.split_at_checked(3)?;
        let is_version = matches!(version.as_bytes(), [major, b'.', minor] if major.is_ascii_digit() && minor.is_ascii_digit());
        let digits = rest.strip_prefix(' ')?.get(..3)?;
        digits.parse::<u16>().ok().filter(|_| is_version && digits.bytes().all(|byte| byte.is_ascii_digit()))
    });
    match status {
        Some(101) => Ok(()),
        Some(status) => Err(Failure::Upgrade(
            Some(status),
            format!("Got unexpected status {status} with statusLine:{line}"),
        )),
        None => Err(Failure::Io("Invalid status line".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "dGhlIHNhbXBsZSBub25jZQ==";
    const ACCEPT: &str = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n";

    fn read(head: &str) -> Result<UpgradeAnswer, (String, String)> {
        read_answer(head.as_bytes(), KEY).map_err(|failure| failure.code_and_message())
    }

    fn refused(code: &str, message: &str) -> Result<UpgradeAnswer, (String, String)> {
        Err((code.to_owned(), message.to_owned()))
    }

    #[test]
    fn answers_are_read_as_the_plug_in_reads_them() {
        let head = format!(
            "HTTP/1.1 101 Switching Protocols\r\nupgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\n\
             {ACCEPT}x: 1\r\nX:  2 \r\n\r\n"
        );
        let answer = read(&head).expect("valid");
        assert_eq!(
            answer.text(),
            "Connection: keep-alive, Upgrade\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\nupgrade: WebSocket\nx: 1, 2"
        );
        assert_eq!(head_length(head.as_bytes()), Some(head.len()));
        assert_eq!(head_length(&head.as_bytes()[..head.len() - 1]), None);
    }

    #[test]
    fn what_is_wrong_has_the_words_of_the_plug_in() {
        let unexpected = "Got unexpected status 403 with statusLine:HTTP/1.1 403 Forbidden";
        assert_eq!(read("HTTP/1.1 403 Forbidden\r\n\r\n"), refused("403", unexpected));
        let io = |text: &str| refused("Websocket I/O error", &format!("WebSocket I/O error: {text}"));
        assert_eq!(read(""), io("Empty response; connection closed."));
        assert_eq!(read("SSH-2.0\r\n"), io("Invalid status line"));
        let start = "HTTP/1.1 101 x\r\n";
        let upgrade = "Server response should contain 'Upgrade' header with value 'websocket'";
        assert_eq!(read(start), refused("", upgrade));
        let two = format!("{start}Upgrade: websocket\r\nUpgrade: websocket\r\n");
        assert_eq!(read(&two), refused("", upgrade));
        let connection = "Server response should contain 'Connection' header with value 'Upgrade'";
        assert_eq!(read(&format!("{start}Upgrade: websocket\r\n")), refused("", connection));
        let both = format!("{start}Upgrade: websocket\r\nConnection: upgrade\r\n");
        let missing = "Server response should contain 'Sec-WebSocket-Accept' header";
        assert_eq!(read(&both), refused("", missing));
        let wrong = "Server response header 'Sec-WebSocket-Accept' has incorrect value.";
        assert_eq!(read(&format!("{both}Sec-WebSocket-Accept: x\r\n")), refused("", wrong));
    }

    #[test]
    fn requests_are_literal_bytes() {
        let lines = |pairs: &[(&str, &str)]| -> Vec<(Rc<str>, Rc<str>)> {
            pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
        };
        let sent = request("/a?b", "h:80", &lines(&[("X", "1"), ("host", "other")]), KEY).expect("valid");
        assert_eq!(
            String::from_utf8(sent).expect("text"),
            "GET /a?b HTTP/1.1\r\nHost: h:80\r\nX: 1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        );
        assert!(request("/", "h:80", &lines(&[("X", "1\r\nY: 2")]), KEY).is_err());
        let ordered = in_order_of_map(lines(&[("b", "1"), ("a", "2"), ("b", "3")]));
        assert_eq!(ordered, lines(&[("a", "2"), ("b", "3")]));
    }
}
