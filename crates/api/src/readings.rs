//! What readers make of a body, such as a tree: the first one makes it, all after it share it.

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use swell_budget::Room;

/// Something that is made of a body alone.
pub trait Reading: Any + Send + Sync {
    /// About how many bytes it takes.
    fn bytes(&self) -> usize;
}

/// Kinds and options that are kept of one body. Elements of one sampler ask in one or two ways.
const MOST: usize = 4;

/// The readings of a body. Copies of the body share them.
#[derive(Default)]
pub(crate) struct Readings {
    kept: OnceLock<Arc<Mutex<Vec<Kept>>>>,
    /// A reader came that kept nothing.
    is_read: AtomicBool,
}

impl Clone for Readings {
    fn clone(&self) -> Self {
        Self { kept: self.kept.clone(), is_read: AtomicBool::new(self.is_read.load(Ordering::Relaxed)) }
    }
}

struct Kept {
    reading: Arc<dyn Any + Send + Sync>,
    /// What it takes of the memory for all users.
    _room: Option<Room>,
}

impl Readings {
    /// `room`: where what is made has to fit; none if it does not count.
    pub(crate) fn find_or_make<R: Reading>(
        &self,
        is_same: impl Fn(&R) -> bool,
        make: impl FnOnce() -> R,
        mut room: Option<Room>,
    ) -> Arc<R> {
        if let Some(kept) = self.kept.get() {
            let known = kept.lock();
            let same = known.iter().filter_map(|kept| kept.reading.clone().downcast::<R>().ok());
            if let Some(reading) = same.into_iter().find(|reading| is_same(reading)) {
                return reading;
            }
        }
        let reading = Arc::new(make());
        if room.as_mut().is_none_or(|room| room.grow_to(reading.bytes() as u64)) {
            let mut known = self.kept.get_or_init(Arc::default).lock();
            if known.len() == MOST {
                known.remove(0);
            }
            known.push(Kept { reading: reading.clone(), _room: room });
        }
        reading
    }

    /// Whether a reader came before this one that kept nothing.
    pub(crate) fn note_reader(&self) -> bool {
        self.is_read.swap(true, Ordering::Relaxed)
    }

    pub(crate) fn has<R: Reading>(&self) -> bool {
        self.kept.get().is_some_and(|kept| kept.lock().iter().any(|kept| kept.reading.is::<R>()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bodies, Body};

    struct Length(usize, char);

    impl Reading for Length {
        fn bytes(&self) -> usize {
            self.0
        }
    }

    fn read(body: &Body, kind: char) -> (usize, bool) {
        let mut made = false;
        let reading = body.reading(
            |known: &Length| known.1 == kind,
            || {
                made = true;
                Length(body.len(), kind)
            },
        );
        (reading.0, made)
    }

    #[test]
    fn a_body_is_read_once_in_each_way_by_all_who_have_it() {
        for length in [3, Bodies::FREE + 1] {
            let body = Body::from(vec![b'x'; length]);
            assert!(!body.has_reading::<Length>());
            assert_eq!((read(&body, 'a'), read(&body, 'a')), ((length, true), (length, false)));
            assert!(body.has_reading::<Length>());
            let copy = body.clone();
            assert_eq!(
                (read(&copy, 'a'), read(&copy, 'b'), read(&body, 'b').1),
                ((length, false), (length, true), false)
            );
            let mut other = body.clone();
            other.truncate(1);
            assert_eq!(read(&other, 'a'), (1, true), "another body has other readings");
        }
    }

    #[test]
    fn a_few_ways_are_kept() {
        let body = Body::from("x");
        for kind in "abcde".chars() {
            assert!(read(&body, kind).1);
        }
        assert!(!read(&body, 'e').1 && !read(&body, 'b').1 && read(&body, 'a').1);
    }

    #[test]
    fn what_is_kept_counts_and_is_not_kept_where_there_is_no_room() {
        let most = 600 << 10;
        let bodies = Arc::new(Bodies::new(None, Some(most)));
        let mut room = Room::new(bodies.account().clone());
        assert!(room.grow_to(100 << 10));
        let body = Body::with_room(vec![b'x'; 100 << 10], Some(room));
        let taken = bodies.account().taken();
        assert!(read(&body, 'a').1 && !read(&body, 'a').1);
        assert!(bodies.account().taken() > taken);
        let mut others = Room::new(bodies.account().clone());
        others.set(most - bodies.account().taken());
        assert!(read(&body, 'b').1 && read(&body, 'b').1, "there is no room for it");
        drop(others);
        drop(body);
        assert_eq!(bodies.account().taken(), 0);
    }
}
