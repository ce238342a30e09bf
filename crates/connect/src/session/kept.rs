//! The sessions of a user, or of several users who share them.

use std::cell::RefCell;
use std::rc::Rc;
use std::task::{Context, Waker};

use swell_net::now_ns;

use super::Session;
use crate::Target;
use crate::single_flight::{Flight, Making, SingleFlight};

/// What carries requests to a target.
#[derive(Clone)]
enum Carrier {
    Session(Session),
    /// Connections for HTTP/1.1, which the server chose.
    Http1,
}

/// Sessions by their targets. Clones share them.
#[derive(Clone, Default)]
pub struct KeptSessions(SingleFlight<Rc<Target>, Carrier>);

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
    /// Whether it can be used. `life_ms`: as in [`KeptSessions::claim`].
    fn is_good(&self, life_ms: i64, cx: &Context<'_>) -> bool {
        let is_young = || now_ns() < self.created_ns().saturating_add(life_ms.saturating_mul(1_000_000));
        (life_ms <= 0 || is_young()) && self.is_usable(cx)
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
        if let Some(open) = groups.iter().find(|group| group.0.others() < share) {
            return open.clone();
        }
        groups.push(Self::default());
        groups[groups.len() - 1].clone()
    }

    /// A session that can be used, or the right to make one. `life_ms`: a session that is older is
    /// not used; 0: none is too old.
    pub async fn claim(&self, target: &Rc<Target>, life_ms: i64) -> Claim {
        // The exchanges of a session that is not used any more finish.
        let is_good = |carrier: &Carrier, cx: &mut Context<'_>| match carrier {
            Carrier::Session(session) => session.is_good(life_ms, cx),
            Carrier::Http1 => true,
        };
        match self.0.claim(target, is_good).await {
            Flight::Made(Carrier::Session(session)) => Claim::Session(session),
            Flight::Made(Carrier::Http1) => Claim::Http1,
            Flight::Make(making) => Claim::Connect(Connecting(making)),
        }
    }

    /// What carries a request to the target without waiting for anything; none where more has to be
    /// done. `life_ms`: as in [`Self::claim`].
    pub fn ready(&self, target: &Rc<Target>, life_ms: i64) -> Option<ReadySession> {
        let look = |carrier: &Carrier| match carrier {
            Carrier::Session(session) => {
                // Nothing is waited for, so nothing need wake.
                let is_good = session.is_good(life_ms, &Context::from_waker(Waker::noop()));
                is_good.then(|| ReadySession::Session(session.clone()))
            }
            Carrier::Http1 => Some(ReadySession::Http1),
        };
        self.0.get(target, look)?
    }
}

/// The right to make a session. Dropped without one, the next who waits gets it.
pub struct Connecting(Making<Rc<Target>, Carrier>);

impl Connecting {
    /// The connection is made.
    pub fn open(self, session: Session) {
        self.0.done(Carrier::Session(session));
    }

    /// The server chose HTTP/1.1.
    pub fn http1(self) {
        self.0.done(Carrier::Http1);
    }
}
