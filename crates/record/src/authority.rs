//! The certificate authority of the recorder.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::net::IpAddr;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::{env, fmt};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::civil::Date;
use jiff::{Timestamp, ToSpan as _};
use parking_lot::Mutex;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer,
    KeyPair, KeyUsagePurpose, PKCS_ECDSA_P256_SHA256, PublicKeyData as _, SanType, SerialNumber,
    date_time_ymd,
};
use rustls_pki_types::PrivateKeyDer;
use rustls_pki_types::pem::PemObject as _;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use swell_connect::TlsServerConfig;

/// How long an authority lasts, and with it the certificates of hosts: browsers refuse those that
/// last longer than 398 days.
const DAYS: i64 = 365;
/// An authority that ends sooner is renewed before a recording.
const LEAST_DAYS: i64 = 2;
/// Certificates of hosts that are remembered.
const MOST_HOSTS: usize = 10_000;

const CERTIFICATE: &str = "ca.pem";
const KEY: &str = "ca-key.pem";
const FACTS: &str = "ca.json";

/// Signs the certificates with which the proxy answers instead of servers.
pub struct Authority {
    folder: PathBuf,
    facts: Facts,
    certificate: Vec<u8>,
    issuer: Issuer<'static, KeyPair>,
    /// The key of all certificates of hosts.
    host_key: KeyPair,
    hosts: Mutex<HashMap<String, TlsServerConfig>>,
}

/// What the certificate says, so that it need not be parsed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Facts {
    name: String,
    /// The first and the last day, as `2027-11-27`.
    from: String,
    until: String,
}

/// Why there is no authority.
#[derive(Debug)]
pub enum AuthorityError {
    /// Neither `XDG_DATA_HOME` nor `HOME` says where to keep it.
    NoFolder,
    /// A file cannot be read or written.
    File(PathBuf, io::Error),
    /// A file is not what was written.
    Broken(PathBuf),
    /// Others than the owner may read the key.
    Readable(PathBuf, u32),
    /// A certificate cannot be made.
    Certificate(String),
}

/// The folder of the authority: `swell/record` in the user's data folder (`XDG_DATA_HOME`, else
/// `~/.local/share`).
pub fn default_folder() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let data = set("XDG_DATA_HOME").or_else(|| set("HOME").map(|home| home.join(".local/share")))?;
    Some(data.join("swell/record"))
}

impl Authority {
    /// The authority of a folder; a new one if there is none, or if it ends soon.
    ///
    /// # Errors
    /// Its files cannot be read or written, or are broken.
    pub fn open(folder: &Path) -> Result<Self, AuthorityError> {
        if !folder.join(KEY).exists() {
            return Self::renew(folder);
        }
        let authority = Self::read(folder)?;
        let until = authority.facts.until.parse::<Date>();
        let left = until.and_then(|until| today().until(until)).map_or(0, |span| span.get_days());
        if i64::from(left) < LEAST_DAYS { Self::renew(folder) } else { Ok(authority) }
    }

    /// A new authority instead of the one in the folder.
    ///
    /// # Errors
    /// Its files cannot be written.
    pub fn renew(folder: &Path) -> Result<Self, AuthorityError> {
        make_private(folder)?;
        let today = today();
        let date = |days: i64| {
            let day = today.checked_add(days.days());
            day.map(|day| day.to_string()).map_err(certificate_error)
        };
        // Clocks of other machines may be late.
        let facts = Facts {
            name: format!("Swell recorder on {}, {today}", swell_net::machine::host_name()),
            from: date(-1)?,
            until: date(DAYS)?,
        };
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(certificate_error)?;
        let made = parameters(&facts)?.self_signed(&key).map_err(certificate_error)?;
        let text = serde_json::to_string(&facts).expect("plain data") + "\n";
        write_private(&folder.join(KEY), &pem("PRIVATE KEY", key.serialized_der()))?;
        write_private(&folder.join(CERTIFICATE), &pem("CERTIFICATE", made.der()))?;
        write_private(&folder.join(FACTS), &text)?;
        Self::of(folder, facts, made.der().to_vec(), key)
    }

