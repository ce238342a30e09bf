//! gRPC over HTTP/2 without a socket and without a clock.
//!
//! [`MessageReader`] and [`write_message`] frame messages, [`Status`] is the end of a call,
//! [`Metadata`] its fields, [`timeout`] its deadline. [`Descriptors`] come from `.proto` files
//! ([`ProtoFiles`]), from descriptor sets or from a server's reflection ([`ReflectionQuery`]);
//! [`Method`] turns JSON into messages and messages into JSON. These are the feature `descriptors`.
//!
//! Source: <https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md>.

#[cfg(feature = "descriptors")]
mod descriptors;
#[cfg(feature = "descriptors")]
mod files;
mod framing;
#[cfg(feature = "descriptors")]
mod json;
#[cfg(feature = "descriptors")]
mod metadata;
#[cfg(feature = "descriptors")]
mod method;
#[cfg(feature = "descriptors")]
mod query;
pub mod reflection;
mod status;
pub mod timeout;

#[cfg(feature = "descriptors")]
pub use descriptors::{DescriptorError, Descriptors};
#[cfg(feature = "descriptors")]
pub use files::ProtoFiles;
pub use framing::{FramingError, MessageReader, PREFIX_BYTES, write_gzip, write_message};
#[cfg(feature = "descriptors")]
pub use json::JsonError;
#[cfg(feature = "descriptors")]
pub use metadata::{Metadata, MetadataError};
#[cfg(feature = "descriptors")]
pub use method::Method;
#[cfg(feature = "descriptors")]
pub use query::ReflectionQuery;
pub use status::{Code, Status, field, status_of_http};
