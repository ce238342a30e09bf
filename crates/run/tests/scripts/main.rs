//! Script elements that JMeter's own classes run in the embedded JVM. Where Java or JMeter is not installed, the tests say so and pass.

mod child;
mod elements;
mod functions;
mod groups;
mod hosted;
mod late_functions;
mod machine;
mod partners;
mod plans;
mod readers;
mod recorded;
mod trouble;
