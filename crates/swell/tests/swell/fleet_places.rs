//! Agents on other machines: started over ssh, and with their own data files.

use std::collections::BTreeSet;

use swell_plan::{Element, Node};

use crate::fleet::{accounted, site};
use crate::support::{Answer, Broker, Folder, Running, Server, nats_server, plan};

/// A program `ssh` that runs the command here and notes how it was called, and a path on which it
/// and `swell` are.
fn ssh_of_this_machine(folder: &Folder) -> std::ffi::OsString {
    use std::os::unix::fs::PermissionsExt;
    let script = "#!/bin/sh\nhere=$(dirname \"$0\")\nprintf '%s ' \"$@\" >> \"$here/called\"\n\
                  for command in \"$@\"; do :; done\nexec sh -c \"$command\"\n";
    folder.write("ssh", script);
    std::fs::set_permissions(folder.at("ssh"), PermissionsExt::from_mode(0o700)).expect("a program");
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_swell"));
    let folders = [folder.path(), program.parent().expect("it is in a folder")].map(ToOwned::to_owned);
    let usual = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(folders.into_iter().chain(std::env::split_paths(&usual))).expect("a path")
}

#[test]
fn agents_that_jmeters_list_names_are_started_over_ssh_and_end_with_the_run() {
    if nats_server().is_none() {
        return;
    }
    let (server, folder) = site(2, 3, 0);
    let path = ssh_of_this_machine(&folder);
    let hosts = "-Jremote_hosts=ssh:me@one.example,ssh:two.example:2222";
    let line = ["-n", "-t", "plan.jmx", "-r", hosts, "-l", "out.jtl", "--listen", "127.0.0.1:0"];
    let ended = folder.call(&line).env("PATH", &path).run().exits(0);
    assert_eq!((server.requests().len(), accounted(&ended.err)), (12, 24), "{ended}");
    let called = folder.read("called");
    for words in ["BatchMode=yes me@one.example ", "BatchMode=yes -p2222 two.example "] {
        assert!(called.contains(words), "{called}");
    }
    assert!(!called.contains("nats://"), "the password is on no command line: {called}");
    assert!(!ended.err.contains("Agents join with"), "no other agent is waited for: {ended}");
    let jtl = folder.jtl("out.jtl");
    let agents: BTreeSet<_> =
        jtl.column("threadName").into_iter().filter_map(|name| name.split("-Users").next()).collect();
    assert_eq!(agents.into_iter().collect::<Vec<_>>(), ["one-example-1", "two-example-2"]);
    let other = ["-n", "-t", "plan.jmx", "-R", "ssh:one.example", "--listen", "127.0.0.1:0"];
    let missing = [&other[..], &["-Jswell.remote.program=/nowhere/swell", "--agents-timeout", "2s"]].concat();
    let ended = folder.call(&missing).env("PATH", &path).run().exits(104);
    ended.says(&["/nowhere/swell", "0 of 1 agents were ready after 2 s: one-example-1 has not joined"]);
}

#[test]
fn jmeters_server_has_properties_of_its_own_and_ends_after_a_test_if_it_is_told_to() {
    let Some(broker) = Broker::start() else { return };
    let server = Server::start(|_| Answer::ok("hello"));
    let folder = Folder::with_plan([plan::group(1, 1).with(plan::get(server.addr, "/${__P(who)}"))]);
    let url = broker.url();
    let own = ["-s", "-Jwho=me", "-Jserver.exitaftertest=true", "-Dserver.rmi.ssl.disable=true"];
    let agent = folder.call(&own).env("SWELL_NATS", &url).start();
    let line = ["-n", "-t", "plan.jmx", "-r", "-Jserver.rmi.ssl.disable=true", "-l", "out.jtl"];
    let ended = folder.call(&line).env("SWELL_NATS", &url).run().exits(0);
    let notice = "properties of RMI have no effect (server.rmi.ssl.disable): ";
    agent.wait().exits(0).says(&[notice]);
    ended.says(&[notice]);
    let requests = server.requests();
    assert_eq!((requests.len(), requests[0].path()), (1, "/me"));
}

/// An agent that is started in this folder.
fn agent_in(folder: &Folder, broker: &Broker, name: &str) -> Running {
    let line = ["agent", &broker.url(), "--once", "--name", name, "-w", "1", "--allow-files"];
    folder.call(&line).start()
}

#[test]
fn agents_read_files_of_their_own_where_that_is_wanted() {
    let Some(broker) = Broker::start() else { return };
    let server = Server::start(|_| Answer::ok("hello"));
    let data = Element::new("CSVDataSet", "TestBeanGUI", "rows")
        .with_text("filename", "rows.csv")
        .with_text("variableNames", "row");
    let get = plan::get(server.addr, "/${row}");
    let folder = Folder::with_plan([plan::group(1, 2).with(Node::new(data)).with(get)]);
    // The controller has no such file.
    let places = ["one", "two"].map(|name| {
        let place = Folder::new();
        place.write("rows.csv", format!("{name}-1\n{name}-2\n"));
        (name, place)
    });
    let agents = places.each_ref().map(|(name, place)| agent_in(place, &broker, name));
    let url = broker.url();
    let line = ["run", "plan.jmx", "--agents", "2", "--nats", &url, "--jmeter-multiply", "--local-files"];
    let ended = folder.swell(&line).exits(0);
    for agent in agents {
        agent.wait().exits(0);
    }
    let paths: BTreeSet<_> = server.requests().iter().map(|request| request.path().to_owned()).collect();
    assert_eq!(paths.into_iter().collect::<Vec<_>>(), ["/one-1", "/one-2", "/two-1", "/two-2"], "{ended}");
}
