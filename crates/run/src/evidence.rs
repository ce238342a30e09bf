//! Measurements of the tool at the end of a run, for its verdict.

use swell_engine::{RunOutcome, TimeSpent};
use swell_net::NetContext;
use swell_results::DiskWaits;
use swell_stats::verdict::{Evidence, Neighbour, ScriptTime, UsersTime, is_nothing};
use swell_stats::{FailureKind, Histogram, LabelStats, Snapshot, supports};

use crate::resources::ResourceUsage;

/// The requested load, if it is a number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Wanted {
    /// Starts over the time that the run had.
    pub(crate) starts: f64,
}

impl Wanted {
    /// The part of the starts that were not made. The last of them may be due at the very end.
    fn missing(self, made: u64) -> f64 {
        let missing = self.starts - made as f64;
        if missing <= 1.0 || self.starts < 1.0 { 0.0 } else { missing / self.starts }
    }
}

/// The part of the starts that a plan's rates and arrivals wanted and that were not made; none
/// where all were. A sample that was cut was started.
fn missed(outcome: &RunOutcome) -> Option<f64> {
    let missed = outcome.missed as f64;
    let made = (outcome.samples + outcome.cut) as f64;
    (missed > 0.0).then(|| missed / (missed + made))
}

/// Whether times end after the read: because that was asked for, or because the kernel does not
/// stamp what arrives.
fn ends_at_read(net: &NetContext, samples: u64) -> bool {
    // The first of a machine come unstamped: stamping is switched on with the first socket that
    // asks for it.
    const FIRST: u64 = 100;
    let unstamped = net.unstamped_reads();
    net.source().ends_at_read() || (unstamped > FIRST && unstamped > samples / 100)
}

/// The part of the users' time in which they waited for a disk, or of the workers' time, whichever
/// is larger.
fn disk_wait(outcome: &RunOutcome, waits: DiskWaits) -> Option<f64> {
    let of_users = part(waits.users_ns, outcome.spent.lived_ns as f64);
    Some(of_users.unwrap_or(0.0).max(stood_still(outcome, waits)?))
}

/// The part of the workers' time in which they stood still for a disk.
fn stood_still(outcome: &RunOutcome, waits: DiskWaits) -> Option<f64> {
    let workers_ns = (outcome.ended_ns - outcome.started_ns) as f64 * f64::from(outcome.workers);
    part(waits.threads_ns, workers_ns)
}

fn part(ns: u64, of_ns: f64) -> Option<f64> {
    (of_ns > 0.0).then(|| ns as f64 / of_ns)
}

/// Samples that never reached a server. A server that is slow or at its end is one, but not where
/// nearly nothing is answered.
fn unreached(snapshot: &Snapshot, total: &LabelStats) -> u64 {
    let unanswered = snapshot.errors.unanswered();
    if is_nothing(unanswered, total.samples) {
        unanswered
    } else {
        snapshot.errors.count(FailureKind::is_unreached)
    }
}

