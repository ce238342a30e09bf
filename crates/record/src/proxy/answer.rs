//! Answers of the proxy itself.

use std::fmt::Write as _;

use swell_http1::reason;

use super::peer::Peer;

/// Answers with a text; the connection is to be closed after it.
pub(super) async fn refuse(client: &mut Peer, status: u16, text: &str) {
    answer(client, status, "text/plain; charset=utf-8", format!("swell record: {text}\n").as_bytes()).await;
}

/// Answers with a body, and closes.
pub(super) async fn answer(client: &mut Peer, status: u16, mime: &str, body: &[u8]) {
    let mut head = format!("HTTP/1.1 {status} {}\r\nContent-Type: {mime}\r\n", reason(status));
    // Writing to a String cannot fail.
    let _ = write!(
        head,
        "Content-Length: {}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let mut bytes = head.into_bytes();
    bytes.extend_from_slice(body);
    if client.stream.send_all(&bytes).await.is_err() {
        return;
    }
    close(client).await;
}

/// Says goodbye, and reads what a client still sends, for a moment: closing at once would send a
/// reset, which could overtake the answer.
pub(super) async fn close(client: &mut Peer) {
    // A client that has gone does not miss the goodbye.
    let _ = client.stream.finish().await;
    if client.stream.shutdown_write().is_err() {
        return;
    }
    client.stream.set_deadline(Some(swell_net::now_ns() + 1_000_000_000));
    let mut drained = 0;
    while let Ok(count @ 1..) = client.stream.recv(|bytes, _| bytes.len()).await {
        drained += count;
        if drained > 4 << 20 {
            return;
        }
    }
}
