//! The WebSockets of a user between its samples.
//!
//! A user that thinks reads nothing. Were its connections left alone, a frame that comes meanwhile
//! would have the time of the next read where the kernel notes no times of segments, pings would
//! stay without an answer, and servers would close. So a task of each connection reads while no
//! sampler does.

use std::any::Any;
use std::cell::RefCell;
use std::future::poll_fn;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll, Waker};

use swell_api::UserState;
use swell_expr::Properties;
use swell_websocket::CloseReason;

use super::client::Client;

/// What happens to a connection when its user ends (`websocket.thread.stop.policy`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum EndPolicy {
    #[default]
    Drop,
    CloseFrame,
}

impl EndPolicy {
    /// That of a run.
    pub(super) fn of(props: &Properties) -> Self {
        let policy = props.get("websocket.thread.stop.policy").unwrap_or_default();
        match policy.trim().to_ascii_lowercase().as_str() {
            "wsclose" => Self::CloseFrame,
            _ => Self::Drop,
        }
    }
}

/// The connections of a user, by their names: in plans of the plug-in one without a name.
#[derive(Default)]
pub(super) struct UserConnections {
    places: Vec<(Rc<str>, Rc<Place>)>,
    pub(super) at_end: EndPolicy,
}

/// Where a connection is between samples.
#[derive(Default)]
struct Place {
    /// None while a sampler uses it.
    client: RefCell<Option<Box<Client>>>,
    /// Wakes the task that reads between samples.
    waker: RefCell<Option<Waker>>,
}

impl UserConnections {
    /// The connection of that name, for a sampler.
    pub(super) fn take(&mut self, name: &str) -> Option<Box<Client>> {
        let (_, place) = self.places.iter().find(|(known, _)| **known == *name)?;
        place.client.take()
    }

    /// Gives a connection back after a sample; none: it has ended.
    pub(super) fn put(&mut self, name: Rc<str>, client: Option<Box<Client>>) {
        let known = self.places.iter().position(|(known, _)| *known == name);
        match (client, known) {
            (Some(client), Some(at)) => self.places[at].1.put(client),
            (Some(client), None) => {
                let place = Rc::new(Place::default());
                place.put(client);
                watch(Rc::downgrade(&place));
                if self.places.is_empty() {
                    self.places.reserve_exact(1);
                }
                self.places.push((name, place));
            }
            (None, Some(at)) => drop(self.places.swap_remove(at)),
            (None, None) => {}
        }
    }
}

impl Place {
    fn put(&self, mut client: Box<Client>) {
        client.rest();
        *self.client.borrow_mut() = Some(client);
        self.wake();
    }

    fn wake(&self) {
        if let Some(waker) = &*self.waker.borrow() {
            waker.wake_by_ref();
        }
    }

    fn poll(&self, cx: &Context<'_>) {
        self.waker.borrow_mut().get_or_insert_with(|| cx.waker().clone());
        if let Some(client) = &mut *self.client.borrow_mut() {
            client.poll_idle(cx);
        }
    }
}

impl Drop for Place {
    /// Its task ends.
    fn drop(&mut self) {
        self.wake();
    }
}

/// Reads what comes for a connection while no sampler uses it, until its place is gone.
fn watch(place: Weak<Place>) {
    swell_net::spawn_detached(poll_fn(move |cx| {
        let Some(place) = place.upgrade() else { return Poll::Ready(()) };
        place.poll(cx);
        Poll::Pending
    }));
}

impl UserState for UserConnections {
    /// They stay open until the user ends.
    fn iteration_start(&mut self, _same_user: bool) {}

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

impl Drop for UserConnections {
    fn drop(&mut self) {
        if self.at_end == EndPolicy::Drop {
            return;
        }
        for mut client in self.places.drain(..).filter_map(|(_, place)| place.client.take()) {
            swell_net::spawn_detached(async move {
                let payload = CloseReason::payload(1000, "test thread finished");
                // Nothing is left to report a failure to.
                let _ = client.send_close(&payload).await;
            });
        }
    }
}
