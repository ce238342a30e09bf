//! Seeds: small inputs that a target's parser accepts, in `corpus/<target>/`.

use std::io;
use std::path::{Path, PathBuf};

/// The seeds of a target.
#[derive(Clone, Debug)]
pub struct Corpus {
    /// In the order of their file names.
    pub seeds: Vec<Vec<u8>>,
}

impl Corpus {
    /// The folder of a target's seeds.
    pub fn folder(target: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target)
    }

    /// Reads the seeds of a target. Broken targets have none.
    ///
    /// # Errors
    /// The folder or a file of it cannot be read.
    pub fn of(target: &str) -> io::Result<Self> {
        let folder = Self::folder(target);
        if !folder.exists() {
            return Ok(Self { seeds: vec![b"seed".to_vec()] });
        }
        let mut paths =
            std::fs::read_dir(folder)?.map(|file| Ok(file?.path())).collect::<io::Result<Vec<_>>>()?;
        paths.sort();
        Ok(Self { seeds: paths.iter().map(std::fs::read).collect::<io::Result<_>>()? })
    }
}
