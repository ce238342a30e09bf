//! A WebSocket whose messages are kept (`ServiceSocket`).

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::future::poll_fn;
use std::io;

use swell_connect::Stream;
use swell_net::{Arrival, now_ns, sleep_until, yield_now};
use swell_websocket::{CloseReason, Conversation, ConversationLimits, Event, MessageKind, Role};

use super::patterns::{Match, Patterns};
use crate::websocket::frames::FrameTimes;
use crate::websocket::upgrade::Upgraded;

/// Status of a connection that ended without a closing handshake (RFC 6455 §7.4.1).
const LOST: u16 = 1006;

/// Status of a close frame without one.
const NO_STATUS: u16 = 1005;

/// What the plug-in's close frames say.
const CLOSE_REASON: &str = "JMeter closed session.";

/// An open WebSocket of a user.
pub(super) struct MessageSocket {
    stream: Stream,
    conversation: Conversation,
    /// What was received and is not sent yet: answers of the protocol.
    out: Vec<u8>,
    record: Record,
}

/// What came.
pub(super) struct Record {
    patterns: Patterns,
    /// The last messages, as the response shows them.
    backlog: VecDeque<String>,
    count: u64,
    pub(super) log: String,
    /// Status of a close that was not normal, in this sample; 0: there was none.
    pub(super) error: u16,
    is_open: bool,
    /// A message asks for the end of the connection.
    is_to_close: bool,
}

/// A sample that waits for a message.
pub(super) struct Wait {
    /// What arrived until then belongs to no sample.
    pub(super) start_ns: i64,
    /// Messages that the response shows.
    pub(super) backlog: usize,
    /// First byte of the first message.
    pub(super) first_ns: i64,
    /// What ended it.
    pub(super) ended: Option<FrameTimes>,
    /// Bytes on the wire.
    pub(super) received_bytes: u64,
}

impl Wait {
    pub(super) fn new(start_ns: i64, backlog: usize) -> Self {
        Self { start_ns, backlog, first_ns: 0, ended: None, received_bytes: 0 }
    }
}

/// The log of a connection that is to be opened.
pub(super) fn opening_log(patterns: &Patterns, connect_ms: i64) -> String {
    let mut log = "\n\n[Execution Flow]\n - Opening new connection\n".to_owned();
    patterns.describe(&mut log);
    let _ = writeln!(log, " - Waiting for the server connection for {connect_ms} MILLISECONDS");
    log
}

impl MessageSocket {
    /// The socket of an upgrade. `message_bytes_max`: bytes of the largest message.
    pub(super) fn new(
        upgraded: Upgraded,
        (patterns, mut log): (Patterns, String),
        wait: &mut Wait,
        message_bytes_max: usize,
    ) -> Self {
        let Upgraded { stream, keys, compression, rest, times, .. } = upgraded;
        log.push_str(" - WebSocket conection has been opened\n - Connection established\n");
        let limits = ConversationLimits { message_bytes_max };
        let record = Record {
            patterns,
            backlog: VecDeque::new(),
            count: 0,
            log,
            error: 0,
            is_open: true,
            is_to_close: false,
        };
        let conversation = Conversation::new(Role::Client, compression, limits, keys);
        let mut socket = Self { stream, conversation, out: Vec::new(), record };
        let arrival =
            Arrival { at_ns: times.at_ns, kernel_ns: times.at_ns, read_ns: times.read_ns, stamped: false };
        if !rest.is_empty() {
            take(&mut socket.conversation, &mut socket.record, &mut socket.out, (&rest, arrival), wait);
        }
        socket
    }

    /// Another sample uses it.
    pub(super) fn reuse(&mut self) {
        let record = &mut self.record;
        "\n\n[Execution Flow]\n - Reusing exising connection\n".clone_into(&mut record.log);
        record.error = 0;
    }

    pub(super) fn record(&mut self) -> &mut Record {
        &mut self.record
    }

    pub(super) fn is_open(&self) -> bool {
        self.record.is_open
    }

    /// Sends a text; its bytes on the wire.
    pub(super) async fn send(&mut self, text: &str, until_ns: i64) -> io::Result<u64> {
        let mut out = Vec::new();
        self.conversation.message(MessageKind::Text, text.as_bytes(), &mut out);
        self.stream.set_deadline(Some(until_ns));
        self.stream.send_all(&out).await?;
        Ok(out.len() as u64)
    }

    /// Takes what has arrived, without waiting for more.
    pub(super) async fn take_arrived(&mut self, wait: &mut Wait) {
        while self.record.is_open && self.has_more(wait).await {
            yield_now().await;
        }
        self.answer(now_ns()).await;
    }

    /// Whether something was there that arrived before the sample.
    async fn has_more(&mut self, wait: &mut Wait) -> bool {
        let Self { stream, conversation, out, record } = self;
        stream.set_deadline(None);
        let mut is_early = false;
        let polled = poll_fn(|cx| {
            std::task::Poll::Ready(stream.poll_recv_parts(cx, |bytes, arrival| {
                is_early = arrival.at_ns <= wait.start_ns;
                take(conversation, record, out, (bytes, arrival), wait);
            }))
        });
        match polled.await {
            std::task::Poll::Ready(Ok(count)) => count > 0 && is_early,
            std::task::Poll::Ready(Err(error)) => {
                record.closed(LOST, &error.to_string(), None);
                false
            }
            std::task::Poll::Pending => false,
        }
    }

