//! What must hold in every world with load. The names are those of `docs/simulation.md`.

use std::collections::BTreeMap;

use swell_target::LogEntry;

use super::client::{Outcome, Sample};
use super::options::Fault;
use super::run::Seen;
use crate::kernel::Span;

/// What a stamp may be off without a step of the wall clock: the clock is read three times, and
/// drifts for 5 ms at most before it is compared again.
const STAMP_NS: i64 = 3_000;
/// How late a request may start, or a deadline end, where nothing holds up the tool: the other
/// tasks of the same turn.
const TURN_NS: i64 = 500_000;
/// The clock that a lease is looked up on is read before the send.
const LEASE_NS: i64 = 1_000;
/// Turns that may come between, where each takes time.
const SLOW_TURNS: i64 = 40;
/// How long a correction of stamps is kept.
const REFRESH_NS: i64 = 5_000_000;
const MS: i64 = 1_000_000;
/// Violations that are listed for each property.
const LISTED: usize = 3;

/// What did not hold.
pub(super) fn check(seen: &Seen<'_>) -> Vec<String> {
    let mut wrong = Vec::new();
    if let Some(stuck) = &seen.stuck {
        wrong.push(format!("life: {stuck}"));
    }
    let log: BTreeMap<u32, Vec<&LogEntry>> = by_number(&seen.log);
    for (name, property) in PROPERTIES {
        let mut violations = 0;
        for sample in &seen.samples {
            if let Err(what) = property(seen, sample, log.get(&sample.number).map_or(&[], Vec::as_slice)) {
                violations += 1;
                if violations <= LISTED {
                    wrong.push(format!("{name}: request {} of {}: {what}", sample.number, sample.path));
                }
            }
        }
    }
    wrong.extend(accounting(seen));
    wrong
}

fn by_number(log: &[LogEntry]) -> BTreeMap<u32, Vec<&LogEntry>> {
    let mut all = BTreeMap::new();
    for entry in log {
        let number = entry.id.parse().unwrap_or(u32::MAX);
        all.entry(number).or_insert_with(Vec::new).push(entry);
    }
    all
}

