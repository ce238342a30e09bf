//! One request and its response on a connection.

use std::io::{self, Read, Write};
use std::time::Instant;

use swell_http1::client::{Response, ResponseHead, Sink};
use swell_http1::{Framing, WireError};

use crate::error::FetchError;
use crate::limits::{BodyLimit, Limits};

/// A response.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// Version, code and reason.
    pub status_line: String,
    /// The body.
    pub body: Vec<u8>,
    /// The value of `Location`.
    pub(crate) location: Option<String>,
    /// The connection can take another request.
    pub(crate) keeps: bool,
}

impl Answer {
    /// Whether the status is 200 to 299.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

impl Sink for Answer {
    fn head(&mut self, head: &ResponseHead<'_>) {
        let mut text = String::new();
        head.text(&[], &mut text);
        self.status = head.facts.status;
        text.lines().next().unwrap_or_default().clone_into(&mut self.status_line);
        self.location = head.last("Location").map(|value| String::from_utf8_lossy(&value).into_owned());
    }

    fn body(&mut self, bytes: &[u8]) {
        self.body.extend_from_slice(bytes);
    }
}

/// Sends a request and reads its answer, which has to be whole at `until`: a server may send it
/// byte by byte.
pub(crate) fn exchange(
    connection: &mut (impl Read + Write),
    request: &[u8],
    limits: &Limits,
    until: Instant,
) -> Result<Answer, FetchError> {
    let silence = |error: io::Error| match error.kind() {
        io::ErrorKind::WouldBlock => FetchError::Silence(limits.silence),
        _ => FetchError::Io(error),
    };
    connection.write_all(request).and_then(|()| connection.flush()).map_err(silence)?;
    let mut response = Response::new(false);
    let mut answer = Answer::default();
    let mut piece = [0; 16 * 1024];
    loop {
        let received = connection.read(&mut piece).map_err(silence)?;
        if Instant::now() > until {
            return Err(FetchError::TooLong);
        }
        if received == 0 {
            match response.end(&mut answer) {
                Err(WireError::NoResponse) => {
                    return Err(FetchError::Io(io::ErrorKind::UnexpectedEof.into()));
                }
                ended => ended.map_err(|error| not_http(&error))?,
            }
            return whole(answer);
        }
        let is_complete = response.feed(&piece[..received], &mut answer).map_err(|error| not_http(&error))?;
        if is_complete || is_enough(&response, &answer, limits.body)? {
            answer.keeps = response.reusable();
            return whole(answer);
        }
    }
}

/// Whether more of the body is not wanted.
fn is_enough(response: &Response, answer: &Answer, limit: BodyLimit) -> Result<bool, FetchError> {
    match limit {
        BodyLimit::Refuse(limit) if answer.body.len() as u64 > limit => Err(FetchError::TooLarge(limit)),
        BodyLimit::Refuse(_) => Ok(false),
        BodyLimit::Cut(limit) => {
            // The end of a body that only the end of the connection tells is not waited for.
            let is_endless = !answer.body.is_empty()
                && response.facts().is_some_and(|facts| facts.framing == Framing::UntilClose);
            Ok(is_endless || response.received() > limit)
        }
    }
}

fn whole(answer: Answer) -> Result<Answer, FetchError> {
    if answer.status_line.is_empty() {
        return Err(not_http(&WireError::NoStatusLine));
    }
    Ok(answer)
}

fn not_http(error: &WireError) -> FetchError {
    let why = match error {
        WireError::Head(why) | WireError::Trailer(why) => format!(": {why}"),
        WireError::ShortBody { .. } | WireError::TruncatedChunk { .. } | WireError::NoLastChunk => {
            ": it ends too early".to_owned()
        }
        _ => String::new(),
    };
    FetchError::NotHttp(format!("the server's answer is no HTTP response{why}"))
}
