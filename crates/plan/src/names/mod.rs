//! Names of classes and properties in all versions of JMeter.

mod alias;
mod upgrade;

pub(crate) use alias::alias_of;
pub use alias::class_of;
pub(crate) use upgrade::{PropertyNames, UpgradedName, property_names, upgraded_class, upgraded_test_class};
