//! Selects the client key for targets that request one.

use swell_connect::ClientKeys;

use crate::compile::Alias;
use crate::failure::Failure;

/// The last selection.
pub(super) struct KeyChoice {
    pub(super) alias: Option<Alias>,
    pub(super) keys: ClientKeys,
}

impl KeyChoice {
    /// A target asked for the key of an alias that is not there.
    pub(super) fn was_missed(&self) -> bool {
        matches!(&self.keys, ClientKeys::Named(named) if named.was_missed())
    }

    pub(super) fn failure(&self) -> Failure {
        self.alias.as_ref().map_or_else(Failure::not_connected, Alias::failure)
    }
}
