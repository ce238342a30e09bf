//! What a trial came to, as its listeners received it, by user.

use std::collections::BTreeMap;
use std::hash::Hash;

use swell_api::SampleResult;

/// A sample, or a transaction with samples in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Heard {
    pub(super) label: String,
    pub(super) thread: String,
    pub(super) code: String,
    pub(super) message: String,
    pub(super) success: bool,
    pub(super) is_transaction: bool,
    pub(super) start_ns: i64,
    pub(super) end_ns: i64,
    pub(super) read_ns: i64,
    pub(super) ready_ns: i64,
    pub(super) connected_ns: i64,
    pub(super) timestamp_ms: i64,
    pub(super) elapsed_ms: i64,
    pub(super) elapsed_ns: i64,
    pub(super) group_threads: u32,
    pub(super) all_threads: u32,
    pub(super) bytes: u64,
    pub(super) url: String,
    pub(super) parts: Vec<Heard>,
}

impl From<&SampleResult> for Heard {
    fn from(sample: &SampleResult) -> Self {
        let timing = &sample.timing;
        Self {
            label: sample.label.to_string(),
            thread: sample.thread_name.to_string(),
            code: sample.code.to_string(),
            message: sample.message.to_string(),
            success: sample.success,
            is_transaction: sample.is_transaction,
            start_ns: timing.start_ns,
            end_ns: timing.end_ns,
            read_ns: timing.read_ns.max(timing.end_ns),
            ready_ns: timing.ready_ns,
            connected_ns: timing.connected_ns,
            timestamp_ms: timing.timestamp_ms(),
            elapsed_ms: timing.elapsed_ms(),
            elapsed_ns: timing.elapsed_ns(),
            group_threads: sample.group_threads,
            all_threads: sample.all_threads,
            bytes: sample.bytes,
            url: sample.url.as_ref().map_or_else(String::new, ToString::to_string),
            parts: sample.sub_results.iter().map(Self::from).collect(),
        }
    }
}

impl Heard {
    /// A value of the query of its URL.
    pub(super) fn query(&self, name: &str) -> Option<&str> {
        let (_, query) = self.url.split_once('?')?;
        query
            .split('&')
            .find_map(|pair| pair.split_once('=').filter(|(of, _)| *of == name))
            .map(|(_, value)| value)
    }
}

/// What a user did.
#[derive(Debug, Default)]
pub(super) struct User<'a> {
    /// Requests in the order of their starts.
    pub(super) requests: Vec<&'a Heard>,
    /// Transactions in the order of their starts.
    pub(super) transactions: Vec<&'a Heard>,
}

/// Users by the places of their groups and their numbers from 1; and what is wrong with the names
/// of threads. `numbers`: the number of each group in its phase.
pub(super) fn by_user<'a>(
    heard: &'a [Heard],
    numbers: &[usize],
) -> (BTreeMap<(usize, usize), User<'a>>, Vec<String>) {
    let mut users: BTreeMap<(usize, usize), User<'a>> = BTreeMap::new();
    let mut wrong = Vec::new();
    for sample in heard {
        if sample.is_transaction && sample.thread.is_empty() {
            // A user ended before the first sample of it; the name comes with that, as in JMeter.
            continue;
        }
        let Some(key) = key_of(&sample.thread, numbers) else {
            wrong.push(format!("P1 names: thread `{}`", sample.thread));
            continue;
        };
        let user = users.entry(key).or_default();
        if sample.is_transaction {
            user.transactions.push(sample);
            user.requests.extend(&sample.parts);
        } else {
            user.requests.push(sample);
        }
    }
    for user in users.values_mut() {
        user.requests.sort_by_key(|sample| sample.start_ns);
        user.transactions.sort_by_key(|sample| sample.start_ns);
    }
    (users, wrong)
}

/// Place of the group and number of the user in `Group 2 1-4`.
fn key_of(thread: &str, numbers: &[usize]) -> Option<(usize, usize)> {
    let (place, rest) = thread.strip_prefix("Group ")?.split_once(' ')?;
    let (number, user) = rest.split_once('-')?;
    let place: usize = place.parse().ok()?;
    let number: usize = number.parse().ok()?;
    (*numbers.get(place)? == number).then_some((place, user.parse().ok()?))
}
