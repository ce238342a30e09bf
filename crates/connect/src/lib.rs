//! Opens connections for any protocol.
//!
//! [`open`] turns a [`Target`] into a [`Stream`]. It resolves the host ([`NameCache`], or the
//! [`UserNames`] of a DNS Cache Manager), applies [`Routes`], connects from the requested source
//! address, asks the proxy for a tunnel, and performs the TLS handshake with the sessions, client
//! keys and application protocols of a [`TlsConfig`]. A [`Pool`] keeps idle connections; a
//! [`Session`] is a connection that carries several exchanges at once. Failures are
//! [`ConnectError`]s, which each protocol turns into its messages.

mod dns;
mod error;
pub mod keystore;
mod open;
mod pool;
mod routes;
mod session;
mod single_flight;
mod stream;
mod tap;
mod target;
mod tls;
mod tunnel;

#[cfg(feature = "fuzz")]
pub use dns::fuzz;
pub use dns::{Hosts, ManagerNames, NameCache, NameServers, ResolveError, ResolvedName, UserNames, resolve};
pub use error::ConnectError;
pub use open::{ConnectParams, OpenConnection, dial, open};
pub use pool::{IdleLimits, Pool, PooledConnection};
pub use routes::Routes;
pub use session::{
    Arrived, Claim, Connecting, Head, HeadAgain, Interim, KeptSessions, ReadySession, Session, SessionError,
    SessionExchange,
};
pub use single_flight::{Flight, Making, SingleFlight};
pub use stream::Stream;
pub use tap::{TappedStream, WireBytes};
pub use target::{Credentials, Proxy, Target, basic};
pub use tls::{
    ClientKey, ClientKeys, NamedKey, TlsConfig, TlsServerConfig, TlsStream, blocking_tls, certificate_digest,
    certificates_of_pem, machine_roots, pinned_client,
};
pub use tunnel::SentProxyCredentials;
