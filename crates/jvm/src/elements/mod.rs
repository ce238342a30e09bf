//! The upper half: elements of a plan that run on the JVM, implemented for the engine.

mod answers;
mod call;
mod element;
mod functions;
mod groups;
mod hosted;
mod link;
mod link_calls;
mod log;
mod machine;
mod provider;
mod requests;
mod samples;
mod script;
mod session;
mod settings;
mod steps;
mod user;
mod whereabouts;

pub use link::SCRIPT_TIMEOUT;
pub use provider::JvmProvider;
pub use settings::JvmSettings;
