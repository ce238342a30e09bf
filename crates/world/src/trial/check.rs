//! What must hold in every world with a trial. The names are those of `docs/simulation.md`.

use std::collections::BTreeMap;

use swell_engine::RunOutcome;
use swell_stats::Snapshot;
use swell_target::LogEntry;

use super::expect::{ExpectedUser, Step, node_at};
use super::options::{CsvOptions, LoadOfGroup, PlanNode, RouteOfRequest, TrialOptions};
use super::plan::label;
use super::samples::{Heard, User, by_user};
use super::{records, times};

/// Violations that are listed for each property.
const LISTED: usize = 3;

/// What a world came to.
pub(super) struct Seen<'a> {
    pub(super) options: &'a TrialOptions,
    pub(super) heard: Vec<Heard>,
    /// The results file.
    pub(super) rows: String,
    pub(super) counted: Snapshot,
    /// The record of the site.
    pub(super) log: Vec<LogEntry>,
    /// None: the run did not end.
    pub(super) outcome: Option<RunOutcome>,
    pub(super) stuck: Option<String>,
}

/// Users by the places of their groups and their numbers from 1.
pub(super) type Users<'a> = BTreeMap<(usize, usize), User<'a>>;

/// What is wrong, by property.
#[derive(Default)]
pub(super) struct Wrong {
    all: Vec<String>,
    counts: BTreeMap<&'static str, usize>,
}

impl Wrong {
    /// Notes what does not hold of a property.
    pub(super) fn must(&mut self, holds: bool, property: &'static str, what: impl FnOnce() -> String) {
        if !holds {
            let count = self.counts.entry(property).or_default();
            *count += 1;
            if *count <= LISTED {
                self.all.push(format!("{property}: {}", what()));
            }
        }
    }
}

/// What did not hold.
pub(super) fn check(seen: &Seen<'_>) -> Vec<String> {
    let mut wrong = Wrong::default();
    if let Some(stuck) = &seen.stuck {
        wrong.must(false, "P5 life", || stuck.clone());
        return wrong.all;
    }
    let Some(outcome) = &seen.outcome else {
        wrong.must(false, "P5 life", || "the run has no outcome".to_owned());
        return wrong.all;
    };
    wrong.must(outcome.problems.is_empty(), "P1 problems", || format!("{:?}", outcome.problems));
    let (users, names) = by_user(&seen.heard, &numbers(seen.options));
    for name in names {
        wrong.must(false, "P1 names", || name);
    }
    for (key, user) in &users {
        steps(seen, outcome, *key, user, &mut wrong);
    }
    complete(seen, outcome, &users, &mut wrong);
    files(seen, outcome, &users, &mut wrong);
    times::check(seen, outcome, &users, &mut wrong);
    records::check(seen, outcome, &users, &mut wrong);
    wrong.all
}

/// The number of each group in its phase, from 1.
fn numbers(options: &TrialOptions) -> Vec<usize> {
    let groups = &options.groups;
    let number =
        |place: usize| groups[..=place].iter().filter(|group| group.phase == groups[place].phase).count();
    (0..groups.len()).map(number).collect()
}

/// The steps of a user up to this many requests, with the number of the iteration of each; and
/// whether its plan ends there.
struct Course {
    requests: Vec<(usize, usize)>,
    transactions: Vec<(usize, Vec<usize>)>,
    /// Requests of all complete iterations: a user may end after any of these.
    ends: Vec<usize>,
    is_whole: bool,
}

fn course(seen: &Seen<'_>, group: usize, requests: usize) -> Course {
    let options = &seen.options.groups[group];
    let loops = match options.load {
        LoadOfGroup::Users { loops, .. } => loops as usize,
        LoadOfGroup::Open { .. } => 1,
    };
    let mut user = ExpectedUser::default();
    let mut course =
        Course { requests: Vec::new(), transactions: Vec::new(), ends: vec![0], is_whole: false };
    for iteration in 1.. {
        if (loops > 0 && iteration > loops) || course.requests.len() > requests {
            course.is_whole = loops > 0 && iteration > loops;
            break;
        }
        let steps = user.iteration(&options.nodes);
        let stops = steps.last() == Some(&Step::Stop);
        for step in steps {
            match step {
                Step::Request(number) => course.requests.push((number, iteration)),
                Step::Begin(number) => course.transactions.push((number, vec![course.requests.len()])),
                Step::End(_) => {
                    let end = course.requests.len();
                    if let Some((_, parts)) = course.transactions.last_mut() {
                        *parts = (parts[0]..end).collect();
                    }
                }
                Step::Stop => {}
            }
        }
        course.ends.push(course.requests.len());
        if stops {
            course.is_whole = true;
            break;
        }
        if course.requests.is_empty() && iteration > 3 {
            // Nothing to do at all.
            break;
        }
    }
    course
}

/// Whether something may end a user before its plan does.
pub(super) fn may_end_early(seen: &Seen<'_>, group: usize) -> bool {
    let options = &seen.options.groups[group];
    let ends = match options.load {
        LoadOfGroup::Users { duration_s, .. } => duration_s > 0,
        LoadOfGroup::Open { .. } => true,
    };
    ends || seen.options.may_stop() || options.csv.is_some_and(|csv| !csv.recycles)
}

