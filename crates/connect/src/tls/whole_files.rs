//! TLS for `ureq`, which fetches whole files and pages separately from the load.

use std::sync::Arc;

use ureq::tls::{Certificate, RootCerts, TlsConfig};

use super::machine_roots;

/// TLS for an agent of `ureq`: by the cryptography of the whole program, trusting the certificates
/// that this machine trusts.
pub fn ureq_tls() -> TlsConfig {
    let roots = machine_roots();
    let roots: Vec<_> =
        roots.iter().map(|certificate| Certificate::from_der(certificate).to_owned()).collect();
    TlsConfig::builder()
        .root_certs(RootCerts::new_with_certs(&roots))
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build()
}
