//! Bodies of requests.

use std::fs::{File, OpenOptions, remove_file};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::BodyRules;

/// The body of a request.
#[derive(Debug)]
pub enum RequestBody {
    /// In memory.
    Bytes(Vec<u8>),
    /// In a file.
    File(Upload),
}

impl RequestBody {
    /// The bytes in memory; none of a file.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::File(_) => &[],
        }
    }
}

/// A file with a body, deleted when this is dropped.
#[derive(Debug)]
pub struct Upload {
    path: PathBuf,
    file: File,
}

impl Upload {
    fn create(folder: &Path) -> io::Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!(".upload-{}-{number}", std::process::id()));
        // A file left by a killed process with the same number.
        let _ = remove_file(&path);
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        Ok(Self { path, file })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        // Another process may have removed it.
        let _ = remove_file(&self.path);
    }
}

/// A body that is being received.
pub(crate) struct Incoming {
    body: RequestBody,
    length: u64,
    most: u64,
}

impl Incoming {
    pub(crate) fn begin(rules: &BodyRules) -> io::Result<Self> {
        let body = match &rules.folder {
            Some(folder) => RequestBody::File(Upload::create(folder)?),
            None => RequestBody::Bytes(Vec::new()),
        };
        Ok(Self { body, length: 0, most: rules.most_bytes })
    }

    /// Adds a piece; false: it is larger than allowed.
    pub(crate) fn add(&mut self, piece: &[u8]) -> io::Result<bool> {
        self.length += piece.len() as u64;
        if self.length > self.most {
            return Ok(false);
        }
        match &mut self.body {
            RequestBody::Bytes(bytes) => bytes.extend_from_slice(piece),
            RequestBody::File(upload) => upload.file.write_all(piece)?,
        }
        Ok(true)
    }

    pub(crate) fn end(self) -> RequestBody {
        self.body
    }
}
