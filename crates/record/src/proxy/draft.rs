//! An exchange that is not complete yet.

use jiff::Timestamp;
use swell_net::now_ns;

use super::Shared;
use super::request::RequestHead;
use super::server::{Connected, Origin};
use crate::exchange::{Exchange, Message, RecordedResponse, Timings};
use crate::pages::RequestFacts;
use crate::recorder::Event;

/// An exchange that is not complete yet. It is recorded when this is dropped, so that one which is
/// cut off is not lost.
pub(super) struct Draft<'s> {
    shared: &'s Shared,
    host: String,
    navigates: bool,
    exchange: Option<Exchange>,
    connected_ns: i64,
    sent_ns: Option<i64>,
    first_ns: Option<i64>,
    started_ns: i64,
}

impl<'s> Draft<'s> {
    /// A request begins. One to a host that is not recorded leaves nothing.
    pub(super) fn begin(shared: &'s Shared, origin: &Origin, target: &str, head: &RequestHead) -> Self {
        let now = now_ns();
        let exchange = shared
            .refusal(&origin.host, origin.port)
            .is_none()
            .then(|| started(shared, origin, target, head));
        Self {
            shared,
            host: origin.host.clone(),
            navigates: head.navigates(),
            exchange,
            connected_ns: now,
            sent_ns: None,
            first_ns: None,
            started_ns: now,
        }
    }

    /// There is a connection to the server.
    pub(super) fn connected(&mut self, connection: &Connected) {
        let now = now_ns();
        let is_new = !connection.is_reused;
        self.connected_ns = now;
        let connect_ms = ms(now - self.started_ns);
        if let Some(exchange) = &mut self.exchange {
            exchange.server = connection.address;
            exchange.connection = connection.number;
            exchange.timings.connect = is_new.then_some(connect_ms);
            exchange.timings.tls = connection.handshake_ms.filter(|_| is_new);
        }
    }

    /// Some of the request's body.
    pub(super) fn request_body(&mut self, bytes: &[u8]) {
        if let Some(exchange) = &mut self.exchange {
            exchange.request.body.push(bytes, self.shared.limits.body_bytes);
        }
    }

    /// The request was sent.
    pub(super) fn sent(&mut self) {
        self.sent_ns.get_or_insert_with(now_ns);
    }

    /// The head of the response.
    pub(super) fn response(&mut self, response: RecordedResponse) {
        self.first_ns = Some(now_ns());
        if let Some(exchange) = &mut self.exchange {
            exchange.response = Some(response);
        }
    }

    /// Whether there is the head of a response.
    pub(super) fn has_response(&self) -> bool {
        self.first_ns.is_some()
    }

    /// Some of the response's body.
    pub(super) fn response_body(&mut self, bytes: &[u8]) {
        if let Some(response) = self.exchange.as_mut().and_then(|exchange| exchange.response.as_mut()) {
            response.message.body.push(bytes, self.shared.limits.body_bytes);
        }
    }

    /// It is complete.
    pub(super) fn finish(mut self) {
        if let Some(exchange) = &mut self.exchange {
            exchange.failure = None;
        }
    }

    /// There is no response, or no whole one.
    pub(super) fn fail(mut self, why: impl Into<String>) {
        if let Some(exchange) = &mut self.exchange {
            exchange.failure = Some(why.into());
        }
    }
}

/// An exchange that has only begun.
fn started(shared: &Shared, origin: &Origin, target: &str, head: &RequestHead) -> Exchange {
    let started = Timestamp::now();
    let url = format!("{}{target}", origin.url());
    let facts =
        RequestFacts { method: &head.method, url: &url, host: &origin.host, navigates: head.navigates() };
    let page = shared.pages.lock().begin(&facts, started);
    Exchange {
        started,
        url,
        method: head.method.clone(),
        request: Message { headers: head.headers.clone(), ..Message::default() },
        response: None,
        server: None,
        connection: 0,
        timings: Timings::default(),
        failure: Some("the recording ended in this exchange".to_owned()),
        page,
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        let Some(mut exchange) = self.exchange.take() else { return };
        let now = now_ns();
        let sent = self.sent_ns.unwrap_or(now).max(self.connected_ns);
        let first = self.first_ns.unwrap_or(now).max(sent);
        exchange.timings.send = ms(sent - self.connected_ns);
        exchange.timings.wait = ms(first - sent);
        exchange.timings.receive = ms(now - first);
        let location = exchange.response.as_ref().filter(|response| (300..400).contains(&response.status));
        let location = location.and_then(|response| response.message.header("location"));
        let base = url::Url::parse(&exchange.url).ok();
        let location = location.and_then(|to| base?.join(to).ok()).map(String::from);
        let facts = RequestFacts {
            method: &exchange.method,
            url: &exchange.url,
            host: &self.host,
            navigates: self.navigates,
        };
        self.shared.pages.lock().end(&facts, location, Timestamp::now());
        self.shared.send(Event::Exchange(Box::new(exchange), self.navigates));
    }
}

fn ms(ns: i64) -> f64 {
    ns as f64 / 1e6
}
