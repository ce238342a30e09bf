//! A certificate for this run only.

use std::io;

use swell_connect::TlsServerConfig;

/// A self-signed certificate for `localhost` and the loopback addresses, in DER, and a
/// configuration with it.
pub(crate) fn self_signed() -> io::Result<(Vec<u8>, TlsServerConfig)> {
    let names = ["localhost", "127.0.0.1", "::1"].map(String::from);
    let (certificate, config) = TlsServerConfig::self_signed(names)?;
    Ok((certificate, config.with_protocols(&[b"h2", b"http/1.1"])))
}
