//! A test on several agents, each in a separate process. Needs nats-server, and says so if there is
//! none.

use std::collections::BTreeSet;

use crate::fleet_faults::wait_until;
use crate::support::{Answer, Folder, Running, Server, nats_server, plan};

/// A site that answers everything, and a plan with these users.
pub(crate) fn site(users: u32, loops: i32, pause_ms: u32) -> (Server, Folder) {
    let server = Server::start(|_| Answer::ok("hello"));
    let group = plan::group(users, loops).with(plan::get(server.addr, "/page")).with(plan::nap(pause_ms));
    let folder = Folder::with_plan([group]);
    (server, folder)
}

pub(crate) fn accounted(text: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix("accounted: ")).expect("there is an account");
    let mut numbers = line.split(' ').filter_map(|word| word.replace(',', "").parse::<u64>().ok());
    let counted = numbers.next().expect("a number");
    let told = numbers.next().expect("a number");
    assert_eq!(counted, told, "{line}");
    counted
}

#[test]
fn three_agents_make_a_plan_once_as_one_machine_does() {
    if nats_server().is_none() {
        return;
    }
    let (server, folder) = site(6, 5, 0);
    folder.swell(&["run", "plan.jmx", "-l", "one.jtl", "-w", "1"]).exits(0);
    let alone = server.requests().len();
    let ended = folder.swell(&["run", "plan.jmx", "-l", "three.jtl", "--agents", "3", "-w", "1"]);
    let ended = ended.exits(0).prints(&["summary =     60 in "]);
    assert_eq!((alone, server.requests().len()), (30, 60), "{ended}");
    assert_eq!(accounted(&ended.err), 60, "pages and naps");
    let facts = |name: &str| {
        let jtl = folder.jtl(name);
        let names = jtl.column("threadName").into_iter().zip(jtl.column("label"));
        let mut facts: Vec<_> = names.map(|(thread, label)| (thread.to_owned(), label.to_owned())).collect();
        facts.sort();
        facts
    };
    assert_eq!(facts("one.jtl"), facts("three.jtl"));
    let jtl = folder.jtl("three.jtl");
    let times: Vec<u64> =
        jtl.column("timeStamp").into_iter().map(|at| at.parse().expect("a number")).collect();
    assert!(times.len() == 60 && folder.has("three.summary.json"));
}

#[test]
fn the_summary_says_which_event_loops_the_agents_had() {
    if nats_server().is_none() {
        return;
    }
    let (_server, folder) = site(2, 2, 0);
    let run =
        |io: &str| folder.swell(&["run", "plan.jmx", "--agents", "2", "--io", io, "--json"]).exits(0).json();
    let loops = |summary: &serde_json::Value| summary["event_loops"].clone();
    assert_eq!(loops(&run("epoll")), serde_json::json!({ "io": "epoll", "refused": null }));
    // A kernel that gives no ring says why.
    let wanted = loops(&run("uring"));
    assert_eq!(wanted["io"] == "uring", wanted["refused"].is_null(), "{wanted}");
}

#[test]
fn with_jmeters_spelling_each_agent_runs_the_whole_plan() {
    if nats_server().is_none() {
        return;
    }
    let (server, folder) = site(2, 3, 0);
    let mut controller = folder
        .call(&[
            "-n",
            "-t",
            "plan.jmx",
            "-r",
            "-X",
            "-l",
            "out.jtl",
            "--agents",
            "2",
            "--listen",
            "127.0.0.1",
            "-Jonly=here",
        ])
        .start();
    let line = controller.wait_for_words("Agents join with: ");
    let join = line.split('\'').nth(1).expect("a line to join").to_owned();
    let agents = ["one", "two"].map(|name| folder.call(&["agent", &join, "--name", name, "-w", "1"]).start());
    let ended = controller
        .wait()
        .exits(0)
        .says(&["agents do not get the properties of -J", "each agent runs the whole plan"]);
    for agent in agents {
        agent.wait().exits(0);
    }
    assert_eq!((server.requests().len(), accounted(&ended.err)), (12, 24), "{ended}");
    let jtl = folder.jtl("out.jtl");
    let names = jtl.column("threadName");
    assert_eq!(names.iter().filter(|name| name.starts_with("one-Users 1-")).count(), 12, "{names:?}");
}

#[test]
fn a_load_shape_is_shared_out() {
    if nats_server().is_none() {
        return;
    }
    let (server, folder) = site(1, -1, 5);
    let line = ["run", "plan.jmx", "--shape", "hold(7, 2s)", "--agents", "2", "-w", "1", "-l", "out.jtl"];
    let ended = folder.swell(&line).exits(0);
    let jtl = folder.jtl("out.jtl");
    let users: BTreeSet<_> = jtl.column("threadName").into_iter().collect();
    assert_eq!(users.len(), 7, "{users:?}");
    assert_eq!(accounted(&ended.err), jtl.column("label").len() as u64);
    assert!(server.requests().len() > 7, "{ended}");
    let multiplied = folder.swell(&[&line[..], &["--jmeter-multiply"]].concat()).exits(104);
    assert!(multiplied.err.contains("--shape states the load of the whole test"), "{multiplied}");
}