    fn read(folder: &Path) -> Result<Self, AuthorityError> {
        let path = |name: &str| folder.join(name);
        let read = |name: &str| fs::read(path(name)).map_err(|error| AuthorityError::File(path(name), error));
        let broken = |name: &str| AuthorityError::Broken(path(name));
        let mode = fs::metadata(path(KEY)).map_err(|error| AuthorityError::File(path(KEY), error))?;
        let mode = mode.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(AuthorityError::Readable(path(KEY), mode));
        }
        let facts = serde_json::from_slice(&read(FACTS)?).map_err(|_| broken(FACTS))?;
        let certificates = swell_connect::certificates_of_pem(&read(CERTIFICATE)?);
        let certificate = certificates.ok().and_then(|all| all.into_iter().next());
        let certificate = certificate.ok_or_else(|| broken(CERTIFICATE))?;
        let Ok(PrivateKeyDer::Pkcs8(key)) = PrivateKeyDer::from_pem_slice(&read(KEY)?) else {
            return Err(broken(KEY));
        };
        let key = KeyPair::from_pkcs8_der_and_sign_algo(&key, &PKCS_ECDSA_P256_SHA256);
        Self::of(folder, facts, certificate, key.map_err(|_| broken(KEY))?)
    }

    fn of(folder: &Path, facts: Facts, certificate: Vec<u8>, key: KeyPair) -> Result<Self, AuthorityError> {
        let host_key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(certificate_error)?;
        let issuer = Issuer::new(parameters(&facts)?, key);
        let folder = folder.to_owned();
        Ok(Self { folder, facts, certificate, issuer, host_key, hosts: Mutex::default() })
    }

    /// Its name, with host and date.
    pub fn name(&self) -> &str {
        &self.facts.name
    }

    /// The last day of its certificate, as `2027-11-27`.
    pub fn until(&self) -> String {
        self.facts.until.clone()
    }

    /// The file of its certificate, for clients that are to trust it.
    pub fn certificate_file(&self) -> PathBuf {
        self.folder.join(CERTIFICATE)
    }

    /// Its certificate, DER.
    pub fn certificate(&self) -> &[u8] {
        &self.certificate
    }

    /// Its certificate as text.
    pub fn certificate_pem(&self) -> String {
        pem("CERTIFICATE", &self.certificate)
    }

    /// The SHA-256 of its public key in Base64, which Chromium trusts with
    /// `--ignore-certificate-errors-spki-list`.
    pub fn key_hash(&self) -> String {
        STANDARD.encode(Sha256::digest(self.issuer.key().subject_public_key_info()))
    }

    /// How to answer as a host: its certificate, followed by that of the authority.
    ///
    /// # Errors
    /// The host is no name that a certificate can have.
    pub fn server(&self, host: &str) -> Result<TlsServerConfig, AuthorityError> {
        if let Some(known) = self.hosts.lock().get(host) {
            return Ok(known.clone());
        }
        let leaf = self.leaf(host)?;
        let chain = [leaf, self.certificate.clone()];
        let config = TlsServerConfig::of_chain(chain, self.host_key.serialize_der());
        let config = config.map_err(certificate_error)?.with_protocols(&[b"http/1.1"]);
        let mut hosts = self.hosts.lock();
        if hosts.len() >= MOST_HOSTS {
            hosts.clear();
        }
        hosts.insert(host.to_owned(), config.clone());
        Ok(config)
    }

    fn leaf(&self, host: &str) -> Result<Vec<u8>, AuthorityError> {
        let san = match host.trim_matches(['[', ']']).parse::<IpAddr>() {
            Ok(address) => SanType::IpAddress(address),
            Err(_) => SanType::DnsName(host.to_owned().try_into().map_err(certificate_error)?),
        };
        let mut params = CertificateParams::default();
        params.subject_alt_names = vec![san];
        params.distinguished_name = named("Swell recorder");
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.use_authority_key_identifier_extension = true;
        // Firefox refuses two certificates of one issuer with the same number.
        let number = Sha256::new().chain_update(host).chain_update(self.host_key.public_key_raw()).finalize();
        params.serial_number = Some(SerialNumber::from_slice(&[&[1], &number[..15]].concat()));
        set_dates(&mut params, &self.facts)?;
        let made = params.signed_by(&self.host_key, &self.issuer).map_err(certificate_error)?;
        Ok(made.der().to_vec())
    }
}

fn today() -> Date {
    Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date()
}

fn set_dates(params: &mut CertificateParams, facts: &Facts) -> Result<(), AuthorityError> {
    let midnight = |text: &str| {
        let date = text.parse::<Date>().map_err(certificate_error)?;
        Ok(date_time_ymd(date.year().into(), date.month().unsigned_abs(), date.day().unsigned_abs()))
    };
    params.not_before = midnight(&facts.from)?;
    params.not_after = midnight(&facts.until)?;
    Ok(())
}

fn named(name: &str) -> DistinguishedName {
    let mut all = DistinguishedName::new();
    all.push(DnType::CommonName, name);
    all
}

fn parameters(facts: &Facts) -> Result<CertificateParams, AuthorityError> {
    let mut params = CertificateParams::default();
    params.distinguished_name = named(&facts.name);
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    set_dates(&mut params, facts)?;
    Ok(params)
}

fn certificate_error(error: impl fmt::Display) -> AuthorityError {
    AuthorityError::Certificate(error.to_string())
}

