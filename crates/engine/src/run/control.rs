//! Stopping a run from elsewhere, and seeing how it goes.

use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

use super::commands::Event;
use super::live::{Level, Live, Status};

/// A handle on a run; clones are handles on the same run. Made before the run starts; a stop that comes before the
/// start keeps the run from starting any user.
#[derive(Clone, Default)]
pub struct Control {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Default)]
struct Inner {
    wanted: Option<Level>,
    run: Option<(Arc<Live>, Sender<Event>)>,
}

impl Control {
    /// A handle on a run to come.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops: running samples finish, no new ones start.
    pub fn stop(&self) {
        self.raise(Level::Gently);
    }

    /// Stops at once: running samples are cut.
    pub fn stop_now(&self) {
        self.raise(Level::AtOnce);
    }

    /// How the run goes; none before it has started.
    pub fn status(&self) -> Option<Status> {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.run.as_ref().map(|(live, _)| live.status())
    }

    fn raise(&self, level: Level) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.wanted = inner.wanted.max(Some(level));
        if let Some((live, events)) = &inner.run {
            live.raise(level);
            // A run that is over needs no stop.
            let _over = events.send(Event::Stop);
        }
    }

    pub(super) fn attach(&self, live: &Arc<Live>, events: Sender<Event>) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(level) = inner.wanted {
            live.raise(level);
        }
        inner.run = Some((live.clone(), events));
    }
}
