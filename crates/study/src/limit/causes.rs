//! The causes in the order of their strength.

use super::{Cause, Level, Limit};
use swell_report::number::{ms, rate};

/// Beyond the first level that fails, levels up to this factor speak of the limit; those further
/// above, of an overload.
const NEAR: f64 = 1.3;
/// A server whose processors are less busy than this waits for something.
const IDLE_CPU: f64 = 0.7;
const FULL_CPU: f64 = 0.9;
/// A share of errors or drops that is not by chance.
const SOME: f64 = 0.001;
/// Throughput below this part of what was wanted is a plateau.
const REACHED: f64 = 0.97;

/// The levels that tell: those that failed near the limit, and all that failed.
struct FailedLevels<'a> {
    near: Vec<&'a Level>,
    all: Vec<&'a Level>,
}

impl<'a> FailedLevels<'a> {
    fn of(levels: &[&'a Level]) -> Self {
        let all: Vec<_> = levels.iter().copied().filter(|level| !level.passed).collect();
        let first = all.iter().map(|level| level.load).fold(f64::INFINITY, f64::min);
        let near = all.iter().copied().filter(|level| level.load <= NEAR * first).collect();
        Self { near, all }
    }

    fn most(&self, of: impl Fn(&Level) -> Option<f64>) -> Option<f64> {
        self.near.iter().filter_map(|level| of(level)).reduce(f64::max)
    }
}

fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent >= 10.0 { format!("{percent:.0} %") } else { format!("{percent:.2} %") }
}

fn limit(cause: Cause, words: impl Into<String>, evidence: Vec<String>) -> Limit {
    Limit { cause, words: words.into(), pool: None, evidence, server_cpu: None }
}

pub(super) fn first(levels: &[&Level], ended_by_tool: bool) -> Limit {
    let failed = FailedLevels::of(levels);
    // What is a fact of the server comes first, also where tool and server fill a machine. One that
    // may have no more threads or connections takes none from its queue: the full queue is a
    // symptom.
    let found = crash(&failed)
        .or_else(|| resources(&failed))
        .or_else(|| process_limit(&failed))
        .or_else(|| descriptor_limit(&failed))
        .or_else(|| {
            other_programs(levels, &failed, ended_by_tool).filter(|_| !waits_in_server(levels, &failed))
        })
        .or_else(|| hang(&failed))
        .or_else(|| connections(&failed))
        .or_else(|| generator(levels, &failed, ended_by_tool).filter(|_| !waits_in_server(levels, &failed)))
        .or_else(|| admission(levels, &failed))
        .or_else(|| accept_queue(&failed))
        .or_else(|| memory(&failed))
        .or_else(|| cpu(&failed))
        .or_else(|| network(levels, &failed))
        .or_else(|| errors(levels, &failed))
        .or_else(|| pool(levels, &failed));
    let mut found = found.unwrap_or_else(|| limit(Cause::Unknown, "unknown", all_figures(levels, &failed)));
    if found.cause != Cause::Unknown {
        found.server_cpu = cpu_words(&failed);
        found.evidence.extend(found.server_cpu.clone());
    }
    found
}

fn crash(failed: &FailedLevels<'_>) -> Option<Limit> {
    let level = failed.near.iter().find(|level| level.died.is_some())?;
    let what = format!("at {}, twice: {}", rate(level.load), level.died.as_deref().unwrap_or_default());
    Some(limit(Cause::Crash, "the server crashes under the load", vec![what]))
}

fn resources(failed: &FailedLevels<'_>) -> Option<Limit> {
    let share = failed.most(|level| Some(level.exhausted)).filter(|share| *share > 0.0)?;
    let what = format!(
        "{} of the samples failed because this machine ran out of descriptors, ports or memory",
        percent(share)
    );
    let words = "ports or descriptors of this machine, not the server";
    Some(limit(Cause::Resources, words, vec![what, "`swell doctor` shows which limit to raise".to_owned()]))
}

