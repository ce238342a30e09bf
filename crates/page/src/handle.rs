//! How programs find a page: a file that only its user can read, in the user's runtime folder.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The address of a page with its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handle {
    /// For example `http://127.0.0.1:41234/`.
    pub url: String,
    /// Its secret.
    pub token: String,
    /// The SHA-256 of its certificate, in hexadecimal; none if it is not encrypted.
    #[serde(default)]
    pub certificate: Option<String>,
    /// The process that serves it.
    pub process: u32,
}

impl Handle {
    /// The address for a browser: the secret is in the fragment, which browsers do not send. The
    /// digest of the certificate follows it, for programs that receive this address.
    pub fn address(&self) -> String {
        let certificate = self.certificate.as_ref().map(|digest| format!("&c={digest}")).unwrap_or_default();
        format!("{}#t={}{certificate}", self.url, self.token)
    }

    /// Writes `live-PROCESS.json` into the folder, for programs of this user.
    ///
    /// # Errors
    /// As [`PrivateFile::write`].
    pub fn write(&self, folder: &Path) -> io::Result<PrivateFile> {
        let text = serde_json::to_string(self).map_err(io::Error::other)?;
        PrivateFile::write(folder, &format!("live-{}.json", self.process), &text)
    }

    /// Parses what [`Handle::address`] wrote; none for other texts. The process is unknown.
    pub fn of_address(address: &str) -> Option<Self> {
        let (url, fragment) = address.split_once('#')?;
        let field = |name: &str| fragment.split('&').find_map(|pair| pair.strip_prefix(name));
        let token = field("t=")?.to_owned();
        let certificate = field("c=").map(str::to_owned);
        Some(Self { url: url.to_owned(), token, certificate, process: 0 })
    }
}

/// The folder of the files that say how to reach this user's runs.
pub fn runtime_folder() -> PathBuf {
    match std::env::var_os("XDG_RUNTIME_DIR").filter(|folder| !folder.is_empty()) {
        Some(folder) => PathBuf::from(folder).join("swell"),
        None => std::env::temp_dir().join(format!("swell-{}", rustix::process::getuid().as_raw())),
    }
}

/// Whether only this user can create files there. In a folder for all, anyone could.
fn check_owner(folder: &Path) -> io::Result<()> {
    let metadata = fs::symlink_metadata(folder)?;
    let is_own = metadata.is_dir()
        && metadata.uid() == rustix::process::getuid().as_raw()
        && metadata.mode() & 0o022 == 0;
    if is_own { Ok(()) } else { Err(io::Error::other("others can write to it")) }
}

/// A file that only this user can read, deleted when this is dropped.
pub struct PrivateFile(PathBuf);

impl PrivateFile {
    /// Writes a file into a folder in which only this user can create files; it is made if missing.
    ///
    /// # Errors
    /// The error of the system; or others can write to the folder.
    pub fn write(folder: &Path, name: &str, content: &str) -> io::Result<Self> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        check_owner(folder)?;
        let path = folder.join(name);
        // A file left by a killed process with the same number.
        let _ = fs::remove_file(&path);
        let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        file.write_all(content.as_bytes())?;
        Ok(Self(path))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for PrivateFile {
    fn drop(&mut self) {
        // Another process may have removed it.
        let _ = fs::remove_file(&self.0);
    }
}

/// The handle of the running run in that folder that started last.
///
/// # Errors
/// The folder cannot be read.
pub fn newest(folder: &Path) -> io::Result<Option<Handle>> {
    let mut found: Vec<(std::time::SystemTime, Handle)> = Vec::new();
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        entries => entries?,
    };
    check_owner(folder)?;
    for entry in entries.flatten() {
        let Ok(text) = fs::read_to_string(entry.path()) else { continue };
        let Ok(handle) = serde_json::from_str::<Handle>(&text) else { continue };
        let is_alive = Path::new("/proc").join(handle.process.to_string()).exists();
        if let (true, Ok(at)) = (is_alive, entry.metadata().and_then(|metadata| metadata.modified())) {
            found.push((at, handle));
        }
    }
    Ok(found.into_iter().max_by_key(|(at, _)| *at).map(|(_, handle)| handle))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_handle_is_for_its_user_only_and_goes_with_its_run() {
        let dir = tempfile::tempdir().expect("a folder");
        let folder = dir.path().join("swell");
        assert_eq!(newest(&folder).expect("no folder is no error"), None);
        let handle = Handle {
            url: "http://127.0.0.1:1/".into(),
            token: "abc".into(),
            certificate: None,
            process: std::process::id(),
        };
        let file = handle.write(&folder).expect("written");
        let mode = fs::metadata(file.path()).expect("it is there").permissions().mode() & 0o777;
        assert_eq!(
            (mode, fs::metadata(&folder).expect("a folder").permissions().mode() & 0o777),
            (0o600, 0o700)
        );
        fs::write(folder.join("live-0.json"), "{").expect("written");
        let gone = Handle { process: u32::MAX, ..handle.clone() };
        std::mem::forget(gone.write(&folder).expect("written"));
        assert_eq!(newest(&folder).expect("read"), Some(handle.clone()), "of a running test");
        assert_eq!(handle.address(), "http://127.0.0.1:1/#t=abc");
        let encrypted = Handle { certificate: Some("00ff".into()), process: 0, ..handle.clone() };
        assert_eq!(encrypted.address(), "http://127.0.0.1:1/#t=abc&c=00ff");
        assert_eq!(Handle::of_address(&encrypted.address()), Some(encrypted));
        assert_eq!(Handle::of_address("http://127.0.0.1:1/"), None);
        drop(file);
        assert_eq!(newest(&folder).expect("read"), None);
    }
}
