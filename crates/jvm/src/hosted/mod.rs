//! Elements without native code that run on JMeter's classes: the available classes, and the plan
//! that the JVM receives.

mod class_file;
mod classes;
mod plan;

pub use classes::{ClassFacts, Classes};
pub use plan::{ElementPart, PlanForJvm};
