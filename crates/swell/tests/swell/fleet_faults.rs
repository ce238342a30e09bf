//! What runs on several agents bear: a broker that is away, a controller that is lost, machines
//! that come late.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use swell_plan::{Element, Node};

use crate::fleet::{accounted, site};
use crate::support::{Answer, Broker, Folder, LIMIT, Running, Server, closed_port, nats_server, plan};

/// An agent with one worker at that broker, for one run.
pub(crate) fn agent(folder: &Folder, broker: &Broker, name: &str) -> Running {
    agent_at(folder, &broker.url(), name)
}

fn agent_at(folder: &Folder, url: &str, name: &str) -> Running {
    let who = format!("-Jwho={name}");
    folder.call(&["agent", url, "--once", "--name", name, "-w", "1", &who]).start()
}

/// Waits until something is so, and fails after a time that is far longer than it takes.
pub(crate) fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + LIMIT;
    while !is_so() {
        assert!(Instant::now() < deadline, "it never came that {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Two agents at a broker of the test's own, and a plan of six users with this number of loops.
pub(crate) fn two_agents(loops: i32) -> Option<(Broker, Server, Folder, [Running; 2])> {
    let broker = Broker::start()?;
    let (server, folder) = site(6, loops, 20);
    let agents = ["one", "two"].map(|name| agent(&folder, &broker, name));
    Some((broker, server, folder, agents))
}

/// A site, and a plan whose users ask for their number and the name of the agent that they are at,
/// until they are stopped.
fn site_of_owners(users: u32) -> (Server, Folder) {
    let server = Server::start(|_| Answer::ok("hello"));
    let get = plan::get(server.addr, "/${__threadNum}/${__P(who)}");
    let folder = Folder::with_plan([plan::group(users, -1).with(get).with(plan::nap(20))]);
    (server, folder)
}

pub(crate) fn wait_for_requests(server: &Server, count: usize) {
    wait_until(&format!("{count} requests came"), || server.requests().len() >= count);
}

#[test]
fn a_broker_that_is_killed_and_comes_back_breaks_neither_load_nor_account() {
    let Some((mut broker, server, folder, agents)) = two_agents(250) else { return };
    let url = broker.url();
    let run = folder.call(&["run", "plan.jmx", "--agents", "2", "--nats", &url, "-l", "out.jtl"]).start();
    wait_for_requests(&server, 200);
    broker.kill();
    // Five sixths of the test are made without it.
    wait_for_requests(&server, 1000);
    broker.restart();
    let ended = run.wait().exits(0);
    for agent in agents {
        agent.wait().exits(0);
    }
    assert_eq!((server.requests().len(), accounted(&ended.err)), (1500, 3000), "{ended}");
    assert!(!ended.err.contains("continues on agent"), "no agent lost a slice: {ended}");
    assert_eq!(folder.jtl("out.jtl").column("label").len(), 3000);
}

#[test]
fn a_broker_that_is_away_costs_no_agent_where_a_loss_would_end_the_test() {
    let Some((mut broker, server, folder, agents)) = two_agents(400) else { return };
    let url = broker.url();
    let line = ["run", "plan.jmx", "--agents", "2", "--nats", &url, "--threshold", "errors<50%"];
    let run = folder.call(&line).start();
    wait_for_requests(&server, 200);
    broker.kill();
    // Five seconds and more, at 300 requests a second at most: an agent that is silent for four is
    // lost.
    wait_for_requests(&server, 1900);
    broker.restart();
    let ended = run.wait().exits(0);
    for agent in agents {
        agent.wait().exits(0);
    }
    assert_eq!((server.requests().len(), accounted(&ended.err)), (2400, 4800), "{ended}");
    assert!(!ended.err.contains(" is lost"), "{ended}");
}

/// A broker that lets in who has these credentials, and the credentials.
const SECURED: [(&str, &str); 2] = [
    (include_str!("broker/nkey.conf"), include_str!("broker/user.nk")),
    (include_str!("broker/jwt.conf"), include_str!("broker/user.creds")),
];

#[test]
fn a_broker_of_ones_own_is_entered_with_an_nkey_or_a_jwt() {
    for (settings, credentials) in SECURED {
        let Some(broker) = Broker::with_settings("1GB", settings) else { return };
        let (server, folder) = site(2, 2, 0);
        folder.write("user.creds", credentials);
        let url = broker.url();
        let refused = folder.swell(&["agent", &url, "--name", "one"]).exits(104);
        assert!(refused.err.contains("rejected the user name or password"), "{refused}");
        let line = ["agent", &url, "--once", "--name", "one", "-w", "1", "--creds", "user.creds"];
        let agent = folder.call(&line).start();
        let line = ["run", "plan.jmx", "--agents", "1", "--nats", &url, "--creds", "user.creds"];
        let ended = folder.swell(&line).exits(0);
        agent.wait().exits(0);
        assert_eq!((server.requests().len(), accounted(&ended.err)), (4, 8), "{ended}");
    }
}

#[test]
fn credentials_that_are_none_are_told_in_one_line() {
    let folder = Folder::new();
    folder.write("empty.creds", "nothing");
    let of = |url: &str, file: &str| folder.swell(&["agent", url, "--creds", file]).exits(104).err;
    let none = of("nats://127.0.0.1:1", "empty.creds");
    assert!(none.contains("error: `empty.creds` holds no broker credentials: "), "{none}");
    let none = of("nats://127.0.0.1:1", "missing.creds");
    assert!(none.contains("error: cannot read the credentials `missing.creds`: "), "{none}");
    let both = of("nats://me:secret@127.0.0.1:1", "empty.creds");
    assert!(both.contains("error: the address of the broker has a name, and --creds has another"), "{both}");
}

#[test]
fn a_broker_that_is_not_there_is_told_before_anything_begins() {
    let (_server, folder) = site(1, 1, 0);
    let url = format!("nats://127.0.0.1:{}", closed_port());
    let line = ["run", "plan.jmx", "--agents", "2", "--nats", &url, "-l", "out.jtl", "--run-dir", "kept"];
    let ended = folder.swell(&line).exits(104);
    assert!(ended.err.contains("error: cannot connect to the broker at 127.0.0.1:"), "{ended}");
    assert!(!ended.out.contains("TOTAL"), "no table of nothing: {ended}");
    assert!(!folder.has("out.jtl"), "{ended}");
}

#[test]
fn an_agent_whose_controller_is_gone_leaves_after_a_while() {
    let Some(broker) = Broker::start() else { return };
    let (_server, folder) = site(1, 1, 0);
    let url = broker.url();
    let line = ["agent", &url, "--once", "--name", "one", "--controller-timeout", "2s"];
    let agent = folder.call(&line).start();
    let mut run = folder.call(&["run", "plan.jmx", "--agents", "2", "--nats", &url]).start();
    run.wait_for_words("agent one on ");
    run.signal("KILL");
    run.wait();
    let ended = agent.wait().exits(104);
    assert!(
        ended.err.contains("error: agent one: no answer from the controller of the run for 2 s"),
        "{ended}"
    );
}

/// Who made the requests of each user, in their order and each once in a row.
fn owners(server: &Server) -> BTreeMap<String, Vec<String>> {
    let mut owners = BTreeMap::<_, Vec<String>>::new();
    for request in server.requests() {
        let (user, who) = request
            .path()
            .rsplit_once('/')
            .map(|(user, who)| (user.to_owned(), who.to_owned()))
            .expect("a path");
        let of_user = owners.entry(user).or_default();
        if of_user.last() != Some(&who) {
            of_user.push(who);
        }
    }
    owners
}

#[test]
fn an_agent_that_comes_late_takes_slices_over_and_no_user_goes_back() {
    let Some(broker) = Broker::start() else { return };
    let (server, folder) = site_of_owners(12);
    let mut agents = vec![agent(&folder, &broker, "one"), agent(&folder, &broker, "two")];
    let url = broker.url();
    let line = ["run", "plan.jmx", "--agents", "2", "--slices", "6", "--nats", &url];
    let mut run = folder.call(&line).start();
    run.wait_for_words("6 slices on 2 agents");
    wait_for_requests(&server, 100);
    agents.push(agent(&folder, &broker, "three"));
    for _ in 0..2 {
        run.wait_for_words(" continues on agent three");
    }
    let by_three = || owners(&server).into_values().filter(|owners| owners.iter().any(|who| who == "three"));
    wait_until("four users went on at agent three", || by_three().count() == 4);
    run.signal("INT");
    let ended = run.wait().exits(105);
    for agent in agents {
        agent.wait().exits(0);
    }
    let owners = owners(&server);
    let moved = owners.values().filter(|owners| owners.last().is_some_and(|who| who == "three")).count();
    assert_eq!((owners.len(), moved), (12, 4), "{owners:?}");
    let went_back = |owners: &&Vec<String>| owners.len() > 2 || owners.first() == Some(&"three".to_owned());
    assert_eq!(owners.values().find(went_back), None, "{ended}");
    assert!(accounted(&ended.err) <= 2 * server.requests().len() as u64, "{ended}");
}

#[test]
fn rows_of_a_file_that_an_agent_has_used_are_not_used_again_where_its_users_go_on() {
    let Some(broker) = Broker::start() else { return };
    let server = Server::start(|_| Answer::ok("hello"));
    let get = plan::get(server.addr, "/${row}/${__P(who)}");
    let data = Element::new("CSVDataSet", "TestBeanGUI", "rows")
        .with_text("filename", "rows.csv")
        .with_text("variableNames", "row");
    let data = Node::new(data);
    let folder = Folder::with_plan([plan::group(6, -1).with(data).with(get).with(plan::nap(20))]);
    let lines: Vec<_> = (0..100_000).map(|row: u32| row.to_string()).collect();
    folder.write("rows.csv", lines.join("\n"));
    let one = agent(&folder, &broker, "one");
    let two = agent(&folder, &broker, "two");
    let url = broker.url();
    let mut run = folder.call(&["run", "plan.jmx", "--agents", "2", "--nats", &url]).start();
    run.wait_for_words("2 slices on 2 agents");
    wait_for_requests(&server, 200);
    // It gives its slice up, and says how far it was.
    two.signal("INT");
    run.wait_for_words(" continues on agent one");
    let before = server.requests().len();
    wait_for_requests(&server, before + 400);
    run.signal("INT");
    let ended = run.wait().exits(105);
    one.wait().exits(0);
    two.wait().exits(105);
    let mut used = BTreeMap::<_, u32>::new();
    for request in server.requests() {
        let (row, _) = request.path().rsplit_once('/').expect("a path");
        *used.entry(row.to_owned()).or_default() += 1;
    }
    let twice: Vec<_> = used.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "{twice:?}: {ended}");
}

#[test]
fn an_agent_behind_a_half_open_network_stops_before_others_go_on() {
    let Some(broker) = Broker::start() else { return };
    let (server, folder) = site_of_owners(6);
    let url = broker.url();
    let proxy = broker.proxy();
    let one = agent(&folder, &broker, "one");
    let mut two = agent_at(&folder, &proxy.url(), "two");
    let mut run = folder.call(&["run", "plan.jmx", "--agents", "2", "--nats", &url]).start();
    run.wait_for_words("2 slices on 2 agents");
    wait_for_requests(&server, 100);
    proxy.block();
    run.wait_for_words("agent two is lost");
    two.wait_for_words("no answer from the broker for 11.5 s");
    run.wait_for_words(" continues on agent one");
    let all_at_one =
        || owners(&server).into_values().all(|owners| owners.last().is_some_and(|who| who == "one"));
    wait_until("all users went on at agent one", all_at_one);
    run.signal("INT");
    let ended = run.wait().exits(105);
    one.wait().exits(0);
    drop(two);
    let owners = owners(&server);
    assert_eq!(owners.values().find(|owners| owners.len() > 2), None, "no two made a user at once: {ended}");
    assert!(accounted(&ended.err) <= 2 * server.requests().len() as u64, "{ended}");
}

#[test]
fn a_broker_whose_disk_is_full_is_named() {
    let Some(broker) = Broker::with_store("4KB") else { return };
    let (_server, folder) = site(1, 1, 0);
    let url = broker.url();
    let ended = folder.swell(&["run", "plan.jmx", "--agents", "1", "--nats", &url]).exits(104);
    assert!(ended.err.contains("error: the broker did not accept `"), "{ended}");
    assert!(
        ended
            .err
            .contains("hint: the broker's disk is full or JetStream's limit (max_file_store) is reached"),
        "{ended}"
    );
}

#[test]
fn the_line_of_the_controller_encrypts_and_pins_the_certificate() {
    if nats_server().is_none() {
        return;
    }
    let (server, folder) = site(1, 2, 0);
    let line = ["controller", "plan.jmx", "--listen", "0.0.0.0:0", "--advertise", "127.0.0.1"];
    let mut controller = folder.call(&line).start();
    let told = controller.wait_for_words("Agents join with: ");
    let join = told.split('\'').nth(1).expect("a line to join").to_owned();
    let (before, fingerprint) = join.split_once("#cert=sha256:").expect("a fingerprint");
    assert!(before.starts_with("nats+tls://agent:"), "{join}");
    let other = format!("{before}#cert=sha256:{}", fingerprint.chars().rev().collect::<String>());
    let refused = folder.swell(&["agent", &other, "--name", "one"]).exits(104);
    assert!(refused.err.contains("cannot connect to the broker at 127.0.0.1:"), "{refused}");
    assert!(
        refused.err.contains(
            "certificate differs from the one in the broker address\n  hint: use the whole command line"
        ),
        "{refused}"
    );
    folder.swell(&["agent", &join, "--name", "one", "-w", "1"]).exits(0);
    let ended = controller.wait().exits(0);
    assert_eq!((server.requests().len(), accounted(&ended.err)), (2, 4), "{ended}");
}

#[test]
fn an_agent_that_waits_for_a_run_leaves_when_it_is_asked() {
    if nats_server().is_none() {
        return;
    }
    let folder = Folder::new();
    let broker = Broker::start().expect("there is a program");
    let mut agent = folder.call(&["agent", &broker.url(), "--name", "one"]).start();
    agent.wait_for_words("agent one joins at");
    agent.signal("INT");
    agent.wait().exits(105);
}

#[test]
fn a_set_up_that_does_not_end_ends_the_test_with_what_was_measured() {
    if nats_server().is_none() {
        return;
    }
    let server = Server::start(|_| Answer::ok("hello"));
    let set_up = Element::new("SetupThreadGroup", "SetupThreadGroupGui", "Set-up");
    let set_up = Element { properties: plan::group_element("1", -1).properties, ..set_up };
    let set_up = Node::new(set_up).with(plan::get(server.addr, "/set-up")).with(plan::nap(20));
    let folder = Folder::with_plan([set_up, plan::group(2, 1).with(plan::get(server.addr, "/main"))]);
    let line = ["run", "plan.jmx", "--agents", "2", "-w", "1", "-l", "out.jtl", "--phase-timeout", "2s"];
    let ended = folder.swell(&line).exits(112);
    // Either may have the slice of its only user.
    let told = ["1", "2"].map(|who| {
        format!("error: the set-up phase has not finished on agent agent-{who} after 2 s: the test ends (--phase-timeout)")
    });
    assert!(told.iter().any(|told| ended.err.contains(told)), "{ended}");
    let paths: Vec<_> = server.requests().iter().map(|request| request.path().to_owned()).collect();
    assert!(paths.iter().all(|path| path == "/set-up") && paths.len() > 10, "{paths:?}");
    assert_eq!(folder.jtl("out.jtl").column("label").len() as u64, accounted(&ended.err));
}
