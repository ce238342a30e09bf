//! What a user of a load run did since its iteration began.
//!
//! A load run keeps its first failures with the steps before them ([`Event`](crate::Event)s as those
//! of `swell debug`), and cannot know beforehand which iteration will fail. So users copy heads and
//! figures of their samples into one buffer each, which the next iteration reuses, and events are
//! made of it only where a sample fails.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::content::Content;
use crate::exchange::{Exchange, Request, Response};
use crate::step::{ElementRef, Outcome, Sample, Step, Timing};

/// Users that are recorded at a time, at most.
const USERS: usize = 1024;
/// Bytes of a request that are copied where bodies are not kept: more than nearly all heads.
const HEAD_BYTES: usize = 8 << 10;
/// Steps of one iteration that are kept, the last ones.
const STEPS: usize = 500;
/// The exchange belongs to no step yet.
const PENDING: u32 = u32::MAX;

/// How much is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecentLimits {
    /// Bytes of one body; none: bodies are not recorded.
    pub body_bytes: Option<usize>,
    /// Bytes of one user.
    pub user_bytes: usize,
}

/// Bounds how many users are recorded.
#[derive(Debug)]
pub struct RecentPool {
    limits: RecentLimits,
    is_closed: AtomicBool,
    /// Users that are recorded, by the place of their thread group.
    users: Mutex<HashMap<usize, usize>>,
}

/// The record of one user, which samples at the same time share.
pub type SharedRecent = Rc<RefCell<RecentSteps>>;

impl RecentPool {
    /// No user is recorded yet.
    pub fn new(limits: RecentLimits) -> Self {
        Self { limits, is_closed: AtomicBool::new(false), users: Mutex::default() }
    }

    /// How much is recorded.
    pub fn limits(&self) -> RecentLimits {
        self.limits
    }

    /// A user of that thread group begins; none if enough are recorded. A group gets at most as much
    /// room as is left after it, so that the first one does not take all.
    pub fn take(self: &Arc<Self>, group: usize) -> Option<SharedRecent> {
        if self.is_closed() {
            return None;
        }
        let mut users = self.users.lock();
        let taken: usize = users.values().sum();
        let own = users.entry(group).or_default();
        if *own >= USERS.saturating_sub(taken) {
            return None;
        }
        *own += 1;
        drop(users);

        Some(Rc::new(RefCell::new(RecentSteps::new(self.clone(), group))))
    }

    /// No failure will be kept any more.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }
}

/// A part of the buffer.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    from: u32,
    to: u32,
}

#[derive(Debug)]
struct RecentExchange {
    start_ns: i64,
    /// The step that it belongs to.
    step: u32,
    is_secure: bool,
    sent_size: u32,
    sent: Span,
    head: Span,
}

/// When things of a sample happened, nanoseconds on the clock of the run; 0: they did not.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecentTimes {
    /// Its start was due.
    pub due_ns: i64,
    /// Its start.
    pub start_ns: i64,
    /// The connection was open.
    pub connected_ns: i64,
    /// How long the TLS handshake took.
    pub handshake_ns: i64,
    /// The first byte of the response.
    pub first_byte_ns: i64,
    /// Its end, without pauses of the plan.
    pub elapsed_ns: i64,
}

/// A sample that has ended.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecentSample<'s> {
    /// Label.
    pub label: &'s str,
    /// Response code.
    pub code: &'s str,
    /// Response message.
    pub message: &'s str,
    /// Good or not.
    pub success: bool,
    /// When things happened.
    pub times: RecentTimes,
    /// Bytes received.
    pub received_bytes: u64,
    /// Bytes sent.
    pub sent_bytes: u64,
    /// The body, where bodies are kept.
    pub body: &'s [u8],
    /// Bytes of the body.
    pub body_size: u64,
}

#[derive(Debug)]
struct RecentStep {
    label: Span,
    code: Span,
    message: Span,
    body: Span,
    body_size: u64,
    success: bool,
    times: RecentTimes,
    received_bytes: u64,
    sent_bytes: u64,
}

/// What a user did since its iteration began.
#[derive(Debug)]
pub struct RecentSteps {
    pool: Arc<RecentPool>,
    group: usize,
    iteration: u64,
    bytes: Vec<u8>,
    exchanges: Vec<RecentExchange>,
    steps: Vec<RecentStep>,
    /// Steps of the iteration that were forgotten.
    left_out: usize,
    /// A buffer for the next head of a response.
    spare: Vec<u8>,
}

impl RecentSteps {
    fn new(pool: Arc<RecentPool>, group: usize) -> Self {
        Self {
            pool,
            group,
            iteration: 0,
            bytes: Vec::new(),
            exchanges: Vec::new(),
            steps: Vec::new(),
            left_out: 0,
            spare: Vec::new(),
        }
    }

