//! The sessions of a user, or of several users who share them.

use std::cell::RefCell;
use std::future::poll_fn;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll, Waker};

use swell_net::now_ns;

use super::Session;
use crate::Target;

/// What is known of a target.
enum State {
    /// A connection is being made; who waits for it.
    Connecting(Vec<Waker>),
    Open(Session),
    /// The server chose HTTP/1.1.
    Http1,
}

type States = RefCell<Vec<(Rc<Target>, State)>>;

/// Sessions by their targets. Clones share them.
#[derive(Clone, Default)]
pub struct KeptSessions(Rc<States>);

/// How a request gets its connection.
pub enum Claim {
    /// Over this session.
    Session(Session),
    /// By making one: others wait for it.
    Connect(Connecting),
    /// Over HTTP/1.1, which the server chose before.
    Http1,
}

/// What carries a request at once.
pub enum ReadySession {
    /// An open connection for HTTP/2.
    Session(Session),
    /// Connections for HTTP/1.1, which the server chose before.
    Http1,
}

impl Session {
    /// When a session that lives that long is too old.
    fn ends_ns(&self, life_ms: i64) -> i64 {
        self.created_ns().saturating_add(life_ms.saturating_mul(1_000_000))
    }
}

impl KeptSessions {
    /// The sessions of a new user. `share`: how many users have one set together; `groups`: the sets
    /// that were given out.
    pub fn of_group(groups: &RefCell<Vec<Self>>, share: usize) -> Self {
        if share == 1 {
            return Self::default();
        }
        let mut groups = groups.borrow_mut();
        if let Some(open) = groups.iter().find(|group| group.others() < share) {
            return open.clone();
        }
        groups.push(Self::default());
        groups[groups.len() - 1].clone()
    }

    /// A session that can be used, or the right to make one. `life_ms`: a session that is older is
    /// not used; 0: none is too old.
    pub async fn claim(&self, target: &Rc<Target>, life_ms: i64) -> Claim {
        poll_fn(|cx| {
            let mut kept = self.0.borrow_mut();
            let is = |known: &Rc<Target>| Rc::ptr_eq(known, target) || known == target;
            let Some(at) = kept.iter().position(|(known, _)| is(known)) else {
                kept.push((target.clone(), State::Connecting(Vec::new())));
                drop(kept);
                let made = Connecting::new(self, target);
                return Poll::Ready(Claim::Connect(made));
            };
            match &mut kept[at].1 {
                State::Connecting(waiting) => {
                    waiting.push(cx.waker().clone());
                    Poll::Pending
                }
                State::Http1 => Poll::Ready(Claim::Http1),
                State::Open(session) => {
                    let is_old = life_ms > 0 && now_ns() >= session.ends_ns(life_ms);
                    if !is_old && session.is_usable(cx) {
                        return Poll::Ready(Claim::Session(session.clone()));
                    }
                    // Its exchanges finish; the next ones get a new connection.
                    kept[at].1 = State::Connecting(Vec::new());
                    drop(kept);
                    let made = Connecting::new(self, target);
                    Poll::Ready(Claim::Connect(made))
                }
            }
        })
        .await
    }

    /// What carries a request to the target without waiting for anything; none where more has to be
    /// done. `life_ms`: as in [`Self::claim`].
    pub fn ready(&self, target: &Rc<Target>, life_ms: i64) -> Option<ReadySession> {
        let kept = self.0.borrow();
        let is = |known: &Rc<Target>| Rc::ptr_eq(known, target) || known == target;
        match &kept.iter().find(|(known, _)| is(known))?.1 {
            State::Open(session) => {
                let is_young = life_ms <= 0 || now_ns() < session.ends_ns(life_ms);
                // Nothing is waited for, so nothing need wake.
                let is_usable = is_young && session.is_usable(&Context::from_waker(Waker::noop()));
                is_usable.then(|| ReadySession::Session(session.clone()))
            }
            State::Http1 => Some(ReadySession::Http1),
            State::Connecting(_) => None,
        }
    }

    /// How many others have these sessions.
    fn others(&self) -> usize {
        Rc::strong_count(&self.0) - 1
    }
}

/// The right to make a session. Dropped without one, the next who waits gets it.
pub struct Connecting {
    /// Not counted by [`KeptSessions::others`].
    kept: Weak<States>,
    target: Rc<Target>,
    is_done: bool,
}

impl Connecting {
    fn new(kept: &KeptSessions, target: &Rc<Target>) -> Self {
        Self { kept: Rc::downgrade(&kept.0), target: target.clone(), is_done: false }
    }

    fn settle(&mut self, new: Option<State>) {
        self.is_done = true;
        let Some(kept) = self.kept.upgrade() else { return };
        let mut kept = kept.borrow_mut();
        let Some(at) = kept.iter().position(|(known, _)| *known == self.target) else { return };
        let before = match new {
            Some(state) => std::mem::replace(&mut kept[at].1, state),
            None => kept.swap_remove(at).1,
        };
        drop(kept);
        if let State::Connecting(waiting) = before {
            waiting.into_iter().for_each(Waker::wake);
        }
    }

    /// The connection is made.
    pub fn open(mut self, session: Session) {
        self.settle(Some(State::Open(session)));
    }

    /// The server chose HTTP/1.1.
    pub fn http1(mut self) {
        self.settle(Some(State::Http1));
    }
}

impl Drop for Connecting {
    fn drop(&mut self) {
        if !self.is_done {
            self.settle(None);
        }
    }
}
