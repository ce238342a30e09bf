//! Encryption of the live page: by a certificate of the user, or by one that is made for this run
//! where others can read along.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;

use swell_budget::input::PEM;
use swell_connect::{TlsServerConfig, certificate_digest};
use swell_net::reachable;
use swell_page::LiveTls;

use crate::{LiveOptions, Problem};

/// How the page at that address is encrypted; none at loopback, unless there is a certificate for
/// it.
///
/// # Errors
/// The certificate or the key cannot be used.
pub(crate) fn of(at: SocketAddr, live: &LiveOptions) -> Result<Option<LiveTls>, Problem> {
    let (certificate, config) = match (&live.certificate, &live.key) {
        (Some(certificate), Some(key)) => of_files(certificate, key)?,
        _ if at.ip().is_loopback() => return Ok(None),
        _ => {
            let own = reachable(at.ip()).to_string();
            let mut names = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned(), own];
            names.extend(live.name.clone());
            TlsServerConfig::self_signed(names).map_err(|error| {
                Problem::settings(format!("cannot make a certificate for the live page: {error}"))
                    .hint("--live-cert and --live-key take one that is there")
            })?
        }
    };
    Ok(Some(LiveTls { config, digest: certificate_digest(&certificate) }))
}

fn of_files(certificate: &Path, key: &Path) -> Result<(Vec<u8>, TlsServerConfig), Problem> {
    let read = |option: &str, file: &Path| {
        fs::File::open(file).and_then(|file| PEM.read_whole(file)).map_err(|error| {
            Problem::settings(format!("{option}: cannot read `{}`: {error}", file.display()))
        })
    };
    let certificates = read("--live-cert", certificate)?;
    let secret = read("--live-key", key)?;
    TlsServerConfig::of_pem(&certificates, &secret).map_err(|error| {
        let files = format!("`{}` and `{}`", certificate.display(), key.display());
        Problem::settings(format!("--live-cert and --live-key: {files} cannot be used: {error}"))
            .hint("both are PEM files: -----BEGIN CERTIFICATE-----, and -----BEGIN PRIVATE KEY----- that belongs to it")
    })
}

/// A digest as other programs show it: `0A:FF:…`.
pub(crate) fn in_pairs(digest: &str) -> String {
    let pairs: Vec<_> =
        digest.as_bytes().chunks(2).map(|pair| String::from_utf8_lossy(pair).to_uppercase()).collect();
    pairs.join(":")
}
