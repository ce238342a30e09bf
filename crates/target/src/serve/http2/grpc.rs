//! Calls of gRPC on a connection.

use swell_grpc::{Code, MessageReader, Status, field, write_gzip, write_message};
use swell_http2::{Fields, RequestHead, StreamId, server};

use crate::routes::{GrpcCall, GrpcMethod, Next, grpc_route};
use crate::serve::job::Facts;

use super::OUTPUT_WANTED;

/// Longest message of a client.
const MESSAGE_BYTES_MAX: usize = 16 << 20;

/// Most bytes that are written before another call has its turn.
const TURN: usize = 16 * 1024;

/// The calls of a connection.
#[derive(Default)]
pub(super) struct Calls(Vec<Call>);

#[expect(clippy::struct_excessive_bools, reason = "each is a fact by itself")]
struct Call {
    stream: StreamId,
    state: GrpcCall,
    reader: MessageReader,
    facts: Facts,
    /// The client sends no more.
    has_ended: bool,
    /// Replies are compressed, as the messages are.
    is_packed: bool,
    /// Metadata of the client that come back: those that begin with `x-`.
    echoed: Vec<u8>,
    has_head: bool,
    /// The message on its way, with its prefix.
    content: Vec<u8>,
    at: usize,
    /// Nothing is to be sent before.
    waits_until_ns: Option<i64>,
    /// A window is closed.
    is_blocked: bool,
}

/// A call whose last bytes were written.
pub(super) struct Finished {
    pub(super) stream: StreamId,
    pub(super) facts: Facts,
    /// All of the request has come.
    pub(super) has_ended: bool,
}

/// Whether a request is a call.
pub(super) fn is_call(head: &RequestHead<'_>) -> bool {
    let content_type = field(head.fields, "content-type").unwrap_or_default();
    head.method == b"POST" && content_type.starts_with(b"application/grpc")
}

impl Calls {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A call begins.
    pub(super) fn begin(&mut self, stream: StreamId, head: &RequestHead<'_>, arrival_ns: i64) {
        let path = String::from_utf8_lossy(head.path);
        let method = GrpcMethod::of_path(&path);
        let mut state = GrpcCall::new(method.unwrap_or(GrpcMethod::Unary));
        let mut reader = MessageReader::new(MESSAGE_BYTES_MAX);
        let encoding = field(head.fields, "grpc-encoding").unwrap_or_default();
        reader.set_encoding(&String::from_utf8_lossy(encoding));
        if method.is_none() {
            state.fail(Status::new(Code::Unimplemented, format!("there is no method {path}")), arrival_ns);
        }
        let is_recorded = method.is_some_and(|method| method != GrpcMethod::Reflection);
        let facts = Facts { route: is_recorded.then(grpc_route), arrival_ns, ..Facts::default() };
        self.0.push(Call {
            stream,
            state,
            reader,
            facts,
            has_ended: false,
            is_packed: encoding == b"gzip",
            echoed: echoed(head.fields),
            has_head: false,
            content: Vec::new(),
            at: 0,
            waits_until_ns: None,
            is_blocked: false,
        });
        if head.end {
            self.end(stream, arrival_ns);
        }
    }

    /// Takes a piece of a body; false: the stream is no call.
    pub(super) fn data(&mut self, stream: StreamId, bytes: &[u8], arrival_ns: i64) -> bool {
        let Some(call) = self.0.iter_mut().find(|call| call.stream == stream) else { return false };
        call.waits_until_ns = None;
        let mut rest = bytes;
        loop {
            match call.reader.next(&mut rest) {
                Ok(Some(message)) => call.state.message(message, arrival_ns),
                Ok(None) => return true,
                Err(error) => {
                    call.state.fail(Status::new(Code::Internal, error.to_string()), arrival_ns);
                    return true;
                }
            }
        }
    }

    /// The client sends no more; false: the stream is no call.
    pub(super) fn end(&mut self, stream: StreamId, arrival_ns: i64) -> bool {
        let Some(call) = self.0.iter_mut().find(|call| call.stream == stream) else { return false };
        call.waits_until_ns = None;
        call.facts.arrival_ns = arrival_ns;
        call.has_ended = true;
        if call.reader.is_inside_message() {
            let status = Status::new(Code::Internal, "the stream ends within a message");
            call.state.fail(status, arrival_ns);
        } else {
            call.facts.asked_ns = call.state.end(arrival_ns);
        }
        true
    }

