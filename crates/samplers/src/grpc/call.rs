//! One call: its request, and what comes back.

use std::future::poll_fn;
use std::task::Poll;

use swell_api::EventTimes;
use swell_connect::{Arrived, Session, SessionError, SessionExchange};
use swell_grpc::{Code, MessageReader, Status, field, status_of_http};
use swell_net::Deadline;

use super::failure::of_framing;
use super::request::CallHead;

/// What a call sends, and what is wanted of its response.
pub(super) struct CallInput<'a> {
    pub(super) head: CallHead<'a>,
    /// The messages with their prefixes.
    pub(super) body: &'a [u8],
    /// The server may send any number of messages.
    pub(super) is_streaming: bool,
    /// The call ends after that number of messages; 0: when the server ends it.
    pub(super) messages_max: u64,
    /// Bytes of the longest message.
    pub(super) message_bytes_max: usize,
    /// How much of the messages is kept.
    pub(super) keeps: Keeps,
    /// `i64::MAX`: never.
    pub(super) ends_at_ns: i64,
}

/// How much of the messages is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Keeps {
    pub(super) messages: usize,
    pub(super) bytes: usize,
}

/// A message that is kept.
pub(super) struct KeptMessage {
    pub(super) bytes: Vec<u8>,
    /// Arrival of its last byte.
    pub(super) at_ns: i64,
    /// When that was read.
    pub(super) read_ns: i64,
}

/// What came of a call.
#[derive(Default)]
pub(super) struct Received {
    pub(super) http_status: u16,
    /// The lines of the head.
    pub(super) head: Vec<u8>,
    /// The lines after the body.
    pub(super) trailers: Vec<u8>,
    pub(super) first_byte_ns: i64,
    pub(super) first_message_ns: i64,
    pub(super) end_ns: i64,
    pub(super) arrived_ns: i64,
    pub(super) read_ns: i64,
    /// Bytes of the body.
    pub(super) body_bytes: u64,
    /// Bytes of frames.
    pub(super) frame_bytes: u64,
    pub(super) sent: u64,
    pub(super) messages: u64,
    pub(super) kept: Vec<KeptMessage>,
    kept_bytes: usize,
    pub(super) events: Option<Box<EventTimes>>,
}

/// A call that the server did not end.
#[derive(Debug)]
pub(super) enum CallError {
    Session(SessionError),
    Passed,
    /// What came is not valid.
    Invalid(Status),
}

/// What a step of receiving found.
enum Progress {
    More,
    /// There are as many messages as were wanted.
    Enough,
    Ended,
}

/// Makes a call. What came is filled in as far as it came, also where the call fails.
///
/// # Errors
/// The connection or the stream breaks, time passes, or what comes is not valid.
pub(super) async fn call(
    session: &Session,
    input: &CallInput<'_>,
    received: &mut Received,
) -> Result<Status, CallError> {
    let mut exchange = open(session, input).await?;
    if input.ends_at_ns != i64::MAX {
        exchange.set_deadline(Some(input.ends_at_ns));
    }
    if input.is_streaming {
        exchange.note_pieces();
    }
    let mut reader = MessageReader::new(input.message_bytes_max);
    let mut sending = Sending::default();
    loop {
        let step = poll_fn(|cx| {
            if let Err(error) = sending.poll(cx, &mut exchange, input.body) {
                return Poll::Ready(Err(CallError::Session(error)));
            }
            match exchange.poll_receive(cx, |arrived| received.take(arrived, input, &mut reader)) {
                Poll::Ready(taken) => Poll::Ready(taken.map_err(CallError::Session)),
                Poll::Pending if exchange.has_timed_out(cx) => Poll::Ready(Err(CallError::Passed)),
                Poll::Pending => Poll::Pending,
            }
        });
        let step = step.await;
        received.sent = exchange.sent();
        match step?.map_err(CallError::Invalid)? {
            Progress::More => {}
            Progress::Enough => return Ok(Status::new(Code::Ok, "")),
            Progress::Ended => return Ok(received.status(input, &reader)),
        }
    }
}

/// Sends the head as soon as the server allows another stream.
async fn open(session: &Session, input: &CallInput<'_>) -> Result<SessionExchange, CallError> {
    let mut deadline = Deadline::default();
    deadline.set(Some(input.ends_at_ns));
    let opened = session.open_until(&input.head, false, &mut deadline).await;
    opened.ok_or(CallError::Passed)?.map_err(CallError::Session)
}

/// The request's messages on their way.
#[derive(Default)]
struct Sending {
    taken: usize,
    is_done: bool,
}

