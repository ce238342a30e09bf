//! The load of a thread group: when its users start and end.

use std::sync::Arc;

use swell_api::{ExternalGroup, StartMode, ThreadGroup};

/// The load of a thread group: when its users start and end.
#[derive(Clone)]
pub(crate) enum Load {
    /// The engine's own.
    Own(GroupKind),
    /// One that another crate or a provider brought.
    Foreign(Arc<dyn ThreadGroup>),
    /// Something else runs its users.
    External(Arc<dyn ExternalGroup>),
}

impl Load {
    /// Users come by arrivals, at a rate, and not in a number.
    pub(crate) fn has_arrivals(&self) -> bool {
        match self {
            Self::Own(kind) => kind.has_arrivals(),
            Self::Foreign(group) => group.mode() != StartMode::Users,
            Self::External(_) => false,
        }
    }
}

/// Kinds of thread groups, by how their users start and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupKind {
    /// `ThreadGroup`, `SetupThreadGroup`, `PostThreadGroup`.
    Plain,
    Stepping,
    Ultimate,
    Concurrency,
    Arrivals,
    FreeFormArrivals,
    OpenModel,
}

impl GroupKind {
    /// Users come by arrivals, at a rate, and not in a number.
    pub(crate) fn has_arrivals(self) -> bool {
        matches!(self, Self::Arrivals | Self::FreeFormArrivals | Self::OpenModel)
    }
}
