//! Collects the parts of a response that are needed later.

use std::sync::Arc;

use md5::{Digest as _, Md5};
use swell_api::{Bodies, Body, Cut, Keeper, Needs, Room, Text};
use swell_http1::Framing;
use swell_http1::client::{ResponseHead, Sink};
use swell_http1::latin1;
use swell_trace::SharedRecent;

use crate::cache;
use crate::coding::{self, Decoder, TruncationTolerance};
use crate::compile::Spec;
use crate::cookies::Policy;
use crate::failure::Failure;

use super::known_texts::{message_text, type_text};

/// Largest body for which room is made before it comes.
const MAX_RESERVE: u64 = 16 << 20;

/// What is made of a head: itself, its text, values of it, each of up to two bytes for one.
const HEAD_COPIES: usize = 6;

/// The parts of a response that the elements of a plan need.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "a set of parts, read once per response")]
pub(super) struct ResponseNeeds {
    pub(super) body: bool,
    /// The body only of what can be a page.
    pub(super) only_pages: bool,
    pub(super) head_text: bool,
    pub(super) content_type: bool,
    pub(super) cookies: bool,
    pub(super) cache: bool,
    /// What a 401 or a 407 asks for.
    pub(super) challenges: bool,
    /// The body as received, without errors of its encoding.
    pub(super) coded: bool,
    /// The digest of the body, of which not all need be kept then.
    pub(super) digest: bool,
    /// Bytes of the body to keep.
    pub(super) limit: usize,
    /// Bytes of the body that are kept without asking whether there is room.
    pub(super) free: usize,
    pub(super) relaxed: TruncationTolerance,
    /// The limits of all users.
    pub(super) bodies: Arc<Bodies>,
}

impl ResponseNeeds {
    /// What the managers of a sampler, and the readers of its samples, need. `pages`: the resources
    /// of pages may be wanted.
    pub(super) fn of(spec: &Spec, needs: Needs, pages: bool, bodies: Arc<Bodies>) -> Self {
        // A digest is that of all that came (`HTTPSamplerBase.readResponse`).
        let limit = match spec.settings.max_stored_bytes {
            bytes if bytes == 0 || spec.may_digest() => usize::MAX,
            bytes => bytes,
        };
        let max = usize::try_from(bodies.max()).unwrap_or(usize::MAX);
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
            challenges: spec.may_be_set
                || spec.auth.is_some()
                || spec.proxy.is_some()
                || spec.settings.proxy.is_some(),
            coded: spec.settings.leaves_unread_coded && !needs.body && !pages && !spec.may_digest(),
            digest: spec.may_digest(),
            limit,
            free: limit.min(max).min(Bodies::FREE),
            relaxed: spec.settings.relaxed,
            bodies,
        }
    }
}

/// How the body is processed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BodyTreatment {
    /// It goes by.
    Skipped,
    Kept,
    /// It is decoded; what comes of that is kept where it is wanted.
    Decoded {
        kept: bool,
    },
}

/// The collected parts of a response.
pub(super) struct CollectedResponse<'w> {
    needs: &'w ResponseNeeds,
    becomes: BodyTreatment,
    /// Reason phrase.
    pub(super) message: Text,
    pub(super) head_text: String,
    pub(super) content_type: Option<Text>,
    pub(super) body: Vec<u8>,
    /// Its status is one of a redirect.
    is_redirect: bool,
    /// A script has decided whether the digest replaces the body.
    digests: Option<bool>,
    /// Where its head is recorded, for failures that are kept, with the start of its sample.
    recent: Option<(SharedRecent, i64)>,
    rare: Option<Box<RareParts>>,
}

/// What few responses have, or few plans want.
#[derive(Default)]
struct RareParts {
    set_cookies: Vec<String>,
    /// `WWW-Authenticate` of a 401, `Proxy-Authenticate` of a 407.
    challenges: Vec<String>,
    /// First and last `Location` of a redirect.
    locations: Option<(String, String)>,
    cache: Option<cache::Response>,
    decoder: Option<Decoder>,
    /// A coding of the body that is not decoded.
    undecoded: Option<String>,
    /// Memory of a large head or body.
    keeper: Option<Keeper>,
    /// The digest of the body so far, if not all of it is kept.
    digest: Option<Md5>,
}

impl<'w> CollectedResponse<'w> {
    pub(super) fn new(needs: &'w ResponseNeeds) -> Self {
        let message = Text::default();
        let head_text = String::new();
        let content_type = None;
        Self {
            needs,
            becomes: BodyTreatment::Skipped,
            message,
            head_text,
            content_type,
            body: Vec::new(),
            is_redirect: false,
            digests: None,
            recent: None,
            rare: None,
        }
    }