    /// The iteration that runs: what was before it is forgotten. False: nothing needs to be recorded.
    #[inline]
    pub fn is_open(&mut self, iteration: u64) -> bool {
        if self.iteration != iteration {
            self.begin(iteration);
        }
        self.bytes.len() <= self.pool.limits.user_bytes || self.make_room()
    }

    fn begin(&mut self, iteration: u64) {
        self.iteration = iteration;
        self.bytes.clear();
        self.exchanges.clear();
        self.steps.clear();
        self.left_out = 0;
    }

    /// Forgets the first half of the steps; false if there is nothing to forget, so that an exchange
    /// that is too large is the last thing recorded.
    #[cold]
    fn make_room(&mut self) -> bool {
        let forgotten = self.steps.len().div_ceil(2);
        if forgotten == 0 {
            return false;
        }
        let kept_from = self.steps.get(forgotten).map_or(self.bytes.len() as u32, |step| step.label.from);
        // The exchanges of a step are before its texts.
        let of_kept = self.exchanges.iter().filter(|exchange| exchange.step as usize >= forgotten);
        let from = of_kept.map(|exchange| exchange.sent.from).min().unwrap_or(kept_from).min(kept_from);
        self.steps.drain(..forgotten);
        self.exchanges.retain(|exchange| exchange.step as usize >= forgotten);
        self.bytes.drain(..from as usize);
        let moved = |span: &mut Span| {
            span.from = span.from.saturating_sub(from);
            span.to = span.to.saturating_sub(from);
        };
        for step in &mut self.steps {
            [&mut step.label, &mut step.code, &mut step.message, &mut step.body].into_iter().for_each(moved);
        }
        for exchange in &mut self.exchanges {
            if exchange.step != PENDING {
                exchange.step -= forgotten as u32;
            }
            [&mut exchange.sent, &mut exchange.head].into_iter().for_each(moved);
        }
        self.left_out += forgotten;
        true
    }

    #[inline]
    fn put(&mut self, bytes: &[u8]) -> Span {
        let from = self.bytes.len() as u32;
        self.bytes.extend_from_slice(bytes);
        Span { from, to: self.bytes.len() as u32 }
    }

    /// A request is handed to the socket. `start_ns`: the start of its sample.
    #[inline]
    pub fn request(&mut self, start_ns: i64, bytes: &[u8], is_secure: bool) {
        let most = HEAD_BYTES + self.pool.limits.body_bytes.unwrap_or(0);
        let sent = self.put(&bytes[..bytes.len().min(most)]);
        let sent_size = bytes.len() as u32;
        let head = Span::default();
        self.exchanges.push(RecentExchange { start_ns, step: PENDING, is_secure, sent_size, sent, head });
    }

    /// A buffer for the head of a response.
    #[inline]
    pub fn take_buffer(&mut self) -> Vec<u8> {
        let mut buffer = std::mem::take(&mut self.spare);
        buffer.clear();
        buffer
    }

    /// The response of the last request of the sample that started then; the buffer is used again.
    #[inline]
    pub fn response(&mut self, start_ns: i64, head: Vec<u8>) {
        if !head.is_empty() {
            let span = self.put(&head[..head.len().min(HEAD_BYTES)]);
            let mut last_first = self.exchanges.iter_mut().rev();
            if let Some(exchange) = last_first.find(|exchange| exchange.start_ns == start_ns) {
                exchange.head = span;
            }
        }
        self.spare = head;
    }

    /// A sample has ended. `parts`: starts of its sub-samples; `shared`: other samples of this user run
    /// at the same time, so that requests are distinguished by the start of their sample.
    #[inline]
    pub fn step(&mut self, sample: &RecentSample<'_>, shared: bool, parts: impl Fn(i64) -> bool) {
        let number = self.steps.len() as u32;
        for exchange in self.exchanges.iter_mut().rev() {
            if exchange.step != PENDING && !shared {
                break;
            }
            let start_ns = exchange.start_ns;
            let is_own = !shared || start_ns == sample.times.start_ns || parts(start_ns);
            if exchange.step == PENDING && is_own {
                exchange.step = number;
            }
        }
        let label = self.put(sample.label.as_bytes());
        let code = self.put(sample.code.as_bytes());
        let message = self.put(sample.message.as_bytes());
        let most = self.pool.limits.body_bytes.unwrap_or(0);
        let body = self.put(&sample.body[..sample.body.len().min(most)]);
        self.steps.push(RecentStep {
            label,
            code,
            message,
            body,
            body_size: sample.body_size,
            success: sample.success,
            times: sample.times,
            received_bytes: sample.received_bytes,
            sent_bytes: sample.sent_bytes,
        });
        if self.steps.len() > STEPS {
            self.make_room();
        }
    }

