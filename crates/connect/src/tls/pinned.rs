//! Trusts a server by the digest of its certificate, for self-signed ones.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};
use sha2::{Digest as _, Sha256};

use super::TlsConfig;

/// The SHA-256 of a certificate (DER): what other programs show as its fingerprint.
pub fn certificate_digest(certificate: &[u8]) -> [u8; 32] {
    Sha256::digest(certificate).into()
}

impl TlsConfig {
    /// Trusts the server that has the key of the certificate with that [`certificate_digest`],
    /// signed by anybody, and no other.
    pub fn pinned(digest: [u8; 32]) -> Self {
        let refusal = Error::InvalidCertificate(CertificateError::ApplicationVerificationFailure);
        Self::of(pinned_client(digest, refusal))
    }
}

/// What rustls takes to trust the server that has the key of the certificate with that
/// [`certificate_digest`] and no other, which it refuses with this error.
pub fn pinned_client(digest: [u8; 32], refusal: Error) -> ClientConfig {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .expect("the provider has suites for the default versions")
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(PinnedVerifier { digest, refusal, provider }))
        .with_no_client_auth()
}

#[derive(Debug)]
struct PinnedVerifier {
    digest: [u8; 32],
    refusal: Error,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for PinnedVerifier {
    fn verify_server_cert(
        &self,
        own: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if certificate_digest(own) == self.digest {
            return Ok(ServerCertVerified::assertion());
        }
        Err(self.refusal.clone())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
