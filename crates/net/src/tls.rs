//! TLS over a TCP connection: rustls does the protocol, the loop does the waiting.

use std::future::poll_fn;
use std::io::{self, Read};
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use rustls::DistinguishedName;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{
    ClientConfig, ClientConnection, Connection, DigitallySignedStruct, RootCertStore, ServerConfig,
    ServerConnection,
};
use rustls::{SignatureScheme, client::Resumption};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};

use crate::{Arrival, TcpStream};

/// How to be a TLS client.
#[derive(Clone, Debug)]
pub struct TlsConfig(Arc<ClientConfig>);

impl TlsConfig {
    /// Trusts every certificate, as JMeter does (`org.apache.jmeter.util.JsseSSLManager`), and resumes sessions.
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

    /// As [`TlsConfig::trust_all`], with some versions and suites only, by the names that Java has for them; no names: all.
    /// None: none of those named is there.
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

    /// Trusts what one of these certificates (DER) has signed, for the name that is asked for; those that are none are left
    /// out.
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

    /// The same, but trusting only what one of these certificates (DER) has signed, for the name that is asked for. Those that
    /// are none are left out.
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

    /// For a session.
    pub(crate) fn shared(&self) -> Arc<ClientConfig> {
        self.0.clone()
    }

    /// The same with a memory of sessions of its own: a new user does not resume the sessions of another.
    #[must_use]
    pub fn with_new_sessions(&self) -> Self {
        let mut config = ClientConfig::clone(&self.0);
        config.resumption = Resumption::in_memory_sessions(8);
        Self(Arc::new(config))
    }

    /// The same, but servers that ask for a certificate are shown these. Sessions are not shared with the original.
    #[must_use]
    pub fn with_client_keys(&self, keys: crate::ClientKeys) -> Self {
        let mut config = ClientConfig::clone(&self.0);
        config.client_auth_cert_resolver = Arc::new(keys);
        config.resumption = Resumption::in_memory_sessions(8);
        Self(Arc::new(config))
    }

    /// The same without resumption: every handshake is a full one.
    #[must_use]
    pub fn without_resumption(&self) -> Self {
        let mut config = ClientConfig::clone(&self.0);
        config.resumption = Resumption::disabled();
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

/// How to be a TLS server.
#[derive(Clone, Debug)]
pub struct TlsServerConfig(Arc<ServerConfig>);

impl TlsServerConfig {
    /// As [`TlsServerConfig::new`]; clients are asked for certificates, and any will do. `required`: none will not.
    ///
    /// # Errors
    /// As [`TlsServerConfig::new`].
    pub fn asking(certificate: Vec<u8>, key: Vec<u8>, required: bool) -> io::Result<Self> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let key = PrivateKeyDer::Pkcs8(key.into());
        let config = ServerConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_client_cert_verifier(Arc::new(AskAny { provider, required }))
            .with_single_cert(vec![CertificateDer::from(certificate)], key)
            .map_err(io::Error::other)?;
        Ok(Self(Arc::new(config)))
    }

    /// With a certificate and its key, both DER (key: PKCS #8).
    ///
    /// # Errors
    /// They do not fit each other or are of no kind that is known.
    pub fn new(certificate: Vec<u8>, key: Vec<u8>) -> io::Result<Self> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let key = PrivateKeyDer::Pkcs8(key.into());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_no_client_auth()
            .with_single_cert(vec![CertificateDer::from(certificate)], key)
            .map_err(io::Error::other)?;
        Ok(Self(Arc::new(config)))
    }
}

#[derive(Debug)]
struct AskAny {
    provider: Arc<CryptoProvider>,
    required: bool,
}

impl ClientCertVerifier for AskAny {
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

/// A TLS connection.
pub struct TlsStream {
    tcp: TcpStream,
    session: Connection,
    /// Records on their way out, and how much of them has gone.
    out: Vec<u8>,
    sent: usize,
    /// The peer has ended.
    ended: bool,
    /// When the peer's end came.
    goodbye: Option<Arrival>,
    /// Application data that came with the handshake.
    early: Option<(Vec<u8>, Arrival)>,
}

impl TlsStream {
    /// Makes the handshake as a client. See [`crate::Stream::tls_connect`].
    pub(crate) async fn connect(tcp: TcpStream, config: &TlsConfig, server_name: &str) -> io::Result<Self> {
        let name = ServerName::try_from(server_name.trim_matches(['[', ']']).to_owned())
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        let session = ClientConnection::new(config.0.clone(), name).map_err(io::Error::other)?;
        Self::handshake(tcp, session.into()).await
    }

    /// Makes the handshake as a server. See [`crate::Stream::tls_accept`].
    pub(crate) async fn accept(tcp: TcpStream, config: &TlsServerConfig) -> io::Result<Self> {
        let session = ServerConnection::new(config.0.clone()).map_err(io::Error::other)?;
        Self::handshake(tcp, session.into()).await
    }

    async fn handshake(tcp: TcpStream, mut session: Connection) -> io::Result<Self> {
        session.set_buffer_limit(None);
        let mut stream =
            Self { tcp, session, out: Vec::new(), sent: 0, ended: false, goodbye: None, early: None };
        while stream.session.is_handshaking() {
            stream.flush().await?;
            if !stream.session.is_handshaking() {
                break;
            }
            let (plain, arrival) = poll_fn(|cx| stream.poll_records(cx)).await?;
            if stream.ended && stream.session.is_handshaking() {
                return Err(io::Error::new(
                    io::ErrorKind::UnexpectedEof,
                    "connection ended in the TLS handshake",
                ));
            }
            if !plain.is_empty() {
                stream.early = Some((plain, arrival));
            }
        }
        stream.flush().await?;
        Ok(stream)
    }

