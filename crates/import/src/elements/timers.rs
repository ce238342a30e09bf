//! Timers.

use swell_plan::{Element, PropertyValue};

/// Constant Timer: milliseconds.
pub fn constant_timer(name: &str, delay: &str) -> Element {
    Element::new("ConstantTimer", "ConstantTimerGui", name).with_text("ConstantTimer.delay", delay)
}

/// Uniform Random Timer: between two numbers of milliseconds.
pub fn random_timer(name: &str, least_ms: u64, most_ms: u64) -> Element {
    Element::new("UniformRandomTimer", "UniformRandomTimerGui", name)
        .with_text("ConstantTimer.delay", &least_ms.to_string())
        .with_text("RandomTimer.range", &format!("{}.0", most_ms.saturating_sub(least_ms)))
}

/// Constant Throughput Timer over all users of the thread group together: samples a minute.
pub fn throughput_timer(name: &str, a_minute: f64) -> Element {
    Element::new("ConstantThroughputTimer", "TestBeanGUI", name)
        .with_int("calcMode", 4)
        .with("throughput", PropertyValue::Double(format!("{a_minute:?}")))
}
