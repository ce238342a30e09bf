//! Renders requests as text.

use std::fmt::Write as _;

use super::text::{Replacements, boundary};
use crate::case::{Order, Rules};
use crate::recorder::Request;

/// Renders all requests as a section. Connections are numbered in the order of their first request.
pub(super) fn render(requests: &[Request], replacements: &Replacements, rules: &Rules) -> String {
    let mut out = format!("=== requests: {}\n", requests.len());
    let texts = requests.iter().map(|request| (request.connection, replacements.apply(&text(request))));
    let texts: Vec<(usize, String)> = texts.collect();
    match rules.order {
        Order::Run => {
            let mut known = Vec::new();
            for (connection, text) in texts {
                let number = known.iter().position(|k| *k == connection).unwrap_or_else(|| {
                    known.push(connection);
                    known.len() - 1
                });
                write(&mut out, &format!("connection {}", number + 1), &text);
            }
        }
        Order::Thread => {
            for (number, texts) in by_connection(texts).into_iter().enumerate() {
                for text in texts {
                    write(&mut out, &format!("connection {}", number + 1), &text);
                }
            }
        }
        Order::None => {
            let mut texts: Vec<String> = texts.into_iter().map(|(_, text)| text).collect();
            texts.sort();
            for text in &texts {
                write(&mut out, "any connection", text);
            }
        }
    }
    out
}

/// Returns the requests of each connection in order; connections are ordered by their text.
fn by_connection(texts: Vec<(usize, String)>) -> Vec<Vec<String>> {
    let mut groups: Vec<(usize, Vec<String>)> = Vec::new();
    for (connection, text) in texts {
        match groups.iter_mut().find(|(known, _)| *known == connection) {
            Some((_, group)) => group.push(text),
            None => groups.push((connection, vec![text])),
        }
    }
    let mut groups: Vec<Vec<String>> = groups.into_iter().map(|(_, group)| group).collect();
    groups.sort();
    groups
}

fn write(out: &mut String, title: &str, text: &str) {
    // Writing into memory cannot fail.
    let _ = writeln!(out, "--- {title}\n{text}");
}

/// Renders head lines and body. Line ends in the head are shown only if they are not CR LF; a CR in
/// the body is shown.
fn text(request: &Request) -> String {
    let mut head = readable(&request.head);
    if boundary(request).is_some() {
        head = without_length(&head);
    }
    let head = head.replace("\\r\n", "\n");
    let body = readable(&request.body);
    let client =
        request.client.as_ref().map(|name| format!("(behind TLS, from {name})\n")).unwrap_or_default();
    format!("{client}{}{body}", if body.is_empty() { head.trim_end() } else { &head })
}

fn without_length(head: &str) -> String {
    let lines = head.split_inclusive('\n');
    let masked = lines.map(|line| match line.split_once(": ") {
        Some((name, _)) if name.eq_ignore_ascii_case("content-length") => format!("{name}: *\\r\n"),
        _ => line.to_owned(),
    });
    masked.collect()
}

/// Renders bytes as text: UTF-8 and line feeds unchanged, other invisible bytes as escapes.
fn readable(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\n' => out.push('\n'),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                c if c.is_control() => {
                    let _ = write!(out, "\\x{:02x}", u32::from(c));
                }
                c => out.push(c),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::Observation;
    use super::*;

    fn request(connection: usize, head: &str, body: &[u8]) -> Request {
        Request { connection, client: None, head: head.as_bytes().to_vec(), body: body.to_vec() }
    }

    fn rendered(requests: &[Request], order: Order) -> String {
        let rules = Rules { order, ..Rules::default() };
        render(requests, &Replacements::new(&Observation::default()), &rules)
    }

    #[test]
    fn shows_every_byte() {
        let requests = [request(4, "POST /a HTTP/1.1\r\nA: b\r\n\r\n", b"x\r\n\xff\0\xc3\xa9")];
        let expected = "=== requests: 1\n--- connection 1\nPOST /a HTTP/1.1\nA: b\n\nx\\r\n\\xff\\x00é\n";
        assert_eq!(rendered(&requests, Order::Run), expected);
    }

    #[test]
    fn order_is_that_of_the_rule() {
        let requests = [
            request(1, "GET /b HTTP/1.1\r\n\r\n", b""),
            request(0, "GET /a HTTP/1.1\r\n\r\n", b""),
            request(1, "GET /a HTTP/1.1\r\n\r\n", b""),
        ];
        let lines = |order| {
            let text = rendered(&requests, order);
            let kept = text.lines().skip(1).map(|line| line.replace("--- ", "").replace(" HTTP/1.1", ""));
            kept.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(lines(Order::Run), "connection 1 GET /b connection 2 GET /a connection 1 GET /a");
        assert_eq!(lines(Order::Thread), "connection 1 GET /a connection 2 GET /b connection 2 GET /a");
        assert_eq!(lines(Order::None), "any connection GET /a any connection GET /a any connection GET /b");
    }

    #[test]
    fn the_length_of_a_multipart_body_is_masked() {
        let head =
            "POST / HTTP/1.1\r\nContent-Length: 12\r\nContent-Type: multipart/form-data; boundary=a\r\n\r\n";
        assert!(text(&request(0, head, b"--a--")).contains("Content-Length: *\n"));
        let head = "POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n";
        assert!(text(&request(0, head, b"ab")).contains("Content-Length: 2\n"));
    }
}
