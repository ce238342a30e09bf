//! One request and its response on a connection.

use std::io;
use std::sync::Arc;

use swell_api::{Bodies, Timing};

use super::client::{Body, Client, Reader, ResponseProgress};
use super::connect::{Connection, socket};
use super::spec::Call;

const MS: i64 = 1_000_000;

/// The result of an exchange.
pub(super) struct Answer {
    pub(super) body: Body,
    /// None: it went well.
    pub(super) trouble: Option<ExchangeFailure>,
    /// Its start is not set.
    pub(super) timing: Timing,
}

/// Java's exception with its message.
pub(super) struct ExchangeFailure {
    pub(super) message: String,
}

/// Sends the request and reads the answer.
pub(super) async fn exchange(
    call: &Call,
    client: &Client,
    connection: &mut Connection,
    keep: Option<Arc<Bodies>>,
) -> Answer {
    let mut reader = Reader::new(client, keep);
    let mut timing = Timing::default();
    let trouble = talk(call, client, connection, &mut reader, &mut timing).await.err();
    if timing.end_ns == 0 || trouble.is_some() {
        timing.end_ns = swell_net::now_ns();
        if timing.read_ns != 0 {
            timing.read_ns = timing.end_ns;
        }
    }
    // The end of a connection is not a response, however long it waited in the kernel.
    if timing.first_byte_ns == 0 || trouble.is_some() {
        timing.read_ns = 0;
    }
    let trouble = trouble.map(|message| ExchangeFailure { message });
    Answer { body: reader.body, trouble, timing }
}

async fn talk(
    call: &Call,
    client: &Client,
    connection: &mut Connection,
    reader: &mut Reader,
    timing: &mut Timing,
) -> Result<(), String> {
    let request = client.request(&call.request)?;
    connection.stream.set_deadline(None);
    if call.interrupt_at_ns != i64::MAX {
        connection.stream.set_deadline(Some(call.interrupt_at_ns));
    }
    connection.stream.send_all(&request).await.map_err(|error| match error.kind() {
        io::ErrorKind::TimedOut => "java.net.SocketException: Socket closed".to_owned(),
        _ => socket(&error),
    })?;
    let unread = std::mem::take(&mut connection.unread);
    if !unread.is_empty() {
        timing.first_byte_ns = swell_net::now_ns();
        if let Some(rest) = fed(reader, &unread)? {
            connection.unread = rest;
            return Ok(());
        }
    }
    read(call, client, connection, reader, timing).await
}

/// Feeds a piece; what is left of it, if the answer ended.
fn fed(reader: &mut Reader, piece: &[u8]) -> Result<Option<Vec<u8>>, String> {
    match reader.feed(piece) {
        ResponseProgress::More => Ok(None),
        ResponseProgress::Done(used) => Ok(Some(piece[used..].to_vec())),
        ResponseProgress::Failed(thrown) => Err(thrown),
    }
}

async fn read(
    call: &Call,
    client: &Client,
    connection: &mut Connection,
    reader: &mut Reader,
    timing: &mut Timing,
) -> Result<(), String> {
    loop {
        let silence_ns = if call.timeout_ms == 0 { i64::MAX } else { i64::from(call.timeout_ms) * MS };
        let deadline_ns = swell_net::now_ns().saturating_add(silence_ns).min(call.interrupt_at_ns);
        connection.stream.set_deadline((deadline_ns != i64::MAX).then_some(deadline_ns));
        let got = connection.stream.recv(|bytes, arrival| {
            let ended = bytes.is_empty();
            if !ended && timing.first_byte_ns == 0 {
                timing.first_byte_ns = arrival.at_ns;
            }
            (timing.end_ns, timing.read_ns) = (arrival.at_ns, arrival.read_ns);
            if ended { Ok(Some(Vec::new())) } else { fed(reader, bytes) }
        });
        match got.await {
            Ok(fed) => {
                if let Some(rest) = fed? {
                    connection.unread = rest;
                    reader.end();
                    return Ok(());
                }
            }
            Err(error) => {
                let silent =
                    error.kind() == io::ErrorKind::TimedOut && swell_net::now_ns() < call.interrupt_at_ns;
                reader.end();
                // Without an end to look for, silence is the end, and the sample ends with it.
                if silent && !client.looks_for_end() {
                    timing.end_ns = 0;
                    return Ok(());
                }
                return Err(client.read_failure(reader.body.count, silent));
            }
        }
    }
}
