//! TLS for the recorder. It asks clients for a certificate and records the name in it with their
//! requests.

use std::io;
use std::net::TcpStream;
use std::sync::Arc;

use rustls::{ServerConfig, ServerConnection, StreamOwned};
use swell_connect::TlsServerConfig;

/// A TLS connection.
pub(super) type Secured = StreamOwned<ServerConnection, TcpStream>;

/// Returns the settings of a server that asks for certificates and accepts any, or none.
///
/// # Errors
/// No certificate can be made.
pub(super) fn config() -> io::Result<Arc<ServerConfig>> {
    let names = ["localhost", "127.0.0.1"].map(str::to_owned).to_vec();
    let own = rcgen::generate_simple_self_signed(names).map_err(io::Error::other)?;
    let certificate = own.cert.der().to_vec();
    let key = own.signing_key.serialize_der();
    TlsServerConfig::asking(certificate, key, false).map(|config| config.shared())
}

/// Performs the handshake; returns the connection, and the name in the client's certificate.
///
/// # Errors
/// The handshake failed.
pub(super) fn accept(mut stream: TcpStream, config: Arc<ServerConfig>) -> io::Result<(Secured, String)> {
    let mut connection = ServerConnection::new(config).map_err(io::Error::other)?;
    while connection.is_handshaking() {
        connection.complete_io(&mut stream)?;
    }
    let shown = connection.peer_certificates().and_then(|chain| chain.first());
    let name = shown.map_or_else(|| "nobody".to_owned(), |certificate| common_name(certificate));
    Ok((StreamOwned::new(connection, stream), name))
}

/// The last common name in a certificate: that of its subject (the object identifier 2.5.4.3, then a text).
fn common_name(certificate: &[u8]) -> String {
    const NAME: [u8; 5] = [0x06, 0x03, 0x55, 0x04, 0x03];
    let Some(at) = certificate.windows(NAME.len()).rposition(|part| part == NAME) else {
        return "somebody".to_owned();
    };
    let text = certificate.get(at + NAME.len() + 1..).unwrap_or_default();
    let (length, text) = text.split_first().unwrap_or((&0, &[]));
    String::from_utf8_lossy(text.get(..usize::from(*length)).unwrap_or_default()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_certificates() {
        let mut params = rcgen::CertificateParams::default();
        params.distinguished_name.push(rcgen::DnType::CommonName, "Some One");
        let key = rcgen::KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        assert_eq!(common_name(certificate.der()), "Some One");
        assert_eq!(common_name(b"none"), "somebody");
    }
}