    /// The client has given the stream up.
    pub(super) fn forget(&mut self, stream: StreamId) {
        self.0.retain(|call| call.stream != stream);
    }

    /// The window of a stream, or of the connection, has opened.
    pub(super) fn unblock(&mut self) {
        self.0.iter_mut().for_each(|call| call.is_blocked = false);
    }

    /// When something is to be sent next.
    pub(super) fn next_ns(&self) -> Option<i64> {
        self.0.iter().filter(|call| !call.is_blocked).filter_map(|call| call.waits_until_ns).min()
    }

    /// Writes what is due as far as windows and output allow, each call in turn. Gives the calls
    /// whose last bytes were written.
    pub(super) fn write(
        &mut self,
        now_ns: i64,
        session: &mut server::Session,
        (constant, out): (&Fields, &mut Vec<u8>),
    ) -> Vec<Finished> {
        let mut finished = Vec::new();
        let mut is_stuck = false;
        while !is_stuck && out.len() < OUTPUT_WANTED {
            is_stuck = true;
            self.0.retain_mut(|call| match call.write(now_ns, session, constant, out) {
                Written::Nothing => true,
                Written::Some => {
                    is_stuck = false;
                    true
                }
                Written::All => {
                    let Call { stream, has_ended, .. } = *call;
                    finished.push(Finished { stream, facts: std::mem::take(&mut call.facts), has_ended });
                    false
                }
            });
        }
        finished
    }
}

/// What a call has written in its turn.
enum Written {
    Nothing,
    Some,
    All,
}

impl Call {
    fn write(
        &mut self,
        now_ns: i64,
        session: &mut server::Session,
        constant: &Fields,
        out: &mut Vec<u8>,
    ) -> Written {
        if self.at == self.content.len() {
            match self.state.next(now_ns) {
                Next::Message(message) => {
                    self.content.clear();
                    self.at = 0;
                    let write = if self.is_packed { write_gzip } else { write_message };
                    write(&message, &mut self.content);
                    self.write_head(session, constant, out);
                }
                Next::End(status) => {
                    self.write_end(&status, session, constant, out);
                    return Written::All;
                }
                Next::Wait(at_ns) => {
                    self.waits_until_ns = at_ns;
                    return Written::Nothing;
                }
            }
        }
        let rest = &self.content[self.at..];
        let piece = &rest[..rest.len().min(TURN)];
        let count = session.send_data(self.stream, piece, false, out);
        self.at += count;
        self.is_blocked = count < piece.len();
        if self.is_blocked { Written::Nothing } else { Written::Some }
    }

    fn head(&self) -> Vec<u8> {
        let mut lines = b"content-type: application/grpc\r\n".to_vec();
        if self.is_packed {
            lines.extend_from_slice(b"grpc-encoding: gzip\r\n");
        }
        lines.extend_from_slice(&self.echoed);
        lines
    }

    fn write_head(&mut self, session: &mut server::Session, constant: &Fields, out: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.has_head, true) {
            let sent = session.respond(self.stream, 200, constant, &self.head(), false, out);
            sent.expect("what came as a field can be sent as one");
        }
    }

    /// The status: trailers, or the head where nothing was sent before.
    fn write_end(
        &mut self,
        status: &Status,
        session: &mut server::Session,
        constant: &Fields,
        out: &mut Vec<u8>,
    ) {
        let lines = status.lines();
        let sent = if self.has_head {
            session.send_trailers(self.stream, &lines, out)
        } else {
            session.respond(self.stream, 200, constant, &[self.head(), lines].concat(), true, out)
        };
        sent.expect("a status is percent-coded");
    }
}

/// The lines of a head that begin with `x-`.
fn echoed(lines: &[u8]) -> Vec<u8> {
    let all = lines.split_inclusive(|byte| *byte == b'\n');
    all.filter(|line| line.starts_with(b"x-")).flatten().copied().collect()
}
