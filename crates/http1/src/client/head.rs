//! The head of a response as HttpClient 4.5 reads it (`DefaultHttpResponseParser`,
//! `BasicLineParser`, `LaxContentLengthStrategy`, `DefaultClientConnectionReuseStrategy`).
//!
//! Lines may end in LF alone; lines before the status line are skipped; header lines may be folded.
//! A parser that is strict about any of these (`httparse`) would turn good samples of JMeter into
//! errors.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;

use crate::body::Framing;
use crate::error::WireError;
use crate::latin1;

/// The facts of a head that an exchange needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResponseFacts {
    /// Status code.
    pub status: u16,
    /// End of the body.
    pub framing: Framing,
    /// The response allows the connection to be used again.
    pub reusable: bool,
    /// `Keep-Alive: timeout=`, in milliseconds.
    pub keep_alive_ms: Option<i64>,
    /// Size of the head as JMeter counts it: the lines of its `responseHeaders` text, a `\r` for
    /// each and the empty line.
    pub header_size: u64,
    /// There is a `Set-Cookie`.
    pub has_cookies: bool,
    /// There is a `Content-Encoding`.
    pub has_encoding: bool,
}

/// A complete head.
#[derive(Clone, Copy, Debug)]
pub struct ResponseHead<'a> {
    /// What an exchange must know.
    pub facts: ResponseFacts,
    bytes: &'a [u8],
    lines: &'a [u8],
    version: &'a [u8],
    reason: &'a [u8],
    /// The value of the last `Content-Type`. None where there is none, and where its line is
    /// folded.
    content_type: Option<&'a [u8]>,
}

/// The heads read most recently. Servers repeat themselves: under load, the head of a resource
/// changes only when its `Date` does, and comparing two heads is twenty times cheaper than parsing
/// one.
#[derive(Debug)]
pub(crate) struct KnownHeads {
    heads: [CachedHead; Self::MOST],
    /// The place of the next one that is kept.
    next: usize,
}

impl KnownHeads {
    /// As many as the requests of a short journey. All of them are looked at where a head is new.
    const MOST: usize = 8;

    /// Nothing yet.
    pub(crate) const fn none() -> Self {
        Self { heads: [const { CachedHead::none() }; Self::MOST], next: 0 }
    }

    /// The head that begins `buffer`, with its size, if it is known. The newest comes first: where
    /// one resource is asked for, the others are heads of earlier seconds.
    #[inline]
    pub(crate) fn find<'a>(&self, buffer: &'a [u8]) -> Option<(ResponseHead<'a>, usize)> {
        let (newer, older) = self.heads.split_at(self.next);
        let mut newest_first = newer.iter().rev().chain(older.iter().rev());
        newest_first.find_map(|known| ResponseHead::repeated(buffer, known))
    }

    /// Keeps a complete head, empty line included, that was parsed from `bytes`, instead of the
    /// oldest.
    pub(crate) fn keep(&mut self, bytes: &[u8], head: &ResponseHead<'_>) {
        self.heads[self.next].keep(bytes, head);
        self.next = (self.next + 1) % Self::MOST;
    }
}

/// A head with its facts.
#[derive(Debug)]
struct CachedHead {
    bytes: Vec<u8>,
    facts: ResponseFacts,
    lines_at: usize,
    version: Range<usize>,
    reason: Range<usize>,
    content_type: Option<Range<usize>>,
}

/// Heads larger than this are not worth keeping.
const CACHED_MAX: usize = 2048;

impl CachedHead {
    /// Nothing yet.
    const fn none() -> Self {
        let facts = ResponseFacts {
            status: 0,
            framing: Framing::None,
            reusable: false,
            keep_alive_ms: None,
            header_size: 0,
            has_cookies: false,
            has_encoding: false,
        };
        Self { bytes: Vec::new(), facts, lines_at: 0, version: 0..0, reason: 0..0, content_type: None }
    }

