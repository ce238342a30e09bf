//! Why a gate of the verdict is not valid, in a sentence for a tester.

use swell_stats::verdict::{Criterion, Gate, Grade, LostLoad, Neighbour, ScriptTime, Verdict};

use crate::number::without_zeros;

/// The gates that are not valid, the worst first; among those of one level, causes before what they
/// cause: users that wait for a disk start late and make less load.
pub(crate) fn worst_first(verdict: &Verdict) -> Vec<&Gate> {
    let mut wrong: Vec<&Gate> = verdict.gates.iter().filter(|gate| gate.grade() > Grade::Valid).collect();
    wrong.sort_by_key(|gate| (std::cmp::Reverse(gate.grade()), rank(gate.criterion)));
    wrong
}

fn rank(criterion: Criterion) -> u8 {
    match criterion {
        Criterion::Unreached => 0,
        Criterion::DiskWait => 1,
        _ => 2,
    }
}

/// Why each gate that is not valid is not, the worst first.
pub fn reasons(verdict: &Verdict) -> Vec<String> {
    worst_first(verdict).into_iter().map(reason).collect()
}

/// What to do about a full accept queue.
const ACCEPT_QUEUE: &str =
    "raise its backlog (listen, acceptCount, net.core.somaxconn), or start the users over a longer ramp";

/// What to do about scripts that wait for threads.
const SCRIPT_WAIT: &str = "If all threads were busy, raise `swell.foreign.threads`; otherwise the \
    processors were the limit: shorten the scripts, or use fewer users or more processors";

/// What scripts and elements in a JVM took, in a sentence.
pub(crate) fn scripts(scripts: &ScriptTime) -> String {
    let ScriptTime { calls, refused, most_threads, thread_limit, .. } = *scripts;
    let run_ms = scripts.mean_run_ms();
    let wait_ms = scripts.mean_wait_ms();
    let longest_ms = 1e3 * scripts.longest_wait_s;
    let refused = if refused > 0 { format!("; {refused} rejected") } else { String::new() };
    format!(
        "scripts and elements in the JVM, separate from all other times: {calls} calls, {run_ms:.3} \
        ms each; waited for a thread {wait_ms:.3} ms, at most {longest_ms:.3} ms; {most_threads} of \
        {thread_limit} threads{refused}"
    )
}

/// What a server under test on the same machine does to a verdict that is not valid, and what to
/// do.
pub(crate) fn neighbour(neighbour: &Neighbour) -> String {
    let Neighbour { address, processors } = neighbour;
    format!(
        "the server under test, {address}, runs on this machine and shares its {processors} \
        processors with the tool: run the server elsewhere, pin both to separate processors \
        (`taskset`), or lower the load"
    )
}

/// The sentence, with what was found and what is allowed.
pub(crate) fn reason(gate: &Gate) -> String {
    let why = of_gate(gate);
    match &gate.machine {
        Some(machine) => format!("{machine}: {why}"),
        None => why,
    }
}

fn of_gate(gate: &Gate) -> String {
    let value = gate.value;
    let limit = broken_limit(gate);
    let percent = figure(100.0 * value);
    let limit_percent = figure(100.0 * limit);
    match gate.criterion {
        Criterion::StartDelay => late_starts(gate),
        Criterion::ReadDelay => format!("responses were read late: p99 {value:.2} ms (limit {limit:.2} ms)"),
        Criterion::SendDelay => format!(
            "requests were sent late, and response times include that delay: p99 {value:.2} ms (limit {limit:.2} ms)"
        ),
        Criterion::DroppedStarts => format!(
            "missed starts: {percent} % of the planned starts were not made because all users \
            were busy (limit {limit_percent} %)"
        ),
        Criterion::RateError => {
            format!("wrong rate: {percent} % off the planned rate (limit {limit_percent} %)")
        }
        Criterion::LittleGap => format!(
            "reduced load: for each second of samples and pauses, users waited {value} s for the tool \
            (limit {limit} s), so the load was lower than planned",
            value = figure(value),
            limit = figure(limit)
        ),
        Criterion::CpuBusy => format!(
            "the machine, not the server, was the limit: worker {} was {percent} % busy (limit {limit_percent} %)",
            gate.worker.unwrap_or_default()
        ),
        Criterion::RunQueueWait => format!(
            "processors were busy with other work: a worker waited for a processor {percent} % of \
            the time (limit {limit_percent} %)"
        ),
        Criterion::ResourceExhaustion => format!(
            "{percent} % of the samples failed because this machine ran out of descriptors, ports \
            or memory (limit {limit_percent} %); see `swell doctor`"
        ),
        Criterion::Unreached if value >= 1.0 => "no sample reached a server that responds".to_owned(),
        Criterion::Unreached => format!(
            "{percent} % of the samples never reached a server that responds (limit {limit_percent} %)"
        ),
        Criterion::Retransmits | Criterion::AcceptQueue | Criterion::ConnectRetries => {
            of_network(gate.criterion, &percent, &limit_percent)
        }
        Criterion::DiskWait => format!(
            "slow disk: {percent} % of the time was spent waiting to write results, logs or files \
            of the plan (limit {limit_percent} %)"
        ),
        Criterion::ScriptWait => format!(
            "scripts were the limit: a call waited {value:.2} ms for a thread on average (limit \
            {limit:.2} ms). {SCRIPT_WAIT}"
        ),
        Criterion::TimedElsewhere => format!(
            "JMeter's engine made {percent} % of the samples: their times are whole milliseconds \
            measured in a JVM, and include its thread and garbage collection pauses"
        ),
        Criterion::Steal => format!(
            "the hypervisor gave {percent} % of the processor time to other machines (limit {limit_percent} %)"
        ),
        Criterion::MemoryUsed => format!("{percent} % of the memory was in use (limit {limit_percent} %)"),
        Criterion::FailedUsers => format!(
            "{percent} % of the users were ended by an error, so their load is missing (limit {limit_percent} %)"
        ),
        Criterion::LostLoad => lost_load(&gate.lost_load.unwrap_or_default()),
        Criterion::ClockSteps => format!("the clock was adjusted {value:.0} times during the test"),
        Criterion::ClockGrain => clock_grain(gate),
    }
}

