//! TLS, implemented by rustls.

mod blocking;
mod client;
mod client_key;
mod pinned;
mod records;
mod server;
mod stream;

pub use blocking::blocking_tls;
pub use client::{TlsConfig, certificates_of_pem, machine_roots};
pub use client_key::{ClientKey, ClientKeys, NamedKey};
pub use pinned::{certificate_digest, pinned_client};
pub use server::TlsServerConfig;
pub use stream::TlsStream;
