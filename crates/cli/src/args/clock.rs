//! The option that says what ends a sample.

use swell_net::TimestampSource;

/// What ends a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Clock {
    /// The kernel's receive stamp of its last byte: noted by a program in the kernel (BPF) where that may be loaded, else as with
    /// `socket`
    #[default]
    Kernel,
    /// The same, brought by each read (`SO_TIMESTAMPNS`), and no program is loaded
    Socket,
    /// The time after the read
    User,
    /// The same, and the kernel is asked for no stamps at all, so that nobody knows how late the reads were: to measure what
    /// stamps cost
    #[value(hide = true)]
    Bare,
}

impl Clock {
    /// The word for it on a command line.
    pub(crate) fn word(self) -> String {
        clap::ValueEnum::to_possible_value(&self).map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// The same for a trial.
    pub(crate) fn source(self) -> TimestampSource {
        match self {
            Self::Kernel => TimestampSource::Kernel,
            Self::Socket => TimestampSource::Socket,
            Self::User => TimestampSource::UserSpace,
            Self::Bare => TimestampSource::None,
        }
    }
}
