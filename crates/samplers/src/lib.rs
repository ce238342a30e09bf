//! Samplers besides HTTP: TCP, processes of the system, dummies; and queues between users.
//!
//! Each is a folder or a file: what a plan says of it, what it does, and what the sample is. [`register`] puts all into a
//! registry.

use swell_api::Registry;

mod dummy;
mod process;
mod queue;
mod tcp;

/// Puts these samplers into a registry.
pub fn register(registry: &mut Registry) {
    registry.samplers.insert("TCPSampler", tcp::make);
    registry.samplers.insert("SystemSampler", process::make);
    registry.samplers.insert("kg.apc.jmeter.samplers.DummySampler", dummy::make);
    registry.pre_processors.insert("kg.apc.jmeter.modifiers.FifoPopPreProcessor", queue::pop);
    registry.post_processors.insert("kg.apc.jmeter.modifiers.FifoPutPostProcessor", queue::put);
}

/// `getPropertyAsInt`: what is no number is 0.
fn whole(text: &str) -> i32 {
    text.parse().unwrap_or_default()
}

/// `Boolean.parseBoolean`.
fn is_true(text: &str) -> bool {
    text.eq_ignore_ascii_case("true")
}

/// What the system says of an error, without its number.
fn system_text(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}
