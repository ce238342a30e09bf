//! `swell.Echo`: a gRPC service whose replies have known times, and the reflection of it.

use std::collections::VecDeque;

use prost::Message as _;
use swell_grpc::reflection::{KnownFile, PATHS, answer};
use swell_grpc::{Code, Status};

use super::work::filler;

/// The gRPC service `swell.Echo` as a `.proto` file.
pub const PROTO: &str = include_str!("echo.proto");

/// The file as reflection knows it. A test makes the descriptor:
/// `UPDATE_REFERENCE=1 cargo test -p swell-target grpc`.
const FILE: KnownFile = KnownFile {
    name: "swell/echo.proto",
    services: &["swell.Echo"],
    package: "swell",
    descriptor: include_bytes!("echo.binpb"),
};

const MS: f64 = 1e6;
const PAYLOAD_MAX: usize = 16 << 20;
/// Longest delay: a day.
const DELAY_MAX_MS: f64 = 86_400_000.0;

/// A message of a client.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct EchoRequest {
    #[prost(string, tag = "1")]
    text: String,
    #[prost(double, tag = "2")]
    delay_ms: f64,
    #[prost(uint32, tag = "3")]
    bytes: u32,
    #[prost(uint32, tag = "4")]
    messages: u32,
    #[prost(double, tag = "5")]
    every_ms: f64,
    #[prost(uint32, tag = "6")]
    status: u32,
    #[prost(string, tag = "7")]
    description: String,
}

#[derive(Clone, PartialEq, prost::Message)]
struct EchoReply {
    #[prost(string, tag = "1")]
    text: String,
    #[prost(uint32, tag = "2")]
    number: u32,
    #[prost(uint32, tag = "3")]
    received: u32,
    #[prost(int64, tag = "4")]
    sent_ns: i64,
    #[prost(bytes = "vec", tag = "5")]
    payload: Vec<u8>,
}

/// A method of the services.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GrpcMethod {
    Unary,
    ClientStream,
    ServerStream,
    Bidirectional,
    Reflection,
}

impl GrpcMethod {
    /// The method with that path.
    pub(crate) fn of_path(path: &str) -> Option<Self> {
        if PATHS.contains(&path) {
            return Some(Self::Reflection);
        }
        Some(match path.strip_prefix("/swell.Echo/")? {
            "Unary" => Self::Unary,
            "ClientStream" => Self::ClientStream,
            "ServerStream" => Self::ServerStream,
            "Bidirectional" => Self::Bidirectional,
            _ => return None,
        })
    }
}

/// Replies to one message.
struct Replies {
    text: String,
    bytes: usize,
    left: u32,
    /// When the next one is due.
    at_ns: i64,
    every_ns: i64,
    received: u32,
}

/// A call on its way: what is to be sent, and when.
pub(crate) struct GrpcCall {
    method: GrpcMethod,
    received: u32,
    sent: u32,
    last: EchoRequest,
    replies: VecDeque<Replies>,
    /// Answers of the reflection, which wait for nothing.
    ready: VecDeque<Vec<u8>>,
    end: Option<(i64, Status)>,
}

/// What a call sends next.
#[derive(Debug, PartialEq)]
pub(crate) enum Next {
    /// A message.
    Message(Vec<u8>),
    /// The status, after all messages.
    End(Status),
    /// Nothing before that time; none: before something comes.
    Wait(Option<i64>),
}

impl GrpcCall {
    pub(crate) fn new(method: GrpcMethod) -> Self {
        Self {
            method,
            received: 0,
            sent: 0,
            last: EchoRequest::default(),
            replies: VecDeque::new(),
            ready: VecDeque::new(),
            end: None,
        }
    }

    /// Takes a message that arrived then.
    pub(crate) fn message(&mut self, bytes: &[u8], arrival_ns: i64) {
        self.received += 1;
        if self.method == GrpcMethod::Reflection {
            return self.ready.push_back(answer(&[FILE], bytes));
        }
        match EchoRequest::decode(bytes) {
            Ok(request) => self.last = request,
            Err(error) => {
                return self.fail(Status::new(Code::InvalidArgument, error.to_string()), arrival_ns);
            }
        }
        if self.method == GrpcMethod::Bidirectional {
            self.reply(arrival_ns, self.last.messages.max(1));
        }
    }

