//! The kernel interface of the event loops.

use std::io;

use crate::runtime::Uring;

/// The kernel interface that an event loop uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Io {
    /// What the environment variable `SWELL_IO` says (`epoll`, `uring`); without it `epoll`.
    #[default]
    Auto,
    /// Readiness, and a system call for each receive and send (`man 7 epoll`).
    Epoll,
    /// A ring: receives stay with the kernel, sends are handed over in chunks (`man 7 io_uring`).
    /// Where the kernel refuses it, epoll serves.
    Uring,
}

/// The environment variable that decides for [`Io::Auto`].
const VARIABLE: &str = "SWELL_IO";

impl Io {
    /// Epoll or a ring.
    #[must_use]
    pub fn resolved(self) -> Self {
        match self {
            Self::Auto if std::env::var_os(VARIABLE).is_some_and(|value| value == "uring") => Self::Uring,
            Self::Auto => Self::Epoll,
            other => other,
        }
    }

    /// Every value, for messages that list them.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Epoll, Self::Uring];

    /// The driver with this name.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|io| io.word() == word)
    }

    /// Its name on a command line and in results.
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Epoll => "epoll",
            Self::Uring => "uring",
        }
    }
}

/// The kernel interface that the loops of a run got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IoInterface {
    /// [`Io::Epoll`] or [`Io::Uring`].
    pub io: Io,
    /// What the kernel answered where a ring was wanted and epoll serves.
    pub refused: Option<String>,
}

/// Whether this process may have a ring as event loops use it.
///
/// # Errors
/// Why not: `PermissionDenied` where rules of the machine or of a container forbid it, else the
/// kernel is too old.
pub fn try_uring() -> io::Result<()> {
    Uring::open().map(drop)
}
