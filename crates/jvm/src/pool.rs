//! The threads that call the JVM.
//!
//! A script may sleep, wait for a database or loop for ever; it holds its own user and one of these threads, never a thread that serves
//! load. There are as many as calls at a time, up to a bound; beyond it calls wait, and how long they did is told.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::{JvmFault, Transport, request};

/// Stack of such a thread. With less, scripts that run on smaller stacks of Java's own threads end with a `StackOverflowError`; one in an
/// initialiser of a class makes that class useless for good.
const STACK: usize = 2 << 20;

/// An idle thread ends after this time.
const IDLE: Duration = Duration::from_secs(10);

/// A script that was interrupted may take this long to end.
const GRACE: Duration = Duration::from_secs(2);

/// What became of a call.
#[derive(Debug)]
pub struct Done {
    /// The request, to be used again.
    pub request: Vec<u8>,
    /// Its answer.
    pub answer: Result<Vec<u8>, JvmFault>,
    /// How long it waited for a thread.
    pub waited: Duration,
    /// How long it ran.
    pub ran: Duration,
    /// It was interrupted, because its time was over or because [`Pool::interrupt`] was called.
    pub interrupted: bool,
}

type Callback = Box<dyn FnOnce(Done) + Send>;

struct Job {
    user: u64,
    request: Vec<u8>,
    limit: Option<Duration>,
    submitted: Instant,
    done: Callback,
}

struct Running {
    user: u64,
    started: Instant,
    waited: Duration,
    /// When it is interrupted; once it was, when its thread is given up.
    deadline: Option<Instant>,
    interrupted: bool,
    done: Callback,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Job>,
    workers: usize,
    idle: usize,
    running: HashMap<u64, Running>,
    tickets: u64,
    is_watched: bool,
    closed: Option<JvmFault>,
}

struct Shared {
    transport: Arc<dyn Transport>,
    most: usize,
    state: Mutex<State>,
    work: Condvar,
    deadlines: Condvar,
}

/// Threads for calls of the JVM. Copies are the same pool; its threads end when the last is gone and nothing runs.
#[derive(Clone)]
pub struct Pool {
    shared: Arc<Shared>,
    _open: Arc<CloseOnDrop>,
}

/// Ends the idle threads when the last pool is gone.
struct CloseOnDrop(Arc<Shared>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.close(&JvmFault::Closed);
    }
}

impl Pool {
    /// A pool of up to `most` threads, at least one.
    pub fn new(transport: Arc<dyn Transport>, most: usize) -> Self {
        let shared = Arc::new(Shared {
            transport,
            most: most.max(1),
            state: Mutex::default(),
            work: Condvar::new(),
            deadlines: Condvar::new(),
        });
        Self { _open: Arc::new(CloseOnDrop(shared.clone())), shared }
    }

    /// Sends a request on one of the threads. `done` gets the answer there, and must not block. After `limit` what runs for the user is
    /// interrupted; if that does not end it, its thread is given up and the call ends with [`JvmFault::Stuck`]. The user must not be
    /// used again then.
    pub fn submit(
        &self,
        user: u64,
        request: Vec<u8>,
        limit: Option<Duration>,
        done: impl FnOnce(Done) + Send + 'static,
    ) {
        let job = Job { user, request, limit, submitted: Instant::now(), done: Box::new(done) };
        let mut state = self.shared.lock();
        if let Some(fault) = state.closed.clone() {
            drop(state);
            job.fail(fault);
            return;
        }
        state.queue.push_back(job);
        if state.idle >= state.queue.len() {
            self.shared.work.notify_one();
            return;
        }
        if state.workers < self.shared.most {
            state.workers += 1;
            drop(state);
            self.shared.spawn_worker();
        }
    }

    /// Interrupts what runs for a user, if anything does.
    pub fn interrupt(&self, user: u64) {
        let mut state = self.shared.lock();
        let now = Instant::now();
        for running in
            state.running.values_mut().filter(|running| running.user == user && !running.interrupted)
        {
            running.deadline = Some(now);
        }
        self.shared.watch(state);
    }

    /// Interrupts all that runs, and answers what waits with that fault.
    pub fn close(&self, fault: &JvmFault) {
        self.shared.close(fault);
    }

    /// Answers all that waits and all that runs with that fault, without waiting for it: the JVM is gone.
    pub fn abandon(&self, fault: &JvmFault) {
        self.shared.close(fault);
        let running: Vec<Running> = self.shared.lock().running.drain().map(|(_, running)| running).collect();
        for running in running {
            running.give_up(fault.clone());
        }
    }

    /// How many calls wait for a thread now.
    pub fn waiting(&self) -> usize {
        self.shared.lock().queue.len()
    }
}

