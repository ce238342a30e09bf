//! JSON, XML and HTML as trees, and what is asked of them: JSONPath, XPath, CSS selectors. Pure:
//! bytes in, values out.
//!
//! JMeter uses Xerces, Xalan and jsoup here; what each of them finds, and the messages in which it
//! complains, decide. A tree is flat, so no document, however deep, can use up the stack; and
//! questions have a limit of work, so none can hang.

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
