//! One request and its response over a connection. The only place where HTTP meets a socket: samplers and the quick test
//! of a URL both come through here.

use std::io;

use swell_net::{Stream, now_ns};

use crate::wire::error::WireError;
use crate::wire::head::Facts;
use crate::wire::response::{Response, Sink};

/// What came of an exchange, or how far it came. Times are on [`swell_net::now_ns`]' clock, 0 for what did not happen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exchange {
    /// What is known of the response's head; none if it did not come.
    pub facts: Option<Facts>,
    /// Bytes sent.
    pub sent: u64,
    /// Bytes received, head and body and whatever came with them.
    pub received: u64,
    /// Bytes of the body, transfer coding taken off.
    pub body_len: u64,
    /// Arrival of the first byte at the kernel.
    pub first_byte_ns: i64,
    /// Arrival of the last byte: at the kernel, or as [`swell_net::end_at_read`] has it.
    pub end_ns: i64,
    /// Arrival of the last byte at the kernel.
    pub arrived_ns: i64,
    /// After the last read.
    pub read_ns: i64,
    /// The connection can be used for another request, as far as the response is concerned.
    pub reusable: bool,
}

/// Why an exchange failed.
#[derive(Debug)]
pub enum Broken {
    /// The connection.
    Io(io::Error),
    /// What came is no response.
    Wire(WireError),
}

/// A body larger than this may take longer to send than the response may take to come.
const LARGE_REQUEST: usize = 64 << 10;

/// Sends a request and receives its response. `to_head`: the request is a HEAD. `timeout_ns`: longest time without a byte of
/// the response. The exchange is filled in as far as it came, also where it fails.
///
/// # Errors
/// The connection breaks or ends too early, the time is over, the response is none.
pub async fn exchange<S: Sink>(
    stream: &mut Stream,
    request: &[u8],
    to_head: bool,
    timeout_ns: Option<i64>,
    sink: &mut S,
    done: &mut Exchange,
) -> Result<(), Broken> {
    let deadline = |from_ns: i64| timeout_ns.map(|limit_ns| from_ns + limit_ns);
    // A deadline from the last exchange may have passed, so it is set anew, or taken away, before anything is sent.
    let early = request.len() < LARGE_REQUEST;
    stream.set_deadline(if early && timeout_ns.is_some() { deadline(now_ns()) } else { None });
    stream.send_all(request).await.map_err(Broken::Io)?;
    done.sent = request.len() as u64;
    if !early && timeout_ns.is_some() {
        stream.set_deadline(deadline(now_ns()));
    }
    let mut response = Response::new(to_head);
    let result = receive(stream, timeout_ns, &mut response, sink, done).await;
    done.facts = response.facts().copied();
    done.received = response.received();
    done.body_len = response.body_len();
    done.reusable = result.is_ok() && response.reusable();
    result
}

async fn receive<S: Sink>(
    stream: &mut Stream,
    timeout_ns: Option<i64>,
    response: &mut Response,
    sink: &mut S,
    done: &mut Exchange,
) -> Result<(), Broken> {
    loop {
        let step = stream.recv(|bytes, arrival| {
            if done.first_byte_ns == 0 && !bytes.is_empty() {
                done.first_byte_ns = arrival.at_ns;
            }
            (done.end_ns, done.arrived_ns, done.read_ns) =
                (arrival.at_ns, arrival.kernel_ns, arrival.read_ns);
            if bytes.is_empty() { response.end(sink).map(|()| true) } else { response.feed(bytes, sink) }
        });
        match step.await {
            Ok(Ok(true)) => return Ok(()),
            Ok(Ok(false)) => {}
            Ok(Err(error)) => return Err(Broken::Wire(error)),
            Err(error) => {
                let at_ns = now_ns();
                (done.end_ns, done.arrived_ns, done.read_ns) = (at_ns, at_ns, at_ns);
                return Err(Broken::Io(error));
            }
        }
        if let Some(limit_ns) = timeout_ns {
            stream.set_deadline(Some(done.read_ns + limit_ns));
        }
    }
}
