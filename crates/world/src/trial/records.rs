//! Rows, counts, and the record of the site: what listeners heard is in each of them, once.

use std::collections::BTreeMap;

use swell_engine::RunOutcome;
use swell_target::LogEntry;

use super::check::{Seen, Users, Wrong};
use super::options::{LoadOfGroup, TrialFault};
use super::samples::Heard;
use super::times::lateness_ns;

/// What a stamp may be off without a step of the wall clock, and what reads of a clock take.
const STAMP_NS: i64 = 10_000;
/// What the bytes of a response take on the link.
const BYTES_NS: i64 = 40_000;

pub(super) fn check(seen: &Seen<'_>, outcome: &RunOutcome, users: &Users<'_>, wrong: &mut Wrong) {
    rows(seen, wrong);
    counts(seen, wrong);
    site(seen, outcome, users, wrong);
}

/// The results file has a row for each sample, with its figures; those in transactions as well.
fn rows(seen: &Seen<'_>, wrong: &mut Wrong) {
    if seen.heard.is_empty() {
        return;
    }
    let mut records = records(&seen.rows).into_iter();
    let header = records.next().unwrap_or_default();
    let column = |name: &str| header.iter().position(|column| column == name);
    let names = [
        "timeStamp",
        "elapsed",
        "label",
        "responseCode",
        "success",
        "bytes",
        "grpThreads",
        "allThreads",
        "threadName",
    ];
    let columns: Vec<usize> = names.iter().filter_map(|name| column(name)).collect();
    wrong.must(columns.len() == names.len(), "P1 rows of the file", || format!("the header is {header:?}"));
    if columns.len() != names.len() {
        return;
    }
    let of_record = |fields: Vec<String>| -> Vec<String> {
        columns.iter().map(|column| fields.get(*column).cloned().unwrap_or_default()).collect()
    };
    let mut written: Vec<Vec<String>> = records.map(of_record).collect();
    // Samples in a transaction have rows after that of it (`CSVSaveService.saveSubResults`).
    let with_parts = seen.heard.iter().flat_map(|sample| std::iter::once(sample).chain(&sample.parts));
    let mut heard: Vec<Vec<String>> = with_parts.map(row_of).collect();
    written.sort();
    heard.sort();
    wrong.must(written.len() == heard.len(), "P1 rows of the file", || {
        format!("{} rows of {} samples", written.len(), heard.len())
    });
    for (row, sample) in written.iter().zip(&heard) {
        wrong.must(row == sample, "P1 rows of the file", || format!("{row:?} is not {sample:?}"));
    }
}

fn row_of(sample: &Heard) -> Vec<String> {
    vec![
        sample.timestamp_ms.to_string(),
        sample.elapsed_ms.to_string(),
        sample.label.clone(),
        sample.code.clone(),
        sample.success.to_string(),
        sample.bytes.to_string(),
        sample.group_threads.to_string(),
        sample.all_threads.to_string(),
        sample.thread.clone(),
    ]
}

/// The fields of each record of a CSV file. Quoted ones may hold commas and ends of lines.
fn records(text: &str) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    for character in text.chars() {
        match character {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            '\n' if !is_quoted => all.push(std::mem::replace(&mut fields, vec![String::new()])),
            _ => fields.last_mut().expect("one at least").push(character),
        }
    }
    all
}