impl Job {
    fn fail(self, fault: JvmFault) {
        let waited = self.submitted.elapsed();
        let done = Done {
            request: self.request,
            answer: Err(fault),
            waited,
            ran: Duration::ZERO,
            interrupted: false,
        };
        (self.done)(done);
    }
}

impl Running {
    fn give_up(self, fault: JvmFault) {
        let ran = self.started.elapsed();
        let interrupted = self.interrupted;
        (self.done)(Done { request: Vec::new(), answer: Err(fault), waited: self.waited, ran, interrupted });
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(self: &Arc<Self>, fault: &JvmFault) {
        let mut state = self.lock();
        state.closed.get_or_insert_with(|| fault.clone());
        let now = Instant::now();
        for running in state.running.values_mut().filter(|running| !running.interrupted) {
            running.deadline = Some(now);
        }
        let queue = std::mem::take(&mut state.queue);
        self.work.notify_all();
        self.watch(state);
        for job in queue {
            job.fail(fault.clone());
        }
    }

    /// Makes a worker that is counted already.
    fn spawn_worker(self: &Arc<Self>) {
        let shared = self.clone();
        let thread = std::thread::Builder::new().name("jvm-call".to_owned()).stack_size(STACK);
        if let Err(error) = thread.spawn(move || shared.work()) {
            let mut state = self.lock();
            state.workers -= 1;
            if state.workers > 0 {
                return;
            }
            let queue = std::mem::take(&mut state.queue);
            drop(state);
            for job in queue {
                job.fail(JvmFault::NoThread(error.to_string()));
            }
        }
    }

    fn work(self: Arc<Self>) {
        let mut answer = Vec::new();
        while let Some((ticket, request)) = self.next() {
            let result = self.transport.call(&request, &mut answer);
            let Some(running) = self.lock().running.remove(&ticket) else {
                // The call was given up, and another thread took this one's place.
                return;
            };
            let done = Done {
                request,
                answer: result.map(|()| std::mem::take(&mut answer)),
                waited: running.waited,
                ran: running.started.elapsed(),
                interrupted: running.interrupted,
            };
            (running.done)(done);
        }
    }

    /// The next call; none when the thread should end.
    fn next(self: &Arc<Self>) -> Option<(u64, Vec<u8>)> {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.queue.pop_front() {
                return Some(self.begin(state, job));
            }
            if state.closed.is_some() {
                state.workers -= 1;
                return None;
            }
            state.idle += 1;
            let waited = self.work.wait_timeout(state, IDLE).unwrap_or_else(PoisonError::into_inner);
            state = waited.0;
            state.idle -= 1;
            if waited.1.timed_out() && state.queue.is_empty() {
                state.workers -= 1;
                return None;
            }
        }
    }

    fn begin(self: &Arc<Self>, mut state: MutexGuard<'_, State>, job: Job) -> (u64, Vec<u8>) {
        let ticket = state.tickets;
        state.tickets += 1;
        let started = Instant::now();
        let deadline = job.limit.map(|limit| started + limit);
        let running = Running {
            user: job.user,
            started,
            waited: started.saturating_duration_since(job.submitted),
            deadline,
            interrupted: false,
            done: job.done,
        };
        state.running.insert(ticket, running);
        if deadline.is_some() {
            self.watch(state);
        }
        (ticket, job.request)
    }

    /// Makes sure that a thread looks at the deadlines.
    fn watch(self: &Arc<Self>, mut state: MutexGuard<'_, State>) {
        let is_needed = state.running.values().any(|running| running.deadline.is_some());
        if state.is_watched || !is_needed {
            drop(state);
            self.deadlines.notify_one();
            return;
        }
        state.is_watched = true;
        drop(state);
        let shared = self.clone();
        let thread = std::thread::Builder::new().name("jvm-watch".to_owned()).stack_size(STACK);
        if thread.spawn(move || shared.keep_deadlines()).is_err() {
            // The next call with a limit tries again.
            self.lock().is_watched = false;
        }
    }

    fn keep_deadlines(self: Arc<Self>) {
        let mut state = self.lock();
        loop {
            let first = state.running.values().filter_map(|running| running.deadline).min();
            let Some(first) = first else {
                // Nothing runs with a limit. The thread stays a while, since such calls seldom come alone.
                let waited = self.deadlines.wait_timeout(state, IDLE).unwrap_or_else(PoisonError::into_inner);
                state = waited.0;
                if waited.1.timed_out() {
                    state.is_watched = false;
                    return;
                }
                continue;
            };
            let left = first.saturating_duration_since(Instant::now());
            if !left.is_zero() {
                state = self.deadlines.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
                continue;
            }
            state = self.pass_deadlines(state);
        }
    }