    /// Records the head as that of the sample that started then, if samples are recorded.
    #[inline]
    pub(super) fn record_head(&mut self, recent: Option<&SharedRecent>, start_ns: i64) {
        self.recent = recent.map(|recent| (recent.clone(), start_ns));
    }

    /// With what a script said of the digest.
    pub(super) fn with_digest(self, digests: Option<bool>) -> Self {
        Self { digests, ..self }
    }

    /// What it said.
    pub(super) fn digests(&self) -> Option<bool> {
        self.digests
    }

    /// For another response to the same request.
    pub(super) fn anew(&self) -> Self {
        Self::new(self.needs).with_digest(self.digests)
    }

    fn rare(&mut self) -> &mut RareParts {
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

    /// Whether a sample is made of the response alone: it leads nowhere, sets no cookie, and is not
    /// decoded.
    pub(super) fn is_plain(&self) -> bool {
        self.rare.as_ref().is_none_or(|rare| {
            rare.locations.is_none() && rare.set_cookies.is_empty() && rare.decoder.is_none()
        }) && !self.is_redirect
    }

    fn decoder(&self) -> Option<&Decoder> {
        self.rare.as_ref()?.decoder.as_ref()
    }

    /// A body that is decoded has ended.
    ///
    /// # Errors
    /// It is not in the coding that its head says.
    #[cold]
    pub(super) fn end_decoded(&mut self) -> Result<(), Failure> {
        self.end_body();
        while self.is_busy() {
            self.work();
        }
        self.decoder().map_or(Ok(()), |decoder| decoder.end().map_err(|fault| Failure::coding(&fault)))
    }

    /// The digest of the body.
    pub(super) fn digest(&mut self) -> Md5 {
        let begun = self.rare.as_mut().and_then(|rare| rare.digest.take());
        begun.unwrap_or_else(|| Md5::new_with_prefix(&self.body))
    }

    /// The body, with what it and a large head take of the memory for all.
    pub(super) fn take_body(&mut self) -> Body {
        let body = std::mem::take(&mut self.body);
        match self.rare.as_mut().and_then(|rare| rare.keeper.take()) {
            Some(keeper) => keeper.finish(body),
            None => body.into(),
        }
    }

    /// The memory of a large head if the body is not kept.
    pub(super) fn take_room(&mut self) -> Option<Arc<Room>> {
        self.rare.as_mut()?.keeper.take().map(|keeper| Arc::new(keeper.into_room()))
    }

    /// What the cache reads of the response.
    pub(super) fn take_cache(&mut self) -> Option<cache::Response> {
        self.rare.as_mut()?.cache.take()
    }
}

fn text(bytes: Option<std::borrow::Cow<'_, [u8]>>) -> Option<String> {
    bytes.map(|bytes| latin1::decode(&bytes))
}

impl Sink for CollectedResponse<'_> {
    fn head(&mut self, head: &ResponseHead<'_>) {
        self.message = message_text(head.facts.status, head.reason());
        if let Some((recent, start_ns)) = self.recent.take() {
            recent.borrow_mut().response(start_ns, head.bytes());
        }
        let needs = self.needs;
        let mut kept = needs.body;
        if needs.only_pages {
            let kind = text(head.content_type()).unwrap_or_default().to_ascii_lowercase();
            kept = ["text", "xml", "html"].iter().any(|part| kind.contains(part));
        }
        self.becomes = if kept { BodyTreatment::Kept } else { BodyTreatment::Skipped };
        self.is_redirect = matches!(head.facts.status, 301 | 302 | 303 | 307 | 308);
        if self.is_redirect {
            self.rare().locations = text(head.first("Location")).zip(text(head.last("Location")));
        }
        let coded =
            head.facts.has_encoding && !matches!(head.facts.framing, Framing::None | Framing::Length(0));
        if coded && !needs.coded {
            self.decode(head, kept);
        }
        if needs.cookies && head.facts.has_cookies {
            let cookies = head.headers().filter(|(name, _)| name.eq_ignore_ascii_case(b"Set-Cookie"));
            self.rare().set_cookies = cookies.map(|(_, value)| latin1::decode(&value)).collect();
        }
        if needs.challenges && matches!(head.facts.status, 401 | 407) {
            let by = if head.facts.status == 401 { "WWW-Authenticate" } else { "Proxy-Authenticate" };
            let asked = head.headers().filter(|(name, _)| name.eq_ignore_ascii_case(by.as_bytes()));
            self.rare().challenges = asked.map(|(_, value)| latin1::decode(&value)).collect();
        }
        if needs.content_type {
            self.content_type = head.content_type().map(|value| type_text(&value));
        }
        if needs.head_text {
            let moved: &[&str] = if self.is_decoding() { &coding::MOVED } else { &[] };
            head.text(moved, &mut self.head_text);
        }
        if needs.cache {
            self.rare().cache = Some(cache::Response {
                last_modified: text(head.last("Last-Modified")),
                etag: text(head.last("Etag")),
                expires: text(head.last("Expires")),
                cache_control: text(head.last("Cache-Control")),
                date: text(head.last("Date")),
                vary: text(head.last("Vary")),
            });
        }
        if let (BodyTreatment::Kept, Framing::Length(length)) = (self.becomes, head.facts.framing) {
            let length = needs.limit.min(length.min(MAX_RESERVE) as usize);
            if length <= Bodies::FREE {
                self.body.reserve_exact(length);
            } else {
                self.keeper().expect(length);
            }
        }
    }

