//! An exchange that is being recorded in a sample.

use std::rc::Rc;

use swell_net::{note_closed_idle, now_ns};
use swell_trace::SharedRecent;

use crate::auth::Challenge;
use crate::events::EventReader;
use crate::exchange::Exchange;
use crate::failure::Failure;
use crate::request::Request;
use crate::sampler::collect::CollectedResponse;

use super::wire::WireTrace;

/// An exchange that is being recorded in a sample.
pub(crate) struct InFlight<'w> {
    /// The request that was made first.
    pub(crate) first: Rc<Request>,
    /// The request that was made last.
    pub(crate) request: Rc<Request>,
    /// The `Cookie` header that the Cookie Manager gave.
    pub(crate) cookie: Option<String>,
    pub(crate) collected: CollectedResponse<'w>,
    pub(crate) done: Exchange,
    pub(crate) start_ns: i64,
    pub(crate) connected_ns: i64,
    /// How long the TLS handshake took; 0 without one.
    pub(crate) handshake_ns: i64,
    /// HttpClient follows redirects by itself.
    pub(crate) auto: bool,
    /// The last connection had served a request before.
    pub(crate) kept: bool,
    /// What goes over the wire, in a run that is traced.
    pub(crate) wire: Option<Box<WireTrace>>,
    /// Where heads are recorded, in a run that keeps its first failures.
    pub(crate) recent: Option<SharedRecent>,
    /// What reads the events of the response, where they are wanted.
    pub(crate) events: Option<Box<EventReader>>,
}

impl<'w> InFlight<'w> {
    /// A request that starts now.
    pub(crate) fn new(
        request: Rc<Request>,
        cookie: Option<String>,
        collected: CollectedResponse<'w>,
    ) -> Self {
        Self {
            first: request.clone(),
            request,
            cookie,
            collected,
            done: Exchange::default(),
            start_ns: now_ns(),
            connected_ns: 0,
            handshake_ns: 0,
            auto: false,
            kept: false,
            wire: None,
            recent: None,
            events: None,
        }
    }

    /// The target or a proxy asks for credentials.
    pub(crate) fn is_auth_challenge(&self) -> bool {
        self.done.facts.is_some_and(|facts| matches!(facts.status, 401 | 407))
    }

    /// The server closed a kept connection without a byte of a response.
    pub(super) fn was_closed(&self, failure: &Failure) -> bool {
        self.kept && self.done.received == 0 && failure.is_closed_connection()
    }

    /// Counts a request that fails for that.
    #[cold]
    pub(crate) fn note_if_closed(&self, failure: &Failure) {
        if self.was_closed(failure) {
            note_closed_idle(false);
        }
    }

    /// The status of the response; 0 without one.
    pub(crate) fn status(&self) -> u16 {
        self.done.facts.map_or(0, |facts| facts.status)
    }

    /// What the target or a proxy asks for.
    pub(crate) fn challenges(&self) -> Vec<Challenge> {
        self.collected.challenges().iter().map(|header| Challenge::parse(header)).collect()
    }
}