    /// Keeps a complete head, empty line included, that was parsed from `bytes`.
    fn keep(&mut self, bytes: &[u8], head: &ResponseHead<'_>) {
        self.bytes.clear();
        if bytes.len() > CACHED_MAX {
            return;
        }
        let range = |part: &[u8]| {
            let at = part.as_ptr().addr().saturating_sub(bytes.as_ptr().addr());
            at.min(bytes.len())..(at + part.len()).min(bytes.len())
        };
        (self.facts, self.version, self.reason) = (head.facts, range(head.version), range(head.reason));
        self.content_type = head.content_type.map(range);
        self.lines_at = bytes.len() - head.lines.len().min(bytes.len());
        self.bytes.extend_from_slice(bytes);
    }
}

/// The range of the head in a growing buffer.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Finder {
    status_at: Option<usize>,
    /// Start of the line that is not complete yet.
    scanned: usize,
    /// No line ends before this place from there on: a line that comes in many pieces is not
    /// searched again with each.
    searched: usize,
}

impl Finder {
    /// Searches the bytes since the last call. `Some((start, end))`: the range of the head, empty
    /// line included.
    pub(crate) fn find(&mut self, buffer: &[u8]) -> Option<(usize, usize)> {
        loop {
            let from = self.scanned.max(self.searched);
            let Some(found) = memchr(b'\n', &buffer[from..]) else {
                self.searched = buffer.len();
                return None;
            };
            let line_end = from + found;
            let line = trim_cr(&buffer[self.scanned..line_end]);
            match self.status_at {
                None if is_status_line(line) => self.status_at = Some(self.scanned),
                Some(start) if line.is_empty() => return Some((start, line_end + 1)),
                _ => {}
            }
            self.scanned = line_end + 1;
        }
    }

    /// The connection has ended: what came is the head, if there is a status line in it.
    pub(crate) fn at_end(&self, buffer: &[u8]) -> Option<usize> {
        let rest = &buffer[self.scanned..];
        self.status_at.or_else(|| is_status_line(rest).then_some(self.scanned))
    }
}

fn trim_cr(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\r' | b'\n')
}

fn trim(mut bytes: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = bytes
        && is_space(*first)
    {
        bytes = rest;
    }
    while let [rest @ .., last] = bytes
        && is_space(*last)
    {
        bytes = rest;
    }
    bytes
}

/// `BasicLineParser.hasProtocolVersion`: leading blanks, then `HTTP/` and at least three characters
/// more.
fn is_status_line(line: &[u8]) -> bool {
    if line.starts_with(b"HTTP/") {
        return line.len() >= 8;
    }
    let blanks = line.iter().take_while(|b| is_space(**b)).count();
    line[blanks..].starts_with(b"HTTP/") && line.len() - blanks >= 8
}

impl<'a> ResponseHead<'a> {
    /// Parses a complete head, from its status line to the empty line (or to the end of the
    /// connection). `to_head`: it answers a HEAD request.
    ///
    /// # Errors
    /// [`WireError::Head`] with HttpClient's message.
    pub fn parse(head: &'a [u8], to_head: bool) -> Result<Self, WireError> {
        let line_end = memchr(b'\n', head).unwrap_or(head.len());
        let status_line = trim_cr(&head[..line_end]);
        let (version, status, reason) = parse_status_line(status_line)?;
        let mut scan = Scan::new(status, version, reason);
        let lines = head.get(line_end + 1..).unwrap_or_default();
        let mut content_type = None;
        for line in Lines(lines) {
            scan.line(&line)?;
            if split(&line).is_some_and(|(name, _)| name.eq_ignore_ascii_case(b"Content-Type")) {
                content_type = if let Cow::Borrowed(line) = line { split(line) } else { None };
            }
        }
        let content_type = content_type.map(|(_, value)| value);
        Ok(Self {
            facts: scan.facts(to_head),
            bytes: head,
            lines,
            version: trim(version),
            reason,
            content_type,
        })
    }

