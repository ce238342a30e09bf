//! Searches of simulated servers: whether the limit that is found, and the cause that is named, are
//! those of the server.

mod laboratory;
mod queue;
mod servers;
mod truth;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use swell_stats::capacity::Goal;

use self::laboratory::{Alone, Simulated};
use self::servers::{Kind, Server};
use super::runner::run_in;
use super::{Restart, SearchOptions, SearchReport, Slo, StopReason, Vary};
use crate::ceiling::Ceiling;
use crate::guard::Guard;

/// What was found of a server.
struct Finding {
    seed: u64,
    kind: Kind,
    /// The interval has the limit, or the end is that of the server.
    is_found: bool,
    is_cause_right: bool,
    trials: usize,
    virtual_s: f64,
    samples: u64,
    /// A line for people.
    words: String,
}

fn search(seed: u64, fastest_per_s: f64, samples: u64) -> Finding {
    let server = Server::of(seed, fastest_per_s, samples);
    let rules = server.rules.iter().map(|rule| Slo::parse(&rule.text()).expect("a rule")).collect();
    let options = SearchOptions {
        rules,
        warm_up: Duration::from_secs(2),
        first_warm_up: Duration::from_secs(5),
        budget: Duration::from_mins(15),
        server: None,
        restart: Restart::Never,
        settings: Vec::new(),
        recovery: Duration::from_secs(60),
        guard: Guard::ON,
        ceiling: Ceiling { users: u32::MAX, per_second: f64::INFINITY },
    };
    let whole = server.pause_s.is_some();
    let vary = if whole { Vary::Users } else { Vary::Rate };
    let goal = Goal { whole, ..Goal::between(server.range.0, server.range.1) };
    let rules = server.rules.iter().map(|rule| rule.text()).collect();
    let mut found = SearchReport::new("swell", "simulated", goal, vary.clone(), rules, seed);
    let mut laboratory = Simulated::new(&server, seed);
    run_in(&mut laboratory, &mut found, &vary, &options, &mut Alone).expect("trials that cannot fail");
    let (virtual_s, samples) = (laboratory.passed_s, laboratory.samples);
    finding(seed, &server, &found, (virtual_s, samples))
}

fn finding(seed: u64, server: &Server, found: &SearchReport, (virtual_s, samples): (f64, u64)) -> Finding {
    let answer = found.answer.as_ref().expect("a search has an answer");
    let cause = answer.limit.as_ref().map(|limit| limit.cause);
    let limit = server.limit.map_or_else(|| "none".to_owned(), |limit| format!("{limit:.2}"));
    Finding {
        seed,
        kind: server.kind,
        is_found: is_found(server, found),
        is_cause_right: cause == server.kind.cause(),
        trials: found.trials.len(),
        virtual_s,
        samples,
        words: format!(
            "{:?} limit {limit}, {:?} in {} trials: {} {:?}",
            server.kind,
            found.stopped,
            found.trials.len(),
            answer.words,
            server,
        ),
    }
}

/// The limit of the model is known to half a percent.
const EXACT: f64 = 0.005;

fn is_found(server: &Server, found: &SearchReport) -> bool {
    let answer = found.answer.as_ref().expect("a search has an answer");
    let limit = server.limit.unwrap_or(f64::NAN);
    // The next user is the first that is too much.
    let next = if server.pause_s.is_some() { 1.0 } else { 0.0 };
    let holds = |limit: f64| answer.holds.is_some_and(|holds| holds <= limit * (1.0 + EXACT));
    let fails = |limit: f64| answer.fails.is_some_and(|fails| fails >= limit * (1.0 - EXACT) + next);
    let stopped = found.stopped.as_ref();
    match server.kind {
        Kind::Errors => stopped == Some(&StopReason::BearsNone),
        Kind::BearsNone => stopped == Some(&StopReason::BearsNone),
        Kind::BearsAll => stopped == Some(&StopReason::BearsAll),
        Kind::Generator => {
            let most = server.model.tool_per_s.unwrap_or(0.0);
            stopped == Some(&StopReason::Generator) && holds(most) && answer.fails.is_none()
        }
        Kind::Unsteady => {
            let spread = (2.0 * server.spread).exp();
            stopped == Some(&StopReason::Unsteady) || (holds(limit * spread) && fails(limit / spread))
        }
        _ => holds(limit) && fails(limit),
    }
}

