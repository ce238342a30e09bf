//! Pages as bytes that only need today's date.

use std::rc::Rc;

use swell_http1::date::{DATE_BYTES, format_http};
use swell_http1::reason;
use swell_http1::server::{Connection, Length};
use swell_http2::Fields;

use crate::routes::{LAST_MODIFIED, PAGES, PageId};
use crate::wire::{DATE_AT, Response};

/// Head and body of a page, and where the body begins. Shared with the connections that are sending
/// it.
#[derive(Clone, Debug)]
pub(crate) struct Bytes {
    pub(crate) all: Rc<Vec<u8>>,
    pub(crate) head_len: usize,
}

#[derive(Debug)]
struct Slot {
    bytes: Bytes,
    dated_s: i64,
}

/// One worker's pages and its date.
#[derive(Debug)]
pub(crate) struct Ready {
    second: i64,
    date: [u8; DATE_BYTES],
    /// Two a page, without and with gzip.
    pages: Vec<[Option<Slot>; 2]>,
    not_modified: Option<Slot>,
    /// The fields of pages in HTTP/2, but the date.
    http2_pages: Vec<[Option<Rc<Fields>>; 2]>,
    http2_server: Rc<Fields>,
}

impl Ready {
    pub(crate) fn new() -> Self {
        Self {
            second: i64::MIN,
            date: [b' '; DATE_BYTES],
            pages: PAGES.iter().map(|_| [None, None]).collect(),
            not_modified: None,
            http2_pages: PAGES.iter().map(|_| [None, None]).collect(),
            http2_server: Rc::new(fields("")),
        }
    }

    /// The date at that time; formatted again once a second.
    pub(crate) fn date(&mut self, now_ns: i64) -> &[u8; DATE_BYTES] {
        let second = now_ns.div_euclid(1_000_000_000);
        if second != self.second {
            self.second = second;
            self.date.copy_from_slice(format_http(second).as_bytes());
        }
        &self.date
    }

    /// A page as it is sent to clients that keep the connection, or at the end of which the
    /// connection closes anyway.
    pub(crate) fn page(&mut self, id: PageId, gzip: bool, now_ns: i64) -> Bytes {
        self.date(now_ns);
        let connection = if id.page().closes { Connection::Close } else { Connection::KeepAlive };
        let slot = &mut self.pages[id as usize][usize::from(gzip)];
        dated(slot, || response(id, gzip), connection, &self.date, self.second)
    }

    /// The fields of a page in HTTP/2, but the date.
    pub(crate) fn http2_page(&mut self, id: PageId, gzip: bool) -> Rc<Fields> {
        let slot = &mut self.http2_pages[id as usize][usize::from(gzip)];
        let make = || {
            let response = response(id, gzip);
            let length = response.body.len();
            Rc::new(fields(&format!("{}Content-Length: {length}\r\n", response.headers)))
        };
        slot.get_or_insert_with(make).clone()
    }

    /// The fields that every answer has in HTTP/2, but the date.
    pub(crate) fn http2_server(&self) -> Rc<Fields> {
        self.http2_server.clone()
    }

    /// The answer to a conditional request.
    pub(crate) fn not_modified(&mut self, now_ns: i64) -> Bytes {
        self.date(now_ns);
        dated(&mut self.not_modified, not_modified, Connection::KeepAlive, &self.date, self.second)
    }
}

/// Fields that HTTP/2 sends as indices once they are known.
fn fields(lines: &str) -> Fields {
    let lines = format!("Server: swell-target\r\n{lines}");
    Fields::from_lines(lines.as_bytes()).expect("fields of pages can be sent")
}

fn dated(
    slot: &mut Option<Slot>,
    make: impl FnOnce() -> Response,
    connection: Connection,
    date: &[u8; DATE_BYTES],
    second: i64,
) -> Bytes {
    let slot = slot.get_or_insert_with(|| {
        let response = make();
        let mut all = Vec::new();
        response.write_head(date, connection, &mut all);
        let head_len = all.len();
        all.extend_from_slice(&response.body);
        Slot { bytes: Bytes { all: Rc::new(all), head_len }, dated_s: second }
    });
    if slot.dated_s != second {
        // A connection that is still sending keeps the bytes of its second.
        let at = DATE_AT + reason_shift(&slot.bytes.all);
        Rc::make_mut(&mut slot.bytes.all)[at..at + DATE_BYTES].copy_from_slice(date);
        slot.dated_s = second;
    }
    slot.bytes.clone()
}

/// How much longer the status line is than that of a 200.
fn reason_shift(head: &[u8]) -> usize {
    let is_304 = head.starts_with(b"HTTP/1.1 304");
    if is_304 { reason(304).len() - reason(200).len() } else { 0 }
}

/// The whole answer of a page.
pub(crate) fn response(id: PageId, gzip: bool) -> Response {
    let page = id.page();
    let coded = page.gzip.as_ref().filter(|_| gzip);
    let body = coded.unwrap_or(&page.identity).as_slice();
    let mut response = Response::new(200, page.content_type, body);
    if page.closes {
        response.length = Length::UntilClose;
    }
    if page.cacheable {
        response = response.header("Last-Modified", LAST_MODIFIED);
    }
    if page.gzip.is_some() {
        response = response.header("Vary", "Accept-Encoding");
    }
    if coded.is_some() {
        response = response.header("Content-Encoding", "gzip");
    }
    response
}

/// The whole answer to a conditional request for a page that has not changed.
pub(crate) fn not_modified() -> Response {
    let headers = format!("Last-Modified: {LAST_MODIFIED}\r\nVary: Accept-Encoding\r\n");
    Response { headers, length: Length::None, ..Response::text("").status(304) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_NS: i64 = 1_000_000_000;

    fn text(bytes: &Bytes) -> String {
        String::from_utf8_lossy(&bytes.all[..bytes.head_len]).into_owned()
    }

    #[test]
    fn dates_follow_the_clock_and_leave_what_is_being_sent() {
        let mut ready = Ready::new();
        for make in [|ready: &mut Ready, now_ns| ready.page(PageId::Ok, false, now_ns), Ready::not_modified] {
            let first = make(&mut ready, 784_111_777 * SECOND_NS);
            let again = make(&mut ready, 784_111_777 * SECOND_NS + 999_999_999);
            let later = make(&mut ready, 784_111_778 * SECOND_NS);
            assert!(text(&first).contains("\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"), "{}", text(&first));
            assert!(Rc::ptr_eq(&first.all, &again.all));
            assert!(text(&later).contains("\r\nDate: Sun, 06 Nov 1994 08:49:38 GMT\r\n"), "{}", text(&later));
        }
    }

    #[test]
    fn pages_are_literal_bytes() {
        let page = Ready::new().page(PageId::Ok, false, 784_111_777 * SECOND_NS);
        assert_eq!(
            String::from_utf8_lossy(&page.all),
            "HTTP/1.1 200 OK\r\nServer: swell-target\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\
             Content-Type: text/plain\r\nContent-Length: 3\r\nConnection: keep-alive\r\n\r\nok\n"
        );
        let slow = text(&Ready::new().page(PageId::Slow, true, 0));
        assert!(!slow.contains("Content-Length") && slow.contains("Connection: close"), "{slow}");
        assert!(
            slow.contains("Content-Encoding: gzip\r\n") && slow.contains("Vary: Accept-Encoding\r\n"),
            "{slow}"
        );
    }
}
