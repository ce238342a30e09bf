//! Settings of a TLS server.

use std::io;
use std::sync::Arc;

use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::CryptoProvider;
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{DigitallySignedStruct, DistinguishedName, ServerConfig, SignatureScheme};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, UnixTime};

/// Settings of a TLS server.
#[derive(Clone, Debug)]
pub struct TlsServerConfig(Arc<ServerConfig>);

impl TlsServerConfig {
    /// As [`TlsServerConfig::new`]; clients are asked for certificates, and any will do.
    /// `required`: none will not.
    ///
    /// # Errors
    /// As [`TlsServerConfig::new`].
    pub fn asking(certificate: Vec<u8>, key: Vec<u8>, required: bool) -> io::Result<Self> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let key = PrivateKeyDer::Pkcs8(key.into());
        let config = ServerConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_client_cert_verifier(Arc::new(AnyClientCertificate { provider, required }))
            .with_single_cert(vec![CertificateDer::from(certificate)], key)
            .map_err(io::Error::other)?;
        Ok(Self(Arc::new(config)))
    }

    /// With a certificate that is made now for these names and addresses, signed by itself; it is
    /// given in DER.
    ///
    /// # Errors
    /// One of them is not a valid name.
    pub fn self_signed(names: impl Into<Vec<String>>) -> io::Result<(Vec<u8>, Self)> {
        let made = rcgen::generate_simple_self_signed(names).map_err(io::Error::other)?;
        let certificate = made.cert.der().to_vec();
        let config = Self::new(certificate.clone(), made.signing_key.serialize_der())?;
        Ok((certificate, config))
    }

    /// With the certificates of a text in PEM form, the server's own first, and the key of another.
    /// The server's own is given in DER.
    ///
    /// # Errors
    /// They contain no certificate or no key, or the two do not match.
    pub fn of_pem(certificates: &[u8], key: &[u8]) -> io::Result<(Vec<u8>, Self)> {
        let none = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
        let chain = super::certificates_of_pem(certificates)?;
        let own = chain.first().ok_or_else(|| none("it contains no certificate"))?.clone();
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| none("it contains no private key"))?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_no_client_auth()
            .with_single_cert(chain.into_iter().map(CertificateDer::from).collect(), key)
            .map_err(io::Error::other)?;
        Ok((own, Self(Arc::new(config))))
    }

    /// With a certificate and its key, both DER (key: PKCS #8).
    ///
    /// # Errors
    /// They do not fit each other or are of no kind that is known.
    pub fn new(certificate: Vec<u8>, key: Vec<u8>) -> io::Result<Self> {
        Self::of_chain([certificate], key)
    }

    /// With certificates, the server's own first, and its key, all DER (key: PKCS #8).
    ///
    /// # Errors
    /// The first and the key do not fit each other or are of no kind that is known.
    pub fn of_chain(chain: impl IntoIterator<Item = Vec<u8>>, key: Vec<u8>) -> io::Result<Self> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let key = PrivateKeyDer::Pkcs8(key.into());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_no_client_auth()
            .with_single_cert(chain.into_iter().map(CertificateDer::from).collect(), key)
            .map_err(io::Error::other)?;
        Ok(Self(Arc::new(config)))
    }

    /// The same, but accepting these application protocols (RFC 7301) only, the best first. A
    /// client that offers others is refused.
    #[must_use]
    pub fn with_protocols(&self, protocols: &[&[u8]]) -> Self {
        let mut config = ServerConfig::clone(&self.0);
        config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
        Self(Arc::new(config))
    }
}

impl TlsServerConfig {
    /// As rustls takes it.
    pub fn shared(&self) -> Arc<ServerConfig> {
        self.0.clone()
    }
}

#[derive(Debug)]
struct AnyClientCertificate {
    provider: Arc<CryptoProvider>,
    required: bool,
}

impl ClientCertVerifier for AnyClientCertificate {
    fn client_auth_mandatory(&self) -> bool {
        self.required
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, rustls::Error> {
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
