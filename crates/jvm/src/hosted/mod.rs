//! Elements that Swell has no code for and that JMeter's own classes run: which classes there are,
//! and the plan that the JVM gets.

mod class_file;
mod classes;
mod plan;

pub use classes::{ClassFacts, Classes};
pub use plan::{ElementPart, PlanForJvm};
