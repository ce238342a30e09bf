//! Opening results files as `ResultCollector.getFileWriter` does.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::RowFormat;

const XML_END: &[u8] = b"</testResults>";

/// Shorter files cannot hold a header and an end (`MIN_XML_FILE_LEN`).
const SHORTEST_XML: u64 = 38 + 13 + 14;

/// The end of an XML file is looked for in so many last bytes.
const TAIL: u64 = 14 + 10;

/// Where a file name of a plan points: after the prefix (`~/`) from the folder of the plan, else from the working
/// folder (`FileServer.resolveBaseRelativeName`).
pub(crate) fn resolve(name: &str, prefix: &str, plan_dir: &Path) -> PathBuf {
    match name.strip_prefix(prefix) {
        Some(rest) if !prefix.is_empty() => plan_dir.join(rest),
        _ => PathBuf::from(name),
    }
}

/// Opens a file for rows of that form, with the folders it stands in, and gives it with its length. A CSV file that
/// exists is continued without a header; an XML file is continued before its end tag, or overwritten if it has none.
/// A file that is new or overwritten gets its header.
pub(crate) fn open(path: &Path, format: &RowFormat) -> io::Result<(File, u64)> {
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        fs::create_dir_all(parent)?;
    }
    let exists = path.exists();
    // Only the end of an XML file is read. Whoever could read a pipe would never learn that its other end is gone.
    let special = exists && !path.metadata()?.is_file();
    let mut file = OpenOptions::new().read(!special).append(true).create(true).open(path)?;
    let is_file = file.metadata()?.is_file();
    let xml = format.config.saves(crate::Save::Xml);
    let continued = if xml { is_file && exists && cut_xml_end(&mut file)? } else { exists };
    if !continued {
        if is_file {
            file.set_len(0)?;
        }
        let mut header = Vec::new();
        format.header(&mut header);
        file.write_all(&header)?;
    }
    let length = if is_file { file.metadata()?.len() } else { 0 };
    Ok((file, length))
}

/// Opens a file for rows of any form and gives it with its length. One that exists is continued, or overwritten; either way
/// the header is written.
pub(crate) fn open_plain(path: &Path, overwrite: bool, header: &str) -> io::Result<(File, u64)> {
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    if overwrite && file.metadata()?.is_file() {
        file.set_len(0)?;
    }
    file.write_all(header.as_bytes())?;
    let metadata = file.metadata()?;
    Ok((file, if metadata.is_file() { metadata.len() } else { 0 }))
}

/// Takes the end tag off (`ResultCollector.trimLastLine`). False if there is none.
fn cut_xml_end(file: &mut File) -> io::Result<bool> {
    let length = file.metadata()?.len();
    if length < SHORTEST_XML {
        return Ok(false);
    }
    file.seek(SeekFrom::Start(length - TAIL))?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail)?;
    let found = tail.windows(XML_END.len()).position(|window| window == XML_END);
    let Some(at) = found else { return Ok(false) };
    file.set_len(length - TAIL + at as u64)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Save;
    use crate::testing::format_with;

    const START: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testResults version=\"1.2\">\n";

    /// Content and length after opening a file with that content.
    fn opened(before: Option<&str>, xml: bool) -> (String, u64) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a/b/out.jtl");
        if let Some(content) = before {
            fs::create_dir_all(path.parent().expect("has one")).expect("made");
            fs::write(&path, content).expect("written");
        }
        let format = format_with(&[(Save::Xml, xml), (Save::Timestamp, false)]);
        let (mut file, length) = open(&path, &format).expect("opens");
        file.write_all(b"ROW").expect("written");
        let content = fs::read_to_string(&path).expect("readable");
        (content.strip_suffix("ROW").expect("appended").to_owned(), length)
    }

    #[test]
    fn a_new_csv_file_gets_a_header_and_its_folders_and_an_old_one_is_continued() {
        let (content, length) = opened(None, false);
        assert!(content.starts_with("elapsed,label,") && content.ends_with(",Connect\n"));
        assert_eq!(length, content.len() as u64);
        assert_eq!(opened(Some("old\n"), false), ("old\n".into(), 4));
        assert_eq!(opened(Some(""), false), (String::new(), 0), "as JMeter: it exists, so no header");
    }

    #[test]
    fn an_xml_file_is_continued_before_its_end_tag() {
        let sample = "<sample t=\"1\"/>\n\n";
        let (content, length) = opened(Some(&format!("{START}{sample}</testResults>\n")), true);
        assert_eq!((content.clone(), length), (format!("{START}{sample}"), content.len() as u64));
    }

    #[test]
    fn an_xml_file_without_end_tag_is_overwritten_as_in_jmeter() {
        for before in ["", "x", &format!("{START}<sample t=\"1\"/>\n<sample t=\"2\"/>\n")] {
            assert_eq!(opened(Some(before), true).0, START);
        }
        assert_eq!(opened(None, true).0, START);
    }

    #[test]
    fn names_are_looked_up_from_the_plan_or_the_working_folder() {
        let plan = Path::new("/plans");
        assert_eq!(resolve("~/out.jtl", "~/", plan), Path::new("/plans/out.jtl"));
        assert_eq!(resolve("a/out.jtl", "~/", plan), Path::new("a/out.jtl"));
        assert_eq!(resolve("/x/out.jtl", "~/", plan), Path::new("/x/out.jtl"));
        assert_eq!(resolve("a/out.jtl", "", plan), Path::new("a/out.jtl"));
    }

    #[test]
    fn a_folder_is_no_file() {
        let folder = tempfile::tempdir().expect("a folder");
        open(folder.path(), &format_with(&[])).expect_err("a folder");
    }
}