    /// The client sends no more. Gives the time from then to the last reply.
    pub(crate) fn end(&mut self, arrival_ns: i64) -> i64 {
        let is_single = matches!(self.method, GrpcMethod::Unary | GrpcMethod::ServerStream);
        if is_single && self.received != 1 {
            let why = format!("{} messages for a method that takes one", self.received);
            self.fail(Status::new(Code::InvalidArgument, why), arrival_ns);
        }
        if self.end.is_some() {
            return 0;
        }
        let status = self.status();
        match self.method {
            GrpcMethod::Unary | GrpcMethod::ClientStream if status.code == Code::Ok => {
                self.reply(arrival_ns, 1);
            }
            GrpcMethod::ServerStream => self.reply(arrival_ns, self.last.messages.max(1)),
            _ => {}
        }
        let last_ns = self
            .replies
            .back()
            .map(|replies| replies.at_ns + replies.every_ns * i64::from(replies.left.saturating_sub(1)));
        let waits =
            if self.method == GrpcMethod::Bidirectional { 0 } else { nanoseconds(self.last.delay_ms) };
        let last_ns = last_ns.unwrap_or(arrival_ns + waits).max(arrival_ns);
        self.end = Some((last_ns, status));
        last_ns - arrival_ns
    }

    /// Ends the call with a status, whatever else was to be sent.
    pub(crate) fn fail(&mut self, status: Status, at_ns: i64) {
        self.replies.clear();
        self.ready.clear();
        self.end = Some((at_ns, status));
    }

    fn status(&self) -> Status {
        match Code::of_number(self.last.status) {
            Some(code) => Status::new(code, self.last.description.clone()),
            None => Status::new(Code::Unknown, format!("there is no status {}", self.last.status)),
        }
    }

    fn reply(&mut self, arrival_ns: i64, count: u32) {
        self.replies.push_back(Replies {
            text: self.last.text.clone(),
            bytes: (self.last.bytes as usize).min(PAYLOAD_MAX),
            left: count,
            at_ns: arrival_ns + nanoseconds(self.last.delay_ms),
            every_ns: nanoseconds(self.last.every_ms),
            received: self.received,
        });
    }

    /// What is to be sent now.
    pub(crate) fn next(&mut self, now_ns: i64) -> Next {
        if let Some(message) = self.ready.pop_front() {
            return Next::Message(message);
        }
        if let Some(replies) = self.replies.front_mut() {
            if replies.at_ns > now_ns {
                return Next::Wait(Some(replies.at_ns));
            }
            self.sent += 1;
            let reply = EchoReply {
                text: replies.text.clone(),
                number: self.sent,
                received: replies.received,
                sent_ns: now_ns,
                payload: payload(replies.bytes),
            };
            replies.left -= 1;
            replies.at_ns += replies.every_ns;
            if replies.left == 0 {
                self.replies.pop_front();
            }
            return Next::Message(reply.encode_to_vec());
        }
        match &self.end {
            Some((at_ns, _)) if *at_ns > now_ns => Next::Wait(Some(*at_ns)),
            Some((_, status)) => Next::End(status.clone()),
            None => Next::Wait(None),
        }
    }
}

fn payload(bytes: usize) -> Vec<u8> {
    let piece = filler(bytes as u64);
    piece.iter().copied().cycle().take(bytes).collect()
}

