//! One verdict for a test made by several machines.

use std::sync::Arc;

use crate::verdict::{Evidence, Gate, Grade, MachineTcp, ProcessorUse, UsersTime, Verdict};

/// The verdict on a test from those on its machines: for each criterion the worst gate of all, with
/// the name of its machine. A test is as good as its worst machine, since its figures hold the
/// samples of all.
pub fn over_machines(machines: impl IntoIterator<Item = (Arc<str>, Verdict)>) -> Verdict {
    let valid = Grade::Valid;
    let mut all = Verdict {
        grade: valid,
        gates: Vec::new(),
        read_delay_counts: false,
        neighbour: None,
        machine_tcp: None,
        processors: None,
        culprit: None,
        culprit_machine: None,
        scripts: None,
        refusal: None,
    };
    for (name, verdict) in machines {
        all.grade = all.grade.max(verdict.grade);
        all.read_delay_counts |= verdict.read_delay_counts;
        let is_worse = match (verdict.culprit, all.culprit) {
            (Some(_), None) => true,
            (Some(_), Some(_)) => foreign(&verdict) > foreign(&all),
            (None, _) => all.culprit.is_none() && all.processors.is_none(),
        };
        if is_worse {
            all.culprit_machine = verdict.culprit.map(|_| name.clone());
            (all.culprit, all.processors) = (verdict.culprit, verdict.processors.clone());
            all.neighbour = verdict.neighbour;
        }
        all.machine_tcp = together(all.machine_tcp, verdict.machine_tcp, MachineTcp::most);
        all.scripts = match (all.scripts, verdict.scripts) {
            (Some(one), Some(other)) => Some(one.and(other)),
            (one, other) => one.or(other),
        };
        let refusal = verdict.refusal.map(|why| format!("{name}: {why}"));
        all.refusal = all.refusal.or(refusal);
        for gate in verdict.gates {
            add(&mut all.gates, Gate { machine: Some(name.clone()), ..gate });
        }
    }
    all
}

/// What is known of the tool on all machines as one: for each fact the worst of all, so that what
/// is judged by it is no better than the worst machine. [`over_machines`] says which machine that
/// was.
pub fn worst_of(machines: impl IntoIterator<Item = Evidence>) -> Evidence {
    machines.into_iter().reduce(|one, other| worse(&one, &other)).unwrap_or_default()
}

fn worse(one: &Evidence, other: &Evidence) -> Evidence {
    let most = |of: fn(&Evidence) -> Option<f64>| of(one).into_iter().chain(of(other)).reduce(f64::max);
    let longest = |of: fn(&Evidence) -> Option<u64>| of(one).max(of(other));
    let busier = |a: (usize, f64), b: (usize, f64)| if b.1 > a.1 { b } else { a };
    let medians = [one, other].map(|evidence| evidence.elapsed_p50_ns).into_iter().filter(|ns| *ns > 0);
    let rates = one.rate_error.into_iter().chain(other.rate_error);
    Evidence {
        start_delay_p99_ns: longest(|e| e.start_delay_p99_ns),
        late_starts: together(one.late_starts, other.late_starts, |a, b| {
            if b.part_of_allowed() > a.part_of_allowed() { b } else { a }
        }),
        read_delay_p99_ns: longest(|e| e.read_delay_p99_ns),
        send_delay_p99_ns: longest(|e| e.send_delay_p99_ns),
        read_delay_counts: one.read_delay_counts || other.read_delay_counts,
        elapsed_p50_ns: medians.min().unwrap_or(0),
        dropped_starts: most(|e| e.dropped_starts),
        rate_error: rates.reduce(|a, b| if b.abs() > a.abs() { b } else { a }),
        users_time: together(one.users_time, other.users_time, |a, b| UsersTime {
            lived_s: a.lived_s + b.lived_s,
            sampled_s: a.sampled_s + b.sampled_s,
            waited_s: a.waited_s + b.waited_s,
            samples: a.samples + b.samples,
        }),
        cpu_busy: together(one.cpu_busy, other.cpu_busy, busier),
        run_queue_wait: most(|e| e.run_queue_wait),
        resource_exhaustion: most(|e| e.resource_exhaustion),
        unreached: most(|e| e.unreached),
        failed_users: most(|e| e.failed_users),
        retransmits: most(|e| e.retransmits),
        accept_queue: most(|e| e.accept_queue),
        connect_retries: most(|e| e.connect_retries),
        machine_tcp: together(one.machine_tcp, other.machine_tcp, MachineTcp::most),
        disk_wait: most(|e| e.disk_wait),
        scripts: together(one.scripts, other.scripts, crate::verdict::ScriptTime::and),
        timed_elsewhere: most(|e| e.timed_elsewhere),
        steal: most(|e| e.steal),
        memory_free: one.memory_free.into_iter().chain(other.memory_free).reduce(f64::min),
        clock_steps: longest(|e| e.clock_steps),
        clock_grain_ns: longest(|e| e.clock_grain_ns),
        neighbour: one.neighbour.or(other.neighbour),
        processors: together(one.processors.clone(), other.processors.clone(), |a, b| {
            if b.foreign() > a.foreign() { b } else { a }
        }),
        lost_load: together(one.lost_load, other.lost_load, |a, b| if b.part > a.part { b } else { a }),
    }
}

