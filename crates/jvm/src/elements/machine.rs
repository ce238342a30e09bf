//! Finds Java and JMeter on this machine, and whether the plan needs them.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Once, OnceLock};

use super::session::Session;
use super::settings::JvmSettings;
use crate::{JMeterHome, Java};

/// Properties of the machine that matter for a JVM.
pub(super) struct Machine {
    settings: JvmSettings,
    missing: OnceLock<Option<String>>,
    begun: Once,
    is_needed: AtomicBool,
}

impl Machine {
    pub(super) fn new(settings: JvmSettings) -> Self {
        Self { settings, missing: OnceLock::new(), begun: Once::new(), is_needed: AtomicBool::new(false) }
    }

    /// What is missing; none: the JVM can be started.
    pub(super) fn missing(&self) -> Option<&str> {
        let look = || {
            let java = Java::find(self.settings.java_home.as_deref()).map_err(|error| error.to_string());
            let home =
                JMeterHome::find(self.settings.jmeter_home.as_deref()).map_err(|error| error.to_string());
            java.err().or(home.err())
        };
        self.missing.get_or_init(look).as_deref()
    }

    /// The plan does not run.
    pub(super) fn is_only_looked_at(&self) -> bool {
        self.settings.only_looks
    }

    /// The plan needs the JVM: it begins to start, unless the plan is only looked at.
    pub(super) fn begin(&self, session: &Arc<Session>) {
        self.is_needed.store(true, Ordering::Relaxed);
        if !self.settings.only_looks {
            self.begun.call_once(|| session.start_in_background());
        }
    }

    /// The folder of JMeter that was named.
    pub(super) fn jmeter_home(&self) -> Option<&Path> {
        self.settings.jmeter_home.as_deref()
    }

    /// Whether the plan needs the JVM, also where it is only looked at.
    pub(super) fn is_needed(&self) -> bool {
        self.is_needed.load(Ordering::Relaxed)
    }

    /// Whether the JVM was started for the plan.
    pub(super) fn has_begun(&self) -> bool {
        self.begun.is_completed()
    }
}
