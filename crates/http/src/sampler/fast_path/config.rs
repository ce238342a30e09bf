//! Decides whether the samples of a plan can use the fast path ([`super`]).

use crate::compile::{Flag, Spec};

use crate::sampler::limits::MS;

/// The properties of a plan that decide whether its samples can use the fast path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sampler) struct FastPathConfig {
    /// `HTTPSampler.response_timeout`.
    pub(super) response_ns: Option<i64>,
}

impl FastPathConfig {
    /// None: more may have to be done before a request is sent, or with its response.
    pub(in crate::sampler) fn of(spec: &Spec) -> Option<Self> {
        let managed = spec.cache.is_some() || spec.auth.is_some() || !matches!(spec.events, Flag::Is(false));
        // One that may go out again needs more than a connection.
        let managed = managed || spec.settings.retries.count > 0 || spec.settings.total_timeout_ms.is_some();
        let simple = !managed && spec.upload.is_none() && matches!(spec.auto, Flag::Is(false));
        let settled = spec.source.constant() == Some("") && spec.connect_timeout.constant().is_some();
        let timeout = spec.response_timeout.constant().filter(|_| simple && settled)?;
        Some(Self { response_ns: timeout.trim().parse::<i64>().ok().filter(|ms| *ms > 0).map(|ms| ms * MS) })
    }
}
