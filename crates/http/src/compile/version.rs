//! The version of HTTP that requests use.

use swell_api::CompileContext;
use swell_plan::{Element, Severity};

use super::bzm;
use super::merge::Merged;
use crate::classes::BZM_HTTP;

/// Property of the run and of an element: `1.1`, `2`, or `auto`.
const VERSION: &str = "swell.http.version";

/// Property: how many virtual users share a connection for HTTP/2.
const SHARE: &str = "swell.http2.share";

/// The version of HTTP that requests use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum HttpVersion {
    /// HTTP/1.1, as JMeter.
    #[default]
    Http1,
    /// With TLS what the server chooses, otherwise HTTP/1.1.
    Auto,
    /// With TLS what the server chooses, otherwise HTTP/2, which the server has to know.
    AutoOrHttp2,
    /// HTTP/2: with TLS the server has to choose it, without TLS it has to know it.
    Http2,
}

impl HttpVersion {
    fn of(text: &str) -> Option<Self> {
        match text.trim() {
            "1.1" | "" => Some(Self::Http1),
            "auto" => Some(Self::Auto),
            "2" => Some(Self::Http2),
            _ => None,
        }
    }

    /// The version for a sampler. What is written wrongly refuses the plan.
    pub(super) fn new(merged: &Merged<'_>, sampler: &Element, compile: &CompileContext) -> Self {
        let own = merged.find(VERSION).map(|(_, text)| text.to_owned()).filter(|text| !text.is_empty());
        let given = own.or_else(|| compile.props.get(VERSION).filter(|text| !text.is_empty()));
        if sampler.class == BZM_HTTP {
            let refuse = |why: &str| {
                super::keystore::note_once(compile, sampler, Severity::Error, why, None);
                Self::Http1
            };
            if let Some(why) = bzm::unknown(sampler) {
                return refuse(&why);
            }
            if given.is_none() {
                let run = |name: &str| compile.props.get(name);
                return bzm::version(sampler, &run).unwrap_or_else(|why| refuse(&why));
            }
        }
        let text = given.unwrap_or_default();
        Self::of(&text).unwrap_or_else(|| {
            let what = format!("{VERSION}: invalid HTTP version `{text}`");
            let hint = Some("use 1.1, 2, or auto");
            super::keystore::note_once(compile, sampler, Severity::Error, &what, hint);
            Self::Http1
        })
    }

    /// Whether a request may go over HTTP/2. `secure`: with TLS.
    pub(crate) fn may_be_http2(self, secure: bool) -> bool {
        match self {
            Self::Http1 => false,
            Self::Auto => secure,
            Self::AutoOrHttp2 | Self::Http2 => true,
        }
    }

    /// What is offered to a TLS server (RFC 7301).
    pub(crate) fn protocols(self) -> &'static [&'static [u8]] {
        match self {
            Self::Http1 => &[],
            Self::Auto | Self::AutoOrHttp2 => &[b"h2", b"http/1.1"],
            Self::Http2 => &[b"h2"],
        }
    }
}

/// How many users share a connection.
pub(super) fn share(compile: &CompileContext) -> usize {
    let users = compile.whole_number(SHARE).unwrap_or(1);
    usize::try_from(users).unwrap_or(usize::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_by_their_names() {
        let of = HttpVersion::of;
        assert_eq!([of("1.1"), of("")], [Some(HttpVersion::Http1); 2]);
        assert_eq!(
            [of(" 2 "), of("auto"), of("h2")],
            [Some(HttpVersion::Http2), Some(HttpVersion::Auto), None]
        );
        assert!(!HttpVersion::Auto.may_be_http2(false) && HttpVersion::Http2.may_be_http2(false));
    }
}
