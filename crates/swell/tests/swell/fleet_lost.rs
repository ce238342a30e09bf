//! What agents counted that are killed, or stopped for a while.

use crate::fleet::accounted;
use crate::fleet_faults::{agent, two_agents, wait_for_requests, wait_until};
use crate::support::{Answer, Broker, Folder, Server, plan};

#[test]
fn rows_of_an_agent_that_is_killed_are_there_up_to_its_last_word() {
    let Some(broker) = Broker::start() else { return };
    let server = Server::start(|_| Answer::ok("hello"));
    let get = plan::get(server.addr, "/${__P(who)}");
    let folder = Folder::with_plan([plan::group(6, 150).with(get).with(plan::nap(20))]);
    let [one, two] = ["one", "two"].map(|name| agent(&folder, &broker, name));
    let url = broker.url();
    let line = ["run", "plan.jmx", "--agents", "2", "--on-agent-loss", "continue", "--nats", &url, "--json"];
    let mut run = folder.call(&[&line[..], &["-l", "out.jtl"]].concat()).start();
    let made_by = |who: &str| server.requests().iter().filter(|request| request.path() == who).count();
    wait_until("agent two made 300 requests", || made_by("/two") >= 300);
    two.signal("KILL");
    two.wait();
    let made = made_by("/two");
    run.wait_for_words("the load has finished; waiting for figures of agent two");
    let ended = run.wait();
    one.wait().exits(0);
    let rows = |label: &str| folder.jtl("out.jtl").count("label", label);
    assert_eq!(rows("/one"), made_by("/one"), "{ended}");
    assert!((1..=made).contains(&rows("/two")), "{} of {made}: {ended}", rows("/two"));
    assert_ne!(ended.json()["verdict"]["level"], "VALID", "{ended}");
}

#[test]
fn an_agent_that_is_stopped_for_a_while_loses_nothing_that_it_counted() {
    let Some((broker, server, folder, agents)) = two_agents(100) else { return };
    let url = broker.url();
    let line = ["run", "plan.jmx", "--agents", "2", "--on-agent-loss", "continue", "--nats", &url, "--json"];
    let mut run = folder.call(&[&line[..], &["-l", "out.jtl"]].concat()).start();
    wait_for_requests(&server, 200);
    agents[1].signal("STOP");
    run.wait_for_words("the load has finished; waiting for figures of agent two");
    agents[1].signal("CONT");
    let ended = run.wait().exits(0);
    for agent in agents {
        agent.wait().exits(0);
    }
    assert_eq!((server.requests().len(), accounted(&ended.err)), (600, 1200), "{ended}");
    assert_eq!(folder.jtl("out.jtl").column("label").len(), 1200, "{ended}");
    assert_ne!(ended.json()["verdict"]["level"], "VALID", "{ended}");
}
