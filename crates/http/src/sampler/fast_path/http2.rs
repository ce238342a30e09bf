//! An exchange on a session of the user, by HTTP/2.

use std::io;
use std::task::{self, Poll, ready};

use swell_connect::{Session, SessionError, SessionExchange};
use swell_http1::client::Sink as _;
use swell_net::{note_exchange, now_ns};

use super::{FastPathRequest, Sample, Wire};
use crate::exchange::{Exchange, ExchangeError};
use crate::exchange_http2::{as_closed, take_in};
use crate::request::HeadOnce;
use crate::sampler::collect::CollectedResponse;
use crate::sampler::http_sampler::HttpSampler;
use crate::sampler::state::SampleUser;

/// The session and the exchange.
pub(super) struct Http2Wire<'a> {
    session: Session,
    stage: Stage,
    /// Bytes of the body that are sent.
    body_sent: usize,
    /// None until the request has begun, and after its end.
    exchange: Option<SessionExchange>,
    /// A response of which a part has come.
    arriving: Option<Box<IncomingHttp2<'a>>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    New,
    SendingBody,
    Receiving,
    /// What came is worked on before more is received.
    Working,
    /// The response is complete, and worked on.
    Complete,
}

/// A response that is being received.
pub(super) struct IncomingHttp2<'a> {
    sink: CollectedResponse<'a>,
    done: Exchange,
}

impl<'a> IncomingHttp2<'a> {
    fn new(sample: &Sample<'_, 'a>) -> Self {
        Self { sink: sample.sink(), done: Exchange::default() }
    }
}

impl<'a> Http2Wire<'a> {
    pub(super) fn new(session: Session) -> Self {
        Self { session, stage: Stage::New, body_sent: 0, exchange: None, arriving: None }
    }

    /// Sends the head.
    fn begin(&mut self, sample: &Sample<'_, 'a>) -> Result<(), SessionError> {
        if sample.is_recorded() {
            let mut bytes = Vec::new();
            sample.write(&mut bytes);
            sample.record(&bytes);
        }
        let scratch = &sample.sampler.sender.scratch;
        let mut bytes = scratch.take();
        bytes.clear();
        let opened = open(&self.session, sample, &mut bytes);
        scratch.set(bytes);
        let (exchange, has_body) = opened?;
        exchange.set_deadline(sample.timeout_ns().map(|limit_ns| sample.at_ns.saturating_add(limit_ns)));
        self.exchange = Some(exchange);
        self.stage = if has_body { Stage::SendingBody } else { Stage::Receiving };
        Ok(())
    }

    /// Sends the body as far as that goes.
    #[inline(never)]
    fn poll_body(
        &mut self,
        cx: &task::Context<'_>,
        sample: &Sample<'_, 'a>,
    ) -> Poll<Result<(), SessionError>> {
        let exchange = self.exchange.as_mut().expect("it has begun");
        let scratch = &sample.sampler.sender.scratch;
        let mut bytes = scratch.take();
        bytes.clear();
        let before = self.body_sent;
        let polled = match sample.request {
            FastPathRequest::Whole(cached) => {
                exchange.poll_send(cx, cached.request().body(), true, &mut self.body_sent)
            }
            FastPathRequest::Templated(templated) => {
                templated.write(sample.cx, sample.cookie, &mut bytes);
                let body = &bytes[bytes.len() - templated.body_len(sample.cx)..];
                exchange.poll_send(cx, body, true, &mut self.body_sent)
            }
        };
        scratch.set(bytes);
        if self.body_sent > before {
            move_on(exchange, sample);
        }
        ready!(polled)?;
        self.stage = Stage::Receiving;
        Poll::Ready(Ok(()))
    }

    /// Receives until the response is complete, or to be worked on.
    fn poll_response(
        &mut self,
        cx: &task::Context<'_>,
        sample: &Sample<'_, 'a>,
        arriving: &mut Option<IncomingHttp2<'a>>,
    ) -> Poll<Result<(), ExchangeError>> {
        let exchange = self.exchange.as_mut().expect("it has begun");
        loop {
            let ended = ready!(exchange.poll_receive(cx, |arrived| {
                let incoming = arriving.get_or_insert_with(|| IncomingHttp2::new(sample));
                take_in(arrived, sample.to_head(), (&mut incoming.sink, &mut incoming.done))
            }));
            let is_ended = ended.map_err(ExchangeError::Session)??;
            let Some(incoming) = arriving else { continue };
            if incoming.sink.is_busy() {
                self.stage = if is_ended { Stage::Complete } else { Stage::Working };
                return Poll::Ready(Ok(()));
            }
            if is_ended {
                self.stage = Stage::Complete;
                incoming.done.sent_ns = exchange.sent_ns().unwrap_or(0);
                return Poll::Ready(Ok(()));
            }
            move_on(exchange, sample);
        }
    }

