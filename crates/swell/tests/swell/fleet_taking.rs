//! Controllers that lead a run on whose controller was lost.

use std::collections::BTreeSet;

use crate::fleet::accounted;
use crate::fleet_faults::{two_agents, wait_for_requests};
use crate::support::{Folder, Running};

/// The run that a controller says it leads.
fn run_of(controller: &mut Running) -> String {
    let told = controller.wait_for_words("The run is ");
    told.trim_end().rsplit(' ').next().expect("a name").to_owned()
}

#[test]
fn a_controller_that_is_killed_is_replaced_with_equal_totals() {
    let Some((broker, server, folder, agents)) = two_agents(250) else { return };
    let url = broker.url();
    let line = ["controller", "plan.jmx", "--nats", &url];
    let mut first = folder.call(&[&line[..], &["--agents", "2", "-l", "lost.jtl"]].concat()).start();
    let run = run_of(&mut first);
    wait_for_requests(&server, 200);
    first.signal("KILL");
    first.wait();
    wait_for_requests(&server, 600);
    let ended = folder.swell(&[&line[..], &["--take", &run, "-l", "out.jtl"]].concat()).exits(0);
    for agent in agents {
        agent.wait().exits(0);
    }
    assert_eq!((server.requests().len(), accounted(&ended.err)), (1500, 3000), "{ended}");
    let ended = ended.prints(&["summary =   3000 in "]);
    assert!(!ended.err.contains("which was not assigned to it"), "{ended}");
    assert_eq!(folder.jtl("out.jtl").column("label").len(), 3000);
}

#[test]
fn a_controller_whose_run_another_takes_leaves_it_alone() {
    let Some((broker, server, folder, agents)) = two_agents(250) else { return };
    let url = broker.url();
    let line = ["controller", "plan.jmx", "--nats", &url];
    let mut first = folder.call(&[&line[..], &["--agents", "2"]].concat()).start();
    let run = run_of(&mut first);
    wait_for_requests(&server, 200);
    let second = folder.call(&[&line[..], &["--take", &run]].concat()).start();
    first.wait().exits(112).says(&["error: another controller has taken over the run (--take)"]);
    let ended = second.wait().exits(0);
    for agent in agents {
        agent.wait().exits(0);
    }
    assert_eq!((server.requests().len(), accounted(&ended.err)), (1500, 3000), "{ended}");
}

/// How long the intervals of a kept run are, but for the first and the last, which are not whole.
fn lengths_of_intervals(folder: &Folder, kept: &str) -> BTreeSet<String> {
    folder.swell(&["report", kept, "--hlog", "times.hlog"]).exits(0);
    let log = folder.read("times.hlog");
    let lines = log.lines().filter_map(|line| line.strip_prefix("Tag=/page,"));
    let lengths: Vec<_> = lines.filter_map(|line| line.split(',').nth(1)).collect();
    let whole = lengths.get(1..lengths.len().saturating_sub(1)).unwrap_or_default();
    whole.iter().map(|length| (*length).to_owned()).collect()
}

#[test]
fn a_run_that_is_taken_goes_on_with_what_its_agents_were_told() {
    let Some((broker, server, folder, agents)) = two_agents(800) else { return };
    let url = broker.url();
    let line = ["controller", "plan.jmx", "--nats", &url];
    let mut first = folder.call(&[&line[..], &["--agents", "2", "--agents-interval", "2s"]].concat()).start();
    let run = run_of(&mut first);
    wait_for_requests(&server, 100);
    first.signal("KILL");
    first.wait();
    let line = [&line[..], &["--take", &run]].concat();
    let refused = |words: &[&str], why: &str, hint: &str| {
        let ended = folder.swell(words).exits(104);
        assert!(ended.err.contains(why), "{ended}");
        assert!(ended.err.contains(hint), "{ended}");
    };
    refused(
        &[&line[..], &["--agents-interval", "5s"]].concat(),
        "report every 2 s, not every 5 s",
        "hint: omit --agents-interval",
    );
    let with_rows = [&line[..], &["-l", "out.jtl"]].concat();
    refused(
        &with_rows,
        " keep no rows for a results file, because the run started without one",
        "hint: omit -l",
    );
    assert!(!folder.has("out.jtl"));
    folder.write("other.jmx", folder.read("plan.jmx").replace("/page", "/other"));
    let other = ["controller", "other.jmx", "--nats", &url, "--take", &run];
    refused(
        &other,
        "the plan `other.jmx` differs from the plan that run ",
        "hint: give the original plan file",
    );
    let none = ["controller", "plan.jmx", "--nats", &url, "--take", "none"];
    refused(&none, "run `none` not found on the broker at ", "hint: the controller of a run prints its name");
    let ended = folder.swell(&[&line[..], &["--run-dir", "kept"]].concat()).exits(0);
    for agent in agents {
        agent.wait().exits(0);
    }
    assert_eq!((server.requests().len(), accounted(&ended.err)), (4800, 9600), "{ended}");
    assert_eq!(lengths_of_intervals(&folder, "kept"), ["2.000".to_owned()].into());
}
