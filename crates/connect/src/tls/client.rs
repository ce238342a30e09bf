//! Settings of a TLS client: trusted certificates, versions and cipher suites, sessions and client
//! keys.

use std::io;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{Resumption, WebPkiServerVerifier};
use rustls::crypto::CryptoProvider;
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};

/// Settings of a TLS client.
#[derive(Clone, Debug)]
pub struct TlsConfig(Arc<ClientConfig>);

impl TlsConfig {
    /// Trusts every certificate, as JMeter does (`org.apache.jmeter.util.JsseSSLManager`), and
    /// resumes sessions.
    pub fn trust_all() -> Self {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .expect("the provider has suites for the default versions")
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(TrustAll(provider)))
            .with_no_client_auth();
        Self(Arc::new(config))
    }

    /// As [`TlsConfig::trust_all`], with some versions and suites only, by the names that Java has
    /// for them; no names: all. None: none of those named is there.
    pub fn trust_all_with(versions: &[&str], suites: &[&str]) -> Option<Self> {
        let mut provider = rustls::crypto::ring::default_provider();
        if !suites.is_empty() {
            provider.cipher_suites.retain(|suite| {
                let name = format!("{:?}", suite.suite());
                // Those of TLS 1.3 have another start here.
                suites.iter().any(|wanted| **wanted == *name.replace("TLS13_", "TLS_"))
            });
        }
        let named = |version: &&rustls::SupportedProtocolVersion| {
            let name =
                if version.version == rustls::ProtocolVersion::TLSv1_3 { "TLSv1.3" } else { "TLSv1.2" };
            versions.is_empty() || versions.contains(&name)
        };
        let versions: Vec<_> = rustls::ALL_VERSIONS.iter().copied().filter(named).collect();
        let provider = Arc::new(provider);
        let builder = ClientConfig::builder_with_provider(provider.clone()).with_protocol_versions(&versions);
        let trusting =
            builder.ok()?.dangerous().with_custom_certificate_verifier(Arc::new(TrustAll(provider)));
        Some(Self(Arc::new(trusting.with_no_client_auth())))
    }

    /// Trusts what one of these certificates (DER) has signed, for the name that is asked for;
    /// those that are none are left out.
    pub fn trusting(roots: &[Vec<u8>]) -> Self {
        let mut store = RootCertStore::empty();
        store.add_parsable_certificates(roots.iter().map(|root| CertificateDer::from(root.as_slice())));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("the provider has suites for the default versions")
            .with_root_certificates(store)
            .with_no_client_auth();
        Self(Arc::new(config))
    }

    /// The same, but trusting only what one of these certificates (DER) has signed, for the name
    /// that is asked for. Those that are none are left out.
    ///
    /// # Errors
    /// None of them can be used.
    pub fn with_roots(&self, roots: &[Vec<u8>]) -> io::Result<Self> {
        let mut store = RootCertStore::empty();
        store.add_parsable_certificates(roots.iter().map(|root| CertificateDer::from(root.as_slice())));
        let provider = self.0.crypto_provider().clone();
        let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(store), provider).build();
        let mut config = ClientConfig::clone(&self.0);
        config.dangerous().set_certificate_verifier(verifier.map_err(io::Error::other)?);
        config.resumption = Resumption::default();
        Ok(Self(Arc::new(config)))
    }

    pub(super) fn of(config: ClientConfig) -> Self {
        Self(Arc::new(config))
    }

    /// For a session.
    pub(crate) fn shared(&self) -> Arc<ClientConfig> {
        self.0.clone()
    }

    /// The same with a separate session cache: a new user does not resume the sessions of another.
    #[must_use]
    pub fn with_new_sessions(&self) -> Self {
        let mut config = ClientConfig::clone(&self.0);
        config.resumption = Resumption::in_memory_sessions(8);
        Self(Arc::new(config))
    }

    /// The same, but servers that ask for a certificate are shown these. Sessions are not shared
    /// with the original.
    #[must_use]
    pub fn with_client_keys(&self, keys: super::ClientKeys) -> Self {
        let mut config = ClientConfig::clone(&self.0);
        config.client_auth_cert_resolver = Arc::new(keys);
        config.resumption = Resumption::in_memory_sessions(8);
        Self(Arc::new(config))
    }

    /// The same, but offering these application protocols (RFC 7301), the best first;
    /// [`crate::Stream::protocol`] tells which of them the server took.
    #[must_use]
    pub fn with_protocols(&self, protocols: &[&[u8]]) -> Self {
        let mut config = ClientConfig::clone(&self.0);
        config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
        Self(Arc::new(config))
    }
}

