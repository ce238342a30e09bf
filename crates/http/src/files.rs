//! Files that samplers send. All workers share one reading of a file, which is read again after a
//! change.

use std::collections::HashMap;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use parking_lot::Mutex;
use swell_expr::FileLimits;

use crate::failure::Failure;

/// Most bytes that are kept for later samples. Larger files are read for each.
const MAX_KEPT: u64 = 256 << 20;

/// When a file has the same stamp, it has the same content.
type Stamp = (u64, Option<SystemTime>);

#[derive(Debug)]
struct File {
    path: PathBuf,
    name: String,
    stamp: Stamp,
    content: Result<Vec<u8>, Failure>,
}

/// The content of a file at one time. Two values are equal only if they come from the same reading.
#[derive(Clone, Debug)]
pub(crate) struct FileRef(Arc<File>);

impl PartialEq for FileRef {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for FileRef {}

impl FileRef {
    /// Its name without folders.
    pub(crate) fn name(&self) -> &str {
        &self.0.name
    }

    /// What `File.length` says, also of a folder, and 0 of what is not there.
    pub(crate) fn len(&self) -> u64 {
        self.0.stamp.0
    }

    /// What is in it.
    ///
    /// # Errors
    /// It could not be read.
    pub(crate) fn content(&self) -> Result<&[u8], Failure> {
        self.0.content.as_deref().map_err(Clone::clone)
    }

    fn refused(path: PathBuf, why: &io::Error) -> Self {
        let content = Err(Failure::no_file(&path.to_string_lossy(), why));
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Self(Arc::new(File { path, name, stamp: (0, None), content }))
    }

    fn read(path: PathBuf, limits: FileLimits) -> Self {
        let text = path.to_string_lossy();
        let name = text.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
        let content = read(&path, limits).map_err(|error| Failure::no_file(&text, &error));
        let meta = std::fs::metadata(&path);
        let mut stamp = stamp(&meta);
        if let Ok(content) = &content {
            stamp.0 = content.len() as u64;
        }
        drop(text);
        Self(Arc::new(File { path, name, stamp, content }))
    }
}

/// The whole of a file, within the limit.
fn read(path: &Path, limits: FileLimits) -> io::Result<Vec<u8>> {
    let file = std::fs::File::open(path)?;
    limits.check_whole(file.metadata()?.len())?;
    limits.read_whole(file)
}

fn stamp(meta: &io::Result<Metadata>) -> Stamp {
    meta.as_ref().map_or((0, None), |meta| (meta.len(), meta.modified().ok()))
}

/// The files of a run.
#[derive(Default)]
pub(crate) struct Files {
    known: Mutex<HashMap<PathBuf, FileRef>>,
}

impl Files {
    /// The file at a path, as it is now; none of one that the plan may not touch.
    pub(crate) async fn get(&self, path: PathBuf, allowed: io::Result<()>, limits: FileLimits) -> FileRef {
        if let Err(refused) = allowed {
            return FileRef::refused(path, &refused);
        }
        if let Some(file) = self.known(&path) {
            return file;
        }
        let file = swell_net::blocking(move || FileRef::read(path, limits)).await;
        if file.content().is_ok() && file.len() <= MAX_KEPT {
            self.keep(&file);
        }
        file
    }

    fn known(&self, path: &Path) -> Option<FileRef> {
        let known = self.known.lock().get(path)?.clone();
        (stamp(&std::fs::metadata(path)) == known.0.stamp).then_some(known)
    }

    fn keep(&self, file: &FileRef) {
        let mut known = self.known.lock();
        known.remove(&file.0.path);
        let kept: u64 = known.values().map(FileRef::len).sum();
        if kept + file.len() > MAX_KEPT {
            known.clear();
        }
        known.insert(file.0.path.clone(), file.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_net::Runtime;

    #[test]
    fn a_file_is_read_again_only_when_it_changes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a b.txt");
        std::fs::write(&path, "one").unwrap();
        Runtime::new().unwrap().block_on(async {
            let files = Files::default();
            let first = files.get(path.clone(), Ok(()), FileLimits::default()).await;
            assert_eq!((first.name(), first.len(), first.content()), ("a b.txt", 3, Ok(&b"one"[..])));
            assert_eq!(files.get(path.clone(), Ok(()), FileLimits::default()).await, first);
            std::fs::write(&path, "longer").unwrap();
            let second = files.get(path.clone(), Ok(()), FileLimits::default()).await;
            assert_ne!(second, first);
            assert_eq!(second.content(), Ok(&b"longer"[..]));
            std::fs::remove_file(&path).unwrap();
            assert_eq!(files.get(path.clone(), Ok(()), FileLimits::default()).await.len(), 0);
        });
    }

    #[test]
    fn what_cannot_be_read_has_javas_words() {
        let dir = tempfile::tempdir().unwrap();
        let why = |path: PathBuf| {
            FileRef::read(path, FileLimits::default()).content().unwrap_err().message.unwrap()
        };
        let none = dir.path().join("none");
        assert_eq!(why(none.clone()), format!("{} (No such file or directory)", none.display()));
        let folder = dir.path().to_owned();
        assert_eq!(why(folder.clone()), format!("{} (Is a directory)", folder.display()));
    }
}
