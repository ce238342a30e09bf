//! Refuses phrases that are hard to understand. The same table applies to documents, strings and
//! comments.

use std::fs;
use std::path::{Path, PathBuf};

use crate::files::{files_below, has_extension};
use crate::rust_text;

/// Phrases that are refused, in lower case, each with what to write. They match whole words.
const REFUSED: &[(&str, &str)] = &[
    ("` is no", "invalid y `x`; expected one of ..."),
    ("is none of", "invalid y `x`; expected one of ..."),
    ("what becomes of", "status of, result of"),
    ("what became of", "status of, result of"),
    ("is to be said", "status of, result of"),
    ("of its own", "own, separate"),
    ("of their own", "own, separate"),
    ("of one's own", "own, separate"),
    ("goes on", "continues, running, during the run"),
    ("is over.", "finished"),
    ("is over,", "finished"),
    ("is over:", "finished"),
    ("that is over", "finished"),
    ("stands in", "is in"),
    ("stands at", "is at"),
    ("stands below", "is shown below"),
    ("stands beside", "is shown next to"),
    ("stand in", "are in"),
    ("is told", "reports, receives"),
    ("are told", "report, receive"),
    ("is heard", "reports, receives"),
    ("tells of", "reports"),
    ("anew", "again, from scratch"),
    ("in the place of", "instead of"),
    ("so many", "N, this many"),
    ("so often", "N times"),
    ("nobody", "name the subject"),
    ("somebody", "name the subject"),
    ("whoever", "name the subject"),
    ("for want of", "without"),
    ("at hand", "available"),
    ("in the manner of", "like"),
    ("no matter of", "not a question of"),
    ("lie between", "spacing"),
    ("bears", "can handle"),
    ("behind it", "after it"),
    ("beside", "compared with, next to"),
    ("mend", "fix"),
    ("mends", "fixes"),
    ("mended", "fixed"),
    ("as ever", "unchanged"),
];

/// Beginnings of sentences that are refused.
const REFUSED_STARTS: &[&str] = &["Of ", "To whom"];

/// Crates whose strings and comments still have such phrases. The list only gets shorter.
const CRATES_NOT_YET: &[&str] = &[];

/// The file with the table of refused phrases.
const TABLE: &str = "crates/run/tests/run/plain_english.rs";

/// A refused phrase in a text that begins at a line of a file.
#[derive(Debug)]
struct Hit {
    line: usize,
    phrase: &'static str,
    instead: &'static str,
}

/// Looks for refused phrases in a text of several lines, of which the first has the number
/// `first_line`. A phrase may be broken at the end of a line.
fn hits(text: &str, first_line: usize) -> Vec<Hit> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let joined = lines.join(" ");
    let lower = joined.to_ascii_lowercase();
    let line_of = |at: usize| {
        let mut end = 0;
        let before = lines.iter().take_while(|line| {
            end += line.len() + 1;
            end <= at
        });
        first_line + before.count()
    };
    let mut found = Vec::new();
    for (phrase, instead) in REFUSED {
        let places = lower.match_indices(phrase).map(|(at, _)| at);
        let whole = places.filter(|at| is_whole(&lower, *at, at + phrase.len()));
        found.extend(whole.map(|at| Hit { line: line_of(at), phrase, instead }));
    }
    for start in REFUSED_STARTS {
        let places = joined.match_indices(start).map(|(at, _)| at);
        let first = places.filter(|at| joined[..*at].is_empty() || joined[..*at].ends_with(". "));
        found.extend(first.map(|at| Hit {
            line: line_of(at),
            phrase: start,
            instead: "reorder the sentence",
        }));
    }
    found.sort_by_key(|hit| hit.line);
    found
}

/// Whether the text has no letter right before and right after this part, where the part itself
/// begins or ends with one.
fn is_whole(text: &str, start: usize, end: usize) -> bool {
    let bytes = text.as_bytes();
    let is_letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    let begins_inside = start > 0 && is_letter(start) && is_letter(start - 1);
    let ends_inside = is_letter(end - 1) && is_letter(end);
    !begins_inside && !ends_inside
}