/// The statistics have each sample once, with its time.
fn counts(seen: &Seen<'_>, wrong: &mut Wrong) {
    let mut sums: BTreeMap<(&str, bool), (u64, u64, u128, u64)> = BTreeMap::new();
    let parts = seen.heard.iter().flat_map(|sample| &sample.parts);
    for sample in seen.heard.iter().chain(parts) {
        let sum = sums.entry((&sample.label, sample.is_transaction)).or_default();
        sum.0 += 1;
        sum.1 += u64::from(!sample.success);
        sum.2 += u128::from(sample.elapsed_ns.unsigned_abs());
        sum.3 += sample.bytes;
    }
    wrong.must(seen.counted.rows.len() == sums.len(), "P1 statistics", || {
        format!("{} labels are counted, not {}", seen.counted.rows.len(), sums.len())
    });
    for ((label, is_transaction), sum) in sums {
        let counted = seen.counted.get(label, is_transaction).map(|row| &row.stats);
        let counted = counted.map(|stats| (stats.samples, stats.errors, stats.sum_ns));
        wrong.must(counted == Some((sum.0, sum.1, sum.2)), "P1 statistics", || {
            format!("{label} is counted as {counted:?}, not {sum:?}")
        });
    }
}

/// A request with a response is at the site once, within its time; what is at the site and not
/// among the samples was cut.
fn site(seen: &Seen<'_>, outcome: &RunOutcome, users: &Users<'_>, wrong: &mut Wrong) {
    let mut log: BTreeMap<&str, Vec<&LogEntry>> = BTreeMap::new();
    for entry in &seen.log {
        log.entry(&entry.id).or_default().push(entry);
    }
    // A request on a kept connection that breaks before a byte of the response goes out again, and
    // the end of the site may come before its record.
    let breaks = seen.options.has(|fault| {
        matches!(
            fault,
            TrialFault::Resets { .. }
                | TrialFault::SiteKilled { .. }
                | TrialFault::Cut { .. }
                | TrialFault::Loss { .. }
        )
    });
    let killed = seen.options.has(|fault| matches!(fault, TrialFault::SiteKilled { .. }));
    let mut found = 0;
    for sample in users.values().flat_map(|user| &user.requests) {
        let entries = sample.query("id").and_then(|id| log.get(id)).map_or(&[][..], Vec::as_slice);
        found += usize::from(!entries.is_empty());
        let came = !sample.code.starts_with("Non HTTP");
        wrong.must(entries.len() <= 1 || breaks, "P1 site", || {
            format!("the site has {} {} times", sample.url, entries.len())
        });
        wrong.must(!came || killed || !entries.is_empty(), "P1 site", || {
            format!("the site does not have {}", sample.url)
        });
        if let (true, Some(entry)) = (came, entries.last()) {
            within(seen, sample, entry, wrong);
        }
    }
    let unseen = log.len() - found;
    let ends_open = seen.options.groups.iter().any(|group| matches!(group.load, LoadOfGroup::Open { .. }));
    let may_cut = seen.options.may_stop() || ends_open;
    wrong.must(unseen as u64 <= outcome.cut && (may_cut || outcome.cut == 0), "P1 site", || {
        format!("{unseen} requests at the site have no sample, and {} were cut", outcome.cut)
    });
}

/// The time of a sample is that of the site and the way.
fn within(seen: &Seen<'_>, sample: &Heard, entry: &LogEntry, wrong: &mut Wrong) {
    let way_ns = i64::from(seen.options.latency_us) * 1_000;
    let there_ns = entry.arrival_ns - sample.start_ns;
    let back_ns = sample.end_ns - entry.before_send_ns;
    wrong.must(there_ns >= way_ns - STAMP_NS && back_ns >= way_ns - STAMP_NS, "P3 site", || {
        format!("{}: {there_ns} ns there and {back_ns} ns back, with a way of {way_ns}", sample.label)
    });
    if !seen.options.faults.is_empty() {
        return;
    }
    let connects = sample.connected_ns > 0;
    let most_ns = way_ns * if connects { 3 } else { 1 } + lateness_ns(seen);
    wrong.must(there_ns <= most_ns, "P3 site", || {
        format!("{}: {there_ns} ns there, with a way of {way_ns}", sample.label)
    });
    let back_ns = sample.end_ns - entry.after_send_ns;
    wrong.must(back_ns <= way_ns + STAMP_NS + BYTES_NS, "P3 site", || {
        format!("{}: {back_ns} ns back, with a way of {way_ns}", sample.label)
    });
}
