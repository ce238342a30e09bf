//! Reads JMX bytes to a typed, lossless test plan with diagnostics, and writes it back.
//!
//! The reader never fails on well-formed XML: unknown parts are kept and written back unchanged.
//! Names of classes and properties are converted to those of JMeter 5.6.3
//! (`saveservice.properties`, `upgrade.properties`, translated choices of TestBean elements), so
//! consumers see only one spelling.
//!
//! [`read`] returns a [`Plan`]; [`write()`] returns its bytes. Elements made in memory start with
//! [`Element::new`]. [`edit()`] changes a file where it says and keeps every other byte;
//! [`layout()`] gives it JMeter's layout.

mod bean;
mod build;
mod diagnostic;
mod edit;
mod element;
mod layout;
mod names;
mod plan;
mod read;
mod resolve;
mod save_config;
mod tag_kind;
mod weight;
mod write;
mod xml;

pub use diagnostic::{Diagnostic, Place, Severity};
pub use edit::{Edit, EditError, PropertyPlace, edit};
pub use element::{Element, MissingValue, Node, NodeId, Property, PropertyValue};
pub use layout::{Layout, layout};
pub use names::class_of;
pub use plan::Plan;
pub use read::{Reading, read};
pub use resolve::{IncludeLoader, Resolved};
pub use write::write;