/// Searches on all processors; in the order of the seeds.
fn many(from: u64, count: u64, fastest_per_s: f64, samples: u64) -> Vec<Finding> {
    let next = AtomicU64::new(from);
    let all = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= from + count {
                        return;
                    }
                    let found = search(seed, fastest_per_s, samples);
                    all.lock().push(found);
                }
            });
        }
    });
    let mut all = all.into_inner();
    all.sort_by_key(|found| found.seed);
    all
}

/// Shares of the limits found and the causes right.
fn shares(all: &[Finding]) -> (f64, f64) {
    let share = |of: fn(&Finding) -> bool| {
        all.iter().filter(|found| of(found)).count() as f64 / all.len() as f64
    };
    (share(|found| found.is_found), share(|found| found.is_cause_right))
}

fn table(all: &[Finding]) -> String {
    let mut kinds: BTreeMap<Kind, (u64, u64, u64, usize)> = BTreeMap::new();
    for found in all {
        let row = kinds.entry(found.kind).or_default();
        row.0 += 1;
        row.1 += u64::from(found.is_found);
        row.2 += u64::from(found.is_cause_right);
        row.3 += found.trials;
    }
    let mut lines = String::from("| server | servers | limit found | cause right | trials |\n|---|---|---|---|---|\n");
    for (kind, (count, right, cause, trials)) in kinds {
        let mean = trials as f64 / count as f64;
        lines += &format!("| {kind:?} | {count} | {right} | {cause} | {mean:.1} |\n");
    }
    lines
}

#[test]
fn limits_and_causes_of_simulated_servers_are_found() {
    let all = many(1, 104, 120.0, 20_000);
    let (found, cause) = shares(&all);
    let wrong = all.iter().filter(|found| !found.is_found || !found.is_cause_right);
    let wrong: Vec<_> = wrong.map(|found| format!("{}: {}", found.seed, found.words)).collect();
    assert!(found >= 0.92 && cause >= 0.9, "found {found:.3}, cause {cause:.3}\n{}", wrong.join("\n"));
}

#[test]
fn a_seed_gives_the_same_search_again() {
    let words = || search(7, 120.0, 4_000).words;
    assert_eq!(words(), words());
}

/// `SEED=1 SERVERS=2000 cargo test -p swell-study --lib simulated::bench -- --ignored --nocapture`
#[test]
#[ignore = "takes minutes; `make simulate-searches` runs it"]
fn bench() {
    let set = |name: &str, default: u64| {
        std::env::var(name).map_or(default, |text| text.parse().expect("a whole number"))
    };
    let (seed, count) = (set("SEED", 1), set("SERVERS", 2000));
    let started = Instant::now();
    let all = many(seed, count, 600.0, 100_000);
    for found in all.iter().filter(|found| !found.is_found || !found.is_cause_right) {
        let what = if found.is_found { "cause" } else { "limit" };
        println!("{what} of seed {}: {}", found.seed, found.words);
    }
    let (found, cause) = shares(&all);
    let of = |of: fn(&Finding) -> f64| all.iter().map(of).sum::<f64>();
    println!("\n{}", table(&all));
    println!(
        "seeds {seed} to {}: limit found {:.2} %, cause right {:.2} %; {:.1} trials, {:.0} virtual seconds \
        and {:.0} samples a search; {:.0} s",
        seed + count - 1,
        100.0 * found,
        100.0 * cause,
        of(|found| found.trials as f64) / count as f64,
        of(|found| found.virtual_s) / count as f64,
        of(|found| found.samples as f64) / count as f64,
        started.elapsed().as_secs_f64(),
    );
    assert!(found >= 0.95 && cause >= 0.9, "found {found:.4}, cause {cause:.4}");
}
