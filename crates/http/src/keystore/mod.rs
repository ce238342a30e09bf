//! Certificates of clients: key stores of Java (`JmeterKeyStore`, `SSLManager`) and who is given which.

mod der;
mod jks;
mod order;
mod pkcs12;

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use swell_api::Compile;
use swell_expr::Properties;
use swell_net::ClientKey;

pub(crate) use order::hashtable_order;

/// A key with its certificates, the owner's first.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// In lower case, as Java keeps it.
    pub(crate) alias: String,
    pub(crate) chain: Vec<Vec<u8>>,
    /// PKCS #8.
    pub(crate) key: Vec<u8>,
}

/// The keys of a run.
#[derive(Clone, Default)]
pub(crate) struct KeyStore {
    /// In the order in which Java lists them.
    keys: Vec<(String, ClientKey)>,
    /// Whose turn it is, for all workers.
    pub(crate) turn: Arc<AtomicUsize>,
}

/// Property: the file of the key, where `javax.net.ssl.keyStore` is a file of certificates in PEM form without it.
const PEM_KEY: &str = "swell.http.key";

/// Text of that form, which Java's stores are not.
fn is_pem(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, b"-----BEGIN ").is_some()
}

impl KeyStore {
    /// The store that `javax.net.ssl.keyStore` names; none if it names none, as a rule.
    ///
    /// # Errors
    /// It cannot be read; in words.
    pub(crate) fn load(props: &Properties, compile: &Compile) -> Result<Option<Self>, String> {
        let file = props.get("javax.net.ssl.keyStore").filter(|file| !file.is_empty());
        let Some(file) = file else { return Ok(None) };
        let wrong = |why: String| format!("the key store `{file}` cannot be read: {why}");
        let password = props.get("javax.net.ssl.keyStorePassword").unwrap_or_default();
        let bytes = compile.host.read_file(file.as_ref()).map_err(|error| wrong(error.to_string()))?;
        if is_pem(&bytes) {
            let other = props.get(PEM_KEY).filter(|file| !file.is_empty());
            let key = other.as_ref().map(|key| compile.host.read_file(key.as_ref())).transpose();
            let key =
                key.map_err(|error| wrong(format!("its key `{}`: {error}", other.unwrap_or_default())))?;
            let made = ClientKey::of_pem(&bytes, key.as_deref().unwrap_or(&bytes));
            let key = made.map_err(|error| wrong(error.to_string()))?;
            return Ok(Some(Self { keys: vec![("pem".to_owned(), key)], turn: Arc::default() }));
        }
        let entries = read(&bytes, &password).map_err(wrong)?;
        let mut keys = Vec::with_capacity(entries.len());
        for Entry { alias, chain, key } in entries {
            let key = ClientKey::new(chain, key).map_err(|error| wrong(format!("key `{alias}`: {error}")))?;
            keys.push((alias, key));
        }
        if keys.is_empty() {
            return Err(wrong("there is no key in it".to_owned()));
        }
        Ok(Some(Self { keys, turn: Arc::default() }))
    }

    /// The keys from one place to another, both included.
    pub(crate) fn between(&self, start: usize, end: Option<usize>) -> Vec<ClientKey> {
        let keys =
            self.keys.iter().skip(start).take(end.map_or(usize::MAX, |end| (end + 1).saturating_sub(start)));
        keys.map(|(_, key)| key.clone()).collect()
    }

    /// The key of an alias, if it stands in that range.
    pub(crate) fn named(&self, alias: &str, start: usize, end: Option<usize>) -> Option<&ClientKey> {
        let at = self.keys.iter().position(|(known, _)| known == alias)?;
        (at >= start && end.is_none_or(|end| at <= end)).then(|| &self.keys[at].1)
    }
}

/// Reads a store of either kind; Java does not insist on the type it is told either.
pub(crate) fn read(bytes: &[u8], password: &str) -> Result<Vec<Entry>, String> {
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
