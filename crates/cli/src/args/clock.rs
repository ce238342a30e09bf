//! The option that says what ends a sample.

use swell_net::TimestampSource;

/// Clock that ends a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Clock {
    /// Kernel receive timestamp of the last byte, taken by a BPF program if one can be loaded, else
    /// as `socket`
    #[default]
    Kernel,
    /// Kernel receive timestamp delivered with each read (SO_TIMESTAMPNS)
    Socket,
    /// Time after the read, as in tools without kernel timestamps
    User,
    /// As `user`, and the kernel takes no timestamps at all, so the delay of reads is unknown: to
    /// measure what timestamps cost
    #[value(hide = true)]
    Bare,
}

impl Clock {
    /// Name of the value on a command line.
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