/// Brings together what the samples, the users, and the machine say.
pub(crate) fn evidence(
    snapshot: &Snapshot,
    total: &LabelStats,
    outcome: Option<&RunOutcome>,
    machine: &ResourceUsage,
    net: &NetContext,
    wanted: Option<Wanted>,
    disk_waits: DiskWaits,
) -> Evidence {
    // A percentile that the table would not state is not judged either.
    let p99 = |delays: &Histogram| supports(delays.count(), 0.99).then(|| delays.quantile(0.99));
    let part = |failed: u64| (total.samples > 0).then(|| failed as f64 / total.samples as f64);
    let cut = outcome.map_or(0, |outcome| outcome.cut);
    let segments = segments(machine);
    let missing = wanted.map(|wanted| wanted.missing(total.samples + cut));
    let dropped = missing.or_else(|| missed(outcome?));
    Evidence {
        start_delay_p99_ns: p99(&total.start_delay),
        late_starts: snapshot.changed_by_late_starts(total),
        // Without stamps every read looks as if it came at once.
        read_delay_p99_ns: p99(&total.read_delay).filter(|_| net.source().asks_kernel()),
        send_delay_p99_ns: p99(&total.send_delay),
        read_delay_counts: ends_at_read(net, total.samples),
        elapsed_p50_ns: total.quantile_ns(0.5),
        dropped_starts: dropped,
        rate_error: missing.map(|missing| -missing),
        users_time: outcome.map(|outcome| users_time(outcome, stood_still(outcome, disk_waits))),
        cpu_busy: machine.cpu_busy,
        run_queue_wait: machine.run_queue_wait,
        resource_exhaustion: part(snapshot.errors.of_kind(FailureKind::ResourceExhaustion)),
        unreached: part(unreached(snapshot, total)),
        failed_users: outcome.and_then(failed_users),
        retransmits: segments.lost,
        accept_queue: segments.turned_away,
        connect_retries: segments.asked_again,
        machine_tcp: machine.tcp.map(|tcp| tcp.hint()),
        disk_wait: outcome.and_then(|outcome| disk_wait(outcome, disk_waits)),
        scripts: outcome.and_then(scripts),
        timed_elsewhere: outcome.and_then(timed_elsewhere),
        steal: machine.steal,
        memory_free: machine.memory_free,
        clock_steps: Some(net.clock_steps()),
        clock_grain_ns: Some(swell_net::clock_resolution_ns().unsigned_abs()),
        // An agent cannot know of others.
        lost_load: None,
        // The caller has it, where the trial has ended.
        processors: None,
        neighbour: machine.neighbour.map(|address| Neighbour {
            address,
            processors: std::thread::available_parallelism().map_or(1, usize::from),
        }),
    }
}

/// What is known of the tool during a trial: less than at its end, when users and engine have
/// reported. `counted` and `total`: everything counted until now.
pub fn evidence_so_far(counted: &Snapshot, total: &LabelStats, machine: &ResourceUsage) -> Evidence {
    evidence(counted, total, None, machine, &NetContext::default(), None, DiskWaits::default())
}

/// What ran on threads for foreign work; none where nothing did.
fn scripts(outcome: &RunOutcome) -> Option<ScriptTime> {
    let figures = &outcome.foreign;
    let s = |ns: u64| ns as f64 / 1e9;
    (figures.taken() > 0 || figures.refused > 0).then(|| ScriptTime {
        calls: figures.taken(),
        refused: figures.refused,
        ran_s: s(figures.ran_ns),
        waited_s: s(figures.waited_ns),
        longest_wait_s: s(figures.longest_wait_ns),
        most_threads: figures.most_threads,
        thread_limit: figures.limit,
    })
}

/// Samples of users of this engine.
fn made_here(outcome: &RunOutcome) -> u64 {
    outcome.samples - outcome.external_samples
}

/// The part of the users that an error ended; none where it ended none.
fn failed_users(outcome: &RunOutcome) -> Option<f64> {
    let failed = outcome.failed_users();
    (failed > 0).then(|| failed as f64 / outcome.users as f64)
}

/// The part of the samples that other engines made; none where there were none.
fn timed_elsewhere(outcome: &RunOutcome) -> Option<f64> {
    let part = outcome.external_samples as f64 / outcome.samples as f64;
    (outcome.external_samples > 0).then_some(part)
}

/// Segments of the run's own connections that were sent again, by their reason, as parts.
#[derive(Debug, Default, PartialEq)]
struct Segments {
    /// As a share of all that were sent.
    lost: Option<f64>,
    /// For each connection: dropped by a full queue of the server on this machine.
    turned_away: Option<f64>,
    /// As a share of the connections: the server, which is elsewhere, did not answer at first.
    asked_again: Option<f64>,
}

/// A network that loses segments loses those of a handshake as often as others. Where handshakes
/// lose far more, it is the server that drops them.
const FAR_MORE: f64 = 10.0;

fn segments(machine: &ResourceUsage) -> Segments {
    let own = machine.connections;
    if own.looked_at == 0 || own.sent == 0 {
        return Segments::default();
    }
    // Retries are of all connections, the others of those that were looked at.
    let all = own.connections as f64 / own.looked_at as f64;
    let sent = own.sent as f64 * all;
    let again = own.sent_again as f64 * all;
    let connections = own.connections as f64;
    let (retried, retries) = machine.asked_again;
    let here = machine.asked_again_here as f64;
    // A full queue drops what asks for connections first, then data of those that the server has
    // not taken. What else uses the server may have been dropped as well.
    let dropped = machine.dropped_here.map_or(here, |dropped| dropped as f64).min(here + again);
    let unexplained = here + again - dropped;
    let of_data = unexplained / sent;
    let of_handshakes = retried as f64 / connections;
    let by_server = retried > 0 && of_handshakes > FAR_MORE * of_data;
    let of_all = (unexplained + retries as f64) / sent;
    Segments {
        lost: Some(if by_server { of_data } else { of_all }),
        turned_away: machine.neighbour.map(|_| dropped / connections),
        asked_again: by_server.then_some(of_handshakes),
    }
}

