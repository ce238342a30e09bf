//! Names the programs that used the processors when that affected a verdict, and gives advice.

use swell_stats::verdict::{Culprit, ProcessorUse, Program, Verdict};

use crate::number::without_zeros;
use crate::plain;
use crate::reason::neighbour;

/// Programs that took less than this part of what others took are not named.
const LEAST_PART: f64 = 0.05;

/// The programs that used the processors, in a sentence with advice; none if that did not affect
/// the verdict.
pub fn advice(verdict: &Verdict) -> Option<String> {
    let took = verdict.processors.as_ref();
    let said = match verdict.culprit? {
        Culprit::Others => {
            let who = others(took?);
            format!("{who}: stop them, or use a machine without them")
        }
        Culprit::Server => neighbour(verdict.neighbour.as_ref()?),
        Culprit::Tool => {
            let who = took.map(|took| took_of("Swell took", took.tool, took.processors));
            let who = who.unwrap_or_else(|| "Swell took the processors".to_owned());
            format!("{who}: use more processors or more machines (`--agents`), or lower the load")
        }
    };
    Some(match &verdict.culprit_machine {
        Some(machine) => format!("{machine}: {said}"),
        None => said,
    })
}

/// What other programs took, with their names.
pub fn others(took: &ProcessorUse) -> String {
    let mut named: Vec<String> = took
        .programs
        .iter()
        .filter(|program| program.processors >= LEAST_PART * took.foreign())
        .map(|Program { name, processes, .. }| format!("{} ×{processes}", plain(name)))
        .collect();
    if took.unseen >= LEAST_PART.max(0.2) * took.foreign() {
        named.push("processes that are not visible from here".to_owned());
    }
    let all = took_of("other programs took", took.foreign(), took.processors);
    if named.is_empty() { all } else { format!("{all}: {}", named.join(", ")) }
}

/// Times of programs and of the machine are read one after another: their sum may be more than
/// there is.
fn took_of(who: &str, processors: f64, all: usize) -> String {
    let cores = if all == 1 { "core" } else { "cores" };
    format!("{who} {} of {all} {cores}", without_zeros(&format!("{:.2}", processors.min(all as f64))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_stats::verdict::{Evidence, Neighbour, verdict};

    fn took() -> ProcessorUse {
        let program =
            |name: &str, processes, processors| Program { name: name.into(), processes, processors };
        ProcessorUse {
            processors: 2,
            tool: 0.05,
            server: 0.04,
            others: 1.9,
            programs: vec![program("python3", 4, 1.7), program("cc1", 1, 0.15), program("sshd", 1, 0.05)],
            ..ProcessorUse::default()
        }
    }

    fn advised(processors: ProcessorUse, server: bool, busy: f64) -> Option<String> {
        let neighbour = server.then(|| Neighbour { address: ([127, 0, 0, 1], 8080).into(), processors: 2 });
        let seen = Evidence {
            start_delay_p99_ns: Some(20_000_000),
            cpu_busy: Some((0, busy)),
            processors: Some(processors),
            neighbour,
            ..Evidence::default()
        };
        advice(&verdict(&seen))
    }

    #[test]
    fn other_programs_are_named_instead_of_the_server_beside() {
        let said = advised(took(), true, 0.1).expect("it suffers");
        assert_eq!(
            said,
            "other programs took 1.9 of 2 cores: python3 ×4, cc1 ×1: stop them, or use a machine without them"
        );
        let hidden = ProcessorUse { unseen: 1.8, others: 0.0, programs: Vec::new(), ..took() };
        let said = advised(hidden, true, 0.1).expect("it suffers");
        assert!(
            said.starts_with("other programs took 1.8 of 2 cores: processes that are not visible"),
            "{said}"
        );
    }

    #[test]
    fn a_server_beside_and_the_tool_get_advice_of_their_own() {
        let alone = ProcessorUse { others: 0.0, programs: Vec::new(), tool: 1.8, ..took() };
        let said = advised(alone.clone(), true, 0.1).expect("it suffers");
        assert!(said.starts_with("the server under test, 127.0.0.1:8080, runs on this machine"), "{said}");
        let said = advised(alone.clone(), false, 0.95).expect("it suffers");
        assert!(said.starts_with("Swell took 1.8 of 2 cores: use more processors"), "{said}");
        assert_eq!(advised(alone, false, 0.1), None);
    }
}
