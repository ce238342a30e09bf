//! How a call ends: `grpc-status` and `grpc-message`, or what takes their place.

use std::fmt;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode, utf8_percent_encode};

/// What is percent-coded in `grpc-message`: all but printable ASCII, and spaces, which the ends of
/// a field would lose.
const UNPRINTABLE: &AsciiSet = &CONTROLS.add(b'%').add(b' ');

/// A status code, by the names of grpc-java (`io.grpc.Status.Code`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say what they are")]
pub enum Code {
    Ok,
    Cancelled,
    Unknown,
    InvalidArgument,
    DeadlineExceeded,
    NotFound,
    AlreadyExists,
    PermissionDenied,
    ResourceExhausted,
    FailedPrecondition,
    Aborted,
    OutOfRange,
    Unimplemented,
    Internal,
    Unavailable,
    DataLoss,
    Unauthenticated,
}

use Code::{
    Aborted, AlreadyExists, Cancelled, DataLoss, DeadlineExceeded, FailedPrecondition, Internal,
    InvalidArgument, NotFound, Ok as Fine, OutOfRange, PermissionDenied, ResourceExhausted, Unauthenticated,
    Unavailable, Unimplemented, Unknown,
};

/// The codes by their numbers, with their names.
const CODES: [(Code, &str); 17] = [
    (Fine, "OK"),
    (Cancelled, "CANCELLED"),
    (Unknown, "UNKNOWN"),
    (InvalidArgument, "INVALID_ARGUMENT"),
    (DeadlineExceeded, "DEADLINE_EXCEEDED"),
    (NotFound, "NOT_FOUND"),
    (AlreadyExists, "ALREADY_EXISTS"),
    (PermissionDenied, "PERMISSION_DENIED"),
    (ResourceExhausted, "RESOURCE_EXHAUSTED"),
    (FailedPrecondition, "FAILED_PRECONDITION"),
    (Aborted, "ABORTED"),
    (OutOfRange, "OUT_OF_RANGE"),
    (Unimplemented, "UNIMPLEMENTED"),
    (Internal, "INTERNAL"),
    (Unavailable, "UNAVAILABLE"),
    (DataLoss, "DATA_LOSS"),
    (Unauthenticated, "UNAUTHENTICATED"),
];

impl Code {
    /// Its number on the wire.
    #[must_use]
    pub fn number(self) -> u8 {
        self as u8
    }

    /// Its name in capitals.
    #[must_use]
    pub fn name(self) -> &'static str {
        CODES[usize::from(self.number())].1
    }

    /// The code with that number.
    #[must_use]
    pub fn of_number(number: u32) -> Option<Self> {
        CODES.get(usize::try_from(number).ok()?).map(|(code, _)| *code)
    }
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// What happened.
    pub code: Code,
    /// What the server, or this end, says of it; often empty.
    pub description: String,
}

impl Status {
    /// A status of this end.
    #[must_use]
    pub fn new(code: Code, description: impl Into<String>) -> Self {
        Self { code, description: description.into() }
    }

    /// The lines of the status for trailers, each with CR LF.
    #[must_use]
    pub fn lines(&self) -> Vec<u8> {
        let mut lines = format!("grpc-status: {}\r\n", self.code.number());
        if !self.description.is_empty() {
            let message = utf8_percent_encode(&self.description, UNPRINTABLE);
            lines.extend(["grpc-message: ", &message.to_string(), "\r\n"]);
        }
        lines.into_bytes()
    }

    /// The status in the lines of a head or of trailers (`name: value`, each with CR LF); none
    /// without `grpc-status`. One that is not valid is [`Code::Unknown`].
    #[must_use]
    pub fn of_lines(lines: &[u8]) -> Option<Self> {
        let mut statuses = fields(lines).filter(|(name, _)| *name == b"grpc-status").map(|(_, value)| value);
        let status = statuses.next()?;
        if statuses.any(|other| other != status) {
            return Some(Self::new(Unknown, "two values of grpc-status"));
        }
        let message = field(lines, "grpc-message").unwrap_or_default();
        let description = String::from_utf8_lossy(&percent_decode(message).collect::<Vec<u8>>()).into_owned();
        let digits =
            std::str::from_utf8(status).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        let Some(number) = digits.and_then(|digits| digits.parse::<u32>().ok()) else {
            let text = String::from_utf8_lossy(status);
            return Some(Self::new(Unknown, format!("invalid grpc-status `{text}`; expected a number")));
        };
        Some(match Code::of_number(number) {
            Some(code) => Self { code, description },
            None => Self::new(Unknown, format!("unknown grpc-status {number}: {description}")),
        })
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.code.number(), self.code.name())?;
        if self.description.is_empty() { Ok(()) } else { write!(f, ": {}", self.description) }
    }
}

