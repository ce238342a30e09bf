//! Opens results files as `ResultCollector.getFileWriter` does, in two steps. Before the run,
//! existing files are not changed. At its start, old rows are continued or cut, and headers are
//! written. Several runs may append CSV rows to one file at the same time; anything else that would
//! remove rows of another active run is refused.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::RowFormat;
use crate::open_lock::{Sharing, hold};
use crate::output::Sink;
use crate::place::{Folders, TemporaryFile};
use crate::rotation::{OnTrouble, Rotating, Rotation, old_pieces};

const XML_END: &[u8] = b"</testResults>";

/// Shorter files cannot hold a header and an end (`MIN_XML_FILE_LEN`).
const SHORTEST_XML: u64 = 38 + 13 + 14;

/// The end of an XML file is looked for in this number of last bytes.
const TAIL: u64 = 14 + 10;

/// Where a file name of a plan points: after the prefix (`~/`) from the folder of the plan, else
/// from the working folder (`FileServer.resolveBaseRelativeName`).
pub(crate) fn resolve(name: &str, prefix: &str, plan_dir: &Path) -> PathBuf {
    match name.strip_prefix(prefix) {
        Some(rest) if !prefix.is_empty() => plan_dir.join(rest),
        _ => PathBuf::from(name),
    }
}

/// What to do with existing rows of a file when the run starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OldRows {
    /// New rows come after them.
    Stay,
    /// New rows come before the end tag of the file. Without one the old rows go.
    StayBeforeXmlEnd,
    /// They go.
    Go,
}

/// A writable results file, unchanged until [`Sink::begin`].
pub(crate) struct Opened {
    path: PathBuf,
    file: File,
    /// The file is new, and has no name yet.
    new: Option<TemporaryFile>,
    folders: Folders,
    old_rows: OldRows,
    header: Vec<u8>,
    /// The header is written also after old rows.
    always_header: bool,
    rotation: Option<(Rotation, OnTrouble)>,
    rotating: Option<Rotating>,
}

impl Opened {
    /// A file for rows of that form, with the folders it is in. A CSV file that exists is continued
    /// without a header; an XML file is continued before its end tag, or overwritten if it has
    /// none. `replace`: it is overwritten in any case. A file that is new or overwritten gets its
    /// header.
    pub(crate) fn rows(path: &Path, format: &RowFormat, replace: bool) -> io::Result<Self> {
        let folders = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => Folders::make(parent)?,
            _ => Folders::default(),
        };
        let mut header = Vec::new();
        format.header(&mut header);
        let old_rows = match format.config.saves(crate::Save::Xml) {
            _ if replace => OldRows::Go,
            true => OldRows::StayBeforeXmlEnd,
            false => OldRows::Stay,
        };
        Self::open(path, folders, old_rows, header)
    }

    /// A file for rows of any form. One that exists is continued, or overwritten; either way the
    /// header is written.
    pub(crate) fn plain(path: &Path, overwrite: bool, header: &str) -> io::Result<Self> {
        let old_rows = if overwrite { OldRows::Go } else { OldRows::Stay };
        let opened = Self::open(path, Folders::default(), old_rows, header.as_bytes().to_vec())?;
        Ok(Self { always_header: true, ..opened })
    }

    fn open(path: &Path, folders: Folders, old_rows: OldRows, header: Vec<u8>) -> io::Result<Self> {
        let (new, file) = match path.metadata() {
            Ok(there) => (None, open_old(path, there.is_file())?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let (temporary, file) = TemporaryFile::make(path)?;
                (Some(temporary), file)
            }
            Err(error) => return Err(error),
        };
        hold(&file, sharing(old_rows))?;
        let rotation = None;
        let rotating = None;
        Ok(Self {
            path: path.to_owned(),
            file,
            new,
            folders,
            old_rows,
            header,
            always_header: false,
            rotation,
            rotating,
        })
    }

    /// The same, cut into pieces. What is no file, as a pipe, cannot be.
    pub(crate) fn rotated(self, rotation: Option<Rotation>, on_trouble: OnTrouble) -> io::Result<Self> {
        let Some(rotation) = rotation else { return Ok(self) };
        if !self.file.metadata()?.is_file() {
            return Err(io::Error::other("it is no regular file, so it cannot be rotated"));
        }
        hold(&self.file, Sharing::Alone)?;
        Ok(Self { rotation: Some((rotation, on_trouble)), ..self })
    }

    /// The pieces of an earlier run belong to the rows that go.
    fn delete_pieces(&self) -> io::Result<()> {
        let place = self.path.canonicalize()?;
        old_pieces(&place)?.iter().try_for_each(|(_, piece)| std::fs::remove_file(piece))
    }

    /// Whether old rows may be lost when the run starts.
    pub(crate) fn may_cut(&self) -> bool {
        self.new.is_none() && self.old_rows != OldRows::Stay
    }

    /// Gives a new file its name, with its header. Where another run has made one of that name
    /// meanwhile, that is the file. True if no header is needed any more.
    fn name(&mut self, temporary: TemporaryFile) -> io::Result<bool> {
        self.file.write_all(&self.header)?;
        if temporary.rename_to_new(&self.path)? {
            self.folders.keep();
            return Ok(true);
        }
        let sharing = if self.rotation.is_some() { Sharing::Alone } else { sharing(self.old_rows) };
        self.file = open_old(&self.path, true)?;
        hold(&self.file, sharing)?;
        Ok(self.make_room(true)? && !self.always_header)
    }

    /// Takes off what is not to stay. True if what is left is continued.
    fn make_room(&mut self, is_file: bool) -> io::Result<bool> {
        let continued = match self.old_rows {
            OldRows::Stay => true,
            OldRows::StayBeforeXmlEnd => is_file && cut_xml_end(&mut self.file)?,
            // What is no file holds no rows, so it is continued.
            OldRows::Go => !is_file,
        };
        if !continued && is_file {
            self.file.set_len(0)?;
        }
        Ok(continued)
    }
}