    /// The head that begins `buffer` if it is, to the byte, the one that `last` was taken from:
    /// then it means the same.
    #[inline]
    fn repeated(buffer: &'a [u8], last: &CachedHead) -> Option<(Self, usize)> {
        let size = last.bytes.len();
        if size == 0 || !buffer.starts_with(&last.bytes) {
            return None;
        }
        let part = |range: &Range<usize>| &buffer[range.clone()];
        let head = Self {
            facts: last.facts,
            bytes: &buffer[..size],
            lines: &buffer[last.lines_at..size],
            version: part(&last.version),
            reason: part(&last.reason),
            content_type: last.content_type.as_ref().map(part),
        };
        Some((head, size))
    }

    /// The head as it came, from its status line to the empty line.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The reason phrase.
    pub fn reason(&self) -> &'a [u8] {
        self.reason
    }

    /// Names and values in order, blanks around them taken off.
    pub fn headers(&self) -> impl Iterator<Item = (Cow<'a, [u8]>, Cow<'a, [u8]>)> + use<'a> {
        Lines(self.lines).filter_map(|line| match line {
            Cow::Borrowed(line) => {
                let (name, value) = split(line)?;
                Some((Cow::Borrowed(name), Cow::Borrowed(value)))
            }
            Cow::Owned(line) => {
                let (name, value) = split(&line)?;
                Some((Cow::Owned(name.to_vec()), Cow::Owned(value.to_vec())))
            }
        })
    }

    /// The last header of that name (JMeter's `getLastHeader`).
    pub fn last(&self, name: &str) -> Option<Cow<'a, [u8]>> {
        self.headers().filter(|(n, _)| n.eq_ignore_ascii_case(name.as_bytes())).last().map(|(_, value)| value)
    }

    /// The last `Content-Type`: what [`ResponseHead::last`] finds, without a search.
    pub fn content_type(&self) -> Option<Cow<'a, [u8]>> {
        self.content_type.map(Cow::Borrowed).or_else(|| self.last("Content-Type"))
    }

    /// The first header of that name.
    pub fn first(&self, name: &str) -> Option<Cow<'a, [u8]>> {
        self.headers().find(|(n, _)| n.eq_ignore_ascii_case(name.as_bytes())).map(|(_, value)| value)
    }

    /// The head as JMeter shows it: status line and headers, each ended by `\n`. `moved`: headers
    /// that HttpClient's decoding of the body takes out and JMeter puts back at the end
    /// (`HTTPHC4Impl.RESPONSE_CONTENT_ENCODING`).
    pub fn text(&self, moved: &[&str], out: &mut String) {
        latin1::decode_into(self.version, out);
        out.push(' ');
        out.push_str(itoa::Buffer::new().format(self.facts.status));
        out.push(' ');
        latin1::decode_into(self.reason, out);
        out.push('\n');
        let is = |line: &[u8], name: &str| {
            split(line).is_some_and(|(n, _)| n.eq_ignore_ascii_case(name.as_bytes()))
        };
        for line in Lines(self.lines).filter(|line| !moved.iter().any(|name| is(line, name))) {
            latin1::decode_into(&line, out);
            out.push('\n');
        }
        for name in moved {
            // JMeter restores the first of a name only.
            if let Some(line) = Lines(self.lines).find(|line| is(line, name)) {
                latin1::decode_into(&line, out);
                out.push('\n');
            }
        }
    }
}

