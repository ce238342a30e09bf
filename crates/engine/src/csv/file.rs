//! A file with one cursor that users read line by line (`FileServer`).

use std::io::ErrorKind;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use swell_expr::Host;

use super::lines::Lines;
use super::split;
use crate::schedule::Share;

/// A file with its cursor.
pub(crate) struct DataFile {
    path: PathBuf,
    encoding: String,
    /// The rows of it that are this run's.
    share: Share,
    /// Those before this one were used elsewhere.
    begin: u64,
    /// Rows that were read so far, as of [`State`]: for who must not wait for the file.
    read: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    lines: Option<Lines>,
    /// Rows that were read so far, from the first time through the file on.
    rows: u64,
    reserved: bool,
    header: Option<String>,
    /// Why nothing more is read of it.
    failed: Option<String>,
}

/// The result of a read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Row {
    Values(Vec<Rc<str>>),
    End,
}

/// Errors of a data file.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The file cannot be read.
    File(String),
    /// A line is not well-formed.
    Line(String),
    /// A line or record is longer than the limit.
    Endless(String),
}

impl DataFile {
    pub(crate) fn new(path: &str, encoding: &str) -> Self {
        Self {
            path: path.into(),
            encoding: encoding.to_owned(),
            share: Share::whole(1),
            begin: 0,
            read: AtomicU64::new(0),
            state: Mutex::default(),
        }
    }

    /// Where several runs make a test together, each takes its rows: no row is used twice before
    /// all were.
    pub(crate) fn for_share(self, share: Share) -> Self {
        Self { share, ..self }
    }

    /// Where another run has used all rows before that one.
    pub(crate) fn behind(self, begin: u64) -> Self {
        Self { begin, read: AtomicU64::new(begin), ..self }
    }

    /// Its path as it was given.
    pub(crate) fn name(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }

    /// Rows that were read so far, here or before elsewhere.
    pub(crate) fn rows_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// `reserveFile`: the first to come reads the header line, if there is to be one.
    pub(crate) fn reserve(&self, host: &dyn Host, has_header: bool) -> Result<Option<String>, String> {
        let mut state = self.state.lock();
        if !state.reserved {
            state.reserved = true;
            if has_header {
                let lines = state.open(self, host)?;
                let header = lines.read_line().map_err(|problem| self.problem(&problem))?;
                state.header = header;
            }
        }
        if has_header && state.header.is_none() {
            return Err(format!("could not read the header line of `{}`", self.path.display()));
        }
        Ok(state.header.clone())
    }

    /// The next row.
    pub(crate) fn next(
        &self,
        host: &dyn Host,
        quoted: bool,
        recycle: bool,
        header: bool,
        delimiter: &str,
    ) -> Result<Row, Trouble> {
        let mut state = self.state.lock();
        let read = loop {
            let read = self.read(&mut state, host, quoted, (recycle, header), delimiter);
            let place = state.rows;
            state.rows += 1;
            let is_own = place >= self.begin && self.share.has_row(place);
            if is_own || !matches!(read, Ok(Row::Values(_)) | Err(Trouble::Line(_))) {
                break read;
            }
        };
        self.read.store(state.rows.max(self.begin), Ordering::Relaxed);
        // The rest of an unterminated record is not a record, and the next user should not search
        // it again.
        if let Err(Trouble::Endless(problem)) = &read {
            state.failed = Some(problem.clone());
        }
        read
    }

    fn read(
        &self,
        state: &mut State,
        host: &dyn Host,
        quoted: bool,
        (recycle, header): (bool, bool),
        delimiter: &str,
    ) -> Result<Row, Trouble> {
        let file = |problem: &std::io::Error| self.trouble(problem);
        let lines = state.open(self, host).map_err(Trouble::File)?;
        if recycle && lines.at_end().map_err(|problem| file(&problem))? {
            state.lines = None;
            let lines = state.open(self, host).map_err(Trouble::File)?;
            if header {
                lines.read_line().map_err(|problem| file(&problem))?;
            }
        }
        let lines = state.open(self, host).map_err(Trouble::File)?;
        if quoted {
            let first = delimiter.chars().next().unwrap_or(',');
            return split::quoted(lines, first).map(row).map_err(|wrong| match wrong {
                split::SplitError::Read(problem) => file(&problem),
                split::SplitError::Form(problem) => Trouble::Line(problem),
            });
        }
        let line = lines.read_line().map_err(|problem| file(&problem))?;
        Ok(line.map_or(Row::End, |line| row(split::plain(&line, delimiter))))
    }

    fn trouble(&self, problem: &std::io::Error) -> Trouble {
        let told = self.problem(problem);
        if problem.kind() == ErrorKind::FileTooLarge { Trouble::Endless(told) } else { Trouble::File(told) }
    }

    fn problem(&self, problem: &std::io::Error) -> String {
        format!("cannot read `{}`: {problem}", self.path.display())
    }
}

/// A row without a value counts as the end: so does an empty line that is not quoted.
fn row(values: Vec<String>) -> Row {
    if values.is_empty() { Row::End } else { Row::Values(values.into_iter().map(Rc::from).collect()) }
}

