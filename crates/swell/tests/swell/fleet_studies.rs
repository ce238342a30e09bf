//! Trials of sweeps and searches on several agents, which are there for all trials.

use swell_plan::Node;

use crate::support::{Answer, Broker, Folder, Server, nats_server, plan};

/// A site that answers everything, and a plan whose number of users is the property `users`, for as
/// long as it is wanted.
fn site() -> (Server, Folder) {
    let server = Server::start(|_| Answer::ok("hello"));
    let users = Node::new(plan::group_element("${__P(users,1)}", -1));
    let folder = Folder::with_plan([users.with(plan::get(server.addr, "/page")).with(plan::nap(20))]);
    (server, folder)
}

#[test]
fn cells_of_a_sweep_are_made_by_the_same_agents() {
    if nats_server().is_none() {
        return;
    }
    let (server, folder) = site();
    let args = ["sweep", "plan.jmx", "--vary", "users=2,6", "--each", "3s", "--in-order", "--agents", "2"];
    let ended = folder.swell(&[&args[..], &["--warm-up", "1s", "--json"]].concat()).exits(0);
    let json = ended.json();
    let cells = json["cells"].as_array().expect("cells");
    let rate = |at: usize| cells[at]["figures"]["per_s"].as_f64().expect("a number");
    assert_eq!(cells.len(), 2, "{json}");
    let errors = |at: usize| cells[at]["figures"]["errors"].as_u64();
    assert_eq!((errors(0), errors(1)), (Some(0), Some(0)), "{json}");
    assert_eq!(ended.err.matches(" on 2 agents").count(), 2, "{ended}");
    // Users wait for 20 ms between requests: six make more than two, if each of them is there once.
    assert!(rate(0) > 0.0 && rate(1) > rate(0), "{json}");
    let counted: u64 = ended
        .err
        .lines()
        .filter(|line| line.starts_with("accounted: "))
        .map(|line| crate::fleet::accounted(&format!("{line}\n")))
        .sum();
    // Pages and naps.
    assert!(counted >= 2 * server.requests().len() as u64 - 12, "{counted} of {ended}");
}

#[test]
fn a_search_has_its_trials_made_by_agents() {
    if nats_server().is_none() {
        return;
    }
    let (server, folder) = site();
    let args = ["search", "plan.jmx", "--vary", "users=1..2", "--slo", "errors<50%", "--agents", "2"];
    let ended = folder.swell(&[&args[..], &["--trial", "1s", "--warm-up", "100ms", "--json"]].concat());
    let ended = ended.exits(0);
    let found = ended.json();
    assert_eq!((&found["stopped"], &found["answer"]["holds"]), (&"bears_all".into(), &2.0.into()), "{found}");
    let trials = found["trials"].as_array().expect("trials").len();
    assert_eq!(ended.err.matches(" on 2 agents").count(), trials, "{ended}");
    assert!(!server.requests().is_empty());
}

#[test]
fn what_agents_cannot_do_ends_a_study_with_a_line() {
    let folder = Folder::new();
    let url = ["sweep", "http://127.0.0.1:9/", "--vary", "users=1", "--agents", "2"];
    folder.swell(&url).refused(&["agents make trials of plans", "leave out --agents"]);
    folder.swell(&["search", "p.jmx", "--users", "1..2", "--nats", "nats://h"]).refused(&["--agents"]);
    if nats_server().is_none() {
        return;
    }
    let (_server, folder) = site();
    let broker = Broker::start().expect("there is a program");
    let url = broker.url();
    let args = ["sweep", "plan.jmx", "--vary", "users=1", "--agents", "1", "--nats", &url];
    let ended = folder.swell(&[&args[..], &["--agents-timeout", "1s"]].concat()).exits(104);
    ended.says(&["0 of 1 agents were ready after 1 s"]);
}