/// Each user makes the samples of its loops in their order, and transactions around them.
fn steps(
    seen: &Seen<'_>,
    outcome: &RunOutcome,
    (group, number): (usize, usize),
    user: &User<'_>,
    wrong: &mut Wrong,
) {
    let nodes = &seen.options.groups[group].nodes;
    let course = course(seen, group, user.requests.len());
    let who = || format!("user {number} of group {group}");
    let expected: Vec<String> = course.requests.iter().map(|(node, _)| label(group, *node)).collect();
    let made: Vec<&str> = user.requests.iter().map(|sample| sample.label.as_str()).collect();
    let fits =
        made.len() <= expected.len() && made.iter().zip(&expected).all(|(made, expected)| made == expected);
    wrong.must(fits, "P1 order", || format!("{} made {made:?}, not {expected:?}", who()));
    let may_end = may_end_early(seen, group) || outcome.stopped.is_some();
    wrong.must(!fits || may_end || (course.is_whole && made.len() == expected.len()), "P1 counts", || {
        format!("{} made {} requests of {}", who(), made.len(), expected.len())
    });
    if !fits {
        return;
    }
    let mut seen_of: BTreeMap<&str, u32> = BTreeMap::new();
    let mut last = Some("none".to_owned());
    for (sample, (node, _)) in user.requests.iter().zip(&course.requests) {
        let count = seen_of.entry(&sample.label).or_default();
        *count += 1;
        let id = format!("{}.{number}.{count}", sample.label);
        wrong.must(sample.query("id") == Some(&id), "P1 counters", || {
            format!("{}: {} is not {id}", who(), sample.url)
        });
        let Some(PlanNode::Request { route, asserts, .. }) = node_at(nodes, *node) else { continue };
        if let Some(last) = &last {
            wrong.must(sample.query("last") == Some(last), "P1 extractor", || {
                format!("{}: {} does not have {last}", who(), sample.url)
            });
        }
        verdict(seen, sample, *route, *asserts, wrong);
        if *route == RouteOfRequest::Anything {
            // What a failed response gives the extractor is not known.
            last = (sample.code == "200").then_some(id);
        }
    }
    transactions(group, user, &course, wrong);
}

/// Status, size and assertion of a request whose response came.
fn verdict(seen: &Seen<'_>, sample: &Heard, route: RouteOfRequest, asserts: Option<bool>, wrong: &mut Wrong) {
    let came = !sample.code.starts_with("Non HTTP");
    let is_calm = seen.options.faults.is_empty();
    wrong.must(came || !is_calm, "P10 failures", || {
        format!("{} failed without a fault: {} {}", sample.label, sample.code, sample.message)
    });
    if !came {
        wrong.must(!sample.success, "P1 verdict", || format!("{} has no response and is good", sample.label));
        return;
    }
    let status = if let RouteOfRequest::Status(status) = route { status } else { 200 };
    wrong.must(sample.code == status.to_string(), "P1 verdict", || {
        format!("{} has the status {}, not {status}", sample.label, sample.code)
    });
    let is_good = status < 400 && asserts != Some(false);
    wrong.must(sample.success == is_good, "P1 verdict", || {
        format!("{} with status {status} and assertion {asserts:?}: success {}", sample.label, sample.success)
    });
}

/// How the message of a transaction begins.
const TRANSACTION: &str = "Number of samples in transaction : ";

/// Transactions have the samples of their controllers, in order; those that a user did not get to
/// the end of may be missing, or have fewer.
fn transactions(group: usize, user: &User<'_>, course: &Course, wrong: &mut Wrong) {
    let made = user.requests.len();
    let whole: Vec<_> = course
        .transactions
        .iter()
        .filter(|(_, parts)| parts.last().is_none_or(|last| *last < made))
        .filter(|(_, parts)| parts.first().is_none_or(|first| *first < made))
        .collect();
    let are_enough = user.transactions.len() >= whole.len() && user.transactions.len() <= whole.len() + 1;
    wrong.must(are_enough, "P1 transactions", || {
        format!("{} transactions in group {group}, not {}", user.transactions.len(), whole.len())
    });
    for (transaction, (node, parts)) in user.transactions.iter().zip(whole) {
        let name = label(group, *node);
        wrong.must(transaction.label == name, "P1 transactions", || {
            format!("{} is not {name}", transaction.label)
        });
        if parts.last() == Some(&(made - 1)) && !transaction.message.starts_with(TRANSACTION) {
            // The user ended with its last sample, and so before the end of the transaction.
            continue;
        }
        let told = transaction.message.strip_prefix(TRANSACTION).and_then(|told| told.split(',').next());
        let told = told.and_then(|told| told.parse::<usize>().ok());
        // Without a parent sample JMeter counts children that had nothing to do as well.
        let fits = told
            .is_some_and(|told| told == parts.len() || (transaction.parts.is_empty() && told > parts.len()));
        wrong.must(fits, "P1 transactions", || {
            format!("{name} `{}` has {} samples", transaction.message, parts.len())
        });
        let samples: Vec<_> = parts.iter().map(|place| user.requests[*place]).collect();
        let inside: Vec<_> = transaction.parts.iter().collect();
        wrong.must(inside.is_empty() || inside == samples, "P1 transactions", || {
            format!("{name} has other samples than those of its time")
        });
        let is_good = samples.iter().all(|sample| sample.success);
        wrong.must(transaction.success == is_good, "P1 transactions", || {
            format!("{name}: success {}, of its samples {is_good}", transaction.success)
        });
        let from_ns = samples.first().map_or(transaction.start_ns, |first| first.start_ns);
        let until_ns = samples.last().map_or(transaction.end_ns, |last| last.end_ns);
        wrong.must(
            transaction.start_ns <= from_ns && until_ns <= transaction.end_ns,
            "P3 transactions",
            || {
                format!(
                    "{name}: {}..{} around {from_ns}..{until_ns}",
                    transaction.start_ns, transaction.end_ns
                )
            },
        );
    }
}