/// Other programs used the processors of tool and server: failures then say nothing about the
/// server. Rejections, lost segments, or requests that wait for a place in an idle server do not
/// depend on processors.
fn other_programs(levels: &[&Level], failed: &FailedLevels<'_>, ended_by_tool: bool) -> Option<Limit> {
    const FEW_PLACES: f64 = 2.5;
    const HARDLY: f64 = 0.1;
    let void = levels.iter().rev().filter(|level| ended_by_tool && !level.tool.is_empty());
    let who = failed.near.iter().chain(void).find_map(|level| level.other_programs.clone())?;
    let is_lossy = failed.most(|level| level.retransmits).is_some_and(|share| share > SOME);
    let hardly_runs = failed.most(|level| level.server_cpu).is_some_and(|cpu| cpu < HARDLY);
    let waits = |limit: &Limit| hardly_runs && limit.pool.is_some_and(|size| size >= FEW_PLACES);
    let sure = admission(levels, failed)
        .or_else(|| network(levels, failed).filter(|_| is_lossy))
        .or_else(|| pool(levels, failed).filter(waits));
    let words = "other programs on this machine, not the server: stop them and search again";
    sure.or_else(|| Some(limit(Cause::OtherPrograms, words, vec![who])))
}

/// Void trials, or a machine that tool and server have filled together.
fn generator(levels: &[&Level], failed: &FailedLevels<'_>, ended_by_tool: bool) -> Option<Limit> {
    const WORDS: &str =
        "generator or shared machine: this machine cannot make more load, so the server may handle more";
    if ended_by_tool {
        let last = levels.iter().rev().find(|level| !level.tool.is_empty());
        return Some(limit(
            Cause::Generator,
            WORDS,
            last.map(|level| level.tool.clone()).unwrap_or_default(),
        ));
    }
    let full = failed.near.iter().find(|level| {
        let busy = level.machine_busy.unwrap_or(0.0);
        let tool = level.tool_cpu.unwrap_or(0.0);
        busy >= FULL_CPU && tool >= 0.25 * busy
    })?;
    let busy = full.machine_busy?;
    let tool = full.tool_cpu?;
    let what = format!(
        "processors of this machine were {} busy, of which the tool used {}",
        percent(busy),
        percent(tool)
    );
    Some(limit(Cause::Generator, WORDS, vec![what]))
}

/// Tool and server are mostly idle, and each additional user only waits longer, by as much as
/// throughput explains: the time passes in the server, however many users were late to ask again.
fn waits_in_server(levels: &[&Level], failed: &FailedLevels<'_>) -> bool {
    /// The levels of a machine on which the tool is not the limit.
    const IDLE_TOOL: f64 = 0.5;
    /// Response times need not rise exactly as users do.
    const ALIKE: f64 = 0.2;
    let is_idle = |level: &Level| {
        let tool = level.tool_cpu.is_some_and(|share| share < IDLE_TOOL);
        let server = level.server_cpu.is_some_and(|share| share < IDLE_CPU);
        tool && server && level.machine_busy.is_none_or(|busy| busy < FULL_CPU)
    };
    let waits_longer = |level: &Level, fewer: &Level| {
        let more = level.load - fewer.load;
        let per_s = level.per_s;
        let Some((mean_ms, before_ms)) = level.mean_ms.zip(fewer.mean_ms) else { return false };
        let wanted_ms = 1e3 * more / per_s.max(f64::MIN_POSITIVE);
        let grown_ms = mean_ms - before_ms;
        // Where the lighter load was below the plateau, times grow by less; without pauses, all
        // users are in the server then.
        let all_wait =
            grown_ms > (1.0 - ALIKE) * wanted_ms || mean_ms * per_s > (1.0 - ALIKE) * 1e3 * level.load;
        all_wait && grown_ms > 0.0 && grown_ms < (1.0 + ALIKE) * wanted_ms
    };
    let tells = |level: &&Level| {
        level.offered_per_s.is_none()
            && is_idle(level)
            && levels.iter().any(|fewer| fewer.load <= 0.8 * level.load && waits_longer(level, fewer))
    };
    failed.near.iter().copied().any(|level| tells(&level)) && plateau(levels, &failed.near).is_some()
}

