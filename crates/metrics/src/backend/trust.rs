//! The servers that a sender trusts: those of Java's default context (`TrustManagerFactory`), but
//! with this machine's certificates instead of Java's.

use std::path::Path;

use swell_connect::keystore::trusted_certificates;
use swell_connect::{TlsConfig, machine_roots};
use swell_expr::{Host, Properties};

/// How to speak TLS. `javax.net.ssl.trustStore` names a file of Java's, kinds JKS and PKCS #12.
///
/// # Errors
/// That file cannot be read; in words.
pub(crate) fn trusting(props: &Properties, host: &dyn Host) -> Result<TlsConfig, String> {
    let Some(file) = props.get("javax.net.ssl.trustStore").filter(|file| !file.is_empty()) else {
        return Ok(TlsConfig::trusting(&machine_roots()));
    };
    let wrong = |why: String| format!("the trust store `{file}` cannot be read: {why}");
    let bytes = host.read_file(Path::new(&file)).map_err(|error| wrong(error.to_string()))?;
    let password = props.get("javax.net.ssl.trustStorePassword").unwrap_or_default();
    let roots = trusted_certificates(&bytes, &password).map_err(wrong)?;
    if roots.is_empty() {
        return Err(wrong("there is no certificate in it".to_owned()));
    }
    Ok(TlsConfig::trusting(&roots))
}

/// A Java key store with certificates, without the checksum at its end, which is not verified.
#[cfg(test)]
pub(super) fn jks_of(certificates: &[&[u8]]) -> Vec<u8> {
    let mut out = vec![0xFE, 0xED, 0xFE, 0xED, 0, 0, 0, 2];
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
