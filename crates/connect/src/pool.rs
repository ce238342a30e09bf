//! The idle connections of one user (`PoolingHttpClientConnectionManager` as JMeter sets it up).

use std::rc::Rc;

use crate::{Stream, Target};

const MS: i64 = 1_000_000;

/// A system call is made for a connection that was idle for this time, where all are checked.
const LONG_IDLE_NS: i64 = 100 * MS;

/// A connection that was idle for less is in a closed loop.
const SHORT_IDLE_NS: i64 = MS;

/// How long idle connections are kept.
#[derive(Clone, Copy, Debug)]
pub struct IdleLimits {
    /// Time from its start after which a connection is not used again; 0: none.
    pub time_to_live_ms: i64,
    /// A connection that was idle for longer is looked at before it is used; 0: none is.
    pub validate_after_ms: i64,
    /// Each connection is checked before it is used, however short it was idle: one whose end the
    /// loop has seen is not used.
    pub always_validated: bool,
    /// Idle time after which a connection is not used again, where the server says nothing; 0:
    /// none.
    pub idle_timeout_ms: i64,
}

/// An idle connection with its age.
pub struct PooledConnection {
    /// The connection.
    pub stream: Stream,
    target: Rc<Target>,
    created_ns: i64,
    used_ns: i64,
    /// It is not used after this.
    expires_ns: i64,
}

impl PooledConnection {
    /// A new connection.
    pub fn new(stream: Stream, target: Rc<Target>, now_ns: i64) -> Self {
        Self { stream, target, created_ns: now_ns, used_ns: now_ns, expires_ns: i64::MAX }
    }
}

/// Idle connections, one per target. Most users have one, which needs no vector. Connections are
/// boxed, so that only the box moves when a connection goes to a sample and comes back.
#[derive(Default)]
pub struct Pool {
    first: Option<Box<PooledConnection>>,
    #[expect(clippy::vec_box, reason = "as above")]
    more: Vec<Box<PooledConnection>>,
}

impl Pool {
    /// The idle connection to a target, if it is still good: not too old, and looked at if it was
    /// idle for long. A server that closed it more recently is not noticed, as in JMeter, unless
    /// [`IdleLimits::always_validated`].
    #[inline]
    pub fn take(
        &mut self,
        target: &Rc<Target>,
        limits: &IdleLimits,
        now_ns: i64,
    ) -> Option<Box<PooledConnection>> {
        // One sampler's requests share their target, so most comparisons end with its address.
        let is = |c: &PooledConnection| Rc::ptr_eq(&c.target, target) || c.target == *target;
        let mut found = if self.first.as_deref().is_some_and(is) {
            self.first.take()?
        } else {
            let at = self.more.iter().position(|c| is(c))?;
            self.more.swap_remove(at)
        };
        let old = now_ns >= found.expires_ns;
        let idle_ns = now_ns - found.used_ns;
        let stale = if limits.always_validated {
            // The loop sees an end when it looks next, which a loaded one does late; a system call
            // finds out at once, and costs too much for connections that are in use all the time.
            // For those what the last read found is enough.
            match idle_ns {
                ..SHORT_IDLE_NS => found.stream.has_seen_end(),
                SHORT_IDLE_NS..LONG_IDLE_NS => found.stream.is_stale(),
                _ => found.stream.is_stale_now(),
            }
        } else {
            limits.validate_after_ms > 0
                && idle_ns >= limits.validate_after_ms * MS
                && found.stream.is_stale()
        };
        if old || stale { None } else { Some(found) }
    }

    /// Keeps a connection after an exchange. `keep_alive_ms`: how long the server said it would.
    #[inline]
    pub fn put(
        &mut self,
        mut connection: Box<PooledConnection>,
        keep_alive_ms: Option<i64>,
        limits: &IdleLimits,
        now_ns: i64,
    ) {
        let said = keep_alive_ms.filter(|ms| *ms > 0);
        let limit = said.or(Some(limits.idle_timeout_ms).filter(|ms| *ms > 0));
        let life = Some(limits.time_to_live_ms).filter(|ms| *ms > 0);
        let after = |from_ns: i64, ms: Option<i64>| {
            ms.map_or(i64::MAX, |ms| from_ns.saturating_add(ms.saturating_mul(MS)))
        };
        connection.used_ns = now_ns;
        connection.expires_ns = after(now_ns, limit).min(after(connection.created_ns, life));
        if self.first.is_none() {
            self.first = Some(connection);
        } else {
            self.more.push(connection);
        }
    }

    /// Closes all.
    pub fn clear(&mut self) {
        self.first = None;
        self.more = Vec::new();
    }
}