/// Quick rejections with a matching status, and more of them with more load.
fn admission(levels: &[&Level], failed: &FailedLevels<'_>) -> Option<Limit> {
    let level = failed
        .near
        .iter()
        .find(|level| level.turned_down >= 0.5 * level.errors && level.turned_down > SOME)?;
    if !rises(levels, level.turned_down, |level| level.turned_down) {
        return None;
    }
    let accepted = level.per_s * (1.0 - level.errors);
    let words = format!("admission control: the server rejects requests above about {}/s", rate(accepted));
    let what =
        format!("{} of the responses at {} were 503 or 429", percent(level.turned_down), rate(level.load));
    let quick = level.mean_ms.map(|mean| format!("all others took {} ms on average", ms(mean)));
    Some(limit(Cause::AdmissionControl, words, std::iter::once(what).chain(quick).collect()))
}

/// Whether a share of samples is larger than at the loads that the server can handle. If it can
/// handle none, this is unknown, and a small share is assumed to be constant.
fn rises(levels: &[&Level], share: f64, of: impl Fn(&Level) -> f64) -> bool {
    const LARGE: f64 = 0.05;
    let least = levels.iter().filter(|level| level.passed).map(|level| of(level)).reduce(f64::min);
    least.map_or(share >= LARGE, |least| share > 2.0 * least)
}

/// A share of failures that is there whatever the load.
fn errors(levels: &[&Level], failed: &FailedLevels<'_>) -> Option<Limit> {
    let level = failed.near.iter().find(|level| level.errors > SOME)?;
    if rises(levels, level.errors, |level| level.errors) {
        return None;
    }
    let least = levels.iter().min_by(|a, b| a.load.total_cmp(&b.load))?;
    let mut evidence =
        vec![format!("{} of the samples failed at {}", percent(level.errors), rate(level.load))];
    if least.passed {
        evidence.push(format!("{} at {}, which holds", percent(least.errors), rate(least.load)));
    }
    let words = "errors that do not depend on the load: the server fails a part of all requests";
    Some(limit(Cause::Errors, words, evidence))
}

fn accept_queue(failed: &FailedLevels<'_>) -> Option<Limit> {
    let dropped = failed.most(|level| level.accept_queue).filter(|share| *share > SOME);
    let late = failed.most(|level| Some(level.late_connections)).filter(|share| *share > SOME);
    // A network that loses data loses segments of handshakes as well.
    let loses = dropped.is_none() && failed.most(|level| level.retransmits).is_some_and(|share| share > SOME);
    let late = late.filter(|_| !loses);
    let refused = failed.most(|level| Some(level.refused)).filter(|share| *share > SOME && !loses);
    if dropped.is_none() && late.is_none() && refused.is_none() {
        return None;
    }
    let mut evidence = Vec::new();
    evidence.extend(
        dropped
            .map(|share| format!("a full queue dropped a segment of {} of the connections", percent(share))),
    );
    evidence.extend(late.map(|share| {
        format!(
            "{} of the connections took 0.9 s or more: their first segment was retransmitted",
            percent(share)
        )
    }));
    evidence.extend(refused.map(|share| format!("{} of the samples found no connection", percent(share))));
    let words = "the server's accept queue: connections arrive faster than the server accepts them \
        (acceptCount, backlog, somaxconn)";
    Some(limit(Cause::AcceptQueue, words, evidence))
}

/// So near to a limit a server is at it: what is about to start counts and is not seen yet.
const AT_LIMIT: f64 = 0.98;

fn process_limit(failed: &FailedLevels<'_>) -> Option<Limit> {
    let words = "process limit: the server cannot start more threads";
    let what = "of the threads that it may have (`Max processes`, `pids.max`)";
    used_up(failed, |level| level.threads_of_limit, (Cause::ProcessLimit, words, what))
}

fn descriptor_limit(failed: &FailedLevels<'_>) -> Option<Limit> {
    let words = "descriptor limit of the server: it cannot open more connections and files";
    let what = "of the descriptors that it may have (`Max open files`)";
    used_up(failed, |level| level.descriptors_of_limit, (Cause::DescriptorLimit, words, what))
}

/// The limit of a server that had nearly all that it may have of something.
fn used_up(
    failed: &FailedLevels<'_>,
    of: fn(&Level) -> Option<f64>,
    (cause, words, what): (Cause, &str, &str),
) -> Option<Limit> {
    let share = failed.most(of).filter(|share| *share >= AT_LIMIT)?;
    let had = format!("the server had {} {what}", percent(share));
    Some(limit(cause, words, std::iter::once(had).chain(unanswered(failed)).collect()))
}

