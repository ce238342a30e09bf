//! Carries requests to another system or into a file, on a separate thread. Requests that the
//! system does not accept in time wait in a short queue; beyond it, the oldest are dropped and
//! counted. Adding a request never waits.

use std::collections::VecDeque;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::outcome::ExportOutcome;
use crate::post::{Failed, Post};

/// Carries requests to another system or into a file, on the thread of a [`Push`]. It may wait.
pub(super) trait Carrier: Send {
    /// Carries a request once.
    fn carry(&mut self, request: &[u8]) -> Attempt;
}

/// The result of carrying a request once.
#[derive(Debug, Default)]
pub(super) struct Attempt {
    /// Parts that the other end took, or may have taken where it does not answer. A request has
    /// one part, or many datagrams.
    pub(super) delivered: u64,
    /// Parts that are lost.
    pub(super) dropped: u64,
    /// Why it failed.
    pub(super) why: Option<String>,
    /// The request may succeed later.
    pub(super) is_repeated: bool,
}

impl Attempt {
    /// One part that is delivered.
    pub(super) fn delivered() -> Self {
        Self { delivered: 1, ..Self::default() }
    }

    /// One part that is lost.
    pub(super) fn lost(why: String) -> Self {
        Self { dropped: 1, why: Some(why), ..Self::default() }
    }
}

/// Posts each request, and checks the answer.
pub(super) struct Posts {
    pub(super) post: Post,
    pub(super) check: CheckAnswer,
}

impl Carrier for Posts {
    fn carry(&mut self, request: &[u8]) -> Attempt {
        let answered = self.post.send(request);
        let checked = answered
            .and_then(|answer| (self.check)(&answer).map_err(|why| Failed { why, status: Some(200) }));
        match checked {
            Ok(()) => Attempt::delivered(),
            Err(failed) if may_succeed(&failed) => {
                Attempt { why: Some(failed.why), is_repeated: true, ..Attempt::default() }
            }
            Err(failed) => Attempt::lost(failed.why),
        }
    }
}

/// Requests that wait at most.
const MOST: usize = 60;
/// Bytes that wait at most.
const MOST_BYTES: usize = 32 << 20;
/// How long to wait before a request is repeated: from this, doubled each time, to that.
const REPEAT: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(10));

/// Checks whether a response accepts the request; returns the reason if not.
pub(super) type CheckAnswer = fn(&[u8]) -> Result<(), String>;

/// Shows a message to the user of the run.
pub type Say = Arc<dyn Fn(String) + Send + Sync>;

/// A receiver of requests.
pub(super) struct Push {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    state: Mutex<State>,
    news: Condvar,
}

struct State {
    waiting: VecDeque<Vec<u8>>,
    bytes: usize,
    /// One was sent and not answered yet.
    is_sending: bool,
    /// Nothing more will come.
    is_closed: bool,
    /// The thread has nothing more to do.
    is_done: bool,
    outcome: ExportOutcome,
}

impl State {
    fn drop_oldest(&mut self) {
        if let Some(request) = self.waiting.pop_front() {
            self.bytes -= request.len();
            self.outcome.dropped += 1;
        }
    }
}

