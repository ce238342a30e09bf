//! Downloads complete files.

use std::fs::{self, File};
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use swell_connect::{TlsConfig, machine_roots};
use swell_fetch::{BodyLimit, Client, Limits, Request};

use super::artifact::Artifact;
use super::error::InstallError;

/// The largest jar that is taken, in bytes.
pub(super) const LARGEST: u64 = 512 << 20;

/// A repository with Maven's layout.
pub(super) struct Repository {
    pub(super) address: String,
    client: Client,
}

impl Repository {
    pub(super) fn new(address: &str) -> Self {
        let limits = Limits {
            connect: Duration::from_secs(20),
            silence: Duration::from_mins(1),
            total: Duration::from_mins(10),
            body: BodyLimit::Refuse(LARGEST),
            redirects: 10,
        };
        let client = Client::new(limits, Some(TlsConfig::trusting(&machine_roots()))).with_proxies();
        Self { address: address.trim_end_matches('/').to_owned(), client }
    }

    /// Fetches an artifact to a file, which is there whole and with that SHA-256 or not at all.
    pub(super) fn fetch(&self, artifact: &Artifact, digest: &str, file: &Path) -> Result<(), InstallError> {
        let address = format!("{}/{}", self.address, artifact.path());
        let body = self.fetch_address(&address)?;
        let found = digest_of(&body);
        if found != digest {
            make_folder_of(file)?;
            return Err(InstallError::Digest(address, digest.to_owned(), found));
        }
        write_whole(file, &mut body.as_slice())
    }
}

impl Repository {
    /// What an address gives.
    pub(super) fn fetch_address(&self, address: &str) -> Result<Vec<u8>, InstallError> {
        let failed = |why: String| InstallError::Fetch(address.to_owned(), why);
        let answer = self.client.send(Request::get(address)).map_err(|error| failed(error.to_string()))?;
        if answer.is_success() { Ok(answer.body) } else { Err(failed(answer.status_line)) }
    }
}

/// The SHA-256 of these bytes, in small hexadecimal digits.
pub(super) fn digest_of(bytes: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(bytes))
}

/// Whether a file has that SHA-256.
pub(super) fn has_digest(file: &Path, digest: &str) -> bool {
    fs::read(file).is_ok_and(|bytes| digest_of(&bytes) == digest)
}

fn make_folder_of(file: &Path) -> Result<(), InstallError> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|e| InstallError::File(folder.to_owned(), e))
}

/// Writes a temporary file and renames it, so that an interrupted installation leaves no partial
/// file.
pub(super) fn write_whole(file: &Path, from: &mut dyn Read) -> Result<(), InstallError> {
    make_folder_of(file)?;
    let mut name = file.as_os_str().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part = PathBuf::from(name);
    let mut write = || -> io::Result<()> {
        let mut out = File::create(&part)?;
        io::copy(from, &mut out)?;
        out.flush()?;
        out.sync_all()?;
        fs::rename(&part, file)
    };
    write().map_err(|e| {
        // What is half written is of no use; if it cannot be removed either, the first error is the
        // one to tell.
        drop(fs::remove_file(&part));
        InstallError::File(file.to_owned(), e)
    })
}