/// A folder that only its owner may enter.
fn make_private(folder: &Path) -> Result<(), AuthorityError> {
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|error| AuthorityError::File(folder.to_owned(), error))
}

/// Writes a file that only its owner may read, whole or not at all.
fn write_private(path: &Path, text: &str) -> Result<(), AuthorityError> {
    let new = path.with_extension(format!("new-{}", std::process::id()));
    let written = (|| {
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
        file.set_permissions(fs::Permissions::from_mode(0o600))?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, path)
    })();
    written.map_err(|error| AuthorityError::File(path.to_owned(), error))
}

/// DER as text (RFC 7468).
fn pem(label: &str, der: &[u8]) -> String {
    let text = STANDARD.encode(der);
    let mut out = format!("-----BEGIN {label}-----\n");
    for line in text.as_bytes().chunks(64) {
        out.push_str(std::str::from_utf8(line).expect("Base64 is ASCII"));
        out.push('\n');
    }
    out + &format!("-----END {label}-----\n")
}

impl fmt::Display for AuthorityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFolder => {
                f.write_str("no folder for the recorder's certificate: set HOME or XDG_DATA_HOME")
            }
            Self::File(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Broken(path) => {
                write!(f, "{} is broken; `swell record ca --renew` makes a new certificate", path.display())
            }
            Self::Readable(path, mode) => write!(
                f,
                "{} can be read by others (mode {mode:04o}): run `swell record ca --renew`, which makes a \
                 new key",
                path.display()
            ),
            Self::Certificate(why) => write!(f, "cannot make a certificate: {why}"),
        }
    }
}

impl std::error::Error for AuthorityError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_is_private_and_an_authority_is_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("record");
        let first = Authority::open(&folder).unwrap();
        let mode = |name: &str| fs::metadata(folder.join(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!([mode(KEY), mode(CERTIFICATE), mode("")], [0o600, 0o600, 0o700]);
        let again = Authority::open(&folder).unwrap();
        assert_eq!((again.key_hash(), again.certificate()), (first.key_hash(), first.certificate()));
        assert!(first.name().contains(&swell_net::machine::host_name()), "{}", first.name());
        let renewed = Authority::renew(&folder).unwrap();
        assert_ne!(renewed.key_hash(), first.key_hash());
        assert_eq!(Authority::open(&folder).unwrap().key_hash(), renewed.key_hash());
    }

    #[test]
    fn authority_that_ends_soon_is_renewed() {
        let folder = tempfile::tempdir().unwrap();
        let first = Authority::open(folder.path()).unwrap();
        let facts = Facts { until: today().to_string(), ..first.facts.clone() };
        fs::write(folder.path().join(FACTS), serde_json::to_string(&facts).unwrap()).unwrap();
        assert_ne!(Authority::open(folder.path()).unwrap().key_hash(), first.key_hash());
    }

    #[test]
    fn broken_and_readable_files_are_named() {
        let folder = tempfile::tempdir().unwrap();
        drop(Authority::open(folder.path()).unwrap());
        let failure = || Authority::open(folder.path()).err().expect("a failure").to_string();
        let key = folder.path().join(KEY);
        fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(failure().contains("ca-key.pem can be read by others (mode 0644)"), "{}", failure());
        fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(&key, "none").unwrap();
        assert!(failure().contains("ca-key.pem is broken"), "{}", failure());
    }

    #[test]
    fn hosts_get_certificates_that_the_authority_signed() {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::open(folder.path()).unwrap();
        let again = Authority::open(folder.path()).unwrap();
        let mut roots = rustls::RootCertStore::empty();
        roots.add(authority.certificate().to_vec().into()).unwrap();
        let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
        let client = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let client = std::sync::Arc::new(client);
        for (signer, host) in [
            (&authority, "shop.test"),
            (&again, "127.0.0.1"),
            (&authority, "[::1]"),
            (&again, "a.b.shop.test"),
        ] {
            let name = host.trim_matches(['[', ']']).to_owned().try_into().unwrap();
            let mut client_end = rustls::ClientConnection::new(client.clone(), name).unwrap();
            let mut server = rustls::ServerConnection::new(signer.server(host).unwrap().shared()).unwrap();
            while client_end.is_handshaking() || server.is_handshaking() {
                let mut there = Vec::new();
                let mut back = Vec::new();
                client_end.write_tls(&mut there).unwrap();
                server.read_tls(&mut &*there).unwrap();
                server.process_new_packets().unwrap();
                while server.wants_write() {
                    server.write_tls(&mut back).unwrap();
                }
                client_end.read_tls(&mut &*back).unwrap();
                client_end.process_new_packets().expect(host);
            }
        }
        assert!(authority.server("\u{fc}").is_err());
    }
}
