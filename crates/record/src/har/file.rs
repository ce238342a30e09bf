//! A HAR file that is complete after each entry.

use std::fs::{File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use serde_json::{Value, json};

use super::entry::page_id;
use crate::pages::Page;

/// A HAR file to which entries are added. Each write replaces the end of the file by an entry and a
/// new end, so that the file is whole after each, and a crash in a write costs that entry only.
#[derive(Debug)]
pub struct HarFile {
    file: File,
    /// Where the next entry is written.
    at: u64,
    is_empty: bool,
}

impl HarFile {
    /// A new file without entries, which only its owner may read: it holds cookies and passwords.
    ///
    /// # Errors
    /// It exists, unless it may be overwritten, or cannot be written.
    pub fn create(path: &Path, overwrite: bool) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).mode(0o600);
        let options = if overwrite { options.create(true).truncate(true) } else { options.create_new(true) };
        let file = options.open(path)?;
        file.set_permissions(Permissions::from_mode(0o600))?;
        let version = env!("CARGO_PKG_VERSION");
        let creator = json!({ "name": "swell record", "version": version });
        let start = format!("{{\"log\":{{\"version\":\"1.2\",\"creator\":{creator},\"entries\":[");
        file.write_all_at(start.as_bytes(), 0)?;
        let mut har = Self { file, at: start.len() as u64, is_empty: true };
        har.write_end(Vec::new(), &[])?;
        Ok(har)
    }

    /// Adds an entry; its length in bytes.
    ///
    /// # Errors
    /// It cannot be written; the file is as before then, if the system allows that much.
    pub fn add(&mut self, entry: &Value, pages: &[Page]) -> io::Result<u64> {
        let comma = if self.is_empty { "\n" } else { ",\n" };
        let text = format!("{comma}{entry}");
        let length = text.len() as u64;
        let written = self.write_end(text.into_bytes(), pages);
        if let Err(error) = written {
            // Without the new entry the end is shorter, so that a full disk has room for it.
            let _ = self.write_end(Vec::new(), pages);
            return Err(error);
        }
        self.at += length;
        self.is_empty = false;
        Ok(length)
    }

    /// Writes the pages as they are now.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn finish(&mut self, pages: &[Page]) -> io::Result<()> {
        self.write_end(Vec::new(), pages)?;
        self.file.sync_all()
    }

    fn write_end(&mut self, mut text: Vec<u8>, pages: &[Page]) -> io::Result<()> {
        text.extend_from_slice(b"\n],\"pages\":[");
        for (index, page) in pages.iter().enumerate() {
            let page = json!({
                "startedDateTime": page.started.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string(),
                "id": page_id(index),
                "title": page.title,
                "pageTimings": { "onContentLoad": -1, "onLoad": -1 },
            });
            text.extend_from_slice(if index == 0 { b"\n" } else { b",\n" });
            text.extend_from_slice(page.to_string().as_bytes());
        }
        text.extend_from_slice(b"\n]}}\n");
        self.file.write_all_at(&text, self.at)?;
        self.file.set_len(self.at + text.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::pages::{Pages, RequestFacts, Transactions};

    #[test]
    fn file_is_whole_after_each_entry() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.har");
        let mut har = HarFile::create(&path, false).unwrap();
        let read = || serde_json::from_slice::<Value>(&std::fs::read(&path).unwrap()).expect("whole");
        assert_eq!(read()["log"]["entries"], json!([]));
        let mut pages = Pages::new(Transactions::Auto, None);
        let request = RequestFacts { method: "GET", url: "http://a/b", host: "a", navigates: true };
        for number in 1..=3 {
            pages.begin(&request, Timestamp::from_second(number).unwrap());
            har.add(&json!({ "number": number }), pages.all()).unwrap();
            assert_eq!(read()["log"]["entries"].as_array().unwrap().len(), number as usize);
            assert_eq!(read()["log"]["pages"].as_array().unwrap().len(), number as usize);
        }
        pages.name(2, "C");
        har.finish(pages.all()).unwrap();
        assert_eq!(read()["log"]["pages"][2]["title"], "C");
        assert_eq!(read()["log"]["version"], "1.2");
        assert!(
            HarFile::create(&path, false).is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists)
        );
        HarFile::create(&path, true).unwrap();
        assert_eq!(read()["log"]["entries"], json!([]));
    }
}
