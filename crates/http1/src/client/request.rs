//! Request heads as HttpClient writes them.

use crate::latin1;

/// Appends the request line. Characters that a head cannot have become `?`.
pub fn write_request_line(method: &str, target: &str, out: &mut Vec<u8>) {
    latin1::encode_into(method, out);
    out.push(b' ');
    latin1::encode_into(target, out);
    out.extend_from_slice(b" HTTP/1.1\r\n");
}

/// Appends a header line (`BasicLineFormatter.doFormatHeader`): a value cannot begin a new line.
pub fn write_header(name: &str, value: &str, out: &mut Vec<u8>) {
    out.reserve(name.len() + value.len() + 4);
    latin1::encode_into(name, out);
    out.extend_from_slice(b": ");
    if latin1::is_plain(value) {
        out.extend_from_slice(value.as_bytes());
    } else {
        latin1::encode_into(&value.replace(['\r', '\n', '\x0c', '\x0b'], " "), out);
    }
    out.extend_from_slice(b"\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_literal_bytes() {
        let mut out = Vec::new();
        write_request_line("GET", "/caf\u{e9}", &mut out);
        write_header("X-A", "b\r\nX-C: \u{20ac}", &mut out);
        assert_eq!(out, b"GET /caf\xe9 HTTP/1.1\r\nX-A: b  X-C: ?\r\n");
    }
}
