//! The metrics that listeners of a plan count for other systems.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use swell_api::StartTexts;

use crate::backend::{Export, Users};
use crate::prometheus::Metrics;

/// The metrics of a plan's Prometheus Listeners, and the senders of its Backend Listeners. Clones
/// share them.
#[derive(Clone)]
pub struct ListenerMetrics(Arc<Inner>);

struct Inner {
    texts: StartTexts,
    /// The plan is only checked: nothing is served or sent.
    dry_run: bool,
    prometheus: Metrics,
    /// Senders of Backend Listeners, by the name of the element.
    exports: Mutex<HashMap<String, Arc<dyn Export>>>,
}

impl ListenerMetrics {
    /// No metrics yet. `texts` evaluates the settings of listeners; with `dry_run` nothing is ever
    /// served or sent.
    pub fn new(texts: StartTexts, dry_run: bool) -> Self {
        Self(Arc::new(Inner { texts, dry_run, prometheus: Metrics::default(), exports: Mutex::default() }))
    }

    pub(crate) fn texts(&self) -> &StartTexts {
        &self.0.texts
    }

    pub(crate) fn is_dry_run(&self) -> bool {
        self.0.dry_run
    }

    /// What Prometheus Listeners count.
    pub(crate) fn prometheus(&self) -> &Metrics {
        &self.0.prometheus
    }

    /// Where a Prometheus server can fetch the metrics; none if no listener asked for them.
    pub fn address(&self) -> Option<SocketAddr> {
        self.0.prometheus.address()
    }

    /// Sets how many virtual users run, have started and have ended.
    pub fn set_users(&self, active: u32, started: u32, finished: u32) {
        self.0.prometheus.set_users(active, started, finished);
        for export in self.0.exports.lock().values() {
            export.set_users(Users { started, finished });
        }
    }

    /// What Backend Listeners of a name send; the same for all workers.
    pub(crate) fn export<E>(
        &self,
        name: &str,
        make: impl FnOnce() -> Result<Arc<dyn Export>, E>,
    ) -> Result<Arc<dyn Export>, E> {
        let mut exports = self.0.exports.lock();
        if let Some(known) = exports.get(name) {
            return Ok(known.clone());
        }
        let made = make()?;
        exports.insert(name.to_owned(), made.clone());
        Ok(made)
    }

    /// Sends what is left, and ends the server of metrics after the delay that the properties set
    /// (`prometheus.delay`). `at_once`: without that delay.
    pub fn finish(&self, at_once: bool) {
        self.0.send_rest();
        self.0.prometheus.finish(at_once);
    }
}

impl Inner {
    fn send_rest(&self) {
        let exports: Vec<_> = self.exports.lock().values().cloned().collect();
        for export in exports {
            export.finish();
        }
    }
}

/// A run that ends by a panic still sends what it counted.
impl Drop for Inner {
    fn drop(&mut self) {
        self.send_rest();
    }
}