    /// Interrupts calls whose time is over, and gives up those that an interrupt did not end.
    fn pass_deadlines<'s>(self: &'s Arc<Self>, mut state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        let now = Instant::now();
        let is_over = |running: &Running| running.deadline.is_some_and(|deadline| deadline <= now);
        let mut users = Vec::new();
        let mut stuck = Vec::new();
        for (ticket, running) in state.running.iter_mut().filter(|(_, running)| is_over(running)) {
            if running.interrupted {
                stuck.push(*ticket);
            } else {
                running.interrupted = true;
                running.deadline = Some(now + GRACE);
                users.push(running.user);
            }
        }
        let stuck: Vec<Running> = stuck.iter().filter_map(|ticket| state.running.remove(ticket)).collect();
        // Their threads are lost; others may take their places.
        state.workers -= stuck.len();
        let missing = state.queue.len().min(stuck.len());
        state.workers += missing;
        drop(state);
        for _ in 0..missing {
            self.spawn_worker();
        }
        for running in stuck {
            let limit = running.started.elapsed();
            running.give_up(JvmFault::Stuck(limit));
        }
        let (mut message, mut answer) = (Vec::new(), Vec::new());
        for user in users {
            request::interrupt(&mut message, user);
            // If the JVM does not answer, the call is given up after the grace.
            drop(self.transport.call(&message, &mut answer));
        }
        self.lock()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Calls of user 1 wait until user 2 calls; an interrupt ends them if that is wanted.
    struct Waiting {
        released: Mutex<bool>,
        release: Condvar,
        heeds_interrupts: bool,
    }

    const INTERRUPT: u8 = 8;

    impl Transport for Waiting {
        fn call(&self, request: &[u8], answer: &mut Vec<u8>) -> Result<(), JvmFault> {
            let mut released = self.released.lock().expect("not poisoned");
            if request == [1] {
                while !*released {
                    released = self.release.wait(released).expect("not poisoned");
                }
            } else if request == [2] || (request[0] == INTERRUPT && self.heeds_interrupts) {
                *released = true;
                self.release.notify_all();
            }
            answer.clear();
            answer.extend_from_slice(request);
            Ok(())
        }
    }

    fn waiting(heeds_interrupts: bool) -> Arc<Waiting> {
        Arc::new(Waiting { released: Mutex::new(false), release: Condvar::new(), heeds_interrupts })
    }

    fn submit(pool: &Pool, request: u8, limit: Option<Duration>) -> mpsc::Receiver<Done> {
        let (sender, receiver) = mpsc::channel();
        pool.submit(u64::from(request), vec![request], limit, move |done| {
            sender.send(done).expect("the test waits");
        });
        receiver
    }

    #[test]
    fn a_call_that_blocks_holds_up_no_other() {
        let pool = Pool::new(waiting(false), 8);
        let first = submit(&pool, 1, None);
        let second = submit(&pool, 2, None);
        assert_eq!(second.recv().expect("an answer").answer, Ok(vec![2]));
        assert_eq!(first.recv().expect("an answer").answer, Ok(vec![1]));
    }

    #[test]
    fn a_call_over_its_limit_is_interrupted() {
        let pool = Pool::new(waiting(true), 1);
        let done = submit(&pool, 1, Some(Duration::ZERO)).recv().expect("an answer");
        assert!(done.interrupted);
        assert_eq!(done.answer, Ok(vec![1]));
    }

    #[test]
    fn a_call_that_no_interrupt_ends_gives_its_place_to_another() {
        let transport = waiting(false);
        let pool = Pool::new(transport.clone(), 1);
        let stuck = submit(&pool, 1, Some(Duration::ZERO));
        assert!(matches!(stuck.recv().expect("an answer").answer, Err(JvmFault::Stuck(_))));
        assert_eq!(submit(&pool, 2, None).recv().expect("an answer").answer, Ok(vec![2]));
    }

    #[test]
    fn what_runs_and_what_waits_is_answered_when_the_jvm_is_gone() {
        let pool = Pool::new(waiting(false), 1);
        let running = submit(&pool, 1, None);
        let queued = submit(&pool, 2, None);
        pool.abandon(&JvmFault::Exited(3));
        let faults = [running, queued].map(|call| call.recv().expect("an answer").answer);
        assert_eq!(faults, [Err(JvmFault::Exited(3)), Err(JvmFault::Exited(3))]);
        assert_eq!(submit(&pool, 3, None).recv().expect("an answer").answer, Err(JvmFault::Exited(3)));
    }
}