/// A time of a request; one that is no time is 0.
fn nanoseconds(ms: f64) -> i64 {
    if ms > 0.0 { (ms.min(DELAY_MAX_MS) * MS) as i64 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000_000;

    fn request(request: &EchoRequest) -> Vec<u8> {
        request.encode_to_vec()
    }

    fn text(text: &str) -> EchoRequest {
        EchoRequest { text: text.to_owned(), ..EchoRequest::default() }
    }

    /// Texts and numbers of all that is sent, with the times at which it is.
    fn all(call: &mut GrpcCall, mut now_ns: i64) -> Vec<(i64, String)> {
        let mut sent = Vec::new();
        loop {
            match call.next(now_ns) {
                Next::Message(bytes) => {
                    let reply = EchoReply::decode(&*bytes).expect("a reply");
                    assert_eq!(reply.sent_ns, now_ns);
                    sent.push((
                        now_ns,
                        format!("{} {}/{} {}", reply.text, reply.number, reply.received, reply.payload.len()),
                    ));
                }
                Next::End(status) => {
                    sent.push((now_ns, status.to_string()));
                    return sent;
                }
                Next::Wait(Some(at_ns)) => now_ns = at_ns,
                Next::Wait(None) => return sent,
            }
        }
    }

    fn wanted(list: &[(i64, &str)]) -> Vec<(i64, String)> {
        list.iter().map(|(at_ns, text)| (*at_ns, (*text).to_owned())).collect()
    }

    #[test]
    fn replies_are_due_when_they_were_asked_for() {
        let mut call = GrpcCall::new(GrpcMethod::Unary);
        call.message(&request(&EchoRequest { delay_ms: 1000.0, bytes: 70_000, ..text("a") }), 5);
        assert_eq!(call.end(5), SECOND);
        assert_eq!(all(&mut call, 5), wanted(&[(SECOND + 5, "a 1/1 70000"), (SECOND + 5, "0 OK")]));
        let mut call = GrpcCall::new(GrpcMethod::ServerStream);
        call.message(&request(&EchoRequest { messages: 2, every_ms: 1000.0, ..text("b") }), 0);
        assert_eq!(call.end(0), SECOND);
        assert_eq!(all(&mut call, 0), wanted(&[(0, "b 1/1 0"), (SECOND, "b 2/1 0"), (SECOND, "0 OK")]));
    }

    #[test]
    fn streams_of_a_client_end_with_it() {
        let mut call = GrpcCall::new(GrpcMethod::ClientStream);
        call.message(&request(&text("a")), 0);
        assert_eq!(call.next(0), Next::Wait(None));
        call.message(&request(&text("b")), 1);
        call.end(2);
        assert_eq!(all(&mut call, 2), wanted(&[(2, "b 1/2 0"), (2, "0 OK")]));
        let mut call = GrpcCall::new(GrpcMethod::Bidirectional);
        call.message(&request(&EchoRequest { messages: 2, ..text("a") }), 0);
        assert_eq!(all(&mut call, 0), wanted(&[(0, "a 1/1 0"), (0, "a 2/1 0")]));
        call.message(&request(&EchoRequest { status: 5, description: "gone".to_owned(), ..text("b") }), 1);
        call.end(1);
        assert_eq!(all(&mut call, 1), wanted(&[(1, "b 3/2 0"), (1, "5 NOT_FOUND: gone")]));
    }

    #[test]
    fn what_is_wrong_is_a_status() {
        let mut call = GrpcCall::new(GrpcMethod::Unary);
        call.message(&request(&EchoRequest { status: 14, ..text("a") }), 0);
        call.end(0);
        assert_eq!(all(&mut call, 0), wanted(&[(0, "14 UNAVAILABLE")]));
        let mut call = GrpcCall::new(GrpcMethod::Unary);
        call.end(0);
        assert_eq!(
            all(&mut call, 0),
            wanted(&[(0, "3 INVALID_ARGUMENT: 0 messages for a method that takes one")])
        );
        let mut call = GrpcCall::new(GrpcMethod::ClientStream);
        call.message(b"\xff", 0);
        assert!(matches!(call.next(0), Next::End(status) if status.code == Code::InvalidArgument));
    }

    #[test]
    fn the_descriptor_and_the_file_in_the_examples_are_those_of_the_service() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let example = root.join("../../examples/proto/echo.proto");
        assert_eq!(std::fs::read_to_string(example).expect("it is there"), PROTO);
        let known = swell_grpc::Descriptors::of_source(FILE.name, PROTO).expect("valid");
        let descriptor = known.file(FILE.name).expect("it was compiled");
        if std::env::var_os("UPDATE_REFERENCE").is_some() {
            std::fs::write(root.join("src/routes/echo.binpb"), &descriptor).expect("written");
        }
        assert!(descriptor == FILE.descriptor, "echo.binpb is not that of echo.proto");
        assert_eq!(known.services(), FILE.services);
        for method in ["Unary", "ClientStream", "ServerStream", "Bidirectional"] {
            let known = known.method(&format!("swell.Echo/{method}")).expect("there");
            assert!(GrpcMethod::of_path(&known.path()).is_some(), "{method}");
        }
    }
}
