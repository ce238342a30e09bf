//! Basic and Digest access authentication (RFC 7617, RFC 7616) as HttpClient 4.5 does them.

mod challenge;
mod credentials;
mod digest;

pub(crate) use challenge::Challenge;
pub(crate) use credentials::Store;
pub(crate) use digest::{DigestRequest, digest};
