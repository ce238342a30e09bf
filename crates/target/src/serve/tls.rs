//! A certificate for this run only.

use std::io;

use swell_connect::TlsServerConfig;

/// A self-signed certificate for `localhost` and the loopback addresses, in DER, and a configuration with it.
pub(crate) fn self_signed() -> io::Result<(Vec<u8>, TlsServerConfig)> {
    let names = ["localhost", "127.0.0.1", "::1"].map(String::from);
    let made = rcgen::generate_simple_self_signed(names).map_err(io::Error::other)?;
    let certificate = made.cert.der().to_vec();
    let config = TlsServerConfig::new(certificate.clone(), made.signing_key.serialize_der())?;
    Ok((certificate, config))
}
