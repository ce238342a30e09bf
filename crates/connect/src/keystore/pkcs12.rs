//! Key stores in PKCS #12 format.

use p12_keystore::{KeyStore, KeyStoreEntry, Pkcs12Archive, Pkcs12ImportPolicy};

use super::KeyEntry;

/// The keys of a store, in the order of the file.
///
/// # Errors
/// It is broken, or the password is another.
pub(super) fn read(bytes: &[u8], password: &str) -> Result<Vec<KeyEntry>, String> {
    let store = KeyStore::from_pkcs12(bytes, password, Pkcs12ImportPolicy::Relaxed);
    let store = store.map_err(|error| error.to_string())?;
    // The store lists by name; the archive has the order.
    let archive = Pkcs12Archive::from_pkcs12(bytes, password).map_err(|error| error.to_string())?;
    let place = |alias: &str| archive.keys.iter().position(|key| key.friendly_name.as_deref() == Some(alias));
    let mut found: Vec<(usize, KeyEntry)> = Vec::new();
    for (alias, entry) in store.entries() {
        let KeyStoreEntry::PrivateKeyChain(chain) = entry else { continue };
        let certificates = chain.certs().iter().map(|certificate| certificate.as_der().to_vec());
        let key = chain.key().as_der().to_vec();
        let entry = KeyEntry { alias: alias.to_lowercase(), chain: certificates.collect(), key };
        found.push((place(alias).unwrap_or(usize::MAX), entry));
    }
    found.sort_by_key(|(place, _)| *place);
    Ok(found.into_iter().map(|(_, entry)| entry).collect())
}

/// The certificates of a store that belong to no key.
///
/// # Errors
/// It is broken, or the password is another.
pub(super) fn certificates(bytes: &[u8], password: &str) -> Result<Vec<Vec<u8>>, String> {
    let store = KeyStore::from_pkcs12(bytes, password, Pkcs12ImportPolicy::Relaxed);
    let store = store.map_err(|error| error.to_string())?;
    let certificates = store.entries().filter_map(|(_, entry)| match entry {
        KeyStoreEntry::Certificate(certificate) => Some(certificate.as_der().to_vec()),
        _ => None,
    });
    Ok(certificates.collect())
}
