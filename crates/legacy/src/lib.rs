//! Elements whose Java libraries were written a second time here, until JMeter's own classes run them on a JVM: XPath 2 (Saxon), XML
//! Schema (Xerces), JTidy and JMESPath. Few plans use them, so nothing here grows; what needs more waits for the JVM.
//!
//! The rest of Swell knows them by [`kinds`] and [`TIDIER`] alone.

mod elements;
pub mod jmespath;
pub mod jtidy;
mod tidier;
pub mod xpath2;
pub mod xsd;

pub use elements::kinds;
pub use tidier::TIDIER;