/// Where nothing can end users early, all of them run.
fn complete(seen: &Seen<'_>, outcome: &RunOutcome, users: &Users<'_>, wrong: &mut Wrong) {
    let requests: usize = users.values().map(|user| user.requests.len()).sum();
    wrong.must(outcome.samples == requests as u64, "P1 accounting", || {
        format!("the run counts {} samples, and listeners {requests}", outcome.samples)
    });
    if seen.options.may_stop() {
        return;
    }
    wrong.must(outcome.stopped.is_none(), "P5 stop", || format!("stopped {:?}", outcome.stopped));
    let all: usize = (0..seen.options.groups.len()).map(|group| seen.options.users_of(group)).sum();
    wrong.must(outcome.users == all as u64, "P1 users", || format!("{} users of {all}", outcome.users));
    for (place, options) in seen.options.groups.iter().enumerate() {
        let makes = course(seen, place, 0).requests.len();
        if may_end_early(seen, place) || makes == 0 {
            continue;
        }
        let ran = users.keys().filter(|(group, _)| *group == place).count();
        wrong.must(ran == seen.options.users_of(place), "P1 users", || {
            format!("{ran} users of group {place} made samples: {:?}", options.load)
        });
    }
}

/// Each iteration takes the next row of the file of its group, whichever user makes it.
fn files(seen: &Seen<'_>, outcome: &RunOutcome, users: &Users<'_>, wrong: &mut Wrong) {
    for (place, options) in seen.options.groups.iter().enumerate() {
        let Some(CsvOptions { rows, recycles }) = options.csv else { continue };
        let mut taken: BTreeMap<u32, u32> = BTreeMap::new();
        let mut iterations = 0;
        for ((_, number), user) in users.iter().filter(|((group, _), _)| *group == place) {
            let course = course(seen, place, user.requests.len());
            let mut row_of: BTreeMap<usize, &str> = BTreeMap::new();
            for (sample, (_, iteration)) in user.requests.iter().zip(&course.requests) {
                let row = sample.query("row").unwrap_or_default();
                let first = *row_of.entry(*iteration).or_insert(row);
                wrong.must(first == row, "P1 rows", || {
                    format!("user {number} of group {place} has rows {first} and {row} in an iteration")
                });
            }
            iterations += row_of.len() as u32;
            for row in row_of.values() {
                let row = row.parse().ok().filter(|row| *row < rows);
                wrong.must(row.is_some(), "P1 rows", || format!("a row of group {place} is not in its file"));
                *taken.entry(row.unwrap_or(0)).or_default() += 1;
            }
        }
        // Iterations that ended before their first sample took rows as well.
        let unseen = if may_end_early(seen, place) || outcome.stopped.is_some() {
            seen.options.users_of(place)
        } else {
            0
        };
        let times = |row: u32| taken.get(&row).copied().unwrap_or(0);
        let most = (0..rows).map(times).max().unwrap_or(0);
        let fewer: u32 = (0..rows).map(|row| most - times(row)).sum();
        wrong.must(fewer < rows + unseen as u32, "P1 rows", || {
            format!("group {place} took rows {taken:?} times in {iterations} iterations")
        });
        wrong.must(recycles || most <= 1, "P1 rows", || format!("group {place} took a row again: {taken:?}"));
        ends_with_its_file(seen, place, iterations, wrong);
    }
}

/// Users stop at the end of a file that does not start again, and not before.
fn ends_with_its_file(seen: &Seen<'_>, place: usize, iterations: u32, wrong: &mut Wrong) {
    let options = &seen.options.groups[place];
    let Some(CsvOptions { rows, recycles: false }) = options.csv else { return };
    let LoadOfGroup::Users { users, loops, duration_s: 0, .. } = options.load else { return };
    let stops = options.any(|node| matches!(node, PlanNode::StopThread {}));
    if seen.options.may_stop() || loops == 0 || stops {
        return;
    }
    let wanted = rows.min(users * loops);
    wrong.must(iterations == wanted, "P1 rows", || {
        format!("group {place} made {iterations} iterations, and its file and loops have {wanted}")
    });
}
