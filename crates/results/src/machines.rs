//! Merges rows that other machines wrote into one file, in order of time.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use swell_plan::NodeId;

use crate::output::Batch;
use crate::{ResultFiles, open};

/// Bytes of rows that are handed over at a time.
const FULL: usize = 256 * 1024;

/// One row as it is in a file, its end of line included, with its time.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    at: Time,
    text: Vec<u8>,
}

/// The time of a row: milliseconds, or the text of a pattern, which mostly is in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Time {
    #[default]
    Unknown,
    Ms(i64),
    Text(Vec<u8>),
}

/// The rows of one file, one after the other.
struct Rows<R> {
    source: R,
    is_xml: bool,
    /// Column of the time, in CSV.
    column: Option<usize>,
    /// The first line of the next row, which ended the last one.
    next_line: Vec<u8>,
}

impl ResultFiles {
    /// Adds the rows of these files, which other machines wrote for the listener of that element,
    /// to the file of that listener, by their times. Gives how many rows there were.
    ///
    /// # Errors
    /// A file cannot be read. The listener has no file here.
    pub fn add_rows_of(&self, listener: NodeId, files: &[impl AsRef<Path>]) -> io::Result<u64> {
        let file = self.file_of(listener).ok_or_else(|| io::Error::other("no such listener in the plan"))?;
        let mut sources = Vec::new();
        for path in files {
            let mut rows = Rows::new(BufReader::with_capacity(FULL, File::open(path)?))?;
            if let Some(first) = rows.next()? {
                sources.push((first, rows));
            }
        }
        let mut batch = Batch::default();
        let mut count = 0;
        merge(sources, |row| {
            batch.text.extend_from_slice(row);
            batch.row_ends.push(batch.text.len() as u32);
            count += 1;
            if batch.text.len() >= FULL {
                file.output.hand_over(&mut batch);
                // This thread serves no users: it may wait for the disk.
                while file.output.is_behind() {
                    std::thread::sleep(std::time::Duration::from_millis(5));
                }
            }
        })?;
        file.output.hand_over(&mut batch);
        Ok(count)
    }

    fn file_of(&self, listener: NodeId) -> Option<std::sync::Arc<crate::files::ResultFile>> {
        let options = self.options();
        let name = self.known_name(listener)?;
        self.opened(&open::resolve(&name, &options.base_prefix, &options.plan_dir))
    }
}

/// How many whole rows a file has that another machine wrote.
///
/// # Errors
/// The file cannot be read.
pub fn rows_in(path: &Path) -> io::Result<u64> {
    let mut rows = Rows::new(BufReader::with_capacity(FULL, File::open(path)?))?;
    let mut count = 0;
    while rows.next()?.is_some() {
        count += 1;
    }
    Ok(count)
}

/// Gives all rows by their times; those of one file stay in their order.
fn merge<R: BufRead>(mut sources: Vec<(Row, Rows<R>)>, mut take: impl FnMut(&[u8])) -> io::Result<()> {
    loop {
        // There are as many sources as agents: a few to some hundred.
        let first = (0..sources.len()).min_by(|a, b| sources[*a].0.at.cmp(&sources[*b].0.at));
        let Some(first) = first else { return Ok(()) };
        let (row, rows) = &mut sources[first];
        take(&row.text);
        match rows.next()? {
            // A row that ended later than the next began must not hold that one back.
            Some(next) => *row = next,
            None => drop(sources.swap_remove(first)),
        }
    }
}

impl<R: BufRead> Rows<R> {
    /// The rows of CSV with or without a header, or of XML.
    fn new(source: R) -> io::Result<Self> {
        let mut rows = Self { source, is_xml: false, column: Some(0), next_line: Vec::new() };
        rows.source.read_until(b'\n', &mut rows.next_line)?;
        rows.is_xml = rows.next_line.starts_with(b"<");
        if rows.is_xml {
            while !rows.next_line.is_empty() && !begins_sample(&rows.next_line) {
                rows.next_line.clear();
                rows.source.read_until(b'\n', &mut rows.next_line)?;
            }
        } else if is_header(&rows.next_line) {
            let names = rows.next_line.split(|byte| !byte.is_ascii_alphanumeric());
            rows.column = names.into_iter().position(|name| name == b"timeStamp");
            rows.next_line.clear();
        }
        Ok(rows)
    }

    /// The next row. One that its writer did not end, since it was killed, is none.
    fn next(&mut self) -> io::Result<Option<Row>> {
        let mut text = std::mem::take(&mut self.next_line);
        if text.is_empty() && self.source.read_until(b'\n', &mut text)? == 0 {
            return Ok(None);
        }
        if self.is_xml {
            return self.next_xml(text);
        }
        while memchr::memchr_iter(b'"', &text).count() % 2 == 1 {
            if self.source.read_until(b'\n', &mut text)? == 0 {
                return Ok(None);
            }
        }
        if !text.ends_with(b"\n") {
            return Ok(None);
        }
        let at = self.column.map_or(Time::Unknown, |column| time_of_csv(&text, column));
        Ok(Some(Row { at, text }))
    }