/// Version, status code, reason.
fn parse_status_line(line: &[u8]) -> Result<(&[u8], u16, &[u8]), WireError> {
    let wrong = |what: &str| WireError::Head(format!("{what}: {}", latin1::decode(line)));
    let start = line.iter().take_while(|b| is_space(**b)).count();
    let rest = &line[start..];
    let version_len = memchr(b' ', rest).unwrap_or(rest.len());
    let version = &rest[..version_len];
    let numbers = version.get(5..).and_then(|v| Some((v, memchr(b'.', v)?)));
    let Some((numbers, dot)) = numbers else {
        return Err(wrong("Invalid protocol version number"));
    };
    let number = |bytes: &[u8]| std::str::from_utf8(bytes).ok().and_then(|t| t.trim().parse::<u32>().ok());
    if number(&numbers[..dot]).is_none() {
        return Err(wrong("Invalid protocol major version number"));
    }
    if number(&numbers[dot + 1..]).is_none() {
        return Err(wrong("Invalid protocol minor version number"));
    }
    let rest = trim(&rest[version_len..]);
    let code_len = memchr(b' ', rest).unwrap_or(rest.len());
    let code = trim(&rest[..code_len]);
    let status = if code.iter().all(u8::is_ascii_digit) { number(code) } else { None };
    let Some(status) = status.and_then(|s| u16::try_from(s).ok()) else {
        return Err(wrong("Status line contains invalid status code"));
    };
    if status < 100 {
        return Err(WireError::Head(format!("Invalid response: {}", latin1::decode(line))));
    }
    Ok((version, status, trim(&rest[code_len..])))
}

/// Name and value of a header line; `None` without a name.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = memchr(b':', line)?;
    let name = trim(&line[..colon]);
    (!name.is_empty()).then(|| (name, trim(&line[colon + 1..])))
}

/// Header lines up to the empty one, folded lines joined by one blank.
struct Lines<'a>(&'a [u8]);

impl<'a> Lines<'a> {
    fn next_line(&mut self) -> Option<&'a [u8]> {
        if self.0.is_empty() {
            return None;
        }
        let end = memchr(b'\n', self.0).unwrap_or(self.0.len());
        let line = trim_cr(&self.0[..end]);
        if line.is_empty() {
            return None;
        }
        self.0 = self.0.get(end + 1..).unwrap_or_default();
        Some(line)
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Cow<'a, [u8]>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut line = Cow::Borrowed(self.next_line()?);
        while matches!(self.0.first(), Some(b' ' | b'\t')) {
            let Some(more) = self.next_line() else { break };
            let text = more.iter().position(|b| !matches!(b, b' ' | b'\t')).unwrap_or(more.len());
            let joined = line.to_mut();
            joined.push(b' ');
            joined.extend_from_slice(&more[text..]);
        }
        Some(line)
    }
}

/// Gathers the facts line by line.
#[expect(clippy::struct_excessive_bools, reason = "independent facts of a head")]
struct Scan {
    status: u16,
    http10: bool,
    header_size: u64,
    lengths: u32,
    /// The last length that is a number.
    length: Option<i64>,
    /// The first length is a number above 0.
    positive_first: bool,
    encoding: Option<(bool, bool)>,
    connection: Option<Tokens>,
    proxy_connection: Option<Tokens>,
    keep_alive_ms: Option<i64>,
    has_cookies: bool,
    has_encoding: bool,
}

/// What the tokens of `Connection` say.
#[derive(Clone, Copy, Default)]
struct Tokens {
    close: bool,
    keep_alive: bool,
}

impl Scan {
    fn new(status: u16, version: &[u8], reason: &[u8]) -> Self {
        let version = trim(version);
        // Status line, its `\r\n`, and the empty line.
        let header_size = (version.len() + 1 + 3 + 1 + reason.len() + 2 + 2) as u64;
        Self {
            status,
            http10: version == b"HTTP/1.0" || version.starts_with(b"HTTP/0."),
            header_size,
            lengths: 0,
            length: None,
            positive_first: false,
            encoding: None,
            connection: None,
            proxy_connection: None,
            keep_alive_ms: None,
            has_cookies: false,
            has_encoding: false,
        }
    }