impl State {
    fn open(&mut self, file: &DataFile, host: &dyn Host) -> Result<&mut Lines, String> {
        if let Some(problem) = &self.failed {
            return Err(problem.clone());
        }
        if self.lines.is_none() {
            let source = host.open(&file.path).map_err(|problem| file.problem(&problem))?;
            self.lines = Some(Lines::new(source, &file.encoding, host.file_limits())?);
        }
        Ok(self.lines.as_mut().expect("the file was opened above"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_expr::testing::TestHost;

    fn values(row: Row) -> Vec<String> {
        match row {
            Row::Values(values) => values.iter().map(ToString::to_string).collect(),
            Row::End => vec!["END".to_owned()],
        }
    }

    fn read(text: &str, quoted: bool, recycle: bool, header: bool, times: usize) -> Vec<String> {
        let host = TestHost::default();
        host.add_file("f.csv", text);
        let file = DataFile::new("f.csv", "");
        file.reserve(&host, header).unwrap();
        (0..times)
            .map(|_| match file.next(&host, quoted, recycle, header, ",") {
                Ok(row) => values(row).join("|"),
                Err(Trouble::Line(_)) => "BAD".to_owned(),
                Err(Trouble::File(problem) | Trouble::Endless(problem)) => panic!("{problem}"),
            })
            .collect()
    }

    #[test]
    fn rows_come_in_order_and_start_over() {
        assert_eq!(read("a,1\nb,2\n", false, true, false, 3), ["a|1", "b|2", "a|1"]);
        assert_eq!(read("h,i\na,1\nb,2", false, true, true, 3), ["a|1", "b|2", "a|1"]);
        assert_eq!(read("a,1\r\nb,2\r\n", false, false, false, 3), ["a|1", "b|2", "END"]);
        assert_eq!(read("h\na\nb\n", true, true, true, 3), ["a", "b", "a"]);
    }

    #[test]
    fn of_a_file_that_several_runs_share_each_reads_its_rows() {
        let host = TestHost::default();
        host.add_file("f.csv", "h\na\nb\nc\n");
        let rows = |slices: &[u32], recycle| {
            let share = Share { slices: slices.to_vec(), of: 2, ..Share::whole(1) };
            let file = DataFile::new("f.csv", "").for_share(share);
            file.reserve(&host, true).unwrap();
            let next = || values(file.next(&host, false, recycle, true, ",").expect("a row")).join("|");
            (0..4).map(|_| next()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            (rows(&[0], false), rows(&[1], false)),
            ("a c END END".to_owned(), "b END END END".to_owned())
        );
        assert_eq!((rows(&[0], true), rows(&[1], true)), ("a c b a".to_owned(), "b a c b".to_owned()));
        assert_eq!(rows(&[0, 1], true), "a b c a");
    }

    #[test]
    fn who_takes_a_file_over_goes_on_behind_the_rows_that_were_used() {
        let host = TestHost::default();
        host.add_file("f.csv", "h\na\nb\nc\nd\n");
        let file = |begin| {
            let share = Share { slices: vec![1], of: 2, ..Share::whole(1) };
            let file = DataFile::new("f.csv", "").for_share(share).behind(begin);
            file.reserve(&host, true).unwrap();
            file
        };
        let next =
            |file: &DataFile| values(file.next(&host, false, true, true, ",").expect("a row")).join("|");
        let lost = file(0);
        assert_eq!((next(&lost).as_str(), lost.rows_read()), ("b", 2));
        let after = file(lost.rows_read());
        assert_eq!(after.rows_read(), 2, "nothing is read yet");
        assert_eq!((next(&after).as_str(), after.rows_read()), ("d", 4));
        let next_round = file(after.rows_read());
        assert_eq!(
            (next(&next_round).as_str(), next_round.rows_read()),
            ("b", 6),
            "from the beginning again"
        );
    }

    #[test]
    fn an_empty_plain_line_counts_as_the_end_but_not_a_quoted_one() {
        assert_eq!(read("a\n\nb\n", false, true, false, 3), ["a", "END", "b"]);
        assert_eq!(read("a\n\nb\n", true, true, false, 3), ["a", "", "b"]);
    }

    #[test]
    fn a_file_with_only_a_header_is_at_its_end() {
        assert_eq!(read("h\n", false, true, true, 2), ["END", "END"]);
        assert_eq!(read("h\n", true, true, true, 2), ["END", "END"]);
    }

    #[test]
    fn quotes_hold_delimiters_and_line_ends() {
        let text = "\"a,b\",\"say \"\"x\"\"\"\n\"two\nlines\",z\nq\"uote,1\nend,\n";
        let rows = ["a,b|say \"x\"", "two\nlines|z", "BAD"];
        assert_eq!(read(text, true, false, false, 3), rows);
    }

    #[test]
    fn a_record_without_an_end_is_given_up_at_the_limit_and_not_looked_for_again() {
        for quoted in [false, true] {
            let host = TestHost::default();
            let file = DataFile::new("/dev/zero", "");
            for _ in 0..2 {
                let read = file.next(&host, quoted, true, false, ",");
                let Err(Trouble::Endless(problem) | Trouble::File(problem)) = read else {
                    panic!("{read:?}")
                };
                assert!(problem.contains("longer than 16777216 bytes, the limit"), "{problem}");
            }
            assert!(file.state.lock().failed.is_some());
        }
    }

    #[test]
    fn a_missing_file_is_said() {
        let host = TestHost::default();
        let file = DataFile::new("none.csv", "");
        assert!(file.reserve(&host, true).unwrap_err().contains("none.csv"));
        assert!(matches!(file.next(&host, false, true, false, ","), Err(Trouble::File(_))));
    }
}
