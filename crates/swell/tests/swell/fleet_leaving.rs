//! Agents that leave.

use crate::fleet::{accounted, site};
use crate::fleet_faults::{agent, wait_for_requests};
use crate::support::Broker;

#[test]
fn an_agent_that_is_asked_to_leave_does_so_where_nobody_takes_its_slices() {
    let Some(broker) = Broker::start() else { return };
    let (server, folder) = site(4, -1, 20);
    let one = agent(&folder, &broker, "one");
    let mut run = folder.call(&["run", "plan.jmx", "--agents", "1", "--nats", &broker.url()]).start();
    wait_for_requests(&server, 50);
    one.signal("TERM");
    one.wait().exits(105);
    run.wait_for_words("agent one gave up 1 slices: it received a request to leave");
    let ended = run.wait();
    assert!(!ended.err.contains(" continues on "), "it takes nothing any more: {ended}");
    assert!(ended.err.contains("error: no agent is left"), "{ended}");
    assert!(accounted(&ended.err) <= 2 * server.requests().len() as u64, "{ended}");
}

#[test]
fn an_agent_that_leaves_where_the_others_go_on_without_it_keeps_no_run_from_its_end() {
    let Some(broker) = Broker::start() else { return };
    let (_server, folder) = site(2, 20, 20);
    let [one, two] = ["one", "two"].map(|name| agent(&folder, &broker, name));
    let line = ["run", "plan.jmx", "--agents", "2", "--on-agent-loss", "continue", "--nats", &broker.url()];
    let mut run = folder.call(&line).start();
    run.wait_for_words("2 slices on 2 agents");
    two.signal("TERM");
    two.wait().exits(105);
    let ended = run.wait();
    one.wait().exits(0);
    let told = "agent two gave up 1 slices: it received a request to leave; the other agents continue without its slices";
    assert!(ended.err.contains(told), "{ended}");
    accounted(&ended.err);
}
