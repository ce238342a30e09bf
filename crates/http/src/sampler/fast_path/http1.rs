//! An exchange over an idle connection of the user, by HTTP/1.1.

use std::task::{self, Poll};

use swell_connect::PooledConnection;
use swell_net::note_exchange;

use super::{Sample, Wire};
use crate::exchange::{Exchange, ExchangeError, Http1Exchange, IncomingResponse, RequestRef};
use crate::sampler::collect::CollectedResponse;
use crate::sampler::http_sampler::HttpSampler;
use crate::sampler::state::SampleUser;

/// The connection and the exchange.
pub(super) struct Http1Wire<'a> {
    /// `None` after the end of the exchange.
    connection: Option<Box<PooledConnection>>,
    exchange: Http1Exchange<CollectedResponse<'a>>,
}

impl Http1Wire<'_> {
    pub(super) fn new(connection: Box<PooledConnection>) -> Self {
        Self { connection: Some(connection), exchange: Http1Exchange::new() }
    }
}

impl<'a> Wire<'a> for Http1Wire<'a> {
    type Incoming = IncomingResponse<CollectedResponse<'a>>;

    fn poll(
        &mut self,
        cx: &task::Context<'_>,
        sample: &Sample<'_, 'a>,
        arriving: &mut Option<Self::Incoming>,
    ) -> Poll<Result<(), ExchangeError>> {
        let Self { connection, exchange } = self;
        let stream = &mut connection.as_mut().expect("it exists until the exchange ends").stream;
        let (timeout_ns, to_head, begun_ns) = (sample.timeout_ns(), sample.to_head(), sample.at_ns);
        let mut sink = || sample.sink();
        // Not looked at once it is sent.
        let ready = if exchange.is_sent() { Some(&[][..]) } else { sample.ready_bytes() };
        if let Some(bytes) = ready {
            if exchange.is_new() {
                sample.record(bytes);
            }
            let ask = RequestRef { bytes, to_head, timeout_ns, begun_ns };
            return exchange.poll(cx, stream, &ask, &mut sink, arriving);
        }
        let scratch = &sample.sampler.sender.scratch;
        let mut bytes = scratch.take();
        bytes.clear();
        sample.write(&mut bytes);
        if exchange.is_new() {
            sample.record(&bytes);
        }
        let ask = RequestRef { bytes: &bytes, to_head, timeout_ns, begun_ns };
        let polled = exchange.poll(cx, stream, &ask, &mut sink, arriving);
        scratch.set(bytes);
        polled
    }

    #[inline]
    fn sum(&self, arriving: Option<&Self::Incoming>, well: bool) -> Exchange {
        self.exchange.sum(arriving, well)
    }

    #[inline]
    fn sink(incoming: &mut Self::Incoming) -> &mut CollectedResponse<'a> {
        &mut incoming.sink
    }

    #[inline]
    fn into_sink(incoming: Self::Incoming) -> CollectedResponse<'a> {
        incoming.sink
    }

    #[inline]
    fn give_back(&mut self, user: &mut SampleUser<'_>, done: &Exchange, closes: bool, sampler: &HttpSampler) {
        let connection = self.connection.take().expect("it exists until the exchange ends");
        note_exchange(done.received, done.first_byte_ns == done.end_ns);
        if !closes {
            let keep_alive_ms = done.facts.and_then(|facts| facts.keep_alive_ms);
            user.state.pool.put(connection, keep_alive_ms, &sampler.spec.settings.idle, done.read_ns);
        }
    }
}
