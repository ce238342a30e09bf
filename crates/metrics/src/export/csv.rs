//! A row for each second and label in a CSV file (RFC 4180).

use std::fs::{File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use swell_stats::Interval;

use super::Identity;
use super::board::Board;
use super::push::{Attempt, Carrier};
use super::rows::{FIGURE_NAMES, NAMES, Number, rows_of, values_of};
use super::text::put;

/// Columns before those of the values.
const FIRST: [&str; 8] = ["end_ms", "interval_ms", "run", "trial", "load", "label", "kind", "users"];

/// The rows of an interval that the board has taken. A custom figure has a separate row.
pub(super) fn rows(board: &Board, interval: &Interval) -> Vec<u8> {
    let mut out = String::new();
    let identity = board.identity();
    let trial = identity.trial.as_ref();
    let texts = [
        identity.run.as_str(),
        trial.map_or("", |trial| &trial.number),
        trial.map_or("", |trial| &trial.load),
    ];
    let same = texts.map(quoted).join(",");
    for row in rows_of(board, interval) {
        let Interval { length_ms, users, .. } = interval;
        let at_ms = interval.end_ms();
        let label = quoted(row.label);
        put(&mut out, format_args!("{at_ms},{length_ms},{same},{label},{},{}", row.kind, users.active));
        put_values(&mut out, row.values(), NAMES.len());
        put(&mut out, format_args!("{}\n", ",".repeat(1 + FIGURE_NAMES.len())));
        for (name, figure) in row.stats.figures.iter().filter(|(_, figure)| figure.count() > 0) {
            put(&mut out, format_args!("{at_ms},{length_ms},{same},{label},{},{}", row.kind, users.active));
            put(&mut out, format_args!("{},{name}", ",".repeat(NAMES.len())));
            put_values(&mut out, values_of(figure), FIGURE_NAMES.len());
            out.push('\n');
        }
    }
    out.into_bytes()
}

/// Each with a comma before it, and commas for what is missing.
fn put_values(out: &mut String, values: impl Iterator<Item = (&'static str, Number)>, columns: usize) {
    let mut missing = columns;
    for (_, value) in values {
        missing -= 1;
        match value {
            Number::Count(count) => put(out, format_args!(",{count}")),
            Number::Level(level) => put(out, format_args!(",{level}")),
        }
    }
    out.push_str(&",".repeat(missing));
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// The file.
pub(super) struct CsvFile {
    file: File,
}

impl CsvFile {
    /// Creates the file with its head. The trials of a study after the first add their rows to it.
    ///
    /// # Errors
    /// It cannot be created or written.
    pub(super) fn create(path: &Path, identity: &Identity) -> io::Result<Self> {
        let is_first = identity.trial.as_ref().is_none_or(|trial| trial.number == "1");
        let mut open = OpenOptions::new();
        let mut file = open.write(true).create(true).truncate(is_first).open(path)?;
        if file.seek(SeekFrom::End(0)).unwrap_or(0) == 0 {
            let figures = FIGURE_NAMES.map(|name| format!("figure_{name}")).join(",");
            let head = [&FIRST[..], &NAMES].concat().join(",") + ",figure," + &figures;
            file.write_all(format!("{head}\n").as_bytes())?;
        }
        Ok(Self { file })
    }
}

impl Carrier for CsvFile {
    /// Rows are written whole: those of a second that do not fit are taken back.
    fn carry(&mut self, request: &[u8]) -> Attempt {
        let before = self.file.stream_position();
        match self.file.write_all(request) {
            Ok(()) => Attempt::delivered(),
            Err(error) => {
                if let Ok(before) = before {
                    // A pipe or a device cannot take back what was written.
                    let _ = self.file.set_len(before).and_then(|()| self.file.seek(SeekFrom::Start(before)));
                }
                Attempt::lost(error.to_string())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::TrialIdentity;
    use super::super::testing::{identity, interval, with_figures};
    use super::*;

    #[test]
    fn a_second_is_a_row_for_each_label_and_one_for_all() {
        let second = interval(1000, &[("a, \"b\"", 2), ("bad", 1)]);
        let mut board = Board::new(identity(), 10);
        board.add(&second);
        let text = String::from_utf8(rows(&board, &second)).expect("text");
        let values = "5,5,5,5,5,5,5,,,,,,,,,,,,,,,,";
        let wanted = [
            format!("2000,1000,nightly,,,\"a, \"\"b\"\"\",sample,7,2,0,200,20,{values}"),
            format!("2000,1000,nightly,,,bad,sample,7,1,1,100,10,{values}"),
            format!("2000,1000,nightly,,,(all),total,7,3,1,300,30,{values}"),
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), wanted);
        let columns = FIRST.len() + NAMES.len() + 1 + FIGURE_NAMES.len();
        assert!(text.lines().skip(1).all(|line| line.split(',').count() == columns), "{text}");
    }

    #[test]
    fn a_figure_has_a_separate_row_for_each_label_and_for_all() {
        let second = with_figures(interval(1000, &[("a", 1)]), &["2.5"]);
        let mut board = Board::new(identity(), 10);
        board.add(&second);
        let text = String::from_utf8(rows(&board, &second)).expect("text");
        let rows: Vec<_> = text.lines().collect();
        assert_eq!(rows.len(), 4);
        let empty = ",".repeat(NAMES.len());
        assert_eq!(
            rows[1],
            format!("2000,1000,nightly,,,a,sample,7{empty},depth,1,2.5,2.5,2.5,2.5,2.5,2.5,2.5,2.5")
        );
        assert!(rows.iter().all(|row| row.matches(',').count() == rows[0].matches(',').count()), "{text}");
    }

    #[test]
    fn trials_of_a_study_share_a_file_and_the_next_study_overwrites_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("seconds.csv");
        let of = |number: &str| {
            let trial = TrialIdentity { number: number.into(), load: "users 50".into() };
            CsvFile::create(&path, &Identity { trial: Some(trial), ..identity() }).expect("a file")
        };
        for _ in 0..2 {
            for number in ["1", "2"] {
                let attempt = of(number).carry(format!("{number}\n").as_bytes());
                assert_eq!((attempt.delivered, attempt.dropped), (1, 0));
            }
        }
        let text = std::fs::read_to_string(&path).expect("text");
        let lines: Vec<_> = text.lines().collect();
        assert!(lines[0].starts_with("end_ms,interval_ms,run,trial,load,label,kind,users,samples,errors,"));
        assert_eq!(lines[1..], ["1", "2"]);
    }

    #[test]
    fn a_full_disk_is_reported_and_loses_the_second() {
        let path = Path::new("/dev/full");
        let error = CsvFile::create(path, &identity()).err().expect("the head does not fit");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        let file = OpenOptions::new().write(true).open(path).expect("a device");
        let attempt = CsvFile { file }.carry(b"1\n");
        assert_eq!((attempt.delivered, attempt.dropped, attempt.is_repeated), (0, 1, false));
        assert!(attempt.why.is_some_and(|why| why.contains("No space left")));
    }
}