    fn body(&mut self, bytes: &[u8]) {
        match self.becomes {
            BodyTreatment::Skipped => {}
            BodyTreatment::Kept => self.keep(bytes),
            BodyTreatment::Decoded { .. } => self.with_decoder(|decoder, out| decoder.feed(bytes, out)),
        }
    }

    #[inline]
    fn is_skipping(&self) -> bool {
        self.becomes == BodyTreatment::Skipped
    }

    #[inline]
    fn is_decoding(&self) -> bool {
        matches!(self.becomes, BodyTreatment::Decoded { .. })
    }

    fn is_busy(&self) -> bool {
        self.is_decoding() && self.decoder().is_some_and(Decoder::is_busy)
    }

    fn work(&mut self) {
        self.with_decoder(|decoder, out| decoder.next_turn(out));
    }

    fn end_body(&mut self) {
        self.with_decoder(|decoder, out| decoder.end_input(out));
    }

    fn has_room(&mut self, head: usize) -> bool {
        self.keeper().has_room_beside(head.saturating_mul(HEAD_COPIES))
    }
}

impl CollectedResponse<'_> {
    /// The body will be decoded: to be kept, or only to see whether it is what its head says.
    #[cold]
    fn decode(&mut self, head: &ResponseHead<'_>, kept: bool) {
        let codings = text(head.first("Content-Encoding")).map(|v| coding::known(&v)).unwrap_or_default();
        if let Some(coding) = text(head.first("Content-Encoding")).and_then(|v| coding::unknown(&v)) {
            self.rare().undecoded = Some(coding);
        }
        if !codings.is_empty() {
            self.becomes = BodyTreatment::Decoded { kept };
            let needs = self.needs;
            self.rare().decoder = Some(Decoder::new(&codings, needs.bodies.max(), needs.relaxed));
        }
    }

    /// A coding of the body that is not decoded.
    pub(crate) fn undecoded(&self) -> Option<&str> {
        self.rare.as_ref()?.undecoded.as_deref()
    }

    /// Lets the decoder do something, and keeps what it gives where that is wanted.
    fn with_decoder(&mut self, run: impl FnOnce(&mut Decoder, &mut dyn FnMut(&[u8]))) {
        let Some(mut decoder) = self.rare.as_mut().and_then(|rare| rare.decoder.take()) else { return };
        let kept = self.becomes == BodyTreatment::Decoded { kept: true };
        run(&mut decoder, &mut |bytes| {
            if kept {
                self.keep(bytes);
            }
        });
        let gathered = decoder.gathered();
        if gathered > Bodies::FREE && !self.keeper().has_room_beside(gathered) {
            decoder.stop_gathering(|bytes| {
                if kept {
                    self.keep(bytes);
                }
            });
        }
        if decoder.is_cut() {
            self.keeper().count(Cut::TooLong);
        } else if decoder.held() > 0 && !self.keeper().has_room_beside(decoder.held()) {
            decoder.cut();
            self.keeper().count(Cut::NoRoom);
        }
        self.rare().decoder = Some(decoder);
    }

    /// Keeps a piece of the body, as far as there is room.
    fn keep(&mut self, bytes: &[u8]) {
        if self.body.len() + bytes.len() <= self.needs.free {
            self.body.extend_from_slice(bytes);
        } else {
            self.keep_more(bytes);
        }
    }

    #[cold]
    fn keep_more(&mut self, bytes: &[u8]) {
        let needs = self.needs;
        let rare = self.rare.get_or_insert_default();
        let keeper = rare.keeper.get_or_insert_with(|| Keeper::new(needs.bodies.clone()));
        if needs.bodies.account().is_tight() {
            swell_net::machine::return_freed_memory();
        }
        let kept = self.body.len();
        let rest = keeper.keep(&mut self.body, bytes, needs.limit);
        if needs.digest && !rest.is_empty() {
            let before = || Md5::new_with_prefix(&self.body[..kept]);
            rare.digest.get_or_insert_with(before).update(bytes);
        }
    }

    fn keeper(&mut self) -> &mut Keeper {
        let needs = self.needs;
        self.rare().keeper.get_or_insert_with(|| Keeper::new(needs.bodies.clone()))
    }
}
