//! Script elements that run on JMeter's classes in the embedded JVM. If Java or JMeter is not
//! installed, the tests print that and pass.

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