    /// The steps of the iteration, the last one last, without user and numbers; and how many were
    /// forgotten before them.
    pub fn steps(&self) -> (Vec<Step>, usize) {
        let steps = self.steps.iter().enumerate().map(|(number, step)| self.event_of(number, step));
        (steps.collect(), self.left_out)
    }

    fn text(&self, span: Span) -> String {
        String::from_utf8_lossy(self.part(span)).into_owned()
    }

    fn part(&self, span: Span) -> &[u8] {
        &self.bytes[span.from as usize..span.to as usize]
    }

    fn event_of(&self, number: usize, step: &RecentStep) -> Step {
        let own = self.exchanges.iter().filter(|exchange| exchange.step as usize == number);
        let exchanges: Vec<_> = own.map(|exchange| self.exchange_of(exchange)).collect();
        let label = self.text(step.label);
        let sample = Sample {
            label: label.clone(),
            code: self.text(step.code),
            message: self.text(step.message),
            success: step.success,
            url: exchanges.first().map(|exchange| exchange.url.clone()),
            timing: step.times.timing(),
            received_bytes: step.received_bytes,
            sent_bytes: step.sent_bytes,
            body: Content { bytes: self.part(step.body).to_vec(), size: step.body_size },
            exchanges,
            ..Sample::default()
        };
        let outcome = if step.success { Outcome::Passed } else { Outcome::Failed };
        let element = ElementRef { name: label.clone(), ..ElementRef::default() };
        Step { iteration: self.iteration, element, label, outcome, sample: Some(sample), ..Step::default() }
    }

    fn exchange_of(&self, exchange: &RecentExchange) -> Exchange {
        let sent = self.part(exchange.sent);
        let end = sent.windows(4).position(|four| four == b"\r\n\r\n").map_or(sent.len(), |at| at + 4);
        let (head, body) = sent.split_at(end);
        let body_size = u64::from(exchange.sent_size) - head.len() as u64;
        let most = self.pool.limits.body_bytes.unwrap_or(0);
        let first_line = String::from_utf8_lossy(head).lines().next().unwrap_or_default().to_owned();
        let mut words = first_line.split(' ');
        let method = words.next().unwrap_or_default().to_owned();
        let url = url_of(words.next().unwrap_or_default(), head, exchange.is_secure);
        let response = self.part(exchange.head);
        Exchange {
            method,
            url,
            sample_start_ns: exchange.start_ns,
            request: Some(Request {
                size: u64::from(exchange.sent_size),
                head: Content::new(head, head.len()),
                body: Content { bytes: body[..body.len().min(most)].to_vec(), size: body_size },
            }),
            response: (!response.is_empty()).then(|| Response {
                size: response.len() as u64,
                status: status_of(response),
                head: Content::new(response, response.len()),
                encoding: String::new(),
            }),
            ..Exchange::default()
        }
    }
}

impl Drop for RecentSteps {
    fn drop(&mut self) {
        if let Some(own) = self.pool.users.lock().get_mut(&self.group) {
            *own -= 1;
        }
    }
}

impl RecentTimes {
    /// The same as milliseconds from the start.
    pub fn timing(&self) -> Timing {
        let ms = |ns: i64| (ns as f64 / 1_000.0).round() / 1_000.0;
        let since = |at_ns: i64| (at_ns != 0).then(|| ms(at_ns - self.start_ns));
        Timing {
            start_ms: ms(self.start_ns),
            queue_ms: if self.due_ns == 0 { 0.0 } else { ms((self.start_ns - self.due_ns).max(0)) },
            connect_ms: since(self.connected_ns),
            tls_ms: (self.handshake_ns != 0).then(|| ms(self.handshake_ns)),
            first_byte_ms: since(self.first_byte_ns),
            elapsed_ms: ms(self.elapsed_ns),
        }
    }
}

/// The URL of a request line: through a proxy it has a whole one, else a path.
fn url_of(target: &str, head: &[u8], is_secure: bool) -> String {
    if !target.starts_with('/') {
        return target.to_owned();
    }
    let head = String::from_utf8_lossy(head);
    let named = head.lines().filter_map(|line| line.split_once(':'));
    let mut hosts = named.filter(|(name, _)| name.eq_ignore_ascii_case("host"));
    let host = hosts.next().map(|(_, value)| value.trim().to_owned()).unwrap_or_default();
    format!("{}://{host}{target}", if is_secure { "https" } else { "http" })
}