    /// Waits until a message ends the sample, or for that time.
    pub(super) async fn wait(&mut self, wait: &mut Wait, until_ns: i64) {
        while wait.ended.is_none() && self.record.is_open {
            let Self { stream, conversation, out, record } = self;
            stream.set_deadline(Some(until_ns));
            let received = poll_fn(|cx| {
                stream.poll_recv_parts(cx, |bytes, arrival| {
                    take(conversation, record, out, (bytes, arrival), wait);
                })
            });
            if let Err(error) = received.await {
                if error.kind() == io::ErrorKind::TimedOut && error.raw_os_error().is_none() {
                    break;
                }
                let at_ns = now_ns();
                let times = FrameTimes { first_ns: at_ns, at_ns, read_ns: 0 };
                record.closed(LOST, &error.to_string(), Some((wait, times)));
            }
            self.answer(until_ns).await;
            // A server may send without end, and other users want their turn.
            yield_now().await;
            if now_ns() >= until_ns {
                break;
            }
        }
        if wait.ended.is_none() && !self.record.is_open {
            sleep_until(until_ns).await;
        }
    }

    /// Sends what the protocol wants said, and the close frame if a message asked for it.
    async fn answer(&mut self, until_ns: i64) {
        if std::mem::take(&mut self.record.is_to_close) {
            self.close(until_ns).await;
        }
        let out = std::mem::take(&mut self.out);
        if !out.is_empty() {
            self.stream.set_deadline(Some(until_ns));
            if let Err(error) = self.stream.send_all(&out).await {
                self.record.closed(LOST, &error.to_string(), None);
            }
        }
    }

    /// Closes it; the server's answer is not waited for.
    pub(super) async fn close(&mut self, until_ns: i64) {
        self.conversation.close(1000, CLOSE_REASON, &mut self.out);
        let out = std::mem::take(&mut self.out);
        self.stream.set_deadline(Some(until_ns));
        // A connection that is broken is as closed as any.
        let _ = self.stream.send_all(&out).await;
        self.record.is_open = false;
        self.record.log.push_str(
            " - WebSocket session closed by the client\n - WebSocket client closed by the client\n",
        );
    }
}

/// Takes a part of a read; no bytes mean that the server has ended.
fn take(
    conversation: &mut Conversation,
    record: &mut Record,
    out: &mut Vec<u8>,
    (bytes, arrival): (&[u8], Arrival),
    wait: &mut Wait,
) {
    let times = FrameTimes::from(arrival);
    if bytes.is_empty() {
        record.closed(LOST, "Disconnected", Some((wait, times)));
        return;
    }
    wait.received_bytes += bytes.len() as u64;
    let fed = conversation.feed(bytes, out, &mut |event| match event {
        Event::Message(MessageKind::Text, text) => {
            record.message(&String::from_utf8_lossy(text), wait, times);
        }
        Event::Close(reason) => {
            let CloseReason { status, text } = reason;
            let text = if status.is_some() { text } else { "null".to_owned() };
            record.closed(status.unwrap_or(NO_STATUS), &text, Some((&mut *wait, times)));
        }
        // The plug-in has no use for the others.
        Event::Message(MessageKind::Binary, _) | Event::Ping(_) | Event::Pong(_) => {}
    });
    if let Err(error) = fed {
        record.closed(error.close_status(), &error.to_string(), Some((wait, times)));
    }
}

impl Record {
    fn message(&mut self, text: &str, wait: &mut Wait, times: FrameTimes) {
        self.count += 1;
        while self.backlog.len() >= wait.backlog {
            self.backlog.pop_front();
        }
        self.backlog.push_back(format!("[Message {}]\n{text}\n\n", self.count));
        // It came while no sample was waiting.
        if times.at_ns <= wait.start_ns {
            return;
        }
        if wait.first_ns == 0 {
            wait.first_ns = times.first_ns;
        }
        let length = text.encode_utf16().count();
        let found = self.patterns.matches(text);
        let found_text = match found {
            Match::Response => "matched response pattern",
            Match::Close => "matched connection close pattern",
            Match::No => "didn't match any pattern",
        };
        let _ = writeln!(self.log, " - Received message #{} ({length} bytes); {found_text}", self.count);
        if found != Match::No {
            wait.ended.get_or_insert(times);
        }
        self.is_to_close |= found == Match::Close;
    }

    /// The connection ended. Without a wait, or before its start, it is the next sample's problem.
    fn closed(&mut self, status: u16, reason: &str, ends: Option<(&mut Wait, FrameTimes)>) {
        if !std::mem::take(&mut self.is_open) {
            return;
        }
        let Some((wait, times)) = ends.filter(|(wait, times)| times.at_ns > wait.start_ns) else { return };
        wait.ended.get_or_insert(times);
        if status == 1000 {
            self.log.push_str(" - WebSocket conection has been successfully closed by the server\n");
            return;
        }
        let line = format!(" - WebSocket conection closed unexpectedly by the server: [{status}] {reason}\n");
        self.log.push_str(&line);
        self.error = status;
    }

    /// The response of the sample: the last messages of the connection.
    pub(super) fn response(&self) -> String {
        self.backlog.iter().map(String::as_str).collect()
    }

    /// The log with its end.
    pub(super) fn whole_log(&self) -> String {
        let mut log = self.log.clone();
        // Writing to a text cannot fail.
        let _ = write!(log, "\n\n[Variables]\n - Message count: {}\n", self.count);
        log
    }
}
