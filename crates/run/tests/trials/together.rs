//! Two trials at once do not influence each other.

use swell_run::Trial;
use swell_stats::verdict::{Criterion, Grade, Verdict};

use crate::plans::{closed_port, counts, plan, settings, start, target};

fn unreached(verdict: &Verdict) -> Option<f64> {
    verdict.gates.iter().find(|gate| gate.criterion == Criterion::Unreached).map(|gate| gate.value)
}

#[test]
fn one_against_a_healthy_target_and_one_against_a_closed_port() {
    let site = target();
    let closed = closed_port();
    let answered = plan(site.addr(), "/bytes/100", 4, -1);
    let trial = Trial::prepare(&answered, settings()).expect("the plan can run");
    let mut seconds = trial.subscribe();
    let answered = trial.start().expect("threads");
    // The other runs from its start to its end while this one does.
    assert!(seconds.any(|second| second.total.samples > 0), "it has begun");
    let refused = start(&plan(closed.address, "/", 3, 50), settings()).wait();
    assert!(answered.control().status().is_some_and(|status| status.active == 4), "it still runs");
    answered.control().stop();
    let answered = answered.wait();

    assert_eq!(counts(&refused), (150, 150));
    let verdict = refused.verdict.expect("it ran");
    assert_eq!((verdict.grade, unreached(&verdict)), (Grade::Invalid, Some(1.0)));
    assert_eq!(refused.resources.neighbour, None, "the other's server is not this one's");

    let (samples, errors) = counts(&answered);
    assert_eq!(errors, 0);
    // Its samples are exactly those that the target has answered.
    let served: u64 = site.stats().routes.iter().map(|route| route.residence.count).sum();
    assert_eq!(samples, served);
    let outcome = answered.outcome.as_ref().expect("it ended");
    assert_eq!((outcome.samples, outcome.users), (samples, 4));
    assert_eq!(unreached(&answered.verdict.expect("it ran")), Some(0.0));
    assert_eq!(answered.resources.neighbour, Some(site.addr()));
}
