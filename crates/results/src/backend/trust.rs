//! Whom a sender trusts: what Java's default context does (`TrustManagerFactory`), with the certificates of this machine in
//! the place of those that come with Java.

use std::path::Path;

use p12_keystore::{KeyStore, KeyStoreEntry, Pkcs12ImportPolicy};
use swell_expr::{Host, Properties};
use swell_net::TlsConfig;

/// How to speak TLS. `javax.net.ssl.trustStore` names a file of Java's, kinds JKS and PKCS #12.
///
/// # Errors
/// That file cannot be read; in words.
pub(super) fn trusting(props: &Properties, host: &dyn Host) -> Result<TlsConfig, String> {
    let Some(file) = props.get("javax.net.ssl.trustStore").filter(|file| !file.is_empty()) else {
        return Ok(TlsConfig::trusting(&swell_net::machine_roots()));
    };
    let wrong = |why: String| format!("the trust store `{file}` cannot be read: {why}");
    let bytes = host.read_file(Path::new(&file)).map_err(|error| wrong(error.to_string()))?;
    let password = props.get("javax.net.ssl.trustStorePassword").unwrap_or_default();
    let roots = if bytes.starts_with(&JKS) {
        jks(&bytes).ok_or("it ends too early".to_owned())
    } else {
        pkcs12(&bytes, &password)
    };
    let roots = roots.map_err(wrong)?;
    if roots.is_empty() {
        return Err(wrong("there is no certificate in it".to_owned()));
    }
    Ok(TlsConfig::trusting(&roots))
}

fn pkcs12(bytes: &[u8], password: &str) -> Result<Vec<Vec<u8>>, String> {
    let store = KeyStore::from_pkcs12(bytes, password, Pkcs12ImportPolicy::Relaxed);
    let store = store.map_err(|error| error.to_string())?;
    let certificates = store.entries().filter_map(|(_, entry)| match entry {
        KeyStoreEntry::Certificate(certificate) => Some(certificate.as_der().to_vec()),
        _ => None,
    });
    Ok(certificates.collect())
}

/// `sun.security.provider.JavaKeyStore`.
const JKS: [u8; 4] = [0xFE, 0xED, 0xFE, 0xED];

/// The certificates of a store of Java's own kind; keys in it are nobody's to trust. None: it is cut off.
fn jks(bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut rest = &bytes[JKS.len()..];
    let mut take = |length: usize| {
        let (taken, more) = rest.split_at_checked(length)?;
        rest = more;
        Some(taken)
    };
    let number = |bytes: &[u8]| bytes.iter().fold(0_usize, |sum, byte| sum << 8 | usize::from(*byte));
    let version = number(take(4)?);
    let count = number(take(4)?);
    let mut found = Vec::new();
    for _ in 0..count {
        let is_key = number(take(4)?) == 1;
        let alias = number(take(2)?);
        take(alias + 8)?;
        let mut certificates = 1;
        if is_key {
            let key = number(take(4)?);
            take(key)?;
            certificates = number(take(4)?);
        }
        for _ in 0..certificates {
            if version == 2 {
                let kind = number(take(2)?);
                take(kind)?;
            }
            let length = number(take(4)?);
            let certificate = take(length)?;
            if !is_key {
                found.push(certificate.to_vec());
            }
        }
    }
    Some(found)
}

/// A store of Java's own kind with certificates, without the sum at its end, which nobody looks at.
#[cfg(test)]
pub(super) fn jks_of(certificates: &[&[u8]]) -> Vec<u8> {
    let mut out = JKS.to_vec();
    out.extend([0, 0, 0, 2]);
    out.extend((certificates.len() as u32).to_be_bytes());
    for certificate in certificates {
        out.extend([0, 0, 0, 2, 0, 1, b'a']);
        out.extend([0; 8]);
        out.extend(b"\x00\x05X.509");
        out.extend((certificate.len() as u32).to_be_bytes());
        out.extend(*certificate);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificates_are_found_in_stores() {
        let store = jks_of(&[b"one", b"two!"]);
        assert_eq!(jks(&store), Some(vec![b"one".to_vec(), b"two!".to_vec()]));
        for length in 12..store.len() {
            assert_eq!(jks(&store[..length]), None, "{length}");
        }
        // A key with a certificate of its own.
        let mut store = JKS.to_vec();
        store.extend(
            b"\0\0\0\x02\0\0\0\x01\0\0\0\x01\0\x01k\0\0\0\0\0\0\0\0\0\0\0\x03KEY\0\0\0\x01\0\x01X\0\0\0\x01C",
        );
        assert_eq!(jks(&store), Some(vec![]));
        assert!(pkcs12(b"nothing of the kind", "").is_err());
    }
}
