//! Bodies of responses on their way.

use std::borrow::Cow;

use swell_http2::StreamId;

use crate::routes::{EventStream, Pieces, filler};
use crate::serve::job::Facts;

/// A response whose head is written.
pub(super) struct Answer {
    pub(super) stream: StreamId,
    pub(super) facts: Facts,
    /// Nothing of the body is sent before.
    pub(super) not_before_ns: i64,
    pub(super) source: Source,
}

/// Where a body comes from.
pub(super) enum Source {
    Bytes { bytes: Cow<'static, [u8]>, at: usize },
    MadeUp(MadeUp),
    Events(Box<Events>),
}

/// Events, each of which is made when it is due.
pub(super) struct Events {
    stream: EventStream,
    /// When the request arrived, from which their times count.
    arrival_ns: i64,
    made: u64,
    /// What is made and not written.
    content: Vec<u8>,
    at: usize,
}

/// A body that is made while it is sent.
pub(super) struct MadeUp {
    sizes: Box<dyn Iterator<Item = u64>>,
    /// Bytes of the piece that are not in `part`.
    left: u64,
    part: &'static [u8],
    /// Bytes of the whole body that are not in `part`.
    rest: u64,
    interval_ns: i64,
}

impl Source {
    pub(super) fn bytes(bytes: impl Into<Cow<'static, [u8]>>) -> Self {
        Self::Bytes { bytes: bytes.into(), at: 0 }
    }

    pub(super) fn events(stream: EventStream, arrival_ns: i64) -> Self {
        Self::Events(Box::new(Events { stream, arrival_ns, made: 0, content: Vec::new(), at: 0 }))
    }

    pub(super) fn made_up(pieces: Pieces) -> Self {
        let (rest, interval_ns) = match pieces {
            Pieces::Plain { bytes } | Pieces::Chunks { bytes, .. } => (bytes, 0),
            Pieces::Drops { bytes, interval_ns, .. } => (bytes, interval_ns),
        };
        let sizes = Box::new(pieces.sizes());
        Self::MadeUp(MadeUp { sizes, left: 0, part: &[], rest, interval_ns })
    }
}

impl Events {
    /// Makes the next event if everything is written and the event is due. Fails with the time at
    /// which it will be due.
    fn make(&mut self, now_ns: i64, facts: &mut Facts) -> Result<(), i64> {
        if self.at < self.content.len() || self.made == self.stream.events {
            return Ok(());
        }
        let asked_ns = self.stream.first_ns + self.stream.every_ns * self.made as i64;
        if self.arrival_ns + asked_ns > now_ns {
            return Err(self.arrival_ns + asked_ns);
        }
        facts.asked_ns = asked_ns;
        self.content.clear();
        self.at = 0;
        self.stream.write(self.made, (now_ns, 0), &mut self.content);
        self.made += 1;
        if self.made == self.stream.events {
            self.stream.write_end(&mut self.content);
        }
        Ok(())
    }
}

impl Answer {
    /// Until when nothing can be sent, if that is later than now.
    pub(super) fn waits_until(&self) -> Option<i64> {
        (self.not_before_ns > 0).then_some(self.not_before_ns)
    }

    /// The next bytes, and whether they are the last ones. `None`: they have to wait.
    pub(super) fn next(&mut self, now_ns: i64) -> Option<(&[u8], bool)> {
        if self.not_before_ns > now_ns {
            return None;
        }
        self.not_before_ns = 0;
        match &mut self.source {
            Source::Bytes { bytes, at } => Some((&bytes[*at..], true)),
            Source::MadeUp(body) => {
                if body.part.is_empty() {
                    if body.left == 0 {
                        body.left = body.sizes.next().unwrap_or(0);
                    }
                    body.part = filler(body.left);
                    body.left -= body.part.len() as u64;
                    body.rest -= body.part.len() as u64;
                }
                Some((body.part, body.rest == 0))
            }
            Source::Events(events) => {
                if let Err(due_ns) = events.make(now_ns, &mut self.facts) {
                    self.not_before_ns = due_ns;
                    return None;
                }
                Some((&events.content[events.at..], events.made == events.stream.events))
            }
        }
    }

    /// That many of the next bytes are written.
    pub(super) fn written(&mut self, count: usize, now_ns: i64) {
        match &mut self.source {
            Source::Bytes { at, .. } => *at += count,
            Source::Events(events) => events.at += count,
            Source::MadeUp(body) => {
                body.part = &body.part[count..];
                if body.interval_ns > 0 && body.part.is_empty() && body.left == 0 {
                    self.not_before_ns = now_ns + body.interval_ns;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(source: Source) -> Answer {
        Answer { stream: StreamId::default(), facts: Facts::default(), not_before_ns: 0, source }
    }

    /// All bytes, taken in pieces of that size.
    fn all(mut answer: Answer, size: usize) -> Vec<u8> {
        let mut out = Vec::new();
        loop {
            let (bytes, is_last) = answer.next(i64::MAX).expect("time has passed");
            let piece = &bytes[..bytes.len().min(size)];
            let is_end = is_last && piece.len() == bytes.len();
            out.extend_from_slice(piece);
            let count = piece.len();
            if is_end {
                return out;
            }
            answer.written(count, 0);
        }
    }

    #[test]
    fn bodies_are_the_same_in_pieces_of_any_size() {
        for pieces in [
            Pieces::Plain { bytes: 0 },
            Pieces::Plain { bytes: 200_000 },
            Pieces::Chunks { bytes: 200_000, parts: 3 },
            Pieces::Drops { bytes: 25, drop_bytes: 10, interval_ns: 5 },
        ] {
            let wanted: Vec<u8> = pieces
                .sizes()
                .flat_map(|size| {
                    let whole = size / 65_536;
                    [filler(65_536).repeat(whole as usize), filler(size % 65_536).to_vec()].concat()
                })
                .collect();
            for size in [7, 16_384, usize::MAX] {
                assert!(all(answer(Source::made_up(pieces)), size) == wanted, "{pieces:?} {size}");
            }
        }
        assert_eq!(all(answer(Source::bytes(&b"abc"[..])), 2), b"abc");
    }

    #[test]
    fn drops_wait_for_their_interval() {
        let mut answer = answer(Source::made_up(Pieces::Drops { bytes: 20, drop_bytes: 10, interval_ns: 5 }));
        assert_eq!(answer.next(100).map(|(bytes, last)| (bytes.len(), last)), Some((10, false)));
        answer.written(10, 100);
        assert_eq!((answer.next(104).is_none(), answer.waits_until()), (true, Some(105)));
        assert_eq!(answer.next(105).map(|(bytes, last)| (bytes.len(), last)), Some((10, true)));
    }
}