/// `stood_still`: the part of the time in which workers waited for a disk, and their users with
/// them. The verdict names the disk for that, so it is not time that the tool took.
fn users_time(outcome: &RunOutcome, stood_still: Option<f64>) -> UsersTime {
    let TimeSpent { lived_ns, sampled_ns, waited_ns } = outcome.spent;
    let s = |ns: u128| ns as f64 / 1e9;
    UsersTime {
        lived_s: s(lived_ns) * (1.0 - stood_still.unwrap_or(0.0).min(1.0)),
        sampled_s: s(sampled_ns),
        waited_s: s(waited_ns),
        samples: made_here(outcome) + outcome.cut,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp_counts::Tcp;
    use swell_net::TcpTotals;
    use swell_stats::{Observation, Recorder};

    /// Good samples, and failed ones of these kinds.
    fn counted(good: usize, failed: &[FailureKind]) -> Snapshot {
        let mut recorder = Recorder::default();
        let seen = Observation { label: "a", success: true, ..Observation::default() };
        (0..good).for_each(|_| recorder.record(&seen));
        for kind in failed {
            recorder.record(&Observation { success: false, kind: *kind, ..seen });
        }
        recorder.take_interval()
    }

    fn of(snapshot: &Snapshot, wanted: Option<f64>) -> Evidence {
        let wanted = wanted.map(|starts| Wanted { starts });
        evidence(
            snapshot,
            &snapshot.total(),
            None,
            &ResourceUsage::default(),
            &NetContext::default(),
            wanted,
            DiskWaits::default(),
        )
    }

    #[test]
    fn starts_that_nobody_made_are_told_by_the_engine() {
        let counted = counted(3, &[]);
        let of = |missed| {
            let outcome = RunOutcome { missed, samples: 2, cut: 1, ..RunOutcome::default() };
            evidence(
                &counted,
                &counted.total(),
                Some(&outcome),
                &ResourceUsage::default(),
                &NetContext::default(),
                None,
                DiskWaits::default(),
            )
            .dropped_starts
        };
        assert_eq!((of(0), of(1)), (None, Some(0.25)));
    }

    #[test]
    fn samples_of_other_engines_are_told_and_are_none_of_the_users_of_this_one() {
        let of = |external_samples| {
            let outcome = RunOutcome { samples: 4, external_samples, ..RunOutcome::default() };
            (timed_elsewhere(&outcome), made_here(&outcome))
        };
        assert_eq!([of(0), of(1), of(4)], [(None, 4), (Some(0.25), 3), (Some(1.0), 0)]);
    }

    #[test]
    fn users_that_an_error_ended_are_a_part_of_those_that_started() {
        let of = |users, faults: &[u64]| {
            let user_faults = faults.iter().map(|users| ("an error".to_owned(), *users)).collect();
            failed_users(&RunOutcome { users, user_faults, ..RunOutcome::default() })
        };
        assert_eq!((of(4, &[]), of(4, &[1]), of(4, &[1, 1])), (None, Some(0.25), Some(0.5)));
        assert_eq!(of(4, &[9]), Some(1.0), "branches of one user may fail together");
    }

    #[test]
    fn waiting_for_a_disk_is_a_part_of_the_time_of_users_or_of_workers() {
        let spent = TimeSpent { lived_ns: 10_000_000_000, ..TimeSpent::default() };
        let outcome =
            RunOutcome { started_ns: 5, ended_ns: 1_000_000_005, workers: 2, spent, ..RunOutcome::default() };
        for (users_ns, threads_ns, wanted) in
            [(500_000_000, 0, 0.05), (0, 500_000_000, 0.25), (5_000_000_000, 500_000_000, 0.5)]
        {
            assert_eq!(disk_wait(&outcome, DiskWaits { users_ns, threads_ns }), Some(wanted));
        }
        assert_eq!(disk_wait(&RunOutcome::default(), DiskWaits { users_ns: 7, threads_ns: 7 }), None);
    }

    #[test]
    fn time_in_which_workers_stood_still_for_a_disk_is_not_time_that_the_tool_took() {
        let spent =
            TimeSpent { lived_ns: 10_000_000_000, sampled_ns: 6_000_000_000, waited_ns: 1_500_000_000 };
        let outcome =
            RunOutcome { ended_ns: 1_000_000_000, workers: 2, samples: 9, spent, ..RunOutcome::default() };
        let gap = |threads_ns| {
            let waits = DiskWaits { users_ns: 0, threads_ns };
            users_time(&outcome, stood_still(&outcome, waits)).gap()
        };
        assert_eq!([0, 500_000_000, 600_000_000].map(gap), [Some(1.0 / 3.0), Some(0.0), Some(0.0)]);
    }

    #[test]
    fn a_percentile_of_too_few_samples_is_not_judged() {
        let late = |samples: usize| {
            let mut recorder = Recorder::default();
            let late = Observation {
                label: "a",
                start_delay_ns: Some(500_000_000),
                read_delay_ns: Some(500_000_000),
                ..Observation::default()
            };
            (0..samples).for_each(|_| recorder.record(&late));
            let seen = of(&recorder.take_interval(), None);
            (seen.start_delay_p99_ns.is_some(), seen.read_delay_p99_ns.is_some())
        };
        assert_eq!((late(380), late(381)), ((false, false), (true, true)));
        assert!(!supports(380, 0.99) && supports(381, 0.99), "the table says the same");
    }

    fn of_connections(connections: u64, sent: u64, sent_again: u64) -> ResourceUsage {
        let own = TcpTotals { connections, looked_at: connections, sent, sent_again };
        ResourceUsage { connections: own, ..ResourceUsage::default() }
    }

    #[test]
    fn a_full_accept_queue_is_the_servers_and_not_the_networks() {
        let neighbour = Some(([127, 0, 0, 1], 80).into());
        let dropped_here = Some(97);
        let asked =
            ResourceUsage { neighbour, dropped_here, asked_again_here: 90, ..of_connections(200, 2000, 7) };
        let seen = segments(&asked);
        assert_eq!((seen.lost, seen.turned_away, seen.asked_again), (Some(0.0), Some(0.485), None));
        let lossy = ResourceUsage { asked_again_here: 110, ..asked };
        assert_eq!(segments(&lossy).lost, Some(0.01), "20 beyond the 97");
        // Without a count of the listener, handshakes on the same machine can be lost in no other
        // way.
        let silent = ResourceUsage { dropped_here: None, ..asked };
        let seen = segments(&silent);
        assert_eq!((seen.lost, seen.turned_away), (Some(0.0035), Some(0.45)));
    }

    #[test]
    fn what_neighbours_do_accuses_nobody() {
        let tcp = Some(Tcp { sent: 90_000, sent_again: 7_000, opened: 300, turned_away: 6_960 });
        let neighbour = Some(([127, 0, 0, 1], 80).into());
        let flooded = ResourceUsage { tcp, neighbour, dropped_here: Some(0), ..of_connections(100, 2000, 0) };
        let nothing = Segments { lost: Some(0.0), turned_away: Some(0.0), asked_again: None };
        assert_eq!(segments(&flooded), nothing);
        // Another client of the same server finds its queue full, and the run does not.
        assert_eq!(segments(&ResourceUsage { dropped_here: Some(6_960), ..flooded }), nothing);
        // The hint has it all.
        let counted = counted(1, &[]);
        let total = counted.total();
        let net = NetContext::default();
        let seen = evidence(&counted, &total, None, &flooded, &net, None, DiskWaits::default());
        assert_eq!(
            seen.machine_tcp.map(|tcp| (tcp.sent_again, tcp.dropped_by_listeners)),
            Some((7_000, 6_960))
        );
        assert_eq!(segments(&ResourceUsage { tcp, ..ResourceUsage::default() }), Segments::default());
    }

    #[test]
    fn connections_that_were_not_looked_at_are_like_the_others() {
        let own = TcpTotals { connections: 3200, looked_at: 200, sent: 2000, sent_again: 20 };
        let seen = segments(&ResourceUsage { connections: own, ..ResourceUsage::default() });
        assert_eq!((seen.lost, seen.turned_away), (Some(0.01), None));
    }

    #[test]
    fn handshakes_that_a_server_elsewhere_drops_are_told_from_a_network_that_loses() {
        let full = ResourceUsage { asked_again: (50, 58), ..of_connections(200, 20_000, 2) };
        let seen = segments(&full);
        assert_eq!((seen.lost, seen.asked_again, seen.turned_away), (Some(0.0001), Some(0.25), None));
        // Two connections and a hundredth of all segments.
        let lossy = ResourceUsage { asked_again: (2, 2), ..of_connections(200, 20_000, 200) };
        let seen = segments(&lossy);
        assert_eq!((seen.lost, seen.asked_again), (Some(0.0101), None));
    }

    #[test]
    fn samples_that_were_cut_were_started() {
        let counted = counted(3, &[]);
        let outcome = RunOutcome { samples: 3, cut: 2, ..RunOutcome::default() };
        let wanted = Some(Wanted { starts: 5.0 });
        let seen = evidence(
            &counted,
            &counted.total(),
            Some(&outcome),
            &ResourceUsage::default(),
            &NetContext::default(),
            wanted,
            DiskWaits::default(),
        );
        assert_eq!((seen.dropped_starts, seen.rate_error), (Some(0.0), Some(-0.0)));
        assert_eq!(seen.users_time.map(|time| time.samples), Some(5));
    }

    #[test]
    fn samples_that_failed_for_want_of_descriptors_or_ports_are_the_machines() {
        let parts = |good, failed: &[FailureKind]| {
            let seen = of(&counted(good, failed), None);
            (seen.resource_exhaustion, seen.unreached)
        };
        let short = FailureKind::ResourceExhaustion;
        let refused = FailureKind::Refused;
        assert_eq!(parts(1, &[refused, short, short]), (Some(0.5), Some(0.25)));
        assert_eq!(parts(1, &[refused]), (Some(0.0), Some(0.5)));
        assert_eq!(parts(0, &[]), (None, None));
    }

    #[test]
    fn where_nearly_nothing_answers_the_cause_does_not_matter() {
        use FailureKind as Kind;
        let unreached = |good, failed: &[Kind]| of(&counted(good, failed), None).unreached;
        let nothing = [
            Kind::Request,
            Kind::NameNotFound,
            Kind::Refused,
            Kind::Unreachable,
            Kind::ConnectTimeout,
            Kind::Tls,
            Kind::Reset,
            Kind::ClosedEarly,
            Kind::ResponseTimeout,
            Kind::TotalTimeout,
            Kind::NotHttp,
        ];
        for kind in nothing {
            assert_eq!(unreached(0, &[kind, kind]), Some(1.0), "{kind:?}");
            assert_eq!(unreached(1, &[kind]).is_some_and(|part| part > 0.0), kind.is_unreached(), "{kind:?}");
        }
        for answer in [Kind::Status, Kind::Undecodable, Kind::Assertion, Kind::ResourceExhaustion] {
            assert_eq!(unreached(0, &[answer]), Some(0.0), "{answer:?}");
        }
        assert!(unreached(1, &[Kind::ClosedEarly; 1001]).is_some_and(|part| part > 0.999), "one of 1,002");
        let mut half = Recorder::default();
        let cut = Observation { kind: Kind::ClosedEarly, first_byte_ns: Some(1), ..Observation::default() };
        half.record(&cut);
        assert_eq!(of(&half.take_interval(), None).unreached, Some(0.0), "half an answer is one");
    }

    #[test]
    fn starts_that_were_not_made_are_a_part_of_the_wanted_ones() {
        let four = counted(4, &[]);
        let dropped = |wanted| of(&four, wanted).dropped_starts;
        assert_eq!(
            [None, Some(4.0), Some(4.9), Some(8.0)].map(dropped),
            [None, Some(0.0), Some(0.0), Some(0.5)]
        );
        assert_eq!(of(&four, Some(8.0)).rate_error, Some(-0.5));
    }
}