fn status_of(head: &[u8]) -> u16 {
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    line.split(' ').nth(1).and_then(|code| code.trim().parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(user_bytes: usize) -> Arc<RecentPool> {
        Arc::new(RecentPool::new(RecentLimits { body_bytes: None, user_bytes }))
    }

    fn request(path: &str) -> Vec<u8> {
        format!("POST {path} HTTP/1.1\r\nHost: shop.test:8080\r\n\r\nbody").into_bytes()
    }

    fn sample(label: &str, start_ns: i64, success: bool) -> RecentSample<'_> {
        let times = RecentTimes { start_ns, elapsed_ns: 5_000_000, ..RecentTimes::default() };
        RecentSample { label, code: "200", message: "OK", success, times, ..RecentSample::default() }
    }

    fn take_step(recent: &mut RecentSteps, label: &str, start_ns: i64) {
        assert!(recent.is_open(recent.iteration), "{label}");
        recent.request(start_ns, &request(label), false);
        recent.response(start_ns, b"HTTP/1.1 201 Created\r\nA: b\r\n\r\n".to_vec());
        recent.step(&sample(label, start_ns, true), false, |_| false);
    }

    #[test]
    fn steps_have_the_heads_of_their_requests_and_no_body() {
        let shared = pool(1 << 16).take(0).expect("room");
        let mut recent = shared.borrow_mut();
        assert!(recent.is_open(1));
        take_step(&mut recent, "/a", 10);
        take_step(&mut recent, "/b", 20);
        let (steps, left_out) = recent.steps();
        let labels: Vec<_> = steps.iter().map(|step| step.label.as_str()).collect();
        assert_eq!((labels, left_out), (vec!["/a", "/b"], 0));
        let sample = steps[1].sample.as_ref().expect("a sample");
        let exchange = &sample.exchanges[0];
        assert_eq!(sample.url.as_deref(), Some("http://shop.test:8080/b"));
        let sent = exchange.request.as_ref().expect("a request");
        assert_eq!(sent.head.text(), Some("POST /b HTTP/1.1\r\nHost: shop.test:8080\r\n\r\n"));
        assert_eq!((sent.body.size, sent.body.bytes.len(), sent.size), (4, 0, 46));
        let response = exchange.response.as_ref().expect("a response");
        assert_eq!((response.status, response.head.size), (201, 30));
        assert!((sample.timing.elapsed_ms - 5.0).abs() < 1e-9);
    }

    #[test]
    fn a_new_iteration_forgets_the_one_before() {
        let shared = pool(1 << 16).take(0).expect("room");
        let mut recent = shared.borrow_mut();
        assert!(recent.is_open(1));
        take_step(&mut recent, "/a", 10);
        assert!(recent.is_open(2));
        take_step(&mut recent, "/b", 20);
        let (steps, _) = recent.steps();
        assert_eq!((steps.len(), steps[0].iteration, steps[0].label.as_str()), (1, 2, "/b"));
    }

    #[test]
    fn a_long_iteration_loses_its_first_steps() {
        let shared = pool(1000).take(0).expect("room");
        let mut recent = shared.borrow_mut();
        assert!(recent.is_open(1));
        let labels: Vec<String> = (0..100).map(|number| format!("/{number}")).collect();
        for (start_ns, label) in labels.iter().enumerate() {
            take_step(&mut recent, label, start_ns as i64);
        }
        let (steps, left_out) = recent.steps();
        assert_eq!(steps.len() + left_out, 100);
        assert!(recent.bytes.len() < 1200 && steps.len() > 2, "{} bytes", recent.bytes.len());
        for (step, label) in steps.iter().zip(&labels[left_out..]) {
            let sample = step.sample.as_ref().expect("a sample");
            assert_eq!((&step.label, sample.exchanges.len()), (label, 1));
            assert_eq!(sample.url, Some(format!("http://shop.test:8080{label}")));
        }
    }

    #[test]
    fn samples_at_the_same_time_have_their_own_requests() {
        let shared = pool(1 << 16).take(0).expect("room");
        let mut recent = shared.borrow_mut();
        assert!(recent.is_open(1));
        recent.request(10, &request("/a"), true);
        recent.request(11, &request("/b"), true);
        recent.step(&sample("b", 11, true), true, |_| false);
        recent.step(&sample("a", 10, false), true, |_| false);
        let (steps, _) = recent.steps();
        let urls: Vec<_> =
            steps.iter().map(|step| step.sample.as_ref().and_then(|sample| sample.url.clone())).collect();
        assert_eq!(
            urls,
            [Some("https://shop.test:8080/b".to_owned()), Some("https://shop.test:8080/a".to_owned())]
        );
    }

    #[test]
    fn no_group_takes_all_the_room_and_users_give_it_back() {
        let pool = pool(1000);
        let first: Vec<_> = std::iter::from_fn(|| pool.take(0)).collect();
        assert_eq!(first.len(), USERS / 2);
        let second: Vec<_> = std::iter::from_fn(|| pool.take(1)).collect();
        assert!(second.len() >= USERS / 8, "{}", second.len());
        drop(first);
        assert!(pool.take(0).is_some());
        pool.close();
        assert!(pool.take(0).is_none());
    }
}
