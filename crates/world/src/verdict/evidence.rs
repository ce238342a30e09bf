//! What the program makes of samples and of the machine, before it judges them.

use rand::Rng;
use rand::rngs::SmallRng;
use swell_net::TcpTotals;
use swell_run::{ResourceUsage, evidence_so_far};
use swell_stats::{FailureKind, Observation, Recorder};

/// A percentile of fewer samples is not judged.
const FEWEST: usize = 381;

/// Kinds of failures, those that never reached a server first.
const KINDS: [FailureKind; 15] = [
    FailureKind::Request,
    FailureKind::NameNotFound,
    FailureKind::Refused,
    FailureKind::Unreachable,
    FailureKind::ConnectTimeout,
    FailureKind::Tls,
    FailureKind::Reset,
    FailureKind::ClosedEarly,
    FailureKind::ResponseTimeout,
    FailureKind::TotalTimeout,
    FailureKind::NotHttp,
    FailureKind::ResourceExhaustion,
    FailureKind::Status,
    FailureKind::Assertion,
    FailureKind::Undecodable,
];
const UNREACHED: usize = 6;
const OF_EXCHANGE: usize = 11;

fn quantile_ns(mut values: Vec<u64>, quantile: f64) -> Option<u64> {
    values.sort_unstable();
    let rank = ((quantile * values.len() as f64).ceil() as usize).max(1);
    (values.len() >= FEWEST).then(|| values[rank - 1])
}

fn maybe(draws: &mut SmallRng, share: f64, most: u64) -> Option<u64> {
    draws.random_bool(share).then(|| draws.random_range(0..most))
}

fn sample(draws: &mut SmallRng, failed: f64, kinds: usize) -> (Observation<'static>, usize) {
    let kind = draws.random_range(0..kinds);
    let seen = Observation {
        label: ["a", "b"][draws.random_range(0..2)],
        success: !draws.random_bool(failed),
        elapsed_ns: draws.random_range(0..90_000_000),
        read_delay_ns: maybe(draws, 0.99, 100_000),
        // Early enough that no figure is changed.
        start_delay_ns: maybe(draws, 0.99, 50_000),
        send_delay_ns: maybe(draws, 0.6, 30_000),
        first_byte_ns: maybe(draws, 0.3, 1_000),
        kind: KINDS[kind],
        ..Observation::default()
    };
    (seen, kind)
}