/// Status of requests without a response.
fn unanswered(failed: &FailedLevels<'_>) -> Vec<String> {
    let most = |what: &str, of: fn(&Level) -> f64| {
        let share = failed.most(|level| Some(of(level))).filter(|share| *share > SOME)?;
        Some(format!("{} of the samples {what}", percent(share)))
    };
    let timeouts = most("had no response before the timeout", |level| level.timeouts);
    let refused = most("found no connection", |level| level.refused);
    let late = failed.most(|level| Some(level.late_connections)).filter(|share| *share > SOME);
    let late = late.map(|share| format!("{} of the connections took 0.9 s or more", percent(share)));
    [timeouts, refused, late].into_iter().flatten().collect()
}

fn memory(failed: &FailedLevels<'_>) -> Option<Limit> {
    let gc = failed.most(|level| level.gc_time).filter(|share| *share >= 0.1);
    let heap = failed.most(|level| level.heap_after_gc).filter(|share| *share >= 0.9);
    let mut evidence = Vec::new();
    evidence
        .extend(gc.map(|share| format!("{} of the time was spent in garbage collection", percent(share))));
    evidence.extend(heap.map(|share| format!("{} of the heap was in use after collections", percent(share))));
    (!evidence.is_empty())
        .then(|| limit(Cause::ServerMemory, "memory of the server, or its garbage collector", evidence))
}

fn cpu(failed: &FailedLevels<'_>) -> Option<Limit> {
    let share = failed.most(|level| level.server_cpu).filter(|share| *share >= FULL_CPU)?;
    let what = format!("its processors were {} busy", percent(share));
    Some(limit(Cause::ServerCpu, "processors of the server", vec![what]))
}

fn network(levels: &[&Level], failed: &FailedLevels<'_>) -> Option<Limit> {
    let bytes = failed.most(|level| Some(level.bytes_per_s)).unwrap_or(0.0);
    let bytes = format!("{:.1} MB/s were received", bytes / 1e6);
    let trips = round_trips(levels, failed).map(|(idle, full)| {
        format!(
            "a handshake, which the kernel answers and not the server's program, took {} ms; at \
            light load {} ms",
            ms(full),
            ms(idle)
        )
    });
    let lost = failed.most(|level| level.retransmits).filter(|share| *share > SOME);
    let lost = lost.map(|share| format!("{} of the segments were retransmitted", percent(share)));
    let words = match (&lost, &trips) {
        (None, None) => return None,
        (Some(_), _) => "the network: it loses segments at this load",
        (None, Some(_)) => "the network: it is saturated at this load",
    };
    Some(limit(Cause::Network, words, lost.into_iter().chain(trips).chain([bytes]).collect()))
}

/// Round trips at light load and where it was too much, if what they grew by is a good part of what
/// response times grew by.
fn round_trips(levels: &[&Level], failed: &FailedLevels<'_>) -> Option<(f64, f64)> {
    /// Less is noise of a busy machine.
    const LEAST_MS: f64 = 2.0;
    let light = levels.iter().filter(|level| level.passed);
    let idle = light.clone().filter_map(|level| level.round_trip_ms).reduce(f64::min)?;
    let full = failed.most(|level| level.round_trip_ms)?;
    let quick = light.filter_map(|level| level.mean_ms).reduce(f64::min)?;
    let grown_ms = failed.most(|level| level.mean_ms)? - quick;
    let is_far_more = full > 3.0 * idle && full - idle > LEAST_MS.max(0.2 * grown_ms);
    is_far_more.then_some((idle, full))
}

/// Some users are served all the time and others never: a thread or a place belongs to a connection
/// as long as that is open. Where connections are closed all the time, each gives its place to
/// others.
fn connections(failed: &FailedLevels<'_>) -> Option<Limit> {
    const KEPT: f64 = 0.5;
    let told = |level: &&&Level| level.per_s > 0.0 && level.connects < KEPT;
    let (users, starved) = failed.near.iter().filter(told).find_map(|level| level.starved)?;
    let size = users - starved;
    let what = format!(
        "of {users:.0} users, {starved:.0} had no response in a whole trial; all others were served \
        throughout"
    );
    let words = format!(
        "a pool of about {size:.0} connections in the server, which serves another connection only \
        when one of them closes"
    );
    Some(Limit { pool: Some(size), ..limit(Cause::Pool, words, vec![what]) })
}

