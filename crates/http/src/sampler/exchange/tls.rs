//! TLS of the samplers of a worker.

use std::cell::RefCell;

use swell_connect::TlsConfig;

use crate::compile::Roots;

thread_local! {
    /// What TLS is limited to, and the configuration for it: there is usually one.
    static TLS: RefCell<Vec<([String; 2], Roots, TlsConfig)>> = const { RefCell::new(Vec::new()) };
}

/// The configuration of a worker, with separate sessions. Missing parts are omitted, which the run
/// reports.
pub(crate) fn tls_of(limits: &[String; 2], roots: &Roots) -> TlsConfig {
    TLS.with_borrow_mut(|known| {
        if let Some((.., config)) = known.iter().find(|(of, by, _)| of == limits && by == roots) {
            return config.clone();
        }
        let [versions, suites] =
            limits.each_ref().map(|names| names.split_ascii_whitespace().collect::<Vec<_>>());
        let limited = TlsConfig::trust_all_with(&versions, &suites);
        let config = limited.unwrap_or_else(TlsConfig::trust_all);
        let config = match roots {
            Some(roots) => config.with_roots(roots).expect("they were checked when they were read"),
            None => config,
        };
        known.push((limits.clone(), roots.clone(), config.clone()));
        config
    })
}
