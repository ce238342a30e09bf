//! Requests sent in parts: with files, or with a body that waits for `100 Continue`. Also handles
//! responses that arrive before the body is sent.

use std::io;

use swell_connect::Stream;
use swell_http1::client::Sink;

use crate::exchange::{Exchange, ExchangeError, ExchangeStart, RequestRef, exchange_from};
use crate::expect::send_head;
use crate::failure::Failure;
use crate::request::Request;

use super::files::{read_files, send_with_files};

/// Sends a request in parts and receives its response. The inner result is that of the exchange of
/// the last part.
///
/// # Errors
/// A file cannot be read, or the response before the body is not an interim response.
pub(super) async fn exchange_in_parts<S: Sink>(
    stream: &mut Stream,
    request: &Request,
    whole: RequestRef<'_>,
    sink: &mut S,
    done: &mut Exchange,
) -> Result<Result<(), ExchangeError>, Failure> {
    read_files(request)?;
    let mut bytes = whole.bytes;
    let mut ahead = 0;
    let mut begun = None;
    let mut from = 0;
    if request.expects_continue {
        from = request.head_len(bytes);
        let continued = send_head(stream, &bytes[..from]).await?;
        ahead = from as u64;
        if continued.is_sent {
            from = bytes.len();
        }
        begun = Some(continued);
    }
    let answered = begun.as_ref().is_some_and(|begun| begun.is_sent);
    if answered || request.files.is_empty() {
        bytes = &bytes[from..];
    } else {
        match send_with_files(stream, request, bytes, from).await {
            Ok((sent, rest)) => (ahead, bytes) = (ahead + sent, rest),
            Err(error) => return Ok(Err(ExchangeError::Io(error))),
        }
    }
    let rest = RequestRef { bytes, ..whole };
    let result = exchange_from(stream, rest, begun, sink, done).await;
    done.sent += ahead;
    Ok(result)
}

/// Whether the connection broke while the request was sent, so that a response may be there to be
/// read.
pub(super) fn is_broken_send(error: &ExchangeError, done: &Exchange) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionReset};
    let broken =
        matches!(error, ExchangeError::Io(error) if matches!(error.kind(), BrokenPipe | ConnectionReset));
    broken && done.received == 0
}

/// Reads the response that a server sent before it closed the connection, whose request was not
/// sent whole.
///
/// # Errors
/// There is none.
pub(super) async fn read_early<S: Sink>(
    stream: &mut Stream,
    to_head: bool,
    timeout_ns: Option<i64>,
    sink: &mut S,
    done: &mut Exchange,
) -> Result<(), ()> {
    let mut early = Exchange::default();
    let nothing = RequestRef { bytes: &[], to_head, timeout_ns, begun_ns: 0 };
    let begun = ExchangeStart { early: None, is_sent: true };
    exchange_from(stream, nothing, Some(begun), sink, &mut early).await.map_err(drop)?;
    *done = Exchange { reusable: false, ..early };
    Ok(())
}
