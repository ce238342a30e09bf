//! What is kept of a response while it comes in.

use swell_elements::{Needs, Text};

use crate::cache;
use crate::coding;
use crate::compile::Spec;
use crate::cookies::Policy;
use crate::wire::head::{Framing, Head};
use crate::wire::latin1;
use crate::wire::response::Sink;

use super::result::message_text;

/// Largest body for which room is made before it comes.
const MAX_RESERVE: u64 = 16 << 20;

/// What somebody needs of a response.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "a set of parts, read once a response")]
pub(super) struct Wants {
    pub(super) body: bool,
    /// The body only of what can be a page.
    pub(super) only_pages: bool,
    pub(super) head_text: bool,
    pub(super) content_type: bool,
    pub(super) cookies: bool,
    pub(super) cache: bool,
    /// What a 401 or a 407 asks for.
    pub(super) challenges: bool,
    /// Bytes of the body to keep; 0: all.
    pub(super) limit: usize,
}

impl Wants {
    /// What the managers of a sampler, and whoever reads its samples, need.
    pub(super) fn of(spec: &Spec, needs: Needs) -> Self {
        let pages = spec.embedded.is_some();
        Self {
            body: needs.body || pages,
            only_pages: pages && !needs.body,
            head_text: needs.response_headers,
            content_type: needs.body || needs.response_headers || needs.details || pages,
            cookies: spec
                .cookies
                .as_ref()
                .is_some_and(|manager| manager.policy != Policy::Ignore && !manager.keeps_none),
            cache: spec.cache.is_some(),
            challenges: spec.auth.is_some() || spec.proxy.is_some() || spec.settings.proxy.is_some(),
            limit: if spec.may_digest() { 0 } else { spec.settings.max_stored_bytes },
        }
    }
}

/// What was kept.
#[derive(Default)]
pub(super) struct Collected {
    wants: Wants,
    /// Reason phrase.
    pub(super) message: Text,
    pub(super) head_text: String,
    pub(super) content_type: Option<String>,
    pub(super) body: Vec<u8>,
    rare: Option<Box<Rare>>,
}

/// What few responses have, or few plans want.
#[derive(Default)]
struct Rare {
    set_cookies: Vec<String>,
    /// `WWW-Authenticate` of a 401, `Proxy-Authenticate` of a 407.
    challenges: Vec<String>,
    /// First and last `Location` of a redirect.
    locations: Option<(String, String)>,
    cache: Option<cache::Response>,
    codings: Vec<&'static str>,
}

impl Collected {
    pub(super) fn new(wants: Wants) -> Self {
        Self { wants, ..Self::default() }
    }

    fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    /// Values of `Set-Cookie`.
    pub(super) fn set_cookies(&self) -> &[String] {
        self.rare.as_ref().map_or(&[], |rare| &rare.set_cookies)
    }

    /// Values of `WWW-Authenticate` of a 401, of `Proxy-Authenticate` of a 407.
    pub(super) fn challenges(&self) -> &[String] {
        self.rare.as_ref().map_or(&[], |rare| &rare.challenges)
    }

    /// First and last `Location` of a redirect.
    pub(super) fn locations(&self) -> Option<&(String, String)> {
        self.rare.as_ref()?.locations.as_ref()
    }

    /// How the body is coded.
    pub(super) fn codings(&self) -> &[&'static str] {
        self.rare.as_ref().map_or(&[], |rare| &rare.codings)
    }

    /// What the cache reads of the response.
    pub(super) fn take_cache(&mut self) -> Option<cache::Response> {
        self.rare.as_mut()?.cache.take()
    }
}

fn text(bytes: Option<std::borrow::Cow<'_, [u8]>>) -> Option<String> {
    bytes.map(|bytes| latin1::decode(&bytes))
}

impl Sink for Collected {
    fn head(&mut self, head: &Head<'_>) {
        self.message = message_text(head.facts.status, head.reason());
        if self.wants.only_pages {
            let kind = text(head.last("Content-Type")).unwrap_or_default().to_ascii_lowercase();
            self.wants.body = ["text", "xml", "html"].iter().any(|part| kind.contains(part));
        }
        let wants = self.wants;
        let redirect = matches!(head.facts.status, 301 | 302 | 303 | 307 | 308);
        if redirect {
            self.rare().locations = text(head.first("Location")).zip(text(head.last("Location")));
        }
        let coded =
            head.facts.has_encoding && !matches!(head.facts.framing, Framing::None | Framing::Length(0));
        if coded && (wants.body || wants.head_text) {
            self.rare().codings =
                text(head.first("Content-Encoding")).map(|v| coding::known(&v)).unwrap_or_default();
        }
        if wants.cookies && head.facts.has_cookies {
            let cookies = head.headers().filter(|(name, _)| name.eq_ignore_ascii_case(b"Set-Cookie"));
            self.rare().set_cookies = cookies.map(|(_, value)| latin1::decode(&value)).collect();
        }
        if wants.challenges && matches!(head.facts.status, 401 | 407) {
            let by = if head.facts.status == 401 { "WWW-Authenticate" } else { "Proxy-Authenticate" };
            let asked = head.headers().filter(|(name, _)| name.eq_ignore_ascii_case(by.as_bytes()));
            self.rare().challenges = asked.map(|(_, value)| latin1::decode(&value)).collect();
        }
        if wants.content_type {
            self.content_type = text(head.last("Content-Type"));
        }
        if wants.head_text {
            let moved: &[&str] = if self.codings().is_empty() { &[] } else { &coding::MOVED };
            head.text(moved, &mut self.head_text);
        }
        if wants.cache {
            self.rare().cache = Some(cache::Response {
                last_modified: text(head.last("Last-Modified")),
                etag: text(head.last("Etag")),
                expires: text(head.last("Expires")),
                cache_control: text(head.last("Cache-Control")),
                date: text(head.last("Date")),
                vary: text(head.last("Vary")),
            });
        }
        if let (true, Framing::Length(length)) = (wants.body, head.facts.framing) {
            self.body.reserve_exact(self.room().min(length.min(MAX_RESERVE) as usize));
        }
    }

    fn body(&mut self, bytes: &[u8]) {
        if self.wants.body {
            self.body.extend_from_slice(&bytes[..bytes.len().min(self.room())]);
        }
    }
}

impl Collected {
    /// How much more of the body is kept.
    fn room(&self) -> usize {
        if self.wants.limit == 0 || !self.codings().is_empty() {
            usize::MAX
        } else {
            self.wants.limit.saturating_sub(self.body.len())
        }
    }
}
