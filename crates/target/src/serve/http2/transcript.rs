//! Responses that a route gives as bytes of HTTP/1: their heads and their body.

/// A head of HTTP/1.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Head<'a> {
    /// 500 where the status line has no status.
    pub(super) status: u16,
    /// Its lines, each with CR LF.
    pub(super) lines: &'a [u8],
}

/// Takes the head at the start. `None`: there is none.
pub(super) fn take_head<'a>(bytes: &mut &'a [u8]) -> Option<Head<'a>> {
    if !bytes.starts_with(b"HTTP/1.") {
        return None;
    }
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")? + 2;
    let (head, rest) = bytes.split_at(end);
    let (_, rest) = rest.split_at(2);
    let line = head.windows(2).position(|window| window == b"\r\n")?;
    let (status_line, lines) = head.split_at(line + 2);
    *bytes = rest;
    Some(Head { status: status(status_line), lines })
}

fn status(line: &[u8]) -> u16 {
    let number = line.split(|byte| *byte == b' ').nth(1).unwrap_or_default().trim_ascii();
    let number = std::str::from_utf8(number).ok().and_then(|text| text.parse().ok());
    number.filter(|status| (100..=999).contains(status)).unwrap_or(500)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_taken_one_after_the_other() {
        let mut bytes = &b"HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.0 200\r\n\r\nbody"[..];
        assert_eq!(take_head(&mut bytes), Some(Head { status: 103, lines: b"Link: x\r\n" }));
        assert_eq!(take_head(&mut bytes), Some(Head { status: 200, lines: b"" }));
        assert_eq!((take_head(&mut bytes), bytes), (None, &b"body"[..]));
        for (mut bytes, wanted) in [
            (&b"HTTP/1.1 abc\r\n\r\n"[..], Some(500)),
            (b"HTTP/1.1\r\n\r\n", Some(500)),
            (b"HTTP/1.1 1000 x\r\n\r\n", Some(500)),
            (b"HTTP/1.1 200 OK\r\n", None),
            (b"", None),
        ] {
            assert_eq!(take_head(&mut bytes).map(|head| head.status), wanted);
        }
    }
}
