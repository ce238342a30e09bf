//! Refuses phrases that readers of English stumble over. The table of phrases is the same for documents, strings and comments.

use std::fs;
use std::path::{Path, PathBuf};

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

/// Documents that still have such phrases. The list only gets shorter.
const NOT_YET: &[&str] = &[
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    "bench/accuracy/README.md",
    "bench/results/accuracy/captured.md",
    "bench/results/accuracy/joined.md",
    "bench/results/accuracy/stall.md",
    "bench/results/fleet.md",
    "bench/results/heavy_neighbour.md",
    "bench/results/instructions.md",
    "bench/results/jvm_garbage.md",
    "bench/results/live_browser.md",
    "bench/results/live_control.md",
    "bench/results/memory.md",
    "bench/results/search.md",
    "bench/results/staged_faults.md",
    "bench/results/stamps.md",
    "docs/adding-an-element.md",
    "docs/decisions/2026-11-21-own-event-loop.md",
    "docs/decisions/2026-11-22-descriptor-table-and-huge-pages.md",
    "docs/decisions/2026-11-22-short-time-slices.md",
    "docs/decisions/2026-11-23-functions-of-the-jvm-by-replay.md",
    "docs/decisions/2026-11-23-jmespath-stays-in-the-jvm.md",
    "docs/decisions/2026-11-23-json-without-a-tree.md",
    "docs/decisions/2026-11-25-two-precisions.md",
    "docs/differences.md",
    "docs/figures.md",
    "docs/guide/README.md",
    "docs/guide/first-test.md",
    "docs/guide/from-jmeter.md",
    "docs/guide/install.md",
    "docs/guide/live.md",
    "docs/guide/load-shapes.md",
    "docs/guide/long-tests.md",
    "docs/guide/many-machines.md",
    "docs/guide/many-users.md",
    "docs/guide/matrix.md",
    "docs/guide/reading-the-report.md",
    "docs/guide/runs.md",
    "docs/guide/search.md",
    "docs/guide/sweep.md",
    "docs/guide/verdict.md",
    "docs/jvm.md",
    "docs/limits.md",
    "docs/live-control.md",
    "docs/measurement.md",
    "docs/reference/elements.md",
    "docs/reference/exports.md",
    "docs/reference/fleet.md",
    "docs/reference/functions.md",
    "docs/reference/monitor.md",
    "docs/reference/native-scripts.md",
    "docs/scripts.md",
    "examples/README.md",
    "parity/README.md",
];

/// A refused phrase in a text that begins at a line of a file.
#[derive(Debug)]
struct Hit {
    line: usize,
    phrase: &'static str,
    instead: &'static str,
}

/// Looks for refused phrases in a text of several lines, of which the first has the number `first_line`. A phrase may be broken
/// at the end of a line.
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

/// Whether the text has no letter right before and right after this part, where the part itself begins or ends with one.
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
        let found: Vec<_> =
            paragraphs(&text).into_iter().flat_map(|(line, text)| hits(&text, line)).collect();
        match (NOT_YET.contains(&name.as_str()), found.is_empty()) {
            (true, true) => failures.push(format!("{name} is plain now: take it off NOT_YET")),
            (false, false) => failures.extend(found.iter().map(|hit| describe(&name, hit))),
            (true, false) | (false, true) => {}
        }
    }
    assert!(failures.is_empty(), "{} places:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn listed_documents_exist() {
    for name in NOT_YET {
        assert!(root().join(name).exists(), "{name} is gone: take it off NOT_YET");
    }
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

/// All Markdown files of the project.
fn documents(root: &Path) -> Vec<PathBuf> {
    let tops = ["docs", "examples", "bench", "parity", "fuzz", "web", "dist", "jvm"];
    let mut waiting: Vec<PathBuf> = tops.iter().map(|top| root.join(top)).collect();
    let mut files: Vec<PathBuf> = Vec::new();
    let at_top = fs::read_dir(root).expect("the root is a folder");
    files.extend(at_top.map(|entry| entry.expect("readable").path()).filter(|path| is_markdown(path)));
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.expect("readable").path();
            match (path.is_dir(), path.file_name().is_some_and(|name| name == "node_modules")) {
                (true, false) => waiting.push(path),
                (false, _) if is_markdown(&path) => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    files
}

fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|ext| ext == "md")
}