impl Push {
    /// # Errors
    /// There is no thread.
    pub(super) fn start(
        outcome: ExportOutcome,
        carrier: Box<dyn Carrier>,
        say: Say,
    ) -> std::io::Result<Self> {
        let is_sending = false;
        let is_closed = false;
        let is_done = false;
        let state = State { waiting: VecDeque::new(), bytes: 0, is_sending, is_closed, is_done, outcome };
        let shared = Arc::new(Shared { state: Mutex::new(state), news: Condvar::new() });
        let sending = shared.clone();
        let thread = std::thread::Builder::new().name("swell-export".into()).spawn(move || {
            swell_net::machine::give_way();
            let mut carrier = carrier;
            send_all(&sending, &mut *carrier, &say);
            sending.state.lock().is_done = true;
            sending.news.notify_all();
        })?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Hands a request over.
    pub(super) fn put(&self, request: Vec<u8>) {
        let mut state = self.shared.state.lock();
        state.bytes += request.len();
        state.waiting.push_back(request);
        // The last one stays, however large it is.
        while state.waiting.len() > MOST || (state.bytes > MOST_BYTES && state.waiting.len() > 1) {
            state.drop_oldest();
        }
        self.shared.news.notify_all();
    }

    /// Nothing more will be put.
    pub(super) fn close(&self) {
        self.shared.state.lock().is_closed = true;
        self.shared.news.notify_all();
    }

    /// Waits until all is sent or that moment has come, and returns the outcome.
    pub(super) fn finish(mut self, until: Instant) -> ExportOutcome {
        let mut state = self.shared.state.lock();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if state.is_done || left.is_zero() {
                break;
            }
            self.shared.news.wait_for(&mut state, left);
        }
        let mut outcome = state.outcome.clone();
        outcome.dropped += state.waiting.len() as u64 + u64::from(state.is_sending);
        let is_done = state.is_done;
        drop(state);
        match self.thread.take() {
            // It has nothing to tell. One that still waits for an answer ends with the process.
            Some(thread) if is_done => drop(thread.join()),
            _ => {}
        }
        outcome
    }
}

/// Whether a request may succeed later.
fn may_succeed(failed: &Failed) -> bool {
    failed.status.is_none_or(|status| status >= 500 || status == 429 || status == 408)
}

fn send_all(shared: &Shared, carrier: &mut dyn Carrier, say: &Say) {
    let mut pause = REPEAT.0;
    let mut is_failing = false;
    while let Some(request) = next(shared) {
        let attempt = carrier.carry(&request);
        let mut state = shared.state.lock();
        state.is_sending = false;
        state.outcome.delivered += attempt.delivered;
        state.outcome.dropped += attempt.dropped;
        let place = state.outcome.place.clone();
        let Some(why) = attempt.why else {
            pause = REPEAT.0;
            if std::mem::take(&mut is_failing) {
                say(format!("the export to {place} works again"));
            }
            continue;
        };
        state.outcome.failures += 1;
        if !std::mem::replace(&mut is_failing, true) {
            say(format!("the export to {place} fails: {why}; the test continues"));
        }
        state.outcome.last_failure = Some(why);
        if !attempt.is_repeated {
            continue;
        }
        state.bytes += request.len();
        state.waiting.push_front(request);
        if !wait(shared, state, pause) {
            return;
        }
        pause = (pause * 2).min(REPEAT.1);
    }
}

/// The next request; none if there will be none.
fn next(shared: &Shared) -> Option<Vec<u8>> {
    let mut state = shared.state.lock();
    loop {
        if let Some(request) = state.waiting.pop_front() {
            state.bytes -= request.len();
            state.is_sending = true;
            return Some(request);
        }
        if state.is_closed {
            return None;
        }
        shared.news.wait(&mut state);
    }
}