/// Why connections or segments took longer: `Retransmits`, `AcceptQueue`, else `ConnectRetries`.
fn of_network(criterion: Criterion, percent: &str, limit_percent: &str) -> String {
    match criterion {
        Criterion::Retransmits => format!(
            "packet loss: {percent} % of the TCP segments of this test were retransmitted, which \
            adds to response times (limit {limit_percent} %)"
        ),
        Criterion::AcceptQueue => format!(
            "the server's accept queue was full: it dropped {percent} segments per 100 connections \
            (limit {limit_percent}). The kernel retransmits them after 1 s or more, which adds to \
            response times: {ACCEPT_QUEUE}"
        ),
        _ => format!(
            "{percent} % of the connections were established only after the kernel had retried for \
            1 s or more, which adds to response times (limit {limit_percent} %). The network loses \
            far fewer segments, so the server's accept queue was full: {ACCEPT_QUEUE}"
        ),
    }
}

/// The limit that makes the gate what it is: of INVALID that beyond DEGRADED.
fn broken_limit(gate: &Gate) -> f64 {
    if gate.grade() == Grade::Invalid { gate.degraded_limit } else { gate.valid_limit }
}

fn clock_grain(gate: &Gate) -> String {
    format!(
        "the clock of this machine is coarse: {grain} µs (limit {limit} µs); see `swell doctor`",
        grain = figure(1000.0 * gate.value),
        limit = figure(1000.0 * broken_limit(gate))
    )
}

/// Which figure late starts changed, and by how much.
fn late_starts(gate: &Gate) -> String {
    let value = gate.value;
    let limit = broken_limit(gate);
    let Some(changed) = gate.changed else {
        return format!(
            "requests were sent late: p99 {value:.2} ms after they were due (limit {limit:.2} ms)"
        );
    };
    let of = if changed.of_responses { "response time" } else { "elapsed time" };
    let figure =
        changed.quantile.map_or("mean".to_owned(), |quantile| format!("p{}", figure(100.0 * quantile)));
    format!("late starts may have changed the {figure} {of} by up to {value:.2} ms (limit {limit:.2} ms)")
}

/// How much of the load was missing, and for how long.
fn lost_load(lost: &LostLoad) -> String {
    let then = figure(100.0 * lost.part_then);
    let all = figure(100.0 * lost.part);
    let left = if lost.none_left { "; no agent was left at the end" } else { "" };
    format!(
        "lost or stopped during the test: {then} % of the load was missing for {:.1} s, {all} % of \
        the total load{left}",
        lost.seconds
    )
}

