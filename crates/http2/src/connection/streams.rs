//! The streams that are open, by their number.

/// One stream. 24 bytes, of which a user who waits for a response holds one.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    pub(crate) id: u32,
    /// What may still be sent. A change of settings can make it negative.
    pub(crate) send_window: i32,
    /// What the peer may still send.
    pub(crate) receive_window: u32,
    flags: u32,
    /// Bytes of the body that are still to come; `u64::MAX`: unknown.
    pub(crate) body_left: u64,
}

const SENT_END: u32 = 1;
const RECEIVED_END: u32 = 2;
const HAS_HEAD: u32 = 4;
const IS_BLOCKED: u32 = 8;
const IS_HEAD_REQUEST: u32 = 16;

/// The length of a body that was not announced.
pub(crate) const UNKNOWN: u64 = u64::MAX;

impl Stream {
    pub(crate) fn new(id: u32, send_window: u32, receive_window: u32) -> Self {
        Self { id, send_window: send_window as i32, receive_window, flags: 0, body_left: UNKNOWN }
    }

    fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    pub(crate) fn end_sending(&mut self) {
        self.flags |= SENT_END;
    }

    pub(crate) fn has_ended_sending(&self) -> bool {
        self.has(SENT_END)
    }

    pub(crate) fn end_receiving(&mut self) {
        self.flags |= RECEIVED_END;
    }

    pub(crate) fn has_ended_receiving(&self) -> bool {
        self.has(RECEIVED_END)
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.flags & (SENT_END | RECEIVED_END) == SENT_END | RECEIVED_END
    }

    /// The final head has come.
    pub(crate) fn has_head(&self) -> bool {
        self.has(HAS_HEAD)
    }

    pub(crate) fn set_head(&mut self) {
        self.flags |= HAS_HEAD;
    }

    /// The request has the method HEAD: its response announces a body that does not come.
    pub(crate) fn is_head_request(&self) -> bool {
        self.has(IS_HEAD_REQUEST)
    }

    pub(crate) fn set_head_request(&mut self) {
        self.flags |= IS_HEAD_REQUEST;
    }

    /// More was to be sent than the windows allow.
    pub(crate) fn set_blocked(&mut self) {
        self.flags |= IS_BLOCKED;
    }

    /// Whether it was blocked and now has a window.
    pub(crate) fn take_unblocked(&mut self) -> bool {
        let is_unblocked = self.has(IS_BLOCKED) && self.send_window > 0;
        if is_unblocked {
            self.flags &= !IS_BLOCKED;
        }
        is_unblocked
    }
}

/// Open streams, in ascending order.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    open: Vec<Stream>,
    /// Where the last one was that was looked for: several questions are about one stream, and
    /// responses often come in the order of their requests.
    last: usize,
}

impl Streams {
    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }

    /// Adds a stream whose number is above all others.
    pub(crate) fn push(&mut self, stream: Stream) {
        self.open.push(stream);
    }

    fn place(&mut self, id: u32) -> Option<usize> {
        if self.open.get(self.last).is_none_or(|stream| stream.id != id) {
            self.last = self.open.binary_search_by_key(&id, |stream| stream.id).ok()?;
        }
        Some(self.last)
    }

    pub(crate) fn get(&mut self, id: u32) -> Option<&mut Stream> {
        let place = self.place(id)?;
        self.open.get_mut(place)
    }

    /// False: there is no such stream.
    pub(crate) fn remove(&mut self, id: u32) -> bool {
        let place = self.place(id);
        if let Some(place) = place {
            self.open.remove(place);
        }
        place.is_some()
    }

    /// Removes the streams above a number.
    pub(crate) fn split_above(&mut self, id: u32) -> Vec<Stream> {
        let first = self.open.partition_point(|stream| stream.id <= id);
        self.open.split_off(first)
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Stream> {
        self.open.iter_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_found_by_number() {
        let mut streams = Streams::default();
        for id in [1, 3, 9] {
            streams.push(Stream::new(id, 10, 20));
        }
        assert!(streams.get(3).is_some() && streams.get(5).is_none());
        assert!(streams.remove(3) && !streams.remove(3));
        let above: Vec<u32> = streams.split_above(5).iter().map(|stream| stream.id).collect();
        assert_eq!((above, streams.len()), (vec![9], 1));
        assert_eq!(size_of::<Stream>(), 24);
    }
}
