use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::pieces::number_of;
use super::*;
use crate::jtl::{JtlSample, read_pieces};
use crate::lag::WaitTimes;
use crate::open::Opened;
use crate::output::{Batch, Output};
use crate::testing::format_with;

fn output(path: &Path, rotation: Rotation, replace: bool) -> Output {
    let format = format_with(&[]);
    let opened = Opened::rows(path, &format, replace).expect("opens");
    let opened = opened.rotated(Some(rotation), Arc::new(|said| panic!("{said}"))).expect("a file");
    Output::start(path.to_owned(), opened, format.footer(), None, Arc::<WaitTimes>::default())
        .expect("starts")
}

/// Writes that many batches of ten rows; each row has its number as its time.
fn write(output: &Output, first: u64, batches: u64) {
    output.begin().expect("begins");
    for batch in 0..batches {
        let mut rows = Batch::default();
        for row in 0..10 {
            let start = 1_700_000_000_000 + first + batch * 10 + row;
            let line = format!("{start},5,label,200,OK,group 1-1,text,true,,10,5,1,1,url,5,0,1\n");
            rows.text.extend_from_slice(line.as_bytes());
            rows.row_ends.push(rows.text.len() as u32);
        }
        output.hand_over(&mut rows);
    }
    output.close();
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<_> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn starts(path: &Path) -> Vec<i64> {
    let mut starts = Vec::new();
    read_pieces(path, |sample: &JtlSample<'_>| starts.push(sample.start_ms - 1_700_000_000_000))
        .expect("reads");
    starts
}

const SMALL: Rotation = Rotation { bytes: Some(1500), age: None, keep: None };

#[test]
fn pieces_are_complete_and_read_in_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.jtl");
    write(&output(&path, SMALL, false), 0, 9);
    let found = names(folder.path());
    assert_eq!(
        found,
        ["out.000001.jtl.gz", "out.000002.jtl.gz", "out.000003.jtl.gz", "out.000004.jtl.gz", "out.jtl"]
    );
    assert_eq!(starts(&path), (0..90).collect::<Vec<_>>());
    // Each on its own, the compressed ones, too.
    let alone = |name: &String| {
        let read = crate::jtl::read_file(&folder.path().join(name), |_| {});
        read.expect("complete").samples
    };
    assert_eq!(found.iter().map(alone).collect::<Vec<_>>(), [20, 20, 20, 20, 10]);
    assert_eq!(starts(&folder.path().join("out.000002.jtl.gz"))[0], 20);
}

#[test]
fn a_second_run_goes_on_and_one_that_replaces_deletes_the_pieces() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.jtl");
    write(&output(&path, SMALL, false), 0, 4);
    write(&output(&path, SMALL, false), 40, 4);
    assert_eq!(starts(&path), (0..80).collect::<Vec<_>>());
    let other = folder.path().join("out.00001.jtl");
    fs::write(&other, "five digits are no piece").expect("written");
    write(&output(&path, SMALL, true), 100, 1);
    assert_eq!(names(folder.path()), ["out.00001.jtl", "out.jtl"]);
    assert_eq!(starts(&path), (100..110).collect::<Vec<_>>());
}

#[test]
fn old_age_is_full_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.jtl");
    write(&output(&path, Rotation { age: Some(Duration::ZERO), ..Rotation::default() }, false), 0, 3);
    assert_eq!(names(folder.path()).len(), 4);
    // The last piece was full at once: what is left has a header alone.
    assert_eq!((starts(&path).len(), fs::read_to_string(&path).expect("readable").lines().count()), (30, 1));
    let long = Rotation { age: Some(Duration::from_hours(1)), ..Rotation::default() };
    write(&output(&folder.path().join("long.jtl"), long, false), 0, 3);
    assert_eq!(names(folder.path()).iter().filter(|name| name.starts_with("long")).count(), 1);
}

#[test]
fn the_oldest_pieces_go() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.jtl");
    write(&output(&path, Rotation { keep: Some(Keep::Pieces(2)), ..SMALL }, false), 0, 9);
    assert_eq!(names(folder.path()), ["out.000003.jtl.gz", "out.000004.jtl.gz", "out.jtl"]);
    assert_eq!(starts(&path), (40..90).collect::<Vec<_>>());
    let piece = folder.path().join("out.000004.jtl.gz").metadata().expect("there").len();
    let keep = Some(Keep::Bytes(2 * piece - 1));
    write(&output(&path, Rotation { keep, ..SMALL }, false), 90, 4);
    assert_eq!(names(folder.path()).len(), 2, "{:?}", names(folder.path()));
}

#[test]
fn a_week_of_pieces_stays_in_its_bound() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.jtl");
    // As 604,800 rows, one a second, with a piece each 86 rows.
    let rotation = Rotation { bytes: Some(6_000), age: None, keep: Some(Keep::Pieces(7)) };
    write(&output(&path, rotation, false), 0, 2_000);
    assert!(names(folder.path()).len() <= 8);
    let kept = starts(&path);
    assert_eq!(kept.last(), Some(&19_999));
    assert!(kept.windows(2).all(|pair| pair[1] == pair[0] + 1), "no row between is lost");
}

#[test]
fn a_piece_that_was_compressed_when_the_process_died_is_read_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.jtl");
    write(&output(&path, SMALL, false), 0, 4);
    let whole = fs::read(&path).expect("readable");
    fs::write(folder.path().join("out.000001.jtl"), whole).expect("written");
    assert_eq!(starts(&path), (0..40).collect::<Vec<_>>());
}

#[test]
fn pieces_of_other_files_are_none() {
    for (name, number) in [
        ("out.000001.jtl", Some(1)),
        ("out.000001.jtl.gz", Some(1)),
        ("out.1234567.jtl", Some(1_234_567)),
        ("out.jtl", None),
        ("out.01.jtl", None),
        ("out.+00001.jtl", None),
        ("outer.000001.jtl", None),
        ("out.000001.csv", None),
        ("out.99999999999999999999999.jtl", None),
    ] {
        assert_eq!(number_of(name, Path::new("/a/out.jtl")), number, "{name}");
    }
    assert_eq!(number_of("out.000002", &PathBuf::from("out")), Some(2));
    assert_eq!(pieces::piece(Path::new("/a/out.jtl"), 12), PathBuf::from("/a/out.000012.jtl"));
}
