//! One verdict on a test that several machines made together.

use std::sync::Arc;

use crate::verdict::{Gate, Grade, Verdict};

/// The verdict on a test from those on its machines: for each criterion the worst gate of all, with the name of its machine. A
/// test is as good as its worst machine, since its figures hold the samples of all.
pub fn over_machines(machines: impl IntoIterator<Item = (Arc<str>, Verdict)>) -> Verdict {
    let valid = Grade::Valid;
    let mut all = Verdict {
        grade: valid,
        gates: Vec::new(),
        read_delay_counts: false,
        neighbour: None,
        scripts: None,
        refusal: None,
    };
    for (name, verdict) in machines {
        all.grade = all.grade.max(verdict.grade);
        all.read_delay_counts |= verdict.read_delay_counts;
        all.neighbour = all.neighbour.or(verdict.neighbour);
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

fn add(gates: &mut Vec<Gate>, gate: Gate) {
    match gates.iter_mut().find(|other| other.criterion == gate.criterion) {
        Some(other) if badness(&gate) > badness(other) => *other = gate,
        Some(_) => {}
        None => gates.push(gate),
    }
}

/// The worse the level the worse the gate; within a level, the further the value is beyond its own limit. Limits of one
/// criterion can differ between machines: some depend on the response times.
fn badness(gate: &Gate) -> (Grade, f64) {
    let beyond = if gate.valid_limit > 0.0 { gate.value / gate.valid_limit } else { gate.value };
    (gate.grade(), beyond)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict;
    use crate::verdict::{Criterion, Evidence};

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
    fn a_refusal_names_its_machine() {
        let refused = judged(0, 0.1).refused("a script".to_owned());
        let all = over_machines([("a".into(), judged(0, 0.1)), ("b".into(), refused)]);
        assert_eq!((all.grade, all.refusal.as_deref()), (Grade::Invalid, Some("b: a script")));
    }
}
