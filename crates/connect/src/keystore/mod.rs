//! Client certificates: Java key stores (`JmeterKeyStore`, `SSLManager`), and the assignment of
//! keys to users.

mod der;
mod jks;
mod order;
#[cfg(feature = "pkcs12")]
mod pkcs12;
#[cfg(not(feature = "pkcs12"))]
mod pkcs12 {
    //! Replacement for the omitted module.

    use super::KeyEntry;

    const LEFT_OUT: &str = "this program was built without PKCS #12 support: use `make release`, or convert the file to PEM with `openssl pkcs12 \
         -in FILE -out FILE.pem -nodes`";

    pub(super) fn read(_: &[u8], _: &str) -> Result<Vec<KeyEntry>, String> {
        Err(LEFT_OUT.to_owned())
    }

    pub(super) fn certificates(_: &[u8], _: &str) -> Result<Vec<Vec<u8>>, String> {
        Err(LEFT_OUT.to_owned())
    }
}

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use order::hashtable_order;

use crate::ClientKey;

/// A key with its certificate chain, the owner's certificate first.
#[derive(Clone, Debug)]
pub struct KeyEntry {
    /// In lower case, as Java keeps it.
    pub alias: String,
    /// Certificates (DER).
    pub chain: Vec<Vec<u8>>,
    /// PKCS #8.
    pub key: Vec<u8>,
}

/// The keys of a run.
#[derive(Clone, Default)]
pub struct KeyStore {
    /// In the order in which Java lists them.
    keys: Vec<(String, ClientKey)>,
    /// Whose turn it is, for all workers.
    pub turn: Arc<AtomicUsize>,
}

/// Text in PEM form, which Java's stores are not.
pub fn is_pem(bytes: &[u8]) -> bool {
    bytes.windows(PEM.len()).any(|part| part == PEM)
}

const PEM: &[u8] = b"-----BEGIN ";

impl KeyStore {
    /// From certificates and a key in PEM format, which may be in one file.
    ///
    /// # Errors
    /// Like [`ClientKey::of_pem`], as text.
    pub fn of_pem(certificates: &[u8], key: &[u8]) -> Result<Self, String> {
        let key = ClientKey::of_pem(certificates, key).map_err(|error| error.to_string())?;
        Ok(Self { keys: vec![("pem".to_owned(), key)], turn: Arc::default() })
    }

    /// From the bytes of a Java key store of either kind.
    ///
    /// # Errors
    /// It cannot be read, or it contains no key; as text.
    pub fn of_java(bytes: &[u8], password: &str) -> Result<Self, String> {
        let entries = read(bytes, password)?;
        let mut keys = Vec::with_capacity(entries.len());
        for KeyEntry { alias, chain, key } in entries {
            let key = ClientKey::new(chain, key).map_err(|error| format!("key `{alias}`: {error}"))?;
            keys.push((alias, key));
        }
        if keys.is_empty() {
            return Err("it contains no key".to_owned());
        }
        Ok(Self { keys, turn: Arc::default() })
    }

    /// The keys from one place to another, both included.
    pub fn between(&self, start: usize, end: Option<usize>) -> Vec<ClientKey> {
        let keys =
            self.keys.iter().skip(start).take(end.map_or(usize::MAX, |end| (end + 1).saturating_sub(start)));
        keys.map(|(_, key)| key.clone()).collect()
    }

    /// The key of an alias, if it is in that range.
    pub fn named(&self, alias: &str, start: usize, end: Option<usize>) -> Option<&ClientKey> {
        let at = self.keys.iter().position(|(known, _)| known == alias)?;
        (at >= start && end.is_none_or(|end| at <= end)).then(|| &self.keys[at].1)
    }
}

/// The certificates (DER) of a Java trust store of either kind: those without a key.
///
/// # Errors
/// It is truncated or damaged, or the password is wrong; as text.
pub fn trusted_certificates(bytes: &[u8], password: &str) -> Result<Vec<Vec<u8>>, String> {
    if jks::is_one(bytes) { jks::certificates(bytes) } else { pkcs12::certificates(bytes, password) }
}

/// Reads the keys of a store of either kind; Java ignores the configured type, too.
///
/// # Errors
/// It is truncated or damaged, or the password is wrong; as text.
pub fn read(bytes: &[u8], password: &str) -> Result<Vec<KeyEntry>, String> {
    let read = if jks::is_one(bytes) { jks::read } else { pkcs12::read };
    let mut entries = read(bytes, password)?;
    for entry in &mut entries {
        let key = std::mem::take(&mut entry.key);
        entry.key = match entry.chain.first() {
            Some(certificate) => der::with_public_key(key, certificate),
            None => key,
        };
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(name: &str) -> Vec<u8> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/keystores/");
        std::fs::read(format!("{folder}{name}")).unwrap()
    }

    #[test]
    fn stores_of_both_kinds_are_read_in_javas_order() {
        // What `KeyStore.aliases()` says of them.
        let table = [
            ("ec.jks", "second user4 third-3 first"),
            ("ec.p12", "first second third-3 user4"),
            ("rsa.jks", "rsa1"),
        ];
        for (name, aliases) in table {
            let entries = read(&store(name), "secret1").unwrap();
            let found: Vec<&str> = entries.iter().map(|entry| entry.alias.as_str()).collect();
            assert_eq!(found.join(" "), aliases, "{name}");
            for entry in entries {
                assert_eq!(entry.chain.len(), 1);
                let subject = String::from_utf8_lossy(&entry.chain[0]).to_lowercase();
                assert!(subject.contains(&entry.alias), "the certificate of {}", entry.alias);
                assert!(ClientKey::new(entry.chain, entry.key).is_ok(), "{name} {}", entry.alias);
            }
        }
    }

    /// A store of Java's own kind with certificates and one key, without the sum at its end.
    fn trust_store(certificates: &[&[u8]]) -> Vec<u8> {
        let mut out = vec![0xFE, 0xED, 0xFE, 0xED, 0, 0, 0, 2];
        out.extend((certificates.len() as u32 + 1).to_be_bytes());
        for certificate in certificates {
            out.extend([0, 0, 0, 2, 0, 1, b'a']);
            out.extend([0; 8]);
            out.extend(b"\x00\x05X.509");
            out.extend((certificate.len() as u32).to_be_bytes());
            out.extend(*certificate);
        }
        out.extend(b"\0\0\0\x01\0\x01k\0\0\0\0\0\0\0\0\0\0\0\x03KEY\0\0\0\x01\0\x01X\0\0\0\x01C");
        out
    }

    #[test]
    fn certificates_are_trusted_where_they_stand_without_a_key() {
        let store = trust_store(&[b"one", b"two!"]);
        assert_eq!(trusted_certificates(&store, ""), Ok(vec![b"one".to_vec(), b"two!".to_vec()]));
        assert_eq!(trusted_certificates(&trust_store(&[]), ""), Ok(vec![]));
        for length in 12..store.len() {
            assert!(trusted_certificates(&store[..length], "").is_err(), "{length}");
        }
        assert!(trusted_certificates(b"nothing of the kind", "").is_err());
    }

    #[test]
    fn wrong_passwords_and_broken_stores_are_told() {
        for name in ["ec.jks", "ec.p12"] {
            assert!(read(&store(name), "wrong").is_err(), "{name}");
            for cut in [0, 3, 12, 200, store(name).len() - 1] {
                assert!(read(&store(name)[..cut], "secret1").is_err(), "{name} {cut}");
            }
        }
    }
}
