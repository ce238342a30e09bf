//! JMX bytes to a typed, lossless test plan with diagnostics, and back.
//!
//! The reader never fails on well-formed XML: what it does not know is kept as it is and written back the same.
//! Names of classes and properties are brought to those of JMeter 5.6.3 (`saveservice.properties`,
//! `upgrade.properties`, the BeanInfo defaults of TestBean elements), so consumers see one spelling only.

mod diagnostic;
mod element;

pub use diagnostic::{Diagnostic, Place, Severity};
pub use element::{Element, Node, NodeId, Property, PropertyValue};