/// The process of an agent that a run has started.
fn agent_of(run: &Running, name: &str) -> String {
    let children = std::fs::read_dir("/proc").expect("it is Linux").flatten();
    let is_it = |pid: &String| {
        let read = |file: &str| std::fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default();
        let parent = read("stat")
            .rsplit(')')
            .next()
            .and_then(|rest| rest.split_whitespace().nth(1).map(str::to_owned));
        parent.as_deref() == Some(&run.pid().to_string())
            && read("cmdline").contains(&format!("--name\0{name}\0"))
    };
    children.filter_map(|entry| entry.file_name().into_string().ok()).find(is_it).expect("the agent runs")
}

#[test]
fn the_load_of_an_agent_that_is_killed_goes_on_at_another() {
    if nats_server().is_none() {
        return;
    }
    let server = Server::start(|_| Answer::ok("hello"));
    let get = plan::get(server.addr, "/${__threadNum}");
    let folder = Folder::with_plan([plan::group(6, -1).with(get).with(plan::nap(20))]);
    let mut run = folder.call(&["run", "plan.jmx", "--agents", "3", "-w", "1"]).start();
    run.wait_for_words("3 slices on 3 agents");
    wait_until("200 requests came", || server.requests().len() >= 200);
    let killed = agent_of(&run, "agent-2");
    let status = std::process::Command::new("kill").args(["-KILL", &killed]).status();
    assert!(status.is_ok_and(|status| status.success()));
    run.wait_for_words("agent agent-2 is lost");
    run.wait_for_words(" continues on agent agent-");
    let before = server.requests().len();
    let users_since = || {
        let users: BTreeSet<_> =
            server.requests()[before..].iter().map(|request| request.path().to_owned()).collect();
        users.len()
    };
    wait_until("all users go on", || users_since() == 6);
    run.signal("INT");
    let ended = run.wait().exits(105);
    // Pages, and naps of which the last may be cut; what the lost agent did after its last word is
    // not counted.
    let pages = server.requests().len() as u64;
    assert!(ended.err.contains("; lost, and not counted after their last report: agent-2-"), "{ended}");
    assert!(accounted(&ended.err) <= 2 * pages, "{ended}");
}

#[test]
fn who_may_not_enter_is_told_in_one_line_and_who_is_missing_is_named() {
    if nats_server().is_none() {
        return;
    }
    let (_server, folder) = site(1, 1, 0);
    let mut controller = folder
        .call(&["controller", "plan.jmx", "--agents", "2", "--listen", "127.0.0.1", "--agents-timeout", "6s"])
        .start();
    let line = controller.wait_for_words("Agents join with: ");
    let join = line.split('\'').nth(1).expect("a line to join").to_owned();
    let (before, after) = join.split_once("agent:").expect("a name");
    let wrong = format!("{before}agent:x{after}");
    let refused = folder.swell(&["agent", &wrong, "--name", "one"]).exits(104);
    assert!(refused.err.contains("rejected the user name or password"), "{refused}");
    let ended = controller.wait().exits(104);
    assert!(ended.err.contains("error: 0 of 2 agents were ready after 6 s: 2 have not joined"), "{ended}");
    let is_told_once = !ended.out.contains("TOTAL") && !ended.err.contains("no sample was completed");
    assert!(is_told_once && !ended.out.contains("summary ="), "{ended}");
    let closed = crate::support::closed_port();
    let refused = folder.swell(&["agent", &format!("nats://127.0.0.1:{closed}")]).exits(104);
    assert!(refused.err.contains("cannot connect to the broker at 127.0.0.1:"), "{refused}");
}

#[test]
fn an_agent_starts_no_processes_unless_its_owner_lets_it() {
    if nats_server().is_none() {
        return;
    }
    let process = swell_plan::Element::new("SystemSampler", "SystemSamplerGui", "process")
        .with_text("SystemSampler.command", "true");
    let folder = Folder::with_plan([plan::group(1, 1).with(swell_plan::Node::new(process))]);
    let mut controller = folder.call(&["controller", "plan.jmx", "--listen", "127.0.0.1"]).start();
    let line = controller.wait_for_words("Agents join with: ");
    let join = line.split('\'').nth(1).expect("a line to join").to_owned();
    let refused = folder.swell(&["agent", &join, "--name", "one"]).exits(104);
    assert!(refused.err.contains("its owner does not allow plans to start processes"), "{refused}");
    let ended = controller.wait().exits(104);
    assert!(
        ended.err.contains("agent one cannot take part: its owner does not allow plans to start processes"),
        "{ended}"
    );
}

#[test]
fn texts_that_start_agents_elsewhere_are_printed() {
    let folder = Folder::new();
    for (place, text) in [
        ("k8s", "completions: 4"),
        ("k8s", concat!("image: swell:", env!("CARGO_PKG_VERSION"))),
        ("compose", "replicas: 4"),
        ("compose", concat!("image: swell:", env!("CARGO_PKG_VERSION"))),
        ("systemd", "ExecStart="),
        ("ssh", "ssh me@h"),
    ] {
        folder.swell(&["fleet", "manifest", place, "--agents", "4", "me@h"]).exits(0).prints(&[text]);
    }
}
