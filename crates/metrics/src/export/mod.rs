//! Provides the figures of a run to other systems during the run: Prometheus, which fetches or
//! receives them, OpenTelemetry, InfluxDB, Datadog, StatsD, and a CSV file.
//!
//! One board has all counts since the start ([`board`]). A server returns it as text or as protocol
//! buffers. Senders send requests with the changes, each from a separate queue. Systems that keep
//! percentiles get those of each interval ([`rows`]). Feeding the board never waits for the
//! receiver.

mod board;
mod catalog;
mod csv;
mod datagrams;
mod definition;
mod destination;
mod durations;
mod identity;
mod influx;
mod otlp;
mod outcome;
mod protobuf;
mod pull;
mod push;
mod remote_write;
mod rows;
mod statsd;
#[cfg(test)]
mod statsd_grammar_tests;
mod target;
#[cfg(test)]
mod testing;
mod text;

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use swell_connect::TlsConfig;
use swell_expr::{Host, Properties};
use swell_stats::Interval;

use crate::backend::trust::trusting;
use crate::post::{Post, Timeouts};
use board::Board;
pub use catalog::definitions;
use csv::CsvFile;
use datagrams::Datagrams;
pub use definition::{Definition, Kind, MetricUnit};
pub use destination::Destination;
use destination::Receiver;
pub use identity::{Identity, TrialIdentity};
pub use outcome::ExportOutcome;
use pull::Pull;
pub use push::Say;
use push::{Carrier, Posts, Push};
use statsd::{Dialect, StatsD};

/// How long what is still to be sent is waited for at the end of a run.
const FINISH: Duration = Duration::from_secs(5);
/// Series that do not change are repeated after this time: a server forgets what it has not heard
/// of for five minutes.
const REPEAT_MS: i64 = 60_000;

/// Properties of exports.
#[derive(Clone)]
pub struct Settings {
    interval_ms: i64,
    most_labels: usize,
    native: bool,
    authorization: Option<String>,
    last_fetch: Duration,
    tls: Option<TlsConfig>,
}

impl Settings {
    /// # Errors
    /// A property has no sensible value, or the trust store of the run cannot be read; in words.
    pub fn of(props: &Properties, host: &dyn Host, destinations: &[Destination]) -> Result<Self, String> {
        let is_secure = destinations.iter().any(Destination::is_secure);
        Ok(Self {
            interval_ms: 1000 * number(props, "swell.export.interval_s", 5, 1..=3600)? as i64,
            most_labels: number(props, "swell.export.labels", 1000, 1..=100_000)? as usize,
            native: props.flag("swell.export.native_histograms", false),
            authorization: authorization(props)?,
            last_fetch: Duration::from_secs(number(props, "swell.export.last_fetch_s", 0, 0..=3600)?),
            tls: is_secure.then(|| trusting(props, host)).transpose()?,
        })
    }
}

fn authorization(props: &Properties) -> Result<Option<String>, String> {
    let value = props.get("swell.export.authorization").filter(|value| !value.is_empty());
    match value {
        Some(value) if value.contains(|c: char| c.is_control() || !c.is_ascii()) => {
            Err("the property swell.export.authorization is no value of a header".to_owned())
        }
        value => Ok(value),
    }
}

fn number(
    props: &Properties,
    name: &str,
    default: u64,
    range: std::ops::RangeInclusive<u64>,
) -> Result<u64, String> {
    let Some(text) = props.get(name).filter(|text| !text.trim().is_empty()) else { return Ok(default) };
    text.trim().parse().ok().filter(|number| range.contains(number)).ok_or_else(|| {
        format!("the property {name} is a number from {} to {}, not `{text}`", range.start(), range.end())
    })
}

/// A sender with what writes its requests.
struct Sender {
    writer: Writer,
    push: Push,
}

#[expect(clippy::large_enum_variant, reason = "a run has few exports")]
enum Writer {
    RemoteWrite(remote_write::RemoteWrite),
    Otlp(otlp::Otlp),
    Influx(influx::Influx),
    StatsD(StatsD),
    Csv,
}

/// What is to be sent of an interval.
#[derive(Clone, Copy)]
struct Due {
    /// A request is due.
    now: bool,
    /// It has what did not change, too.
    all: bool,
    is_last: bool,
}

impl Writer {
    /// Takes an interval that the board has taken, and returns a request if one is due.
    fn take(&mut self, board: &Board, interval: &Interval, due: Due) -> Option<Vec<u8>> {
        match self {
            Self::RemoteWrite(writer) => due.now.then(|| writer.request(board, due.all, due.is_last)),
            Self::Otlp(writer) => due.now.then(|| writer.request(board, due.all || due.is_last)),
            Self::Influx(writer) => writer.take(board, interval, due.now),
            Self::StatsD(writer) => writer.take(board, interval, due.now),
            Self::Csv => Some(csv::rows(board, interval)),
        }
    }
}

/// Running exports.
pub struct Exports {
    board: Arc<Mutex<Board>>,
    pulls: Vec<Pull>,
    senders: Vec<Sender>,
    interval_ms: i64,
    last_fetch: Duration,
    /// When requests were made last, and when with all series.
    sent_at_ms: Option<(i64, i64)>,
}