fn hang(failed: &FailedLevels<'_>) -> Option<Limit> {
    let level = failed.near.iter().find(|level| level.hung)?;
    let what = format!(
        "at {} it stopped responding, and did not respond to a light load afterwards",
        rate(level.load)
    );
    let words = "the server hangs: after an overload none of its threads responds (a deadlock, or \
        calls that never return)";
    Some(limit(Cause::Hang, words, std::iter::once(what).chain(unanswered(failed)).collect()))
}

/// Throughput has a plateau, and the server waits: by Little's law this many requests are in it at
/// a time.
fn pool(levels: &[&Level], failed: &FailedLevels<'_>) -> Option<Limit> {
    if failed.most(|level| level.server_cpu).is_some_and(|cpu| cpu >= IDLE_CPU) {
        return None;
    }
    let good = |level: &&&Level| level.errors < 0.01 && level.mean_ms.is_some();
    let lightest = levels.iter().filter(good).find(|level| level.passed)?;
    let low_s = lightest.mean_ms? / 1e3;
    let most = plateau(levels, &failed.all).filter(|per_s| *per_s > 0.0)?;
    // A limit by times long before the plateau is not that of a pool.
    let first = failed.near.iter().map(|level| level.per_s).fold(f64::INFINITY, f64::min);
    if first < 0.85 * most {
        return None;
    }
    let size = most * low_s;
    let words = format!("a pool of about {size:.0} in the server");
    let evidence = vec![
        format!("throughput stays at {}/s, whatever the load", rate(most)),
        format!(
            "a request takes {} ms when nothing waits ({} at {})",
            ms(low_s * 1e3),
            "mean",
            rate(lightest.load)
        ),
        format!(
            "so about {size:.1} requests are served at a time (Little: {}/s · {} ms)",
            rate(most),
            ms(low_s * 1e3)
        ),
    ];
    Some(Limit { pool: Some(size), ..limit(Cause::Pool, words, evidence) })
}

/// The throughput that does not rise with the load any more.
fn plateau(levels: &[&Level], failed: &[&Level]) -> Option<f64> {
    let flat: Vec<f64> = failed
        .iter()
        .filter(|level| match level.offered_per_s {
            Some(offered) => level.per_s < REACHED * offered,
            // Users: more of them bring less than a tenth of what they could.
            None => levels.iter().any(|fewer| {
                fewer.load <= 0.8 * level.load
                    && swell_stats::capacity::is_saturated(
                        (fewer.load, fewer.per_s),
                        (level.load, level.per_s),
                    )
            }),
        })
        .map(|level| level.per_s * (1.0 - level.errors))
        .collect();
    (!flat.is_empty()).then(|| {
        let mut flat = flat;
        flat.sort_unstable_by(f64::total_cmp);
        flat[flat.len() / 2]
    })
}

fn cpu_words(failed: &FailedLevels<'_>) -> Option<String> {
    let share = failed.most(|level| level.server_cpu)?;
    Some(format!("the server's processors were {} busy", percent(share)))
}

fn all_figures(levels: &[&Level], failed: &FailedLevels<'_>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let most = levels.iter().map(|level| level.per_s).fold(0.0, f64::max);
    out.push(format!("highest throughput {}/s", rate(most)));
    let mut put = |what: &str, share: Option<f64>| {
        out.extend(share.map(|share| format!("{what} {}", percent(share))));
    };
    put("failed samples", failed.most(|level| Some(level.errors)));
    put("late responses", failed.most(|level| Some(level.timeouts)).filter(|share| *share > 0.0));
    put("processors of the server busy", failed.most(|level| level.server_cpu));
    put("processors of this machine busy", failed.most(|level| level.machine_busy));
    put("time in garbage collection", failed.most(|level| level.gc_time));
    put("threads, of the maximum", failed.most(|level| level.threads_of_limit));
    put("descriptors, of the maximum", failed.most(|level| level.descriptors_of_limit));
    put("segments retransmitted", failed.most(|level| level.retransmits));
    out
}