impl Sending {
    /// Sends as much as is possible now.
    fn poll(
        &mut self,
        cx: &std::task::Context<'_>,
        exchange: &mut SessionExchange,
        body: &[u8],
    ) -> Result<(), SessionError> {
        if !self.is_done
            && let Poll::Ready(sent) = exchange.poll_send(cx, body, true, &mut self.taken)
        {
            sent?;
            self.is_done = true;
        }
        Ok(())
    }
}

impl Received {
    /// Takes in what came.
    fn take(
        &mut self,
        arrived: &mut Arrived,
        input: &CallInput<'_>,
        reader: &mut MessageReader,
    ) -> Result<Progress, Status> {
        if let Some(last) = arrived.last {
            (self.end_ns, self.arrived_ns, self.read_ns) = (last.at_ns, last.kernel_ns, last.read_ns);
        }
        if self.http_status == 0 && arrived.status != 0 {
            self.http_status = arrived.status;
            self.first_byte_ns = arrived.first.map_or(self.end_ns, |first| first.at_ns);
            self.head.append(&mut arrived.head);
            let encoding = field(&self.head, "grpc-encoding").unwrap_or_default();
            reader.set_encoding(&String::from_utf8_lossy(encoding));
        }
        self.frame_bytes = arrived.wire;
        self.body_bytes += arrived.body.len() as u64;
        let taken = self.take_body(arrived, input, reader);
        arrived.body.clear();
        arrived.pieces.clear();
        if taken? {
            return Ok(Progress::Enough);
        }
        if !arrived.ended {
            return Ok(Progress::More);
        }
        self.trailers.append(&mut arrived.trailers);
        Ok(Progress::Ended)
    }

    /// Takes in messages; whether there are as many as were wanted.
    fn take_body(
        &mut self,
        arrived: &Arrived,
        input: &CallInput<'_>,
        reader: &mut MessageReader,
    ) -> Result<bool, Status> {
        if arrived.body.is_empty() || !self.is_grpc() {
            return Ok(false);
        }
        let whole = [(arrived.body.len(), (self.end_ns, self.read_ns))];
        let pieces = arrived.pieces.iter().map(|(end, at)| (*end, (at.at_ns, at.read_ns)));
        let pieces = pieces.chain(whole);
        let mut from = 0;
        for (end, at) in pieces {
            let mut rest = &arrived.body[from..end];
            from = end;
            while let Some(message) = reader.next(&mut rest).map_err(|error| of_framing(&error))? {
                self.take_message(message, at, input);
                if self.messages == input.messages_max {
                    (self.end_ns, self.arrived_ns, self.read_ns) = (at.0, at.0, at.1);
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn take_message(&mut self, message: &[u8], (at_ns, read_ns): (i64, i64), input: &CallInput<'_>) {
        self.messages += 1;
        if self.messages == 1 {
            self.first_message_ns = at_ns;
        }
        if input.is_streaming {
            self.events.get_or_insert_default().add(at_ns);
        }
        let has_room = self.kept_bytes + message.len() <= input.keeps.bytes;
        if self.kept.len() < input.keeps.messages && has_room {
            self.kept_bytes += message.len();
            self.kept.push(KeptMessage { bytes: message.to_vec(), at_ns, read_ns });
        }
    }

    /// Whether the response is one of gRPC.
    fn is_grpc(&self) -> bool {
        let content_type = field(&self.head, "content-type").unwrap_or_default();
        let rest = content_type.strip_prefix(b"application/grpc");
        rest.is_some_and(|rest| rest.first().is_none_or(|next| b"+; ".contains(next)))
    }

    /// How a call ended whose response is complete. Texts of grpc-java where it has one.
    fn status(&self, input: &CallInput<'_>, reader: &MessageReader) -> Status {
        let said = Status::of_lines(&self.trailers).or_else(|| Status::of_lines(&self.head));
        let content_type = || {
            let text = field(&self.head, "content-type").unwrap_or_default();
            format!("invalid content-type: {}", String::from_utf8_lossy(text))
        };
        match said {
            Some(said) if said.code != Code::Ok => said,
            Some(_) if reader.is_inside_message() => {
                Status::new(Code::Internal, "Encountered end-of-stream mid-frame")
            }
            Some(_) if !input.is_streaming && self.messages == 0 => {
                Status::new(Code::Internal, "No value received for unary call")
            }
            Some(_) if !input.is_streaming && self.messages > 1 => {
                Status::new(Code::Internal, "More than one value received for unary call")
            }
            Some(said) => said,
            None if self.http_status != 200 => {
                let why = format!("HTTP status code {}, {}", self.http_status, content_type());
                Status::new(status_of_http(self.http_status), why)
            }
            None if !self.is_grpc() => Status::new(Code::Unknown, content_type()),
            None => Status::new(Code::Unknown, "missing GRPC status in response"),
        }
    }
}
