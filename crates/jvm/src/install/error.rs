//! Why an installation failed.

use std::path::PathBuf;
use std::{fmt, io};

use crate::JavaError;

/// Why an installation failed. Files that were downloaded before are kept, and the next attempt
/// continues from there.
#[derive(Debug)]
pub enum InstallError {
    /// An artifact could not be fetched: its address, and why.
    Fetch(String, String),
    /// What was fetched is not what was published: its address, the digest that it should have, and
    /// that which it has.
    Digest(String, String, String),
    /// A jar was not installed: its file or address, and why.
    Jar(String, String),
    /// A file could not be written or read.
    File(PathBuf, io::Error),
    /// Apache Ivy, which resolves what a plug-in needs, failed: its last messages.
    Resolve(String),
    /// Plug-ins need Java to be installed.
    Java(JavaError),
}

impl fmt::Display for InstallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fetch(address, reason) => write!(
                f,
                "cannot fetch {address}: {reason}.\nFiles already downloaded are kept; use `--repository \
                 URL` for another repository and HTTPS_PROXY for a proxy"
            ),
            Self::Digest(address, wanted, found) => write!(
                f,
                "{address} does not match its published digest: its SHA-256 is {found}, expected {wanted}. \
                 It was not installed"
            ),
            Self::Jar(source, reason) => write!(f, "{source} was not installed: {reason}"),
            Self::File(file, error) => write!(f, "{}: {error}", file.display()),
            Self::Resolve(words) => write!(f, "cannot resolve the plug-in:\n{words}"),
            Self::Java(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for InstallError {}