impl Exports {
    /// Starts them, before the first user. `say` receives a message when one fails, and when it
    /// works again.
    ///
    /// # Errors
    /// An address cannot be had, or there is no thread; in words.
    pub fn start(
        destinations: &[Destination],
        settings: &Settings,
        identity: Identity,
        say: &Say,
    ) -> Result<Self, String> {
        let board = Arc::new(Mutex::new(Board::new(identity, settings.most_labels)));
        let mut pulls = Vec::new();
        let mut senders = Vec::new();
        for destination in destinations {
            let cannot = |error| format!("cannot export to {}: {error}", destination.place());
            if let Destination::Prometheus(at) = destination {
                pulls.push(Pull::start(*at, board.clone()).map_err(cannot)?);
                continue;
            }
            let (writer, carrier) =
                sender_of(destination, settings, board.lock().identity()).map_err(cannot)?;
            let outcome = ExportOutcome::new(destination.kind(), destination.place());
            let push = Push::start(outcome, carrier, say.clone()).map_err(cannot)?;
            senders.push(Sender { writer, push });
        }
        let interval_ms = settings.interval_ms;
        let last_fetch = settings.last_fetch;
        Ok(Self { board, pulls, senders, interval_ms, last_fetch, sent_at_ms: None })
    }

    /// Where metrics are to be fetched.
    pub fn addresses(&self) -> Vec<std::net::SocketAddr> {
        self.pulls.iter().map(Pull::address).collect()
    }

    /// Takes what happened in an interval. Requests are made of the first one, each few seconds,
    /// and of the last one.
    pub fn take(&mut self, interval: &Interval, is_last: bool) {
        let mut board = self.board.lock();
        board.add(interval);
        let at_ms = board.at_ms();
        let (is_due, all) = match self.sent_at_ms {
            None => (true, true),
            Some((sent_ms, all_ms)) => (at_ms - sent_ms >= self.interval_ms, at_ms - all_ms >= REPEAT_MS),
        };
        let due = Due { now: is_due || is_last, all, is_last };
        if due.now {
            let all_ms = self.sent_at_ms.filter(|_| !all).map_or(at_ms, |(_, all_ms)| all_ms);
            self.sent_at_ms = Some((at_ms, all_ms));
        }
        for Sender { writer, push } in &mut self.senders {
            if let Some(request) = writer.take(&board, interval, due) {
                push.put(request);
            }
        }
    }

    /// Waits until the last figures were fetched from each server of metrics, as long as the
    /// property `swell.export.last_fetch_s` says and `goes_on` does not say otherwise, which waits
    /// a while itself.
    pub fn await_last_fetch(&self, mut goes_on: impl FnMut() -> bool) {
        let taken = self.board.lock().taken;
        let until = Instant::now() + self.last_fetch;
        while Instant::now() < until && self.pulls.iter().any(|pull| !pull.has_given(taken)) {
            if !goes_on() {
                return;
            }
        }
    }

    /// Ends them, and returns their outcomes. Waits up to five seconds for what was not sent yet.
    pub fn finish(self) -> Vec<ExportOutcome> {
        let until = Instant::now() + FINISH;
        self.senders.iter().for_each(|sender| sender.push.close());
        let pulled = self.pulls.into_iter().map(Pull::finish);
        let sent = self.senders.into_iter().map(|sender| sender.push.finish(until));
        pulled.chain(sent).collect()
    }
}

/// What writes the requests of a destination, and what carries them there.
fn sender_of(
    destination: &Destination,
    settings: &Settings,
    identity: &Identity,
) -> std::io::Result<(Writer, Box<dyn Carrier>)> {
    let posts = |receiver, headers, check| -> Box<dyn Carrier> {
        Box::new(Posts { post: post(receiver, settings, headers, &identity.version), check })
    };
    let sends = |to: &destination::HostAndPort| Datagrams::connect(&to.host, to.port);
    Ok(match destination {
        Destination::Prometheus(_) => return Err(std::io::Error::other("Prometheus fetches the figures")),
        Destination::RemoteWrite(receiver) => {
            let writer = remote_write::RemoteWrite::new(settings.native);
            (Writer::RemoteWrite(writer), posts(receiver, &remote_write::HEADERS, |_| Ok(())))
        }
        Destination::Otlp(receiver) => {
            let carrier = posts(receiver, &otlp::HEADERS, otlp::check_answer);
            (Writer::Otlp(otlp::Otlp::default()), carrier)
        }
        Destination::Influx(receiver) => {
            let carrier = posts(receiver, &influx::HEADERS, |_| Ok(()));
            (Writer::Influx(influx::Influx::default()), carrier)
        }
        Destination::Datadog(to) => (Writer::StatsD(StatsD::new(Dialect::Datadog)), Box::new(sends(to)?)),
        Destination::StatsD(to) => (Writer::StatsD(StatsD::new(Dialect::StatsD)), Box::new(sends(to)?)),
        Destination::Csv(path) => (Writer::Csv, Box::new(CsvFile::create(path, identity)?)),
    })
}

fn post(
    receiver: &Receiver,
    settings: &Settings,
    headers: &[(&'static str, &'static str)],
    version: &str,
) -> Post {
    let authorization = receiver.authorization.clone().or_else(|| settings.authorization.clone());
    let mut all = vec![("User-Agent", format!("swell/{version}"))];
    all.extend(authorization.map(|value| ("Authorization", value)));
    all.extend(headers.iter().map(|&(name, value)| (name, value.to_owned())));
    let timeouts = Timeouts { connect: Duration::from_secs(2), read: Duration::from_secs(4) };
    let tls = settings.tls.clone().filter(|_| swell_fetch::is_secure(&receiver.url));
    Post::new(receiver.url.clone(), all, timeouts, tls)
}
