//! A program that is killed: what is on the disk is whole rows and at most a part of the next one,
//! which readers report, and a run folder that opens.

use std::fs;
use std::path::{Path, PathBuf};

use rand::Rng;
use rand::rngs::SmallRng;
use swell_api::SampleResult;
use swell_results::jtl::{JtlSample, read_samples};
use swell_results::run_folder::{Metadata, Outcome, RecordEnd, Recorder, RunFolder};
use swell_stats::{Interval, Observation, Snapshot};

use crate::kernel::draws;

/// Kills of a results file in a world, and of a run folder.
const KILLS: usize = 12;

/// A row of a results file, by what readers give of it.
#[derive(Clone, Debug, PartialEq)]
struct Read {
    start_ms: i64,
    elapsed_ms: u64,
    label: String,
    code: String,
    message: String,
    thread: String,
    success: bool,
    bytes: u64,
    sent_bytes: u64,
    latency_ms: u64,
    users: Option<u64>,
}

impl Read {
    fn of(row: &JtlSample<'_>) -> Self {
        Self {
            start_ms: row.start_ms,
            elapsed_ms: row.elapsed_ms,
            label: row.label.to_owned(),
            code: row.code.to_owned(),
            message: row.message.to_owned(),
            thread: row.thread.to_owned(),
            success: row.success,
            bytes: row.bytes,
            sent_bytes: row.sent_bytes,
            latency_ms: row.latency_ms,
            users: row.users,
        }
    }

    fn made_of(sample: &SampleResult) -> Self {
        let ms = |ns: i64| ns.div_euclid(1_000_000);
        let timing = &sample.timing;
        Self {
            start_ms: ms(timing.start_ns),
            elapsed_ms: (ms(timing.end_ns) - ms(timing.start_ns) - timing.idle_ns / 1_000_000).max(0) as u64,
            label: sample.label.to_string(),
            code: sample.code.to_string(),
            message: sample.message.to_string(),
            thread: sample.thread_name.to_string(),
            success: sample.success,
            bytes: sample.bytes,
            sent_bytes: sample.sent_bytes,
            latency_ms: (ms(timing.first_byte_ns) - ms(timing.start_ns)) as u64,
            users: Some(u64::from(sample.all_threads)),
        }
    }
}

/// A kill leaves a beginning of what was written: readers give the whole rows of it, in their
/// order, and say what is torn.
pub(super) fn rows(seed: u64, samples: &[SampleResult], content: &[u8]) -> Option<String> {
    let mut draws = draws(seed, "kills of rows");
    (0..KILLS).find_map(|kill| {
        let at = if kill == 0 { content.len() } else { draws.random_range(0..=content.len()) };
        rows_up_to(samples, &content[..at], at == content.len())
            .map(|what| format!("P8 killed: after byte {at}: {what}"))
    })
}

fn rows_up_to(samples: &[SampleResult], content: &[u8], is_whole: bool) -> Option<String> {
    let mut read = Vec::new();
    let found = read_samples(content, |row| read.push(Read::of(row)));
    // The first rows of a file show what it is: nothing can be read of less.
    let counts = match found {
        Ok(counts) => counts,
        Err(error) => {
            let is_enough = content.len() > 4_000 && !ends_in_first_element(content);
            return is_enough.then(|| format!("it cannot be read: {error}"));
        }
    };
    let has_all = !is_whole || (read.len() == samples.len() && counts.bad == 0);
    if counts.samples != read.len() as u64 || counts.bad > 1 || !has_all {
        return Some(format!("{counts:?} of {} rows that were read", read.len()));
    }
    read.iter().enumerate().find_map(|(place, row)| {
        let sample = usize::try_from(row.bytes).ok().and_then(|number| samples.get(number));
        let is_right = sample.is_some_and(|sample| Read::made_of(sample) == *row);
        (!is_right).then(|| format!("row {place} is read as {row:?}"))
    })
}

/// Whether an XML file ends within its first sample, whose texts may be long.
fn ends_in_first_element(content: &[u8]) -> bool {
    const ENDS: [&[u8]; 3] = [b"</httpSample>", b"</sample>", b"/>"];
    let has = |end: &[u8]| content.windows(end.len()).any(|bytes| bytes == end);
    content.starts_with(b"<?xml") && !ENDS.into_iter().any(has)
}

/// A folder for a run that is gone when this is dropped.
struct Place(PathBuf);

impl Place {
    fn new(seed: u64) -> Self {
        let name = format!("swell-world-{}-{seed}-{:?}", std::process::id(), std::thread::current().id());
        Self(std::env::temp_dir().join(name.replace(['(', ')'], "")))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // What is left in a temporary folder does no harm.
        drop(fs::remove_dir_all(&self.0));
    }
}

