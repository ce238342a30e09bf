//! Queues that users of all workers share by name (`kg.apc.jmeter.modifiers.FifoMap`).

use std::collections::{HashMap, VecDeque};
use std::task::Waker;

use parking_lot::Mutex;

use crate::properties::Properties;

/// Where [`crate::Shared`] has them.
pub const QUEUES: &str = "fifo queues";

/// All queues of a run.
#[derive(Default)]
pub struct Queues {
    all: Mutex<HashMap<String, Queue>>,
}

#[derive(Default)]
struct Queue {
    values: VecDeque<String>,
    /// Who waits for a value, first come, first served.
    waiting: VecDeque<(u64, Waker)>,
    /// Who waits for room.
    full: Vec<Waker>,
    next_ticket: u64,
}

impl Queues {
    /// Most values in a queue (`kg.apc.jmeter.functions.FifoCapacity`).
    pub fn capacity(props: &Properties) -> usize {
        let said = props.get("kg.apc.jmeter.functions.FifoCapacity");
        said.and_then(|text| text.trim().parse().ok()).unwrap_or(i32::MAX as usize)
    }

    /// Appends a value.
    ///
    /// # Errors
    /// The queue is full.
    pub fn put(&self, name: &str, value: &str, capacity: usize) -> Result<(), Full> {
        let mut all = self.all.lock();
        let queue = all.entry(name.to_owned()).or_default();
        if queue.values.len() >= capacity {
            return Err(Full);
        }
        queue.values.push_back(value.to_owned());
        if let Some((_, waker)) = queue.waiting.front() {
            waker.wake_by_ref();
        }
        Ok(())
    }

    /// Wakes this task when there may be room.
    pub fn wait_for_room(&self, name: &str, waker: &Waker) {
        self.all.lock().entry(name.to_owned()).or_default().full.push(waker.clone());
    }

    /// The first value, which stays.
    pub fn first(&self, name: &str) -> Option<String> {
        self.all.lock().get(name)?.values.front().cloned()
    }

    /// How many values there are.
    pub fn len(&self, name: &str) -> usize {
        self.all.lock().get(name).map_or(0, |queue| queue.values.len())
    }

    /// Takes the first value, before all who wait.
    pub fn take(&self, name: &str) -> Option<String> {
        self.all.lock().get_mut(name)?.pop()
    }

    /// Takes the first value when it is this one's turn; otherwise it waits, or continues to wait,
    /// with its ticket.
    ///
    /// # Errors
    /// The ticket, to ask again with when the task is woken.
    pub fn take_in_turn(&self, name: &str, ticket: Option<u64>, waker: &Waker) -> Result<String, u64> {
        let mut all = self.all.lock();
        let queue = all.entry(name.to_owned()).or_default();
        let place = ticket.and_then(|ticket| queue.waiting.iter().position(|(known, _)| *known == ticket));
        let before = place.unwrap_or(queue.waiting.len());
        if queue.values.len() > before {
            if let Some(place) = place {
                queue.waiting.remove(place);
            }
            return Ok(queue.pop().expect("it has more entries than that"));
        }
        if let Some(place) = place {
            let (ticket, known) = &mut queue.waiting[place];
            known.clone_from(waker);
            return Err(*ticket);
        }
        let ticket = queue.next_ticket;
        queue.next_ticket += 1;
        queue.waiting.push_back((ticket, waker.clone()));
        Err(ticket)
    }

    /// Waits no more.
    pub fn leave(&self, name: &str, ticket: u64) {
        if let Some(queue) = self.all.lock().get_mut(name) {
            queue.waiting.retain(|(known, _)| *known != ticket);
            queue.wake_next();
        }
    }
}

impl Queue {
    fn pop(&mut self) -> Option<String> {
        let value = self.values.pop_front()?;
        self.full.drain(..).for_each(Waker::wake);
        self.wake_next();
        Some(value)
    }

    fn wake_next(&self) {
        if let Some((_, waker)) = self.waiting.front().filter(|_| !self.values.is_empty()) {
            waker.wake_by_ref();
        }
    }
}

/// The error that a queue is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    struct Count(AtomicU32);

    impl std::task::Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn counted() -> (Waker, Arc<Count>) {
        let count = Arc::new(Count(AtomicU32::new(0)));
        (Waker::from(count.clone()), count)
    }

    #[test]
    fn values_come_out_in_order_and_queues_are_apart() {
        let queues = Queues::default();
        for value in ["a", "b"] {
            assert_eq!(queues.put("q", value, 2), Ok(()));
        }
        assert_eq!(queues.put("q", "c", 2), Err(Full));
        assert_eq!((queues.len("q"), queues.len("other")), (2, 0));
        assert_eq!((queues.first("q"), queues.first("other")), (Some("a".into()), None));
        assert_eq!(
            (queues.take("q"), queues.take("q"), queues.take("q")),
            (Some("a".into()), Some("b".into()), None)
        );
    }

    #[test]
    fn who_waits_is_served_in_turn_and_who_leaves_holds_up_nobody() {
        let queues = Queues::default();
        let (one, woken_one) = counted();
        let (two, woken_two) = counted();
        let woken = |count: &Arc<Count>| count.0.load(Ordering::Relaxed);
        let first = queues.take_in_turn("q", None, &one).expect_err("empty");
        let second = queues.take_in_turn("q", None, &two).expect_err("empty");
        assert_eq!(queues.put("q", "a", 9), Ok(()));
        assert_eq!((woken(&woken_one), woken(&woken_two)), (1, 0));
        assert_eq!(queues.take_in_turn("q", Some(second), &two), Err(second), "not its turn");
        queues.leave("q", first);
        assert_eq!(woken(&woken_two), 1);
        assert_eq!(queues.take_in_turn("q", Some(second), &two), Ok("a".into()));
    }

    #[test]
    fn room_wakes_who_waits_for_it() {
        let queues = Queues::default();
        let (waker, count) = counted();
        assert_eq!(queues.put("q", "a", 1), Ok(()));
        queues.wait_for_room("q", &waker);
        assert_eq!(queues.take("q"), Some("a".into()));
        assert_eq!(count.0.load(Ordering::Relaxed), 1);
    }
}