type Property = fn(&Seen<'_>, &Sample, &[&LogEntry]) -> Result<(), String>;

const PROPERTIES: &[(&str, Property)] = &[
    ("P1 accounting", once),
    ("P1 bytes", bytes),
    ("P2 schedule", schedule),
    ("P3 order", order),
    ("P3 arrivals", arrivals),
    ("P3 site", site_times),
    ("P10 failures", failures),
    ("P10 deadlines", deadlines),
];

fn must(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}

/// As many samples as were wanted; each request at the site is one of them.
fn accounting(seen: &Seen<'_>) -> Vec<String> {
    let mut wrong = Vec::new();
    let wanted = seen.options.requests as usize;
    let leases = seen.options.faults.iter().filter_map(|fault| match fault {
        Fault::LeaseEnds { at_ms } => Some(i64::from(*at_ms) * 1_000_000),
        _ => None,
    });
    let lease_ns = leases.min();
    let late_ns = seen.world.sent_ns(seen.tool_machine) - lease_ns.unwrap_or(i64::MAX / 2);
    if late_ns > LEASE_NS {
        wrong.push(format!("P6 lease: the tool sent {late_ns} ns after the end of its lease"));
    }
    if seen.stuck.is_none() && lease_ns.is_none() && seen.samples.len() != wanted {
        wrong.push(format!("P1 accounting: {} samples of {wanted} requests", seen.samples.len()));
    }
    if let Some(entry) = seen.log.iter().find(|entry| entry.id.parse::<u32>().is_err()) {
        wrong.push(format!("P1 accounting: the site has a request with the number `{}`", entry.id));
    }
    // Worlds without faults need 8 turns for a request, those with many partial reads more: a loop
    // that is woken for nothing needs thousands.
    let turns = seen.world.counts().turns;
    let events = seen.world.counts().events + seen.world.counts().partial;
    if turns > 3 * events + 60 * wanted as u64 + 1_000 {
        wrong.push(format!("turns: {turns} for {events} events and {wanted} requests"));
    }
    wrong
}

/// A request with its response is at the site once; no request is there twice.
fn once(seen: &Seen<'_>, sample: &Sample, log: &[&LogEntry]) -> Result<(), String> {
    must(log.len() <= 1, || format!("the site has it {} times", log.len()))?;
    let answered = matches!(sample.outcome, Outcome::Response(..)) && sample.expected.is_some();
    // The end of the site, or of a connection that many share, may come before the record.
    let unrecorded = seen.options.has(|fault| match fault {
        Fault::SiteKilled { .. } => true,
        Fault::Resets { .. } | Fault::SmallBuffers { .. } => seen.options.http2,
        _ => false,
    });
    must(!answered || unrecorded || log.len() == 1, || {
        "it has a response, but the site has no such request".to_owned()
    })
}

/// The body is that of the route, and no response is another's.
fn bytes(_: &Seen<'_>, sample: &Sample, _: &[&LogEntry]) -> Result<(), String> {
    let Outcome::Response(status, length) = sample.outcome else { return Ok(()) };
    must(sample.expected.is_none() || sample.is_expected(), || {
        format!("status {status} and {length} bytes, not {:?}", sample.expected)
    })?;
    must(sample.body_is_right, || "the bytes of the body are not those of the route".to_owned())
}

/// How late the tool may do what is due at an instant of its clock: until the end of a stall that
/// the instant is in, or that follows, and with slow turns those of all that is due as well.
fn lateness_ns(seen: &Seen<'_>, due_ns: i64) -> i64 {
    let due_ns = seen.world.world_ns(seen.tool, due_ns);
    let mut late_ns = TURN_NS;
    for fault in &seen.options.faults {
        match *fault {
            Fault::ToolStall { at_ms, for_ms } => {
                let stall = Span::new(i64::from(at_ms) * MS, i64::from(for_ms) * MS);
                if stall.contains(due_ns) || stall.contains(due_ns + TURN_NS) {
                    late_ns += stall.until_ns - due_ns;
                }
            }
            Fault::SlowTurns { most_us } => late_ns += SLOW_TURNS * i64::from(most_us) * 1_000,
            _ => {}
        }
    }
    late_ns
}

/// How long the tool had no processor until an instant of its clock; with slow turns, what they take.
fn stalled_ns(seen: &Seen<'_>, at_ns: i64) -> i64 {
    let at_ns = seen.world.world_ns(seen.tool, at_ns);
    let stalls = seen.options.faults.iter().map(|fault| match *fault {
        Fault::ToolStall { at_ms, for_ms } | Fault::ToolSuspended { at_ms, for_ms } => {
            let stall = Span::new(i64::from(at_ms) * MS, i64::from(for_ms) * MS);
            if stall.from_ns <= at_ns && at_ns <= stall.until_ns + TURN_NS {
                at_ns - stall.from_ns
            } else {
                0
            }
        }
        Fault::SlowTurns { most_us } => SLOW_TURNS * i64::from(most_us) * 1_000,
        _ => 0,
    });
    stalls.sum()
}

/// No request starts early; none late without a reason.
fn schedule(seen: &Seen<'_>, sample: &Sample, _: &[&LogEntry]) -> Result<(), String> {
    let late_ns = sample.started_ns - sample.wanted_ns;
    must(late_ns >= 0, || format!("it started {} ns early", -late_ns))?;
    must(late_ns <= lateness_ns(seen, sample.wanted_ns), || format!("it started {late_ns} ns late"))
}

/// Wanted, started, sending, arrived, read, done: in this order. A stamp from before a step of the
/// wall clock that is read after it is off by the step, which the run counts.
fn order(seen: &Seen<'_>, sample: &Sample, _: &[&LogEntry]) -> Result<(), String> {
    let mut times = vec![sample.wanted_ns, sample.started_ns];
    if sample.ends.is_some() {
        times.push(sample.sending_ns);
    }
    if let Outcome::Response(..) = sample.outcome {
        times.extend((!may_be_off(seen, sample)).then_some(sample.arrived_ns));
        times.push(sample.read_ns);
    }
    times.push(sample.ended_ns);
    must(times.is_sorted(), || format!("its times are not in order: {times:?}"))
}

/// Whether the wall clock of the tool stepped, or the machine was suspended, between the arrival
/// of what was read then and the end of the time for which a correction of stamps is kept. Times
/// are world time.
fn steps_between(seen: &Seen<'_>, arrived_ns: i64, read_ns: i64) -> bool {
    let crosses = |from_ns: i64, until_ns: i64| arrived_ns <= until_ns + REFRESH_NS && read_ns >= from_ns;
    // A suspension is a step of the wall clock as the monotonic clock sees it.
    seen.options.has(|fault| match *fault {
        Fault::WallStep { at_ms, .. } => crosses(i64::from(at_ms) * MS, i64::from(at_ms) * MS),
        Fault::ToolSuspended { at_ms, for_ms } => {
            crosses(i64::from(at_ms) * MS, (i64::from(at_ms) + i64::from(for_ms)) * MS)
        }
        _ => false,
    })
}

/// Whether the last stamp of a sample may be off by a step.
fn may_be_off(seen: &Seen<'_>, sample: &Sample) -> bool {
    let truth = sample.ends.and_then(|(local, remote)| seen.world.arrival_ns(local, remote, sample.received));
    let read_ns = seen.world.world_ns(seen.tool, sample.read_ns);
    truth.is_none_or(|truth_ns| steps_between(seen, truth_ns, read_ns))
}

/// A response arrived when its last byte did, however late it was read.
fn arrivals(seen: &Seen<'_>, sample: &Sample, _: &[&LogEntry]) -> Result<(), String> {
    let (Outcome::Response(..), Some((local, remote))) = (sample.outcome, sample.ends) else { return Ok(()) };
    must(sample.stamped, || "a read had no stamp".to_owned())?;
    let truth = seen.world.arrival_ns(local, remote, sample.received);
    let truth_ns =
        truth.ok_or_else(|| format!("it received {} bytes, which never arrived", sample.received))?;
    let arrived_ns = seen.world.world_ns(seen.tool, sample.arrived_ns);
    let off_ns = arrived_ns - truth_ns;
    must(off_ns.abs() <= STAMP_NS || may_be_off(seen, sample), || {
        format!("measured to arrive at {arrived_ns} ns, {off_ns} ns off")
    })
}

/// The site has the request when its last byte arrived, and holds it at least as long as asked.
fn site_times(seen: &Seen<'_>, sample: &Sample, log: &[&LogEntry]) -> Result<(), String> {
    let (Some(entry), Some((local, remote))) = (log.first(), sample.ends) else { return Ok(()) };
    let short_ns = entry.asked_ns - (entry.before_send_ns - entry.arrival_ns);
    must(short_ns <= 0, || format!("the site answered {short_ns} ns before its delay was over"))?;
    let arrived_ns = seen.world.world_ns(seen.site, entry.arrival_ns);
    let truth = seen.world.arrival_ns(remote, local, sample.sent);
    let truth_ns =
        truth.ok_or_else(|| format!("the site answered what it did not receive: {} bytes", sample.sent))?;
    let off_ns = arrived_ns - truth_ns;
    must(off_ns.abs() <= STAMP_NS, || format!("the site has it at {arrived_ns} ns, {off_ns} ns off"))
}

/// A request fails only where something explains it.
fn failures(seen: &Seen<'_>, sample: &Sample, _: &[&LogEntry]) -> Result<(), String> {
    // A route that breaks HTTP may break the connection, which is that of all over HTTP/2.
    let is_shared = seen.options.http2 && seen.options.misbehaving > 0.0;
    let breaks = is_shared
        || seen.options.has(|fault| matches!(fault, Fault::Resets { .. } | Fault::SiteKilled { .. }));
    let cut = seen.options.has(|fault| matches!(fault, Fault::Cut { .. } | Fault::Loss { .. }));
    let explained = match sample.outcome {
        Outcome::Response(..) => true,
        Outcome::TimedOut => is_shared || sample.expected.is_none() || may_time_out(seen),
        Outcome::NotConnected => breaks || cut,
        Outcome::Broken | Outcome::Closed | Outcome::Reset => breaks || sample.expected.is_none(),
    };
    must(explained, || format!("nothing explains that it ended as {:?}", sample.outcome))
}

/// Whether what goes wrong may take as long as the time-out: cuts and stalls are 2 s at most.
fn may_time_out(seen: &Seen<'_>) -> bool {
    let options = seen.options;
    let is_slow = options.has(|fault| matches!(fault, Fault::SmallBuffers { .. }));
    let is_slower = options.http2 || options.has(|fault| matches!(fault, Fault::Partial { .. }));
    let leaves = options.has(|fault| matches!(fault, Fault::LeaseEnds { .. }));
    options.timeout_ms < 15_000 || leaves || (is_slow && is_slower)
}

/// A request that timed out did so at its deadline, with nothing left to read.
fn deadlines(seen: &Seen<'_>, sample: &Sample, _: &[&LogEntry]) -> Result<(), String> {
    if sample.outcome != Outcome::TimedOut {
        return Ok(());
    }
    let deadline_ns = sample.sending_ns + i64::from(seen.options.timeout_ms) * 1_000_000;
    let late_ns = sample.ended_ns - deadline_ns;
    must(late_ns >= 0, || format!("it timed out {} ns early", -late_ns))?;
    let most_ns = lateness_ns(seen, deadline_ns);
    must(late_ns <= most_ns, || format!("it timed out {late_ns} ns late"))?;
    let Some((local, remote)) = sample.ends else { return Ok(()) };
    let next = seen.world.arrival_ns(local, remote, sample.received + 1);
    let waited_ns = next.map(|next_ns| seen.world.world_ns(seen.tool, deadline_ns) - next_ns);
    // Bytes that come during a stall before the deadline are read at its end, after the deadline.
    let read_ns = TURN_NS + stalled_ns(seen, deadline_ns);
    must(waited_ns.is_none_or(|waited_ns| waited_ns <= read_ns), || {
        format!("it timed out, but bytes were there for {} ns", waited_ns.unwrap_or(0))
    })
}
