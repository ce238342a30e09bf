//! Makes samples, writes and counts them with the program's code, and checks what came of them.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use rand::Rng;
use rand::rngs::SmallRng;
use swell_api::{AssertionResult, DataType, SampleResult, Text, Timing};
use swell_expr::{Compiler, Context, Properties};
use swell_results::simulated::WorldFile;
use swell_results::{OnFailure, RowFormat, Save, SaveConfig, WriteFailure, observe};
use swell_stats::encoding::{decode, encode};
use swell_stats::{Recorder, Snapshot};

use super::check::{Seen, check};
use super::disk::{Content, SimulatedDisk};
use super::killed;
use super::options::ResultsOptions;
use crate::kernel::draws;
use crate::world::{caught, in_world};

/// When the first sample starts.
const EPOCH_NS: i64 = 1_700_000_000_123_456_789;
/// Texts that files have to quote or escape, and some that they need not.
const TEXTS: [&str; 10] =
    ["Home", "a,b", "say \"hi\"", "two\nlines", "\u{e4}\u{20ac}", "", " spaced ", "<&>", "\"", "GET /a?b=c"];

/// What a world of results came to.
#[derive(Clone, Debug, Default)]
pub struct ResultsResult {
    /// What did not hold, in words; empty where all did.
    pub wrong: Vec<String>,
    /// A hash of the file.
    pub hash: u64,
    /// Samples, and rows in the file.
    pub samples: (u64, u64),
}

/// Runs a world and checks it. A panic in it is one of the things that did not hold.
pub fn run(options: &ResultsOptions) -> ResultsResult {
    let ran = caught(|| {
        let mut result = in_world(options.seed, |_| run_in(options));
        result.wrong.extend(killed::folder(options.seed));
        result
    });
    ran.unwrap_or_else(|panic| ResultsResult { wrong: vec![panic], ..ResultsResult::default() })
}

/// Rows with the defaults of JMeter.
pub(crate) fn row_format(xml: bool) -> Result<RowFormat, String> {
    let mut config = SaveConfig::from_properties(&Properties::default())?;
    config.set(Save::Xml, xml);
    Ok(RowFormat {
        config,
        stamp: None,
        variables: Vec::new(),
        host_name: "world".to_owned(),
        default_encoding: "UTF-8".to_owned(),
        functional: false,
        xml_pi: String::new(),
    })
}

fn run_in(options: &ResultsOptions) -> ResultsResult {
    let format = match row_format(options.xml) {
        Ok(format) => format,
        Err(why) => return ResultsResult { wrong: vec![why], ..ResultsResult::default() },
    };
    let context = swell_expr::testing::context_for(&Compiler::new(Arc::default()));
    let content = Content::default();
    let disk = SimulatedDisk {
        content: content.clone(),
        draws: draws(options.seed, "disk"),
        piece: options.piece as usize,
        interrupted: options.interrupted,
        full_at: options.full_at,
    };
    let told = Arc::<Mutex<Vec<WriteFailure>>>::default();
    let telling = told.clone();
    let failed: OnFailure = Arc::new(move |failure| {
        telling.lock().unwrap_or_else(PoisonError::into_inner).push(failure.clone());
    });
    let workers = (options.workers as usize, options.listeners as usize);
    let file = WorldFile::new(disk, format, workers, failed);
    let (samples, counted, failure) = make(options, file, &context);
    let told = told.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let is_flushed = content.is_flushed();
    let content = content.bytes();
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    let seen = Seen { options, samples: &samples, content: &content, failure, told, counted: &counted };
    let (mut wrong, rows) = check(&seen);
    if seen.failure.is_none() {
        // A file without a row may have nothing to flush.
        let may_rest = content.is_empty();
        wrong.extend(
            (!is_flushed && !may_rest).then(|| "P8 flush: the end of the file is not flushed".to_owned()),
        );
        wrong.extend(killed::rows(options.seed, &samples, &content));
    }
    ResultsResult { wrong, hash: hasher.finish(), samples: (samples.len() as u64, rows) }
}