/// Three digits, as many as are read.
pub(crate) fn figure(value: f64) -> String {
    let decimals = if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else if value >= 0.01 || value == 0.0 {
        2
    } else {
        4
    };
    without_zeros(&format!("{value:.decimals$}")).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_stats::Changed;
    use swell_stats::verdict::{Evidence, UsersTime, verdict};

    #[test]
    fn every_gate_has_its_sentence() {
        let all = Evidence {
            start_delay_p99_ns: Some(12_340_000),
            read_delay_p99_ns: Some(2_000_000),
            read_delay_counts: true,
            send_delay_p99_ns: Some(500_000),
            dropped_starts: Some(0.032),
            rate_error: Some(-0.0515),
            users_time: Some(UsersTime { lived_s: 110.0, sampled_s: 100.0, waited_s: 0.0, samples: 100 }),
            cpu_busy: Some((1, 0.97)),
            run_queue_wait: Some(0.321),
            resource_exhaustion: Some(0.5),
            unreached: Some(0.05),
            failed_users: Some(0.25),
            retransmits: Some(0.02),
            accept_queue: Some(0.485),
            connect_retries: Some(0.25),
            scripts: Some(ScriptTime { calls: 100, waited_s: 1.5, ..ScriptTime::default() }),
            timed_elsewhere: Some(0.25),
            steal: Some(0.03),
            memory_free: Some(0.01),
            clock_steps: Some(2),
            clock_grain_ns: Some(4_000_000),
            lost_load: Some(LostLoad { part: 0.125, seconds: 12.84, part_then: 0.5, none_left: false }),
            ..Evidence::default()
        };
        let said: Vec<_> = verdict(&all).gates.iter().map(reason).collect();
        assert_eq!(said.len(), 21);
        for part in [
            "p99 12.34 ms after",
            "late: p99 2.00 ms",
            "response times include that delay",
            "3.2 % of the planned starts",
            "5.15 % off",
            "users waited 0.1 s for the tool (limit 0.05 s)",
            "the machine, not the server, was the limit: worker 1 was 97 % busy (limit 90 %)",
            "32.1 % of the time (limit 20 %)",
            "50 % of the samples",
            "25 % of the users were ended by an error",
            "5 % of the samples never reached a server that responds",
            "2 % of the TCP segments of this test",
            "the server's accept queue was full: it dropped 48.5 segments per 100 connections",
            "25 % of the connections were established only after",
            "scripts were the limit: a call waited 15.00 ms for a thread on average (limit 1.00 ms). If all",
            "JMeter's engine made 25 % of the samples",
            "3 % of the processor time",
            "99 % of the memory",
            "adjusted 2 times",
            "is coarse: 4000 µs (limit 100 µs)",
            "50 % of the load was missing for 12.8 s, 12.5 % of the total load",
        ] {
            assert!(said.iter().any(|text| text.contains(part)), "{part}: {said:#?}");
        }
    }

    #[test]
    fn late_starts_name_the_figure_that_they_changed() {
        let said = |quantile, of_responses| {
            let changed = Changed { quantile, of_responses, measured_ns: 100_000_000, by_ns: 3_200_000 };
            let seen = Evidence { late_starts: Some(changed), ..Evidence::default() };
            reasons(&verdict(&seen)).remove(0)
        };
        let p99 = "late starts may have changed the p99 response time by up to 3.20 ms (limit 0.75 ms)";
        assert_eq!(said(Some(0.99), true), p99);
        assert!(said(None, false).contains("the mean elapsed time by"));
    }

    #[test]
    fn a_slow_disk_comes_before_what_it_causes() {
        let users_time = UsersTime { lived_s: 100.0, sampled_s: 50.0, waited_s: 0.0, samples: 100 };
        let seen = |disk_wait| Evidence {
            users_time: Some(users_time),
            start_delay_p99_ns: Some(50_000_000),
            disk_wait: Some(disk_wait),
            ..Evidence::default()
        };
        let begin = |text: &String| text.split(':').next().expect("a name").to_owned();
        let names = |disk_wait| reasons(&verdict(&seen(disk_wait))).iter().map(begin).collect::<Vec<_>>();
        assert_eq!(names(0.5), ["slow disk", "requests were sent late", "reduced load"]);
        assert_eq!(names(0.005), ["requests were sent late", "reduced load", "slow disk"], "it is DEGRADED");
    }

    #[test]
    fn a_neighbour_is_named_with_what_to_do() {
        let said = neighbour(&Neighbour { address: ([127, 0, 0, 1], 8080).into(), processors: 2 });
        for part in ["127.0.0.1:8080, runs on this machine", "its 2 processors", "or lower the load"] {
            assert!(said.contains(part), "{part}: {said}");
        }
    }

    #[test]
    fn figures_are_short() {
        for (value, text) in
            [(0.0, "0"), (0.0012, "0.0012"), (0.5, "0.5"), (12.34, "12.3"), (123.4, "123"), (100.0, "100")]
        {
            assert_eq!(figure(value), text);
        }
    }
}