    fn line(&mut self, line: &[u8]) -> Result<(), WireError> {
        let Some((name, value)) = split(line) else {
            return Err(WireError::Head(format!("Invalid header: {}", latin1::decode(line))));
        };
        self.header_size += line.len() as u64 + 2;
        let is = |wanted: &[u8]| name.eq_ignore_ascii_case(wanted);
        match name.len() {
            10 if is(b"connection") => add_tokens(&mut self.connection, value),
            10 if is(b"keep-alive") => self.keep_alive_ms = self.keep_alive_ms.or_else(|| timeout_ms(value)),
            10 if is(b"set-cookie") => self.has_cookies = true,
            14 if is(b"content-length") => {
                let number = std::str::from_utf8(value).ok().and_then(|t| t.parse::<i64>().ok());
                let positive = number.is_some_and(|n| (1..=i64::from(i32::MAX)).contains(&n));
                self.positive_first |= self.lengths == 0 && positive;
                self.lengths += 1;
                self.length = number.or(self.length);
            }
            16 if is(b"proxy-connection") => add_tokens(&mut self.proxy_connection, value),
            16 if is(b"content-encoding") => self.has_encoding = true,
            17 if is(b"transfer-encoding") => {
                self.encoding
                    .get_or_insert_with(|| (value.eq_ignore_ascii_case(b"chunked"), last_is_chunked(value)));
            }
            _ => {}
        }
        Ok(())
    }

    fn facts(&self, to_head: bool) -> ResponseFacts {
        let has_body = !to_head && self.status >= 200 && !matches!(self.status, 204 | 205 | 304);
        ResponseFacts {
            status: self.status,
            framing: if has_body { self.framing() } else { Framing::None },
            reusable: self.reusable(has_body),
            keep_alive_ms: self.keep_alive_ms,
            header_size: self.header_size,
            has_cookies: self.has_cookies,
            has_encoding: self.has_encoding,
        }
    }

    /// `LaxContentLengthStrategy`: transfer coding first, then the last `Content-Length` that is a
    /// number.
    fn framing(&self) -> Framing {
        match (self.encoding, self.length) {
            (Some((_, true)), _) => Framing::Chunked,
            (None, Some(length)) if length >= 0 => Framing::Length(length as u64),
            _ => Framing::UntilClose,
        }
    }

    /// `DefaultConnectionReuseStrategy`, the response's part.
    fn reusable(&self, has_body: bool) -> bool {
        if self.status == 204 && (self.positive_first || self.encoding.is_some()) {
            return false;
        }
        match self.encoding {
            Some((chunked, _)) if !chunked => return false,
            None if has_body && (self.lengths != 1 || self.length.is_none_or(|n| n < 0)) => return false,
            _ => {}
        }
        match self.connection.or(self.proxy_connection) {
            Some(tokens) if tokens.close => false,
            Some(tokens) if tokens.keep_alive => true,
            _ => !self.http10,
        }
    }
}

fn add_tokens(tokens: &mut Option<Tokens>, value: &[u8]) {
    let tokens = tokens.get_or_insert_with(Tokens::default);
    for token in value.split(|b| *b == b',') {
        let token = trim(token);
        tokens.close |= token.eq_ignore_ascii_case(b"close");
        tokens.keep_alive |= token.eq_ignore_ascii_case(b"keep-alive");
    }
}

/// The value of `timeout` in a `Keep-Alive` header (`DefaultConnectionKeepAliveStrategy`).
fn timeout_ms(value: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(value).ok()?;
    let seconds = text.split(',').find_map(|part| {
        let (name, value) = part.split_once('=')?;
        name.trim().eq_ignore_ascii_case("timeout").then(|| value.trim().parse::<i64>().ok())?
    })?;
    seconds.checked_mul(1000)
}

/// Whether the last transfer coding is `chunked`; `identity` anywhere alone means none.
fn last_is_chunked(value: &[u8]) -> bool {
    let last = value.rsplit(|b| *b == b',').next().unwrap_or_default();
    let name = last.split(|b| *b == b';').next().unwrap_or_default();
    trim(name).eq_ignore_ascii_case(b"chunked")
}

/// Whether the request's `Connection` values forbid using the connection again.
pub fn closes(value: &str) -> bool {
    value.split(',').any(|token| token.trim().eq_ignore_ascii_case("close"))
}

#[cfg(test)]
mod tests;