    /// One step of sending all of it: `sent` counts what has been taken.
    pub(crate) fn poll_send_all(
        &mut self,
        cx: &Context<'_>,
        bytes: &[u8],
        sent: &mut usize,
    ) -> Poll<io::Result<()>> {
        // The session takes all at once.
        if *sent < bytes.len() {
            io::Write::write_all(&mut self.session.writer(), &bytes[*sent..])?;
            *sent = bytes.len();
        }
        self.poll_flush(cx)
    }

    pub(crate) async fn finish(&mut self) -> io::Result<()> {
        self.session.send_close_notify();
        self.flush().await
    }

    async fn flush(&mut self) -> io::Result<()> {
        poll_fn(|cx| self.poll_flush(cx)).await
    }

    fn poll_flush(&mut self, cx: &Context<'_>) -> Poll<io::Result<()>> {
        loop {
            while self.session.wants_write() {
                self.session.write_tls(&mut self.out)?;
            }
            if self.sent < self.out.len() {
                ready!(self.tcp.poll_send_all(cx, &self.out, &mut self.sent))?;
            }
            (self.out, self.sent) = (Vec::new(), 0);
            if !self.session.wants_write() {
                return Poll::Ready(Ok(()));
            }
        }
    }

    /// One step of a receive.
    pub(crate) fn poll_recv<R>(
        &mut self,
        cx: &Context<'_>,
        f: impl FnOnce(&[u8], Arrival) -> R,
    ) -> Poll<io::Result<R>> {
        if let Some((plain, arrival)) = self.early.take() {
            return Poll::Ready(Ok(f(&plain, arrival)));
        }
        if let Some(arrival) = self.goodbye {
            // It came with the last data; a peer that waits for ours sends nothing more.
            return Poll::Ready(Ok(f(&[], arrival)));
        }
        loop {
            // Records of the protocol itself (tickets, key updates) may have to be answered first.
            ready!(self.poll_flush(cx))?;
            let (plain, arrival) = ready!(self.poll_records(cx))?;
            if self.ended {
                self.goodbye = Some(arrival);
            }
            if !plain.is_empty() || self.ended {
                return Poll::Ready(Ok(f(&plain, arrival)));
            }
        }
    }

    /// Receives once and decrypts all of it.
    fn poll_records(&mut self, cx: &Context<'_>) -> Poll<io::Result<(Vec<u8>, Arrival)>> {
        let (session, ended) = (&mut self.session, &mut self.ended);
        let take = |bytes: &[u8], arrival| (decrypt(session, ended, bytes), arrival);
        let (plain, arrival) = ready!(self.tcp.poll_recv(cx, take))?;
        Poll::Ready(plain.map(|plain| (plain, arrival)))
    }

    /// Whether an idle connection is of no use: ended, broken, or with data that nobody asked for.
    pub(crate) fn is_stale(&mut self) -> bool {
        if self.ended || self.early.is_some() {
            return true;
        }
        if !self.tcp.is_stale() {
            return false;
        }
        // Something came: take it in, since it may be a ticket only.
        let cx = Context::from_waker(std::task::Waker::noop());
        match self.poll_records(&cx) {
            Poll::Ready(Ok((plain, _))) => self.ended || !plain.is_empty(),
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        }
    }

    /// The certificate that the other end showed, DER.
    pub(crate) fn peer_certificate(&self) -> Option<&[u8]> {
        self.session.peer_certificates()?.first().map(AsRef::as_ref)
    }

    pub(crate) fn tcp(&self) -> &TcpStream {
        &self.tcp
    }

    pub(crate) fn tcp_mut(&mut self) -> &mut TcpStream {
        &mut self.tcp
    }
}

/// Feeds received bytes to the session and takes what they decrypt to.
fn decrypt(session: &mut Connection, ended: &mut bool, mut bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut plain = Vec::new();
    if bytes.is_empty() {
        *ended = true;
    }
    while !bytes.is_empty() {
        session.read_tls(&mut bytes)?;
        let state =
            session.process_new_packets().map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))?;
        *ended |= state.peer_has_closed();
        let waiting = state.plaintext_bytes_to_read();
        if waiting > 0 {
            let start = plain.len();
            plain.resize(start + waiting, 0);
            session.reader().read_exact(&mut plain[start..])?;
        }
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Version and suite that two ends agree upon, without any socket.
    fn agreed(client: &TlsConfig) -> (String, String) {
        let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        let key = made.signing_key.serialize_der();
        let server = TlsServerConfig::new(made.cert.der().to_vec(), key).unwrap();
        let mut client = ClientConnection::new(client.shared(), "localhost".try_into().unwrap()).unwrap();
        let mut server = ServerConnection::new(server.0.clone()).unwrap();
        while client.is_handshaking() || server.is_handshaking() {
            let (mut there, mut back) = (Vec::new(), Vec::new());
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
        (format!("{:?}", client.protocol_version().unwrap()), format!("{suite:?}"))
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