/// Only the end of an XML file is read. A pipe that were open for reading, too, would never say
/// that its other end is gone.
fn open_old(path: &Path, is_file: bool) -> io::Result<File> {
    OpenOptions::new().read(is_file).append(true).open(path)
}

/// Several runs may append at once. An XML file has one end, and removed rows may belong to another
/// active run.
fn sharing(old_rows: OldRows) -> Sharing {
    if old_rows == OldRows::Stay { Sharing::WithOthers } else { Sharing::Alone }
}

impl Sink for Opened {
    fn begin(&mut self) -> io::Result<u64> {
        let is_file = self.file.metadata()?.is_file();
        let replaces = self.old_rows == OldRows::Go && is_file && !self.always_header;
        let has_header = match self.new.take() {
            Some(temporary) => self.name(temporary)?,
            None => self.make_room(is_file)? && !self.always_header,
        };
        if replaces {
            self.delete_pieces()?;
        }
        if !has_header {
            self.file.write_all(&self.header)?;
        }
        if let Some((rotation, on_trouble)) = self.rotation.take() {
            self.rotating = Some(Rotating::start(&self.path, rotation, on_trouble)?);
        }
        if is_file { Ok(self.file.metadata()?.len()) } else { Ok(0) }
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.file.set_len(length)
    }

    fn rotate(&mut self, length: u64, footer: &[u8]) -> io::Result<Option<u64>> {
        let header = self.header.len() as u64;
        let Some(rotating) =
            self.rotating.as_mut().filter(|rotating| length > header && rotating.is_due(length))
        else {
            return Ok(None);
        };
        // The new file has its header before the old one has its end: what fails since the disk is
        // full leaves the old one as it was.
        let (temporary, mut next) = TemporaryFile::make(rotating.place())?;
        hold(&next, Sharing::Alone)?;
        next.write_all(&self.header)?;
        self.file.write_all(footer)?;
        std::fs::rename(rotating.place(), rotating.next_piece())?;
        temporary.rename_to(rotating.place())?;
        self.file = next;
        rotating.rotated();
        Ok(Some(header))
    }
}

impl Write for Opened {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
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
    use std::fs;

    use super::*;
    use crate::Save;
    use crate::testing::format_with;

    const START: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testResults version=\"1.2\">\n";

    /// Content and length at the start of a run with a file of that content.
    fn opened(before: Option<&str>, xml: bool) -> (String, u64) {
        begun(before, xml, false)
    }

    fn begun(before: Option<&str>, xml: bool, replace: bool) -> (String, u64) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a/b/out.jtl");
        if let Some(content) = before {
            fs::create_dir_all(path.parent().expect("has one")).expect("made");
            fs::write(&path, content).expect("written");
        }
        let format = format_with(&[(Save::Xml, xml), (Save::Timestamp, false)]);
        let mut file = Opened::rows(&path, &format, replace).expect("opens");
        assert_eq!(fs::read_to_string(&path).ok().as_deref(), before, "it was touched before the start");
        let length = file.begin().expect("begins");
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
    fn two_runs_that_begin_at_once_with_a_new_file_both_keep_their_rows() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.jtl");
        let open = |xml, replace| Opened::rows(&path, &format_with(&[(Save::Xml, xml)]), replace);
        let mut runs = [open(false, false).expect("opens"), open(false, false).expect("opens")];
        for (run, row) in runs.iter_mut().zip(["first\n", "second\n"]) {
            run.begin().expect("begins");
            run.write_all(row.as_bytes()).expect("written");
        }
        let content = fs::read_to_string(&path).expect("readable");
        assert!(content.ends_with(",Connect\nfirst\nsecond\n"), "{content}");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "nothing else is left");
        for (xml, replace) in [(true, false), (false, true)] {
            let refused = open(xml, replace).err().map(|error| error.to_string());
            assert_eq!(refused.as_deref(), Some("another run is writing to it"), "{xml} {replace}");
        }
        assert_eq!(fs::read_to_string(&path).expect("readable"), content);
        drop(runs);
        assert!(open(true, true).is_ok(), "they are over");
    }

    #[test]
    fn of_two_runs_with_a_new_xml_file_the_second_is_refused_when_it_begins() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.jtl");
        let open = || Opened::rows(&path, &format_with(&[(Save::Xml, true)]), false).expect("opens");
        let mut one = open();
        let mut two = open();
        one.begin().expect("begins");
        assert_eq!(two.begin().expect_err("refused").to_string(), "another run is writing to it");
        assert_eq!(fs::read_to_string(&path).expect("readable"), START);
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
        assert!(Opened::rows(folder.path(), &format_with(&[]), false).is_err());
    }

    #[test]
    fn old_rows_that_are_to_go_are_there_until_the_start() {
        let old = format!("{START}<sample t=\"1\"/>\n</testResults>\n");
        assert_eq!(begun(Some(&old), true, true).0, START);
        assert!(begun(Some("old\n"), false, true).0.starts_with("elapsed,label,"));
    }

    #[test]
    fn a_run_that_does_not_start_leaves_neither_file_nor_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        drop(Opened::rows(&folder.path().join("a/b/out.jtl"), &format_with(&[]), true).expect("opens"));
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }
}