/// Makes all samples; gives them in their order, what was counted, and what went wrong with the
/// file.
fn make(
    options: &ResultsOptions,
    mut file: WorldFile<SimulatedDisk>,
    context: &Context,
) -> (Vec<SampleResult>, Snapshot, Option<WriteFailure>) {
    let mut draws = draws(options.seed, "samples");
    let mut recorders: Vec<Recorder> = (0..options.workers).map(|_| Recorder::default()).collect();
    let mut counted = Snapshot::default();
    let mut samples = Vec::new();
    let mut at_ns = EPOCH_NS;
    for number in 0..options.samples {
        at_ns += draws.random_range(0..20_000_000);
        let worker = draws.random_range(0..options.workers as usize);
        let sample = sample(options, &mut draws, (number, worker), at_ns);
        for listener in 0..options.listeners as usize {
            file.sample((worker, listener), &sample, context);
        }
        recorders[worker].record(&observe(&sample));
        samples.push(sample);
        if draws.random_bool(options.writer) {
            file.step();
        }
        if draws.random_bool(0.02) {
            file.flush();
            take(&mut recorders, &mut counted);
        }
    }
    take(&mut recorders, &mut counted);
    (samples, counted, file.close())
}

/// What workers counted, as it goes to others.
fn take(recorders: &mut [Recorder], into: &mut Snapshot) {
    for recorder in recorders {
        let interval = recorder.take_interval();
        let sent = decode::<Snapshot>(&encode(&interval));
        into.merge(&sent.expect("what was encoded can be decoded"));
    }
}

/// A sample whose bytes are its number.
fn sample(
    options: &ResultsOptions,
    draws: &mut SmallRng,
    (number, worker): (u32, usize),
    start_ns: i64,
) -> SampleResult {
    let mut text = || {
        let text = TEXTS[draws.random_range(0..TEXTS.len())];
        if draws.random_bool(options.long) { text.repeat(20_000) } else { text.to_owned() }
    };
    let (label, message, url, why) = (text(), text(), text(), text());
    let connect_ns = draws.random_range(0..3_000_000);
    let first_ns = connect_ns + draws.random_range(1..50_000_000);
    let end_ns = first_ns + draws.random_range(1..50_000_000);
    let success = draws.random_bool(0.8);
    // An assertion is an element in XML.
    let assertion =
        AssertionResult { failure: true, message: Some(why.into()), ..AssertionResult::default() };
    let is_asserted = !success && !options.xml && draws.random_bool(0.4);
    let made = draws.random_bool(0.3);
    let connected_ns = if made { start_ns + connect_ns } else { 0 };
    let ready_ns = start_ns - draws.random_range(0..100_000);
    let read_ns = start_ns + end_ns + draws.random_range(0..50_000);
    let is_later = draws.random_bool(0.2);
    let sent_ns = start_ns.max(connected_ns) + draws.random_range(1..40_000);
    SampleResult {
        label: Text::from(label),
        code: Text::from(if success { "200" } else { "500" }),
        message: Text::from(message),
        success,
        data_type: if draws.random_bool(0.8) { DataType::Text } else { DataType::default() },
        timing: Timing {
            intended_ns: ready_ns - draws.random_range(0..9_000_000),
            ready_ns: if draws.random_bool(0.9) { ready_ns } else { 0 },
            start_ns,
            connected_ns,
            handshake_ns: if made && draws.random_bool(0.5) { connect_ns / 2 } else { 0 },
            first_byte_ns: start_ns + first_ns,
            // With the time of the read in its place, the arrival is separate.
            end_ns: if is_later { read_ns } else { start_ns + end_ns },
            arrived_ns: if is_later { start_ns + end_ns } else { 0 },
            read_ns,
            sent_ns: if draws.random_bool(0.4) { sent_ns } else { 0 },
            idle_ns: if draws.random_bool(0.2) { draws.random_range(0..first_ns) } else { 0 },
            scheduled: draws.random_bool(0.5),
        },
        bytes: u64::from(number),
        sent_bytes: draws.random_range(0..900),
        assertions: if is_asserted { vec![assertion] } else { Vec::new() },
        // It is an element in XML as well.
        url: (!options.xml && draws.random_bool(0.7)).then(|| Text::from(url)),
        thread_name: Text::from(format!("Users 1-{worker}")),
        group_threads: options.workers,
        all_threads: options.workers + 7,
        ..SampleResult::default()
    }
}
