//! Read positions of shared files: a run that takes over part of a test continues after them.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::file::DataFile;

/// Where [`swell_expr::Shared`] has the [`Cursors`] of the run.
pub(crate) const CURSORS: &str = "cursors of data files";

/// Files with the number of rows read, by file name and sharing mode of the cursor.
#[derive(Default)]
pub(crate) struct Cursors {
    /// Rows that were used before elsewhere.
    begun: Arc<BTreeMap<String, u64>>,
    files: Mutex<BTreeMap<String, Arc<DataFile>>>,
}

impl Cursors {
    /// Positions of a run that continues another run.
    pub(crate) fn begun(begun: Arc<BTreeMap<String, u64>>) -> Self {
        Self { begun, files: Mutex::default() }
    }

    /// Keeps a file. One that is known stays.
    pub(super) fn note(&self, name: &str, file: &Arc<DataFile>) {
        let mut files = self.files.lock();
        if !files.contains_key(name) {
            files.insert(name.to_owned(), file.clone());
        }
    }

    /// Rows that were read of each file so far, those of other runs among them; through the file
    /// again they count on.
    pub(crate) fn rows(&self) -> BTreeMap<String, u64> {
        let files = self.files.lock();
        let mut rows = (*self.begun).clone();
        rows.extend(files.iter().map(|(name, file)| (name.clone(), file.rows_read())));
        rows
    }
}
