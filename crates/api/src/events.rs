//! When the events of a response arrived (server-sent events).

/// Arrivals that are kept; further ones are counted.
const KEPT_MAX: usize = 10_000;

/// The events of one response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventTimes {
    /// Arrivals of events at the kernel, in order, on the clock of [`crate::Timing`]; up to 10,000.
    pub arrivals_ns: Vec<i64>,
    /// Number of events.
    pub count: u64,
    /// What a language model has produced, where the events are pieces of its text.
    pub tokens: Option<TokenTimes>,
    /// The first events themselves, where sub-samples are made of them.
    pub kept: Vec<KeptEvent>,
}

/// An event of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptEvent {
    /// Arrival of its first byte, on the clock of [`crate::Timing`].
    pub begun_ns: i64,
    /// Arrival of its last byte.
    pub at_ns: i64,
    /// Bytes of the body that belong to it, with comments before it and the empty line after it.
    pub bytes: u64,
    /// Its type (`event`); empty where it has none.
    pub name: String,
    /// Its data; empty where they are not needed.
    pub data: Vec<u8>,
}

/// The text of a language model, piece by piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenTimes {
    /// Arrival of the first piece.
    pub first_ns: i64,
    /// Arrival of the last piece.
    pub last_ns: i64,
    /// Pieces, a token each in most servers.
    pub pieces: u64,
    /// Tokens by the server's own count; 0 where it says none.
    pub counted: u64,
}

impl EventTimes {
    /// Counts an event that arrived then.
    pub fn add(&mut self, at_ns: i64) {
        self.count += 1;
        if self.arrivals_ns.len() < KEPT_MAX {
            self.arrivals_ns.push(at_ns);
        }
    }

    /// Times from each kept event to the next, in nanoseconds.
    pub fn gaps_ns(&self) -> impl Iterator<Item = i64> {
        self.arrivals_ns.windows(2).map(|two| (two[1] - two[0]).max(0))
    }
}

impl TokenTimes {
    /// Number of tokens: the server's count, or that of the pieces.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        if self.counted > 0 { self.counted } else { self.pieces }
    }

    /// Mean time for each token after the first, in nanoseconds; none with fewer than two.
    #[must_use]
    pub fn each_ns(&self) -> Option<i64> {
        let more = i64::try_from(self.tokens()).ok()?.checked_sub(1).filter(|more| *more > 0)?;
        Some((self.last_ns - self.first_ns).max(0) / more)
    }
}