/// The certificates (DER) of a text in PEM form, in their order; what else is in it is left out.
///
/// # Errors
/// A section that is broken.
pub fn certificates_of_pem(text: &[u8]) -> io::Result<Vec<Vec<u8>>> {
    let certificates = CertificateDer::pem_slice_iter(text);
    certificates.map(|found| found.map(|der| der.as_ref().to_vec()).map_err(io::Error::other)).collect()
}

/// The certificates that this machine trusts, DER; those that cannot be read are left out.
pub fn machine_roots() -> Vec<Vec<u8>> {
    let found = rustls_native_certs::load_native_certs();
    found.certs.into_iter().map(|certificate| certificate.as_ref().to_vec()).collect()
}

#[derive(Debug)]
struct TrustAll(Arc<CryptoProvider>);

impl ServerCertVerifier for TrustAll {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TlsServerConfig;

    /// Version and suite that two ends agree upon, without any socket.
    fn agreed(client: &TlsConfig) -> (String, String) {
        let (version, suite, _) = agreed_with(client, &[]);
        (version, suite)
    }

    /// The same, and the protocol, with a server that knows these.
    fn agreed_with(client: &TlsConfig, protocols: &[&[u8]]) -> (String, String, Option<Vec<u8>>) {
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        let key = made.signing_key.serialize_der();
        let server = TlsServerConfig::new(made.cert.der().to_vec(), key).unwrap();
        let mut server = rustls::ServerConfig::clone(&server.shared());
        server.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
        let mut client =
            rustls::ClientConnection::new(client.shared(), "localhost".try_into().unwrap()).unwrap();
        let mut server = rustls::ServerConnection::new(Arc::new(server)).unwrap();
        while client.is_handshaking() || server.is_handshaking() {
            let mut there = Vec::new();
            let mut back = Vec::new();
            client.write_tls(&mut there).unwrap();
            server.read_tls(&mut &*there).unwrap();
            server.process_new_packets().unwrap();
            while server.wants_write() {
                server.write_tls(&mut back).unwrap();
            }
            client.read_tls(&mut &*back).unwrap();
            client.process_new_packets().unwrap();
        }
        let suite = client.negotiated_cipher_suite().unwrap().suite();
        let protocol = client.alpn_protocol().map(<[u8]>::to_vec);
        (format!("{:?}", client.protocol_version().unwrap()), format!("{suite:?}"), protocol)
    }

    #[test]
    fn the_server_takes_one_of_the_protocols_that_are_offered() {
        let taken =
            |offered: &[&[u8]]| agreed_with(&TlsConfig::trust_all().with_protocols(offered), &[b"b", b"c"]).2;
        assert_eq!(taken(&[b"a", b"c", b"b"]).as_deref(), Some(&b"b"[..]));
        assert_eq!(taken(&[]), None);
    }

    #[test]
    fn versions_and_suites_can_be_limited() {
        let with = TlsConfig::trust_all_with;
        assert_eq!(agreed(&with(&[], &[]).unwrap()).0, "TLSv1_3");
        assert_eq!(agreed(&with(&["TLSv1", "TLSv1.2"], &[]).unwrap()).0, "TLSv1_2");
        let suite = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256";
        assert_eq!(agreed(&with(&[], &[suite]).unwrap()), ("TLSv1_2".into(), suite.into()));
        let suite = "TLS_CHACHA20_POLY1305_SHA256";
        assert_eq!(agreed(&with(&[], &[suite, "none"]).unwrap()).1, "TLS13_CHACHA20_POLY1305_SHA256");
        assert!(with(&["TLSv1"], &[]).is_none() && with(&[], &["none"]).is_none());
        assert!(with(&["TLSv1.2"], &[suite]).is_none(), "that is one of TLS 1.3");
    }
}