    /// Goes as far as it can.
    fn poll_on(
        &mut self,
        cx: &task::Context<'_>,
        sample: &Sample<'_, 'a>,
        arriving: &mut Option<IncomingHttp2<'a>>,
    ) -> Poll<Result<(), ExchangeError>> {
        loop {
            match self.stage {
                Stage::New => self.begin(sample).map_err(ExchangeError::Session)?,
                Stage::SendingBody => {
                    ready!(self.poll_body(cx, sample)).map_err(ExchangeError::Session)?;
                }
                Stage::Receiving => {
                    ready!(self.poll_response(cx, sample, arriving))?;
                    if !arriving.as_ref().is_some_and(|incoming| incoming.sink.is_busy()) {
                        return Poll::Ready(Ok(()));
                    }
                    // Others get their turn before it is worked on.
                    cx.waker().wake_by_ref();
                    return Poll::Pending;
                }
                Stage::Working | Stage::Complete => {
                    let incoming = arriving.as_mut().expect("something has come");
                    incoming.sink.work();
                    if incoming.sink.is_busy() {
                        cx.waker().wake_by_ref();
                        return Poll::Pending;
                    }
                    if self.stage == Stage::Complete {
                        return Poll::Ready(Ok(()));
                    }
                    self.stage = Stage::Receiving;
                }
            }
        }
    }

    /// Whether the time limit has passed.
    #[inline]
    fn has_timed_out(&self, cx: &task::Context<'_>, sample: &Sample<'_, 'a>) -> bool {
        sample.timeout_ns().is_some()
            && self.exchange.as_ref().is_some_and(|exchange| {
                let has_passed = exchange.has_timed_out(cx);
                if has_passed {
                    exchange.note_timeout();
                }
                has_passed
            })
    }
}

/// Sends the head of a request; whether a body follows.
fn open(
    session: &Session,
    sample: &Sample<'_, '_>,
    bytes: &mut Vec<u8>,
) -> Result<(SessionExchange, bool), SessionError> {
    let (opened, has_body) = match sample.request {
        FastPathRequest::Whole(cached) => {
            let request = cached.request();
            let has_body = !request.body().is_empty();
            let head = request.http2(sample.cookie, bytes);
            let head = head.map_err(|error| SessionError::Request(error.to_string()))?;
            (session.open(&head, !has_body), has_body)
        }
        FastPathRequest::Templated(templated) => {
            templated.write(sample.cx, sample.cookie, bytes);
            let body_len = templated.body_len(sample.cx);
            let head = HeadOnce::of(&bytes[..bytes.len() - body_len], &templated.template.target);
            (session.open(&head, body_len == 0), body_len > 0)
        }
    };
    Ok((opened?, has_body))
}

/// Something went or came: the next wait begins.
fn move_on(exchange: &SessionExchange, sample: &Sample<'_, '_>) {
    if let Some(limit_ns) = sample.timeout_ns() {
        exchange.set_deadline(Some(now_ns().saturating_add(limit_ns)));
    }
}

impl<'a> Wire<'a> for Http2Wire<'a> {
    type Incoming = IncomingHttp2<'a>;

    fn poll(
        &mut self,
        cx: &task::Context<'_>,
        sample: &Sample<'_, 'a>,
        arriving: &mut Option<Self::Incoming>,
    ) -> Poll<Result<(), ExchangeError>> {
        *arriving = self.arriving.take().map(|before| *before);
        let polled = self.poll_on(cx, sample, arriving);
        if polled.is_pending() {
            if !self.has_timed_out(cx, sample) {
                self.arriving = arriving.take().map(Box::new);
                return Poll::Pending;
            }
            return Poll::Ready(Err(ExchangeError::Io(io::ErrorKind::TimedOut.into())));
        }
        polled
            .map_err(|error| as_closed(error, arriving.as_ref().map_or(0, |incoming| incoming.done.received)))
    }

    fn sum(&self, arriving: Option<&Self::Incoming>, well: bool) -> Exchange {
        let mut done = arriving.map_or_else(Exchange::default, |incoming| incoming.done);
        done.sent = self.exchange.as_ref().map_or(0, SessionExchange::sent);
        if !well {
            done.cut_off();
        }
        done
    }

    #[inline]
    fn sink(incoming: &mut Self::Incoming) -> &mut CollectedResponse<'a> {
        &mut incoming.sink
    }

    #[inline]
    fn into_sink(incoming: Self::Incoming) -> CollectedResponse<'a> {
        incoming.sink
    }

    /// The stream ends; the session is the user's all the time. Responses on it are not left unread:
    /// the stamps of a few segments only are kept.
    fn give_back(&mut self, _: &mut SampleUser<'_>, _: &Exchange, _: bool, _: &HttpSampler) {
        note_exchange(u64::MAX, false);
        self.exchange = None;
    }
}