#[test]
fn phrases_are_found_as_whole_words_across_lines() {
    let phrases = |text| hits(text, 10).into_iter().map(|hit| (hit.line, hit.phrase)).collect::<Vec<_>>();
    assert_eq!(phrases("The run goes\n  on. Nobody waits."), [(10, "goes on"), (11, "nobody")]);
    assert_eq!(phrases("`x` is no level"), [(10, "` is no")]);
    assert_eq!(phrases("Recommended: besides, there is no level. One kind Of thing."), []);
    assert_eq!(phrases("Fine. Of these, two.\nOf those."), [(10, "Of "), (11, "Of ")]);
}

#[test]
fn documents_are_in_plain_english() {
    let root = root();
    let mut failures = Vec::new();
    for file in documents(&root) {
        let name = file.strip_prefix(&root).expect("below the root").to_string_lossy().into_owned();
        let text = fs::read_to_string(&file).expect("a document is text");
        let found = paragraphs(&text).into_iter().flat_map(|(line, text)| hits(&text, line));
        failures.extend(found.map(|hit| describe(&name, &hit)));
    }
    assert!(failures.is_empty(), "{} places:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn strings_and_comments_are_in_plain_english() {
    let root = root();
    let mut failures = Vec::new();
    for folder in fs::read_dir(root.join("crates")).expect("a folder") {
        let folder = folder.expect("readable").path();
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let found: Vec<_> =
            files_below(&folder, "rs").iter().flat_map(|file| source_failures(&root, file)).collect();
        match (CRATES_NOT_YET.contains(&name.as_str()), found.is_empty()) {
            (true, true) => failures.push(format!("{name} is plain now: take it off CRATES_NOT_YET")),
            (false, false) => failures.extend(found),
            (true, false) | (false, true) => {}
        }
    }
    assert!(failures.is_empty(), "{} places:\n{}", failures.len(), failures.join("\n"));
}

fn source_failures(root: &Path, file: &Path) -> Vec<String> {
    let name = file.strip_prefix(root).expect("below the root").to_string_lossy().into_owned();
    if name == TABLE {
        return Vec::new();
    }
    let source = fs::read_to_string(file).expect("a source is text");
    let texts = rust_text::texts(&source).into_iter();
    texts.flat_map(|(line, text)| hits(&text, line)).map(|hit| describe(&name, &hit)).collect()
}

fn describe(file: &str, hit: &Hit) -> String {
    format!("{file}:{}: \"{}\": write {}", hit.line, hit.phrase.trim(), hit.instead)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Paragraphs of a document, each with the number of its first line. Blocks of code are left out.
fn paragraphs(document: &str) -> Vec<(usize, String)> {
    let mut all: Vec<(usize, String)> = Vec::new();
    let mut is_code = false;
    let mut continues = false;
    for (index, line) in document.lines().enumerate() {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        if is_code || is_fence || line.trim().is_empty() {
            continues = false;
            continue;
        }
        match all.last_mut().filter(|_| continues) {
            Some((_, text)) => {
                text.push('\n');
                text.push_str(line);
            }
            None => all.push((index + 1, line.to_owned())),
        }
        continues = true;
    }
    all
}

/// All Markdown files of the project but `bench/results`, which holds what measurements printed
/// when they were made.
fn documents(root: &Path) -> Vec<PathBuf> {
    let tops = ["docs", "examples", "bench", "parity", "fuzz", "web", "dist", "jvm"];
    let at_top = fs::read_dir(root).expect("the root is a folder");
    let mut files: Vec<PathBuf> = at_top
        .map(|entry| entry.expect("readable").path())
        .filter(|path| has_extension(path, "md"))
        .collect();
    files.extend(tops.iter().flat_map(|top| files_below(&root.join(top), "md")));
    files.sort();
    files
}
