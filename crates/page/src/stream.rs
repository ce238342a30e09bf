//! An event stream to one reader.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io;
use std::rc::Rc;
use std::task::Poll;

use swell_connect::Stream;
use swell_net::{now_ns, sleep_until};
use swell_site::stream_head;

use crate::state::LiveState;

/// A reader that accepts nothing for this long is disconnected; it reconnects with the id that it
/// has.
const BEHIND_NS: i64 = 4_000_000_000;

/// A comment keeps a stream open when there are no events.
const QUIET_NS: i64 = 15_000_000_000;

/// Sends all events after that id, as they come, until the reader closes or the run has finished.
pub(crate) async fn stream(stream: &mut Stream, live: &Rc<RefCell<LiveState>>, since: u64) -> io::Result<()> {
    send(stream, &stream_head()).await?;
    send(stream, b"retry: 1000\n\n").await?;
    let mut id = since;
    loop {
        let news = live.borrow().since(id);
        let Some(news) = news else {
            id = live.borrow().last_id();
            send(stream, format!("id: {id}\nevent: reset\ndata: {{}}\n\n").as_bytes()).await?;
            continue;
        };
        for one in &news {
            send(stream, one.text.as_bytes()).await?;
            id = one.id;
        }
        let is_over = live.borrow().is_over;
        let last = live.borrow().last_id();
        if is_over && id == last {
            stream.finish().await?;
            return stream.shutdown_write();
        }
        if id == last && !news_after(stream, live, id).await? {
            send(stream, b":\n\n").await?;
        }
    }
}

async fn send(stream: &mut Stream, bytes: &[u8]) -> io::Result<()> {
    stream.set_deadline(Some(now_ns() + BEHIND_NS));
    let sent = stream.send_all(bytes).await;
    stream.set_deadline(None);
    sent
}

/// Waits for events after that id; false if nothing happened for a while. An error: the reader has
/// closed.
async fn news_after(stream: &mut Stream, live: &Rc<RefCell<LiveState>>, id: u64) -> io::Result<bool> {
    let mut quiet = std::pin::pin!(sleep_until(now_ns() + QUIET_NS));
    poll_fn(|cx| {
        if live.borrow().last_id() > id {
            return Poll::Ready(Ok(true));
        }
        live.borrow_mut().wait(cx.waker());
        // A reader sends nothing: the only thing to read is its end.
        match stream.poll_recv(cx, |bytes, _| bytes.is_empty()) {
            Poll::Ready(Ok(true)) => return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into())),
            Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
            Poll::Ready(Ok(false)) => cx.waker().wake_by_ref(),
            Poll::Pending => {}
        }
        std::future::Future::poll(quiet.as_mut(), cx).map(|()| Ok(false))
    })
    .await
}
