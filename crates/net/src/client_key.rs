//! Certificates that a client shows.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustls::SignatureScheme;
use rustls::client::ResolvesClientCert;
use rustls::crypto::ring::sign::any_supported_type;
use rustls::sign::CertifiedKey;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};

/// A key with its certificates.
#[derive(Clone, Debug)]
pub struct ClientKey(Arc<CertifiedKey>);

impl ClientKey {
    /// Of certificates, the owner's first, and its key, all DER (key: PKCS #8).
    ///
    /// # Errors
    /// The key is of no kind that is known.
    pub fn new(chain: Vec<Vec<u8>>, key: Vec<u8>) -> io::Result<Self> {
        let key = any_supported_type(&PrivateKeyDer::Pkcs8(key.into())).map_err(io::Error::other)?;
        let chain = chain.into_iter().map(CertificateDer::from).collect();
        Ok(Self(Arc::new(CertifiedKey::new(chain, key))))
    }
}

/// Which key is shown to a server that asks.
#[derive(Clone, Debug)]
pub enum ClientKeys {
    /// Always this one; none, if there is none. `asked` counts how often one was wanted.
    One {
        /// The key.
        key: Option<ClientKey>,
        /// How often a server asked.
        asked: Arc<AtomicUsize>,
    },
    /// One after the other, a handshake each.
    Turns {
        /// The keys.
        keys: Vec<ClientKey>,
        /// Counts the turns.
        turn: Arc<AtomicUsize>,
    },
}

impl ResolvesClientCert for ClientKeys {
    fn resolve(&self, _: &[&[u8]], _: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        match self {
            Self::One { key, asked } => {
                asked.fetch_add(1, Ordering::Relaxed);
                key.as_ref().map(|key| key.0.clone())
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
