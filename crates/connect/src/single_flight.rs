//! Values that one task makes while others that want the same wait for it.

use std::cell::RefCell;
use std::future::poll_fn;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll, Waker};

type Places<K, V> = RefCell<Vec<(K, Place<V>)>>;

enum Place<V> {
    /// A task makes it; who waits for that.
    Making(Vec<Waker>),
    Made(V),
}

/// Values by their keys, for the tasks of one thread. Clones share them.
pub struct SingleFlight<K, V>(Rc<Places<K, V>>);

/// How a task gets a value.
pub enum Flight<K: PartialEq, V> {
    /// It is there.
    Made(V),
    /// This task makes it.
    Make(Making<K, V>),
}

impl<K, V> Default for SingleFlight<K, V> {
    fn default() -> Self {
        Self(Rc::default())
    }
}

impl<K, V> Clone for SingleFlight<K, V> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K: Clone + PartialEq, V: Clone> SingleFlight<K, V> {
    /// The value of a key as long as it is good, or the right to make one. Waits while another task
    /// makes it.
    pub async fn claim(
        &self,
        key: &K,
        mut is_good: impl FnMut(&V, &mut Context<'_>) -> bool,
    ) -> Flight<K, V> {
        poll_fn(|cx| {
            let mut places = self.0.borrow_mut();
            match places.iter_mut().find(|(known, _)| known == key) {
                None => places.push((key.clone(), Place::Making(Vec::new()))),
                Some((_, Place::Making(waiting))) => {
                    waiting.push(cx.waker().clone());
                    return Poll::Pending;
                }
                Some((_, place)) => {
                    if let Place::Made(value) = place
                        && is_good(value, cx)
                    {
                        return Poll::Ready(Flight::Made(value.clone()));
                    }
                    *place = Place::Making(Vec::new());
                }
            }
            let places = Rc::downgrade(&self.0);
            Poll::Ready(Flight::Make(Making { places, key: key.clone(), is_done: false }))
        })
        .await
    }

    /// Applies `look` to the value of a key. None if it has no value yet.
    pub fn get<R>(&self, key: &K, look: impl FnOnce(&V) -> R) -> Option<R> {
        let places = self.0.borrow();
        match &places.iter().find(|(known, _)| known == key)?.1 {
            Place::Made(value) => Some(look(value)),
            Place::Making(_) => None,
        }
    }

    /// How many clones there are besides this one.
    pub fn others(&self) -> usize {
        Rc::strong_count(&self.0) - 1
    }
}

/// The right to make a value. Dropped without one, the next task that waits gets it.
pub struct Making<K: PartialEq, V> {
    /// Not counted by [`SingleFlight::others`].
    places: Weak<Places<K, V>>,
    key: K,
    is_done: bool,
}

impl<K: PartialEq, V> Making<K, V> {
    /// The value is made.
    pub fn done(mut self, value: V) {
        self.settle(Some(value));
    }

    fn settle(&mut self, value: Option<V>) {
        self.is_done = true;
        let Some(places) = self.places.upgrade() else { return };
        let mut places = places.borrow_mut();
        let Some(at) = places.iter().position(|(known, _)| *known == self.key) else { return };
        let before = match value {
            Some(value) => std::mem::replace(&mut places[at].1, Place::Made(value)),
            None => places.swap_remove(at).1,
        };
        drop(places);
        if let Place::Making(waiting) = before {
            waiting.into_iter().for_each(Waker::wake);
        }
    }
}

impl<K: PartialEq, V> Drop for Making<K, V> {
    fn drop(&mut self) {
        if !self.is_done {
            self.settle(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use super::*;

    fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
        future.poll(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn one_task_makes_a_value_and_the_others_wait_for_it() {
        let flights = SingleFlight::<&str, u8>::default();
        let Poll::Ready(Flight::Make(making)) = poll(pin!(flights.claim(&"a", |_, _| true))) else {
            panic!("the first one makes it")
        };
        let mut second = pin!(flights.claim(&"a", |_, _| true));
        assert!(poll(second.as_mut()).is_pending());
        assert!(matches!(poll(pin!(flights.claim(&"b", |_, _| true))), Poll::Ready(Flight::Make(_))));
        assert_eq!(flights.get(&"a", |value| *value), None);
        making.done(7);
        assert!(matches!(poll(second), Poll::Ready(Flight::Made(7))));
        assert_eq!(flights.get(&"a", |value| *value), Some(7));
    }

    #[test]
    fn a_task_that_gives_up_leaves_its_turn_to_the_next() {
        let flights = SingleFlight::<&str, u8>::default();
        let first = poll(pin!(flights.claim(&"a", |_, _| true)));
        let mut second = pin!(flights.claim(&"a", |_, _| true));
        assert!(poll(second.as_mut()).is_pending());
        drop(first);
        assert!(matches!(poll(second), Poll::Ready(Flight::Make(_))));
    }

    #[test]
    fn a_value_that_is_not_good_is_made_again() {
        let flights = SingleFlight::<&str, u8>::default();
        let Poll::Ready(Flight::Make(making)) = poll(pin!(flights.claim(&"a", |_, _| true))) else {
            panic!("the first one makes it")
        };
        making.done(7);
        let again = poll(pin!(flights.claim(&"a", |value, _| *value != 7)));
        assert!(matches!(again, Poll::Ready(Flight::Make(_))));
    }
}
