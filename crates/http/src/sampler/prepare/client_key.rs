//! The key that a user shows to targets that ask.

use swell_connect::ClientKeys;
use swell_expr::Context;

use crate::compile::Alias;
use crate::failure::Failure;
use crate::sampler::{HttpSampler, HttpState};

/// What the last choice was.
pub(crate) struct KeyChoice {
    alias: Option<Alias>,
    keys: ClientKeys,
}

impl KeyChoice {
    /// A target asked for the key of an alias that is not there.
    pub(crate) fn was_missed(&self) -> bool {
        matches!(&self.keys, ClientKeys::Named(named) if named.was_missed())
    }

    pub(crate) fn failure(&self) -> Failure {
        self.alias.as_ref().map_or_else(Failure::not_connected, Alias::failure)
    }
}

impl HttpSampler {
    /// Chooses the key for handshakes. Sessions that are there are resumed, with whichever key they
    /// were made: a target that resumes one does not ask again.
    pub(crate) fn choose_key(&self, cx: &mut Context, state: &mut HttpState) {
        let Some(spec) = &self.spec.keys else { return };
        let alias = spec.alias(cx);
        let chosen = state.key.as_deref_mut().filter(|_| state.tls.is_some());
        if chosen.as_ref().is_some_and(|chosen| chosen.alias == alias) {
            return;
        }
        let keys = spec.keys(cx, alias.as_ref());
        if let Some(KeyChoice { alias: known, keys: ClientKeys::Named(old) }) = chosen
            && let ClientKeys::Named(new) = &keys
        {
            old.change(new);
            *known = alias;
            return;
        }
        state.tls = Some(self.tls.with_client_keys(keys.clone()));
        state.key = Some(Box::new(KeyChoice { alias, keys }));
    }
}
