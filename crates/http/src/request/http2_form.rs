//! The head of a request over HTTP/2, made of its bytes over HTTP/1.1.

use std::cell::{Cell, OnceCell};

use swell_connect::{Head, HeadAgain, Target};
use swell_http2::client::{OpenError, PreparedHead, Request, Scheme, Session};
use swell_http2::{Fields, InvalidField, StreamId};

/// A head, prepared or not.
pub(crate) enum Http2Head<'a> {
    Once(HeadOnce<'a>),
    Again(HeadAgain<'a>),
}

impl Head for Http2Head<'_> {
    fn write(&self, protocol: &mut Session, end: bool, out: &mut Vec<u8>) -> Result<StreamId, OpenError> {
        match self {
            Self::Once(head) => head.write(protocol, end, out),
            Self::Again(head) => head.write(protocol, end, out),
        }
    }
}

/// A head that is sent once: it would only fill the tables of a connection.
pub(crate) struct HeadOnce<'a> {
    method: &'a [u8],
    path: &'a [u8],
    authority: &'a [u8],
    is_secure: bool,
    lines: &'a [u8],
}

impl<'a> HeadOnce<'a> {
    /// The head with these bytes over HTTP/1.1.
    pub(crate) fn of(bytes: &'a [u8], target: &Target) -> Self {
        let end = bytes.iter().position(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let (line, lines) = bytes.split_at(end);
        Self::with_lines(line, lines, target)
    }

    /// The head with this request line, and these lines.
    pub(super) fn with_lines(line: &'a [u8], lines: &'a [u8], target: &Target) -> Self {
        let mut words = line.split(|byte| *byte == b' ');
        let mut word = || words.next().unwrap_or_default();
        Self { method: word(), path: word(), authority: host(lines), is_secure: target.secure, lines }
    }

    fn with<R>(&self, with: impl FnOnce(&Request<'_>) -> R) -> R {
        let Self { method, path, authority, is_secure, lines: own } = *self;
        let scheme = if is_secure { Scheme::Https } else { Scheme::Http };
        let constant = &Fields::default();
        with(&Request { method, scheme, authority, path, path_repeats: false, constant, own })
    }
}

impl Head for HeadOnce<'_> {
    fn write(&self, protocol: &mut Session, end: bool, out: &mut Vec<u8>) -> Result<StreamId, OpenError> {
        self.with(|request| protocol.request(request, end, out))
    }
}

/// The value of the first `Host` line.
fn host(lines: &[u8]) -> &[u8] {
    let mut all = lines.split(|byte| *byte == b'\n');
    let is_host = |line: &&[u8]| line.get(..5).is_some_and(|name| name.eq_ignore_ascii_case(b"Host:"));
    all.find(is_host).map_or(&[], |line| line[5..].trim_ascii())
}

/// What of a request is the same each time it is sent, prepared at its second time.
#[derive(Clone, Debug, Default)]
pub(super) struct Http2Form {
    was_sent: Cell<bool>,
    prepared: OnceCell<PreparedHead>,
}

impl Http2Form {
    /// The prepared head, none the first time. `lines`: all lines but cookies.
    ///
    /// # Errors
    /// The head has a part that HTTP/2 does not allow.
    pub(super) fn prepared(
        &self,
        line: &[u8],
        lines: impl FnOnce() -> Vec<u8>,
        target: &Target,
    ) -> Result<Option<&PreparedHead>, InvalidField> {
        if let Some(prepared) = self.prepared.get() {
            return Ok(Some(prepared));
        }
        if !self.was_sent.replace(true) {
            return Ok(None);
        }
        let prepared = HeadOnce::with_lines(line, &lines(), target).with(PreparedHead::new)?;
        Ok(Some(self.prepared.get_or_init(|| prepared)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_has_its_parts() {
        let target = Target { secure: true, host: "h".into(), port: 1, user: None, proxy: None };
        let head = HeadOnce::of(b"GET /a?b=c HTTP/1.1\r\nX-Host: no\r\nhost:  h:1\r\n\r\n", &target);
        assert_eq!((head.method, head.path, head.authority), (&b"GET"[..], &b"/a?b=c"[..], &b"h:1"[..]));
        assert!(head.with(|request| request.scheme == Scheme::Https && request.own.starts_with(b"X-Host")));
    }
}