/// Processors that other programs took.
fn foreign(verdict: &Verdict) -> f64 {
    verdict.processors.as_ref().map_or(0.0, ProcessorUse::foreign)
}

fn together<T>(one: Option<T>, other: Option<T>, both: impl Fn(T, T) -> T) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(both(one, other)),
        (one, other) => one.or(other),
    }
}

fn add(gates: &mut Vec<Gate>, gate: Gate) {
    match gates.iter_mut().find(|other| other.criterion == gate.criterion) {
        Some(other) if badness(&gate) > badness(other) => *other = gate,
        Some(_) => {}
        None => gates.push(gate),
    }
}

/// The worse the level the worse the gate; within a level, the further the value is beyond its own
/// limit. Limits of one criterion can differ between machines: some depend on the response times.
fn badness(gate: &Gate) -> (Grade, f64) {
    let beyond = if gate.valid_limit > 0.0 { gate.value / gate.valid_limit } else { gate.value };
    (gate.grade(), beyond)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict;
    use crate::verdict::{Criterion, Culprit, Evidence};

    fn judged(late_ms: u64, busy: f64) -> Verdict {
        let start_delay_p99_ns = Some(late_ms * 1_000_000);
        verdict(&Evidence { start_delay_p99_ns, cpu_busy: Some((3, busy)), ..Evidence::default() })
    }

    #[test]
    fn each_gate_is_that_of_the_worst_machine_and_names_it() {
        let named = |name: &str, verdict| (Arc::from(name), verdict);
        let all = over_machines([
            named("one", judged(0, 0.95)),
            named("two", judged(5, 0.3)),
            named("three", judged(3, 0.8)),
        ]);
        let worst: Vec<_> = all.gates.iter().map(|gate| (gate.criterion, gate.machine.as_deref())).collect();
        let wanted = [(Criterion::StartDelay, Some("two")), (Criterion::CpuBusy, Some("one"))];
        assert_eq!((all.grade, worst), (Grade::Invalid, wanted.to_vec()));
        assert_eq!(all.gates[1].worker, Some(3));
        assert_eq!(over_machines([]).grade, Grade::Valid);
    }

    #[test]
    fn evidence_of_all_is_judged_as_the_worst_machine_is() {
        let of = |late_ms: u64, busy| Evidence {
            start_delay_p99_ns: Some(late_ms * 1_000_000),
            cpu_busy: Some((late_ms as usize, busy)),
            memory_free: Some(1.0 - busy),
            ..Evidence::default()
        };
        let machines = [of(0, 0.95), of(5, 0.3), of(3, 0.8)];
        let all = worst_of(machines.clone());
        assert_eq!((all.start_delay_p99_ns, all.cpu_busy), (Some(5_000_000), Some((0, 0.95))));
        assert_eq!(all.memory_free, Some(1.0 - 0.95));
        let named = machines.map(|evidence| (Arc::from("m"), verdict(&evidence)));
        assert_eq!(verdict(&all).grade, over_machines(named).grade);
        assert_eq!(worst_of([]), Evidence::default());
    }

    #[test]
    fn the_machine_on_which_others_took_most_is_named() {
        let of = |late_ms: u64, others| {
            let processors = Some(ProcessorUse { processors: 2, others, ..ProcessorUse::default() });
            let start_delay_p99_ns = Some(late_ms * 1_000_000);
            verdict(&Evidence { start_delay_p99_ns, processors, ..Evidence::default() })
        };
        let named = |name: &str, verdict| (Arc::from(name), verdict);
        let all = over_machines([
            named("quiet", of(0, 0.1)),
            named("busy", of(5, 1.6)),
            named("busier", of(5, 1.9)),
            named("fine", of(0, 2.0)),
        ]);
        assert_eq!((all.culprit, all.culprit_machine.as_deref()), (Some(Culprit::Others), Some("busier")));
        assert!(foreign(&all) > 1.85, "{all:?}");
    }

    #[test]
    fn a_refusal_names_its_machine() {
        let refused = judged(0, 0.1).refused("a script".to_owned());
        let all = over_machines([("a".into(), judged(0, 0.1)), ("b".into(), refused)]);
        assert_eq!((all.grade, all.refusal.as_deref()), (Grade::Invalid, Some("b: a script")));
    }
}
