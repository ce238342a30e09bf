//! Sends one query to several servers (`ExtendedResolver.Resolution`). When a server fails for the
//! first time, the next one is queried; a server that does not respond in time is queried again in
//! the meantime.

use std::future::{Future, poll_fn};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::Poll;

use swell_net::{ConnectOptions, TcpStream, UdpSocket, now_ns};

use super::NameServers;
use super::message::{Answer, answer, question};

/// How often one server is asked.
const MAX_SENDS: u32 = 3;

type Attempt<'a> = Pin<Box<dyn Future<Output = io::Result<Answer>> + 'a>>;

impl NameServers {
    /// The first answer.
    ///
    /// # Errors
    /// No server gives one.
    pub(super) async fn ask(&self, name: &str) -> io::Result<Answer> {
        let count = self.servers.len();
        let first = self.turn.get();
        self.turn.set(first.wrapping_add(1));
        let server = |n: usize| self.servers[(first + n) % count];
        let start =
            |n: usize| -> (usize, Attempt<'_>) { (n, Box::pin(ask_one(server(n), name, self.timeout_ns))) };
        let mut sends = vec![0_u32; count];
        let mut running = Vec::new();
        if count > 0 {
            sends[0] = 1;
            running.push(start(0));
        }
        let mut last = io::Error::from(io::ErrorKind::NotFound);
        while !running.is_empty() {
            let (n, result) = first_of(&mut running).await;
            last = match result {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            let starts_next = sends[n] == 1 && n + 1 < count;
            if last.kind() == io::ErrorKind::TimedOut && sends[n] < MAX_SENDS {
                sends[n] += 1;
                running.push(start(n));
            }
            if starts_next {
                sends[n + 1] += 1;
                running.push(start(n + 1));
            }
        }
        Err(last)
    }
}

/// Waits for one of several, and takes it out.
async fn first_of(running: &mut Vec<(usize, Attempt<'_>)>) -> (usize, io::Result<Answer>) {
    poll_fn(|cx| {
        for at in 0..running.len() {
            if let Poll::Ready(result) = running[at].1.as_mut().poll(cx) {
                let (n, _) = running.remove(at);
                return Poll::Ready((n, result));
            }
        }
        Poll::Pending
    })
    .await
}

async fn ask_one(server: SocketAddr, name: &str, timeout_ns: i64) -> io::Result<Answer> {
    let id = RandomState::new().build_hasher().finish() as u16;
    let asked = question(id, name)?;
    let deadline_ns = now_ns() + timeout_ns;
    let mut socket = UdpSocket::to(server)?;
    socket.set_deadline(Some(deadline_ns));
    socket.send(&asked).await?;
    loop {
        match socket.recv(|bytes, _| answer(bytes, id, name)).await?? {
            Some(Answer::Truncated) => return ask_whole(server, &asked, (id, name), deadline_ns).await,
            Some(answer) => return Ok(answer),
            None => {}
        }
    }
}

/// The same by TCP, where an answer has room.
async fn ask_whole(
    server: SocketAddr,
    asked: &[u8],
    (id, name): (u16, &str),
    deadline_ns: i64,
) -> io::Result<Answer> {
    let left_ns = (deadline_ns - now_ns()).max(1);
    let options = ConnectOptions { timeout_ns: Some(left_ns), ..ConnectOptions::default() };
    let mut stream = TcpStream::connect(server, &options).await?;
    stream.set_deadline(Some(deadline_ns));
    let length = (asked.len() as u16).to_be_bytes();
    stream.send_all(&[&length, asked].concat()).await?;
    let mut got = Vec::new();
    loop {
        let more = stream.recv(|bytes, _| bytes.to_vec()).await?;
        if more.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        got.extend(more);
        let Some((length, message)) = got.split_first_chunk::<2>() else { continue };
        if let Some(message) = message.get(..usize::from(u16::from_be_bytes(*length))) {
            let wrong = || io::Error::from(io::ErrorKind::InvalidData);
            return answer(message, id, name)?.ok_or_else(wrong);
        }
    }
}