/// Evidence of samples and of a machine that are drawn.
pub(super) fn check(draws: &mut SmallRng) -> Option<String> {
    let count = [0, 1, FEWEST - 1, FEWEST, 1_500][draws.random_range(0..5)] + draws.random_range(0..4);
    let failed = [0.0, 0.1, 0.5, 0.9995, 1.0][draws.random_range(0..5)];
    // All that fails may be of an exchange.
    let kinds = [KINDS.len(), OF_EXCHANGE][draws.random_range(0..2)];
    let samples: Vec<_> = (0..count).map(|_| sample(draws, failed, kinds)).collect();
    let mut recorder = Recorder::default();
    for (seen, _) in &samples {
        recorder.record(seen);
    }
    let all = recorder.take_interval();
    let machine = machine(draws);
    let seen = evidence_so_far(&all, &all.total(), &machine);
    let times = |of: fn(&Observation<'_>) -> Option<u64>| -> Vec<u64> {
        samples.iter().filter_map(|(seen, _)| of(seen)).collect()
    };
    let failures = |wanted: fn(&Observation<'_>, usize) -> bool| {
        samples.iter().filter(|(seen, kind)| !seen.success && wanted(seen, *kind)).count()
    };
    let part = |failed: usize| (count > 0).then(|| failed as f64 / count as f64);
    let unanswered = failures(|seen, kind| kind < OF_EXCHANGE && seen.first_byte_ns.is_none());
    let is_nothing = unanswered as f64 > 0.999 * count as f64;
    let unreached = if is_nothing { unanswered } else { failures(|_, kind| kind < UNREACHED) };
    let exhausted = failures(|_, kind| KINDS[kind] == FailureKind::ResourceExhaustion);
    let mut wrong = Vec::new();
    let mut delay = |what: &str, is: Option<u64>, wanted: Option<u64>, parts: u64| {
        let is_right = match (is, wanted) {
            (Some(is), Some(wanted)) => (wanted..=wanted + wanted / parts).contains(&is),
            (is, wanted) => is == wanted,
        };
        if !is_right {
            wrong.push(format!("{what}: {is:?}, not {wanted:?}, of {count} samples"));
        }
    };
    delay("start delay", seen.start_delay_p99_ns, quantile_ns(times(|seen| seen.start_delay_ns), 0.99), 128);
    delay("read delay", seen.read_delay_p99_ns, quantile_ns(times(|seen| seen.read_delay_ns), 0.99), 128);
    delay("send delay", seen.send_delay_p99_ns, quantile_ns(times(|seen| seen.send_delay_ns), 0.99), 128);
    if count >= FEWEST {
        let median_ns = quantile_ns(times(|seen| Some(seen.elapsed_ns)), 0.5);
        delay("median", Some(seen.elapsed_p50_ns), median_ns, 1024);
        let changed = seen.late_starts.map(|changed| changed.by_ns);
        delay("changed by late starts", changed, Some(0), 1);
    }
    let segments = segments(&machine);
    let parts = [
        ("exhausted", seen.resource_exhaustion, part(exhausted)),
        ("unreached", seen.unreached, part(unreached)),
        ("busy", seen.cpu_busy.map(|(_, part)| part), machine.cpu_busy.map(|(_, part)| part)),
        ("waited", seen.run_queue_wait, machine.run_queue_wait),
        ("stolen", seen.steal, machine.steal),
        ("free memory", seen.memory_free, machine.memory_free),
        ("retransmits", seen.retransmits, segments[0]),
        ("accept queue", seen.accept_queue, segments[1]),
        ("connect retries", seen.connect_retries, segments[2]),
        ("dropped starts", seen.dropped_starts, None),
        ("rate error", seen.rate_error, None),
    ];
    let is_near = |is: Option<f64>, wanted: Option<f64>| match (is, wanted) {
        (Some(is), Some(wanted)) => (is - wanted).abs() <= 1e-9,
        (is, wanted) => is.is_none() && wanted.is_none(),
    };
    let parts = parts.into_iter().filter(|(_, is, wanted)| !is_near(*is, *wanted));
    wrong.extend(parts.map(|(what, is, wanted)| format!("{what}: {is:?}, not {wanted:?}")));
    wrong.into_iter().next().map(|what| format!("P4 evidence: {what}; {machine:?}"))
}

fn machine(draws: &mut SmallRng) -> ResourceUsage {
    let maybe = |draws: &mut SmallRng| draws.random_bool(0.5).then(|| draws.random_range(0.0..1.0));
    let connections = draws.random_range(0..400);
    let looked_at = connections / draws.random_range(1..4);
    let sent = looked_at * draws.random_range(2..40);
    let sent_again = draws.random_range(0..=sent / 4);
    let retried = draws.random_range(0..=connections / 3);
    let is_here = draws.random_bool(0.5);
    ResourceUsage {
        cpu_busy: maybe(draws).map(|part| (3, part)),
        run_queue_wait: maybe(draws),
        tcp: None,
        connections: TcpTotals { connections, looked_at, sent, sent_again },
        neighbour: is_here.then(|| ([127, 0, 0, 1], 80).into()),
        asked_again: if is_here { (0, 0) } else { (retried, retried + draws.random_range(0..5)) },
        asked_again_here: if is_here { draws.random_range(0..40) } else { 0 },
        dropped_here: (is_here && draws.random_bool(0.7)).then(|| draws.random_range(0..60)),
        steal: maybe(draws),
        memory_free: maybe(draws),
    }
}

/// What was lost of the segments that were sent, by their cause: the network, listeners of this
/// machine for each connection, and servers elsewhere that drop handshakes ten times as often as
/// the network loses others.
fn segments(machine: &ResourceUsage) -> [Option<f64>; 3] {
    let TcpTotals { connections, looked_at, sent, sent_again } = machine.connections;
    if looked_at == 0 || sent == 0 {
        return [None; 3];
    }
    let scale = connections as f64 / looked_at as f64;
    let (sent, again) = (sent as f64 * scale, sent_again as f64 * scale);
    let here = machine.asked_again_here as f64;
    let most = here + again;
    let dropped = machine.dropped_here.map_or(here, |dropped| dropped as f64).min(most);
    let of_network = (most - dropped) / sent;
    let (retried, retries) = machine.asked_again;
    let of_handshakes = retried as f64 / connections as f64;
    let is_servers = retried > 0 && of_handshakes > 10.0 * of_network;
    [
        Some(if is_servers { of_network } else { (most - dropped + retries as f64) / sent }),
        machine.neighbour.map(|_| dropped / connections as f64),
        is_servers.then_some(of_handshakes),
    ]
}