/// Waits before a request is repeated. False: the run has finished, and a system that does not
/// answer is not waited for.
fn wait(shared: &Shared, mut state: MutexGuard<'_, State>, pause: Duration) -> bool {
    let until = Instant::now() + pause;
    while !state.is_closed {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            // The queue may have become too long with what was put back.
            while state.waiting.len() > MOST {
                state.drop_oldest();
            }
            return true;
        }
        shared.news.wait_for(&mut state, left);
    }
    false
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::sync::mpsc;

    use super::*;
    use crate::post::Timeouts;

    const OK: &str = "HTTP/1.1 204 No Content\r\n\r\n";
    const BAD: &str = "HTTP/1.1 400 Bad Request\r\nContent-Length: 3\r\n\r\nwhy";

    fn push(url: String) -> (Push, mpsc::Receiver<String>) {
        let (tell, told) = mpsc::channel();
        let timeouts = Timeouts::both(Duration::from_secs(20));
        let post = Post::new(url.clone(), Vec::new(), timeouts, None);
        let outcome = ExportOutcome::new("otlp", url);
        let say: Say = Arc::new(move |text| drop(tell.send(text)));
        let posts = Posts { post, check: |_| Ok(()) };
        (Push::start(outcome, Box::new(posts), say).expect("a thread"), told)
    }

    fn until_end() -> Instant {
        Instant::now() + Duration::from_mins(1)
    }

    /// Takes a request of one byte of body.
    fn take(stream: &mut TcpStream) -> u8 {
        let mut bytes = Vec::new();
        loop {
            let mut byte = [0];
            stream.read_exact(&mut byte).expect("a request");
            if bytes.ends_with(b"\r\n\r\n") {
                return byte[0];
            }
            bytes.push(byte[0]);
        }
    }

    #[test]
    fn requests_are_sent_in_order_and_a_refused_one_is_dropped() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let (push, told) = push(format!("http://{}/", listener.local_addr().expect("an address")));
        for body in [b"1", b"2", b"3"] {
            push.put(body.to_vec());
        }
        push.close();
        let mut stream = listener.accept().expect("it connects").0;
        let came: Vec<u8> = [OK, BAD, OK]
            .iter()
            .map(|answer| {
                let came = take(&mut stream);
                stream.write_all(answer.as_bytes()).expect("it reads");
                came
            })
            .collect();
        let outcome = push.finish(until_end());
        assert_eq!((came, outcome.delivered, outcome.dropped, outcome.failures), (b"123".to_vec(), 2, 1, 1));
        assert_eq!(outcome.last_failure.as_deref(), Some("HTTP/1.1 400 Bad Request why"));
        let said: Vec<_> = told.iter().collect();
        assert!(
            said.len() == 2 && said[0].contains("the test continues") && said[1].ends_with("works again"),
            "{said:?}"
        );
    }

    #[test]
    fn a_server_that_is_busy_gets_a_request_again() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let (push, _told) = push(format!("http://{}/", listener.local_addr().expect("an address")));
        push.put(b"1".to_vec());
        let mut stream = listener.accept().expect("it connects").0;
        let first = take(&mut stream);
        stream.write_all(b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n").expect("it reads");
        let second = take(&mut stream);
        stream.write_all(OK.as_bytes()).expect("it reads");
        push.close();
        let outcome = push.finish(until_end());
        assert_eq!(
            (first, second, outcome.delivered, outcome.failures, outcome.dropped),
            (b'1', b'1', 1, 1, 0)
        );
    }

    #[test]
    fn a_dead_system_costs_a_short_queue_and_is_not_waited_for() {
        let closed =
            TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("an address");
        let (push, told) = push(format!("http://{closed}/"));
        for _ in 0..MOST + 40 {
            push.put(vec![0]);
        }
        push.close();
        let outcome = push.finish(until_end());
        assert_eq!((outcome.delivered, outcome.dropped), (0, MOST as u64 + 40));
        assert!(told.recv().is_ok_and(|said| said.contains("refused")));
    }

    #[test]
    fn a_system_that_never_answers_is_left_at_the_end() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let (push, _told) = push(format!("http://{}/", listener.local_addr().expect("an address")));
        push.put(vec![1]);
        let _held = listener.accept().expect("it connects");
        push.put(vec![2]);
        push.close();
        let outcome = push.finish(Instant::now());
        assert_eq!((outcome.delivered, outcome.dropped), (0, 2));
    }

    #[test]
    fn large_requests_wait_in_bounded_memory() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let (push, _told) = push(format!("http://{}/", listener.local_addr().expect("an address")));
        push.put(vec![1]);
        let _held = listener.accept().expect("it connects");
        for _ in 0..5 {
            push.put(vec![0; MOST_BYTES / 3]);
        }
        let state = push.shared.state.lock();
        assert!(state.bytes <= MOST_BYTES && state.outcome.dropped >= 2);
    }
}