    /// Samples begin at the start of a line, and what is in them does not.
    fn next_xml(&mut self, mut text: Vec<u8>) -> io::Result<Option<Row>> {
        if !begins_sample(&text) {
            return Ok(None);
        }
        loop {
            let mut line = Vec::new();
            self.source.read_until(b'\n', &mut line)?;
            // A line that was not ended is the last, and the begin of a sample may be cut in its
            // name.
            let is_cut = !line.ends_with(b"\n");
            if is_cut && !ends_sample(&text) {
                return Ok(None);
            }
            if is_cut || begins_sample(&line) || line.starts_with(b"</testResults>") {
                self.next_line = line;
                let at = time_of_xml(&text);
                return Ok(Some(Row { at, text }));
            }
            text.extend_from_slice(&line);
        }
    }
}

fn begins_sample(line: &[u8]) -> bool {
    line.starts_with(b"<httpSample ") || line.starts_with(b"<sample ")
}

/// Whether the last line is the end of a sample, or all of one without parts.
fn ends_sample(text: &[u8]) -> bool {
    let Some(lines) = text.strip_suffix(b"\n") else { return false };
    let last = lines.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_alone = last.len() == lines.len() && last.ends_with(b"/>");
    is_alone || last == b"</httpSample>" || last == b"</sample>"
}

/// A row has a number or a date among its first fields; a header has names alone.
fn is_header(line: &[u8]) -> bool {
    let names: [&[u8]; 4] = [b"timeStamp", b"elapsed", b"label", b"responseCode"];
    let mut fields = line.split(|byte| !byte.is_ascii_alphanumeric());
    fields.next().is_some_and(|first| names.contains(&first))
}

fn time_of_csv(row: &[u8], column: usize) -> Time {
    let field =
        row.split(|byte| matches!(byte, b',' | b';' | b'\t' | b'|' | b'\n')).nth(column).unwrap_or_default();
    time(field)
}

fn time_of_xml(row: &[u8]) -> Time {
    let tag = row.split(|byte| *byte == b'>').next().unwrap_or_default();
    let at = memchr::memmem::find(tag, b" ts=\"").map(|at| &tag[at + 5..]);
    time(at.and_then(|rest| rest.split(|byte| *byte == b'"').next()).unwrap_or_default())
}

fn time(text: &[u8]) -> Time {
    let number = std::str::from_utf8(text).ok().and_then(|text| text.trim().parse().ok());
    number.map_or_else(|| Time::Text(text.to_vec()), Time::Ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(files: &[&str]) -> String {
        let sources = files.iter().filter_map(|text| {
            let mut rows = Rows::new(text.as_bytes()).expect("it is in memory");
            let first = rows.next().expect("it is in memory")?;
            Some((first, rows))
        });
        let mut all = Vec::new();
        merge(sources.collect(), |row| all.extend_from_slice(row)).expect("they are in memory");
        String::from_utf8(all).expect("it was")
    }

    #[test]
    fn rows_of_csv_are_in_the_order_of_their_times_with_their_lines() {
        let header = "timeStamp,elapsed,label\n";
        let one = format!("{header}10,1,\"a\nb\"\n30,1,\"say \"\"x\"\"\"\n");
        let other = format!("{header}20,2,c\n20,3,d\n40,2,e\n");
        let wanted = "10,1,\"a\nb\"\n20,2,c\n20,3,d\n30,1,\"say \"\"x\"\"\"\n40,2,e\n";
        assert_eq!(merged(&[&one, &other, header, ""]), wanted);
        let bare = ["10,1,a\n30,1,b\n", "20,1,c\n"];
        assert_eq!(merged(&bare), "10,1,a\n20,1,c\n30,1,b\n", "without a header");
        let other_column = ["elapsed;timeStamp\n1;30\n", "elapsed;timeStamp\n9;20\n"];
        assert_eq!(merged(&other_column), "9;20\n1;30\n");
    }

    #[test]
    fn a_row_that_was_not_ended_is_cut_off() {
        let whole = "timeStamp,elapsed,label\n10,1,a\n20,2,\"b\nc\"\n";
        assert_eq!(merged(&[&format!("{whole}30,1")]), "10,1,a\n20,2,\"b\nc\"\n");
        for end in 24..whole.len() - 1 {
            let wanted = if end > 30 { "10,1,a\n" } else { "" };
            assert_eq!(merged(&[&whole[..end]]), wanted, "{end}");
        }
        let samples =
            ["<sample ts=\"10\"/>\n", "<httpSample ts=\"20\">\n  <sample ts=\"21\"/>\n</httpSample>\n"];
        let whole = format!("<?xml version=\"1.0\"?>\n<testResults version=\"1.2\">\n{}", samples.concat());
        assert_eq!(merged(&[&whole]), samples.concat());
        let first = whole.len() - samples[1].len();
        for end in first..whole.len() {
            assert_eq!(merged(&[&whole[..end]]), samples[0], "{end}");
        }
        assert_eq!(merged(&[&whole[..first - 1]]), "");
    }

    #[test]
    fn rows_of_xml_are_whole_samples() {
        let file = |samples: &str| {
            format!("<?xml version=\"1.0\"?>\n<testResults version=\"1.2\">\n{samples}</testResults>\n")
        };
        let one = file(
            "<httpSample t=\"1\" ts=\"10\">\n  <sample ts=\"11\"/>\n</httpSample>\n<sample ts=\"30\"/>\n",
        );
        let other = file("<sample ts=\"20\"/>\n");
        let wanted = "<httpSample t=\"1\" ts=\"10\">\n  <sample ts=\"11\"/>\n</httpSample>\n<sample ts=\"20\"/>\n<sample ts=\"30\"/>\n";
        assert_eq!(merged(&[&one, &other, &file("")]), wanted);
    }
}