fn interval(draws: &mut SmallRng, at_s: i64) -> Interval {
    let mut recorder = swell_stats::Recorder::default();
    for _ in 0..draws.random_range(0..20) {
        let seen = Observation {
            label: ["Home", "Search"][draws.random_range(0..2)],
            success: draws.random_bool(0.9),
            elapsed_ns: draws.random_range(0..1_000_000_000),
            start_ns: at_s * 1_000_000_000,
            end_ns: at_s * 1_000_000_000 + 5,
            ..Observation::default()
        };
        recorder.record(&seen);
    }
    Interval {
        start_ms: at_s * 1_000,
        length_ms: 1_000,
        labels: recorder.take_interval(),
        ..Interval::default()
    }
}

/// A run that is killed at any byte leaves a folder that opens, with its intervals up to there.
pub(super) fn folder(seed: u64) -> Option<String> {
    let wrong = folder_of(seed).err()?;
    Some(format!("P8 folder: {wrong}"))
}

fn folder_of(seed: u64) -> Result<(), String> {
    let mut draws = draws(seed, "kills of folders");
    let place = Place::new(seed);
    fs::create_dir_all(&place.0).map_err(|error| error.to_string())?;
    let path = place.0.join("run");
    let metadata =
        Metadata { schema: Metadata::SCHEMA.to_owned(), name: format!("run {seed}"), ..Metadata::default() };
    let mut recorder =
        Recorder::create(&path, &metadata, b"<jmeterTestPlan/>", false).map_err(|error| error.to_string())?;
    let length = || RunFolder::open(&path).map_or(0, |run| run.interval_bytes().unwrap_or(0));
    let mut intervals = Vec::new();
    let mut lengths = vec![length()];
    for second in 0..draws.random_range(1..12) {
        let interval = interval(&mut draws, 1_700_000_000 + second);
        recorder.record(&interval);
        intervals.push(interval);
        lengths.push(length());
    }
    let has_ended = draws.random_bool(0.3);
    if has_ended {
        let outcome = Outcome { schema: Outcome::SCHEMA.to_owned(), exit: 7, ..Outcome::default() };
        recorder.finish(&outcome, "{}");
    }
    if let Some(failure) = recorder.failure() {
        return Err(format!("the disk failed: {failure}"));
    }
    if !RunFolder::open(&path).is_ok_and(|run| run.is_running()) {
        return Err("a run that is recorded does not look so".to_owned());
    }
    drop(recorder);
    killed(&mut draws, &path, &lengths, &intervals, has_ended)
}

/// The folder with the file of intervals cut at some bytes, the borders of intervals among them.
fn killed(
    draws: &mut SmallRng,
    path: &Path,
    lengths: &[u64],
    intervals: &[Interval],
    has_ended: bool,
) -> Result<(), String> {
    let all = lengths[lengths.len() - 1];
    let file = largest(path, all)?;
    let mut cuts: Vec<u64> = (0..KILLS).map(|_| draws.random_range(0..=all)).collect();
    cuts.extend(lengths.iter().copied());
    cuts.sort_unstable_by(|one, other| other.cmp(one));
    for at in cuts {
        let cut = fs::OpenOptions::new().write(true).open(&file).and_then(|file| file.set_len(at));
        cut.map_err(|error| error.to_string())?;
        let run = RunFolder::open(path).map_err(|error| format!("cut at {at}: {error}"))?;
        let (found, end) = run.run().map_err(|error| format!("cut at {at}: {error}"))?;
        let whole = lengths[1..].iter().filter(|length| **length <= at).count();
        let mut truth = Snapshot::default();
        intervals[..whole].iter().for_each(|interval| truth.merge(&interval.labels));
        let is_border = lengths.contains(&at);
        let is_right = match end {
            RecordEnd::Whole => is_border,
            RecordEnd::Cut => !is_border,
            RecordEnd::Damaged(_) => false,
        };
        if found.snapshot.rows != truth.rows || found.snapshot.errors != truth.errors || !is_right {
            return Err(format!("cut at {at} of {lengths:?}: {end:?}, {} rows", found.snapshot.rows.len()));
        }
        if found.summary().total.samples != truth.total().samples || run.is_running() {
            return Err(format!("cut at {at}: another summary"));
        }
        let outcome = run.outcome().map_err(|error| error.to_string())?.map(|outcome| outcome.exit);
        if outcome != has_ended.then_some(7) || run.plan().as_deref() != Some("<jmeterTestPlan/>") {
            return Err(format!("cut at {at}: the outcome {outcome:?}"));
        }
    }
    Ok(())
}

/// The file of intervals: the one with that many bytes.
fn largest(path: &Path, bytes: u64) -> Result<PathBuf, String> {
    let files = fs::read_dir(path).map_err(|error| error.to_string())?.flatten();
    let found = files.map(|file| file.path()).find(|file| {
        file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("intervals"))
            && file.metadata().is_ok_and(|facts| facts.len() == bytes)
    });
    found.ok_or_else(|| format!("no file of {bytes} bytes of intervals"))
}