/// The status of a response that is not of gRPC, by its HTTP status (`http-grpc-status-mapping.md`
/// of the gRPC project).
#[must_use]
pub fn status_of_http(http: u16) -> Code {
    match http {
        400 => Internal,
        401 => Unauthenticated,
        403 => PermissionDenied,
        404 => Unimplemented,
        429 | 502 | 503 | 504 => Unavailable,
        _ => Unknown,
    }
}

fn fields(lines: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    lines.split(|byte| *byte == b'\n').filter_map(|line| {
        let colon = line.iter().position(|byte| *byte == b':')?;
        Some((&line[..colon], line[colon + 1..].trim_ascii()))
    })
}

/// The first value of a field in lines as HTTP/2 gives them. `name`: in lower case.
#[must_use]
pub fn field<'l>(lines: &'l [u8], name: &str) -> Option<&'l [u8]> {
    fields(lines).find(|(known, _)| *known == name.as_bytes()).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_their_places() {
        for (number, (code, name)) in CODES.iter().enumerate() {
            assert_eq!((usize::from(code.number()), code.name()), (number, *name));
        }
        assert_eq!([Code::of_number(14), Code::of_number(17)], [Some(Unavailable), None]);
    }

    #[test]
    fn a_status_is_read_from_its_lines() {
        for (lines, wanted) in [
            ("grpc-status: 0\r\n", Some((Fine, ""))),
            ("grpc-message: a%20b%C3%A4%\r\ngrpc-status: 5\r\n", Some((NotFound, "a b\u{e4}%"))),
            ("grpc-status: 3\r\ngrpc-message: \r\n", Some((InvalidArgument, ""))),
            ("grpc-status: 3\r\ngrpc-message: %ff\r\n", Some((InvalidArgument, "\u{fffd}"))),
            ("grpc-status: 3\r\ngrpc-status: 3\r\n", Some((InvalidArgument, ""))),
            ("grpc-status: 3\r\ngrpc-status: 0\r\n", Some((Unknown, "two values of grpc-status"))),
            ("grpc-status: -1\r\n", Some((Unknown, "invalid grpc-status `-1`; expected a number"))),
            ("grpc-status: \r\n", Some((Unknown, "invalid grpc-status ``; expected a number"))),
            ("grpc-status: 17\r\ngrpc-message: new\r\n", Some((Unknown, "unknown grpc-status 17: new"))),
            (
                "grpc-status: 99999999999\r\n",
                Some((Unknown, "invalid grpc-status `99999999999`; expected a number")),
            ),
            ("x-grpc-status: 0\r\n", None),
            ("", None),
        ] {
            let wanted = wanted.map(|(code, text)| Status::new(code, text));
            assert_eq!(Status::of_lines(lines.as_bytes()), wanted, "{lines}");
        }
    }

    #[test]
    fn what_is_written_reads_the_same() {
        for description in ["", "a b", " 100 %\r\n\u{e4}", "~"] {
            let status = Status::new(NotFound, description);
            let lines = status.lines();
            assert!(lines.is_ascii() && lines.split(|byte| *byte == b'\n').count() <= 3);
            assert_eq!(Status::of_lines(&lines), Some(status));
        }
    }

    #[test]
    fn a_status_of_http_becomes_one_of_grpc() {
        let codes = [400, 401, 404, 502, 200, 500].map(status_of_http);
        assert_eq!(codes, [Internal, Unauthenticated, Unimplemented, Unavailable, Unknown, Unknown]);
    }
}
