//! Blocking TLS for separate threads, for data that a run sends in addition to its samples.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use rustls::{ClientConnection, StreamOwned};
use rustls_pki_types::ServerName;

use super::TlsConfig;

/// A TLS client over a connection, with its time limits. The handshake is made with the first read
/// or write; a certificate that is not trusted is `InvalidData` then.
///
/// # Errors
/// `server_name` is neither a name nor an address.
pub fn blocking_tls(
    tcp: TcpStream,
    config: &TlsConfig,
    server_name: &str,
) -> io::Result<impl Read + Write + use<>> {
    let name = ServerName::try_from(server_name.trim_matches(['[', ']']).to_owned())
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
    let session = ClientConnection::new(config.shared(), name).map_err(io::Error::other)?;
    Ok(StreamOwned::new(session, tcp))
}
