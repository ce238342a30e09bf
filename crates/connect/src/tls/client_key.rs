//! Client certificates.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use rustls::SignatureScheme;
use rustls::client::ResolvesClientCert;
use rustls::crypto::ring::sign::any_supported_type;
use rustls::sign::CertifiedKey;
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};

/// A key with its certificates.
#[derive(Clone, Debug)]
pub struct ClientKey(Arc<CertifiedKey>);

impl ClientKey {
    /// From certificates, the owner's first, and its key, all DER (key: PKCS #8).
    ///
    /// # Errors
    /// The key is of no kind that is known.
    pub fn new(chain: Vec<Vec<u8>>, key: Vec<u8>) -> io::Result<Self> {
        Self::of(chain, &PrivateKeyDer::Pkcs8(key.into()))
    }

    /// From two texts in PEM form, which may be the same.
    ///
    /// # Errors
    /// The first has no certificate, the second no key, or the key has a password or an unknown
    /// type.
    pub fn of_pem(certificates: &[u8], key: &[u8]) -> io::Result<Self> {
        let chain = super::certificates_of_pem(certificates)?;
        if chain.is_empty() {
            return Err(io::Error::other("it contains no certificate"));
        }
        let key = PrivateKeyDer::from_pem_slice(key)
            .map_err(|_| io::Error::other("it contains no key that can be read without a password"))?;
        Self::of(chain, &key)
    }

    fn of(chain: Vec<Vec<u8>>, key: &PrivateKeyDer<'_>) -> io::Result<Self> {
        let key = any_supported_type(key).map_err(io::Error::other)?;
        let chain = chain.into_iter().map(CertificateDer::from).collect();
        Ok(Self(Arc::new(CertifiedKey::new(chain, key))))
    }
}

/// The key for servers that request a certificate.
#[derive(Clone, Debug)]
pub enum ClientKeys {
    /// The one that is named at the time.
    Named(Arc<NamedKey>),
    /// One after the other, a handshake each.
    Turns {
        /// The keys.
        keys: Vec<ClientKey>,
        /// Counts the turns.
        turn: Arc<AtomicUsize>,
    },
}

/// A client key that can be replaced. Sessions created with the old key resume with it.
#[derive(Debug, Default)]
pub struct NamedKey {
    key: Mutex<Option<ClientKey>>,
    asked: AtomicUsize,
}

impl NamedKey {
    /// With a key; none, if there is none.
    pub fn new(key: Option<ClientKey>) -> Self {
        Self { key: Mutex::new(key), asked: AtomicUsize::new(0) }
    }

    /// Changes the key for that of another.
    pub fn change(&self, to: &Self) {
        self.key.lock().clone_from(&to.key.lock());
        self.asked.store(0, Ordering::Relaxed);
    }

    /// Whether a server asked since the last change while there was no key.
    pub fn was_missed(&self) -> bool {
        self.asked.load(Ordering::Relaxed) > 0 && self.key.lock().is_none()
    }
}

impl ResolvesClientCert for ClientKeys {
    fn resolve(&self, _: &[&[u8]], _: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        match self {
            Self::Named(named) => {
                named.asked.fetch_add(1, Ordering::Relaxed);
                named.key.lock().as_ref().map(|key| key.0.clone())
            }
            Self::Turns { keys, turn } if !keys.is_empty() => {
                let turn = turn.fetch_add(1, Ordering::Relaxed);
                Some(keys[turn % keys.len()].0.clone())
            }
            Self::Turns { .. } => None,
        }
    }

    fn has_certs(&self) -> bool {
        true
    }
}
