//! The key that a user shows to sites that ask.

use std::sync::atomic::Ordering;

use swell_expr::Context;
use swell_net::ClientKeys;

use crate::compile::Alias;
use crate::failure::Failure;

use super::{HttpSampler, HttpState};

/// What the last choice was.
pub(super) struct Chosen {
    alias: Option<Alias>,
    keys: ClientKeys,
}

impl Chosen {
    /// A site asked for the key of an alias that is not there.
    pub(super) fn was_missed(&self) -> bool {
        match &self.keys {
            ClientKeys::One { key: None, asked } => asked.load(Ordering::Relaxed) > 0,
            _ => false,
        }
    }

    pub(super) fn failure(&self) -> Failure {
        self.alias.as_ref().map_or_else(Failure::not_connected, Alias::failure)
    }
}

impl HttpSampler {
    /// Chooses the key for new connections: as long as it is the same, TLS sessions are resumed.
    pub(super) fn choose_key(&self, cx: &mut Context, state: &mut HttpState) {
        let Some(spec) = &self.spec.keys else { return };
        let alias = spec.alias(cx);
        let same = state.key.as_ref().is_some_and(|chosen| chosen.alias == alias);
        if same && state.tls.is_some() {
            return;
        }
        let keys = spec.keys(cx, alias.as_ref());
        state.tls = Some(self.tls.with_client_keys(keys.clone()));
        state.key = Some(Box::new(Chosen { alias, keys }));
    }
}
