//! JSON, XML and HTML as trees, and queries on them: JSONPath, XPath, CSS selectors. Pure: bytes
//! in, values out.
//!
//! JMeter uses Xerces, Xalan and jsoup here; results and error messages equal those of these
//! libraries. A tree is flat, so no document can overflow the stack, however deep it is. Queries
//! have a limit of work, so none can hang.

pub mod chars;
pub mod css;
mod entities;
pub mod html;
pub mod json;
pub mod jsonpath;
mod serialize;
mod tree;
mod unescape;
pub mod xml;
pub mod xpath;

pub use entities::entity_name;
pub use serialize::fragment;
pub use tree::{Builder, Document, NodeId, NodeKind};
pub use unescape::unescape_html4;
