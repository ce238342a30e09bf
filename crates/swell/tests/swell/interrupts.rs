//! Ctrl-C and termination.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use parking_lot::Mutex;

use crate::support::{Answer, Call, Folder, LIMIT, Running, Server, plan};

const USERS: usize = 4;

/// A server that answers all requests but those for `/held`, which wait until the test lets them
/// go.
struct Held {
    server: Server,
    arrived: Receiver<()>,
    go: Sender<()>,
}

impl Held {
    fn start() -> Self {
        let (arrive, arrived) = channel();
        let (go, going) = channel();
        let going = Arc::new(Mutex::new(going));
        let server = Server::start(move |request| {
            if request.path() == "/held" {
                // The test may have ended and no longer wait for it.
                let _ = arrive.send(());
                if going.lock().recv().is_err() {
                    return Answer::Silence;
                }
            }
            Answer::ok("")
        });
        Self { server, arrived, go }
    }

    /// Users who take a quick sample and then one that is held, without end.
    fn folder(&self) -> Folder {
        let users = plan::group(USERS as u32, -1).with(plan::get(self.server.addr, "/quick"));
        Folder::with_plan([users.with(plan::get(self.server.addr, "/held"))])
    }

    fn wait_until_all_are_held(&self) {
        for _ in 0..USERS {
            self.arrived.recv_timeout(LIMIT).expect("every user comes to its second sample");
        }
    }

    fn let_all_go(&self) {
        for _ in 0..USERS {
            self.go.send(()).expect("the server runs");
        }
    }
}

/// A stop that lets running samples finish.
fn stops_gently(signal: &str, words: &str) {
    let held = Held::start();
    let folder = held.folder();
    let mut running = folder.call(&["run", "plan.jmx", "-l", "out.jtl", "-e", "-o", "report"]).start();
    held.wait_until_all_are_held();
    running.signal(signal);
    running.wait_for_words(&format!("{words}: no new samples are started"));
    held.let_all_go();
    let ended = running.wait().exits(105).prints(&["summary =      8 in", "TOTAL"]);
    assert!(!ended.err.contains("were aborted"), "{ended}");
    let jtl = folder.jtl("out.jtl");
    assert_eq!((jtl.len(), jtl.count("success", "true")), (2 * USERS, 2 * USERS), "{ended}");
    assert_eq!(held.server.requests().len(), 2 * USERS, "nothing was started after the stop");
    assert!(folder.has("report/index.html"));
}

#[test]
fn an_interrupt_lets_running_samples_finish_and_reports() {
    stops_gently("INT", "Interrupted");
}

#[test]
fn a_termination_lets_running_samples_finish_and_reports() {
    stops_gently("TERM", "Terminated");
}

/// Whether these tests run under `nohup`, whose children ignore SIGHUP, too.
fn hang_ups_are_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).expect("a mask of signals");
    let mask = u64::from_str_radix(ignored.trim(), 16).expect("it is a number");
    let are_ignored = mask & 1 == 1;
    if are_ignored {
        println!("skipped: SIGHUP is ignored here, as `nohup` has it");
    }
    are_ignored
}

#[test]
fn a_hang_up_lets_running_samples_finish_and_reports() {
    if !hang_ups_are_ignored() {
        stops_gently("HUP", "Hung up");
    }
}

/// One signal, and a server that never ends its answers.
fn ends_within_its_grace(signal: &str, grace: &str) {
    let held = Held::start();
    let folder = held.folder();
    let args = ["run", "plan.jmx", "-l", "out.jtl", "-e", "-o", "report", grace];
    let running = folder.call(&args).start();
    held.wait_until_all_are_held();
    running.signal(signal);
    let ended = running.wait().exits(105).prints(&["summary =      4 in", "/quick", "Measurement: "]);
    let ended = ended.says(&["Aborting running samples", "4 running samples were aborted"]);
    assert!(!ended.err.contains("left while samples were running"), "{ended}");
    assert_eq!(folder.jtl("out.jtl").len(), USERS, "{ended}");
    assert!(folder.has("report/index.html") && folder.has("out.summary.json"));
}

#[test]
fn one_termination_ends_a_run_whose_server_never_answers() {
    ends_within_its_grace("TERM", "--grace=100ms");
}

#[test]
fn one_hang_up_ends_a_run_whose_server_never_answers() {
    if !hang_ups_are_ignored() {
        ends_within_its_grace("HUP", "-Jswell.grace=100ms");
    }
}

#[test]
fn one_interrupt_with_a_grace_ends_a_run_whose_server_never_answers() {
    ends_within_its_grace("INT", "--grace=0s");
}

#[test]
fn a_grace_that_is_no_time_is_refused() {
    let folder = Held::start().folder();
    folder.call(&["run", "plan.jmx", "--grace", "soon"]).run().refused(&["`soon`", "`unlimited`"]);
    let hint = ["swell.grace", "`soon`", "`unlimited`"];
    folder.call(&["run", "plan.jmx", "-Jswell.grace=soon"]).run().refused(&hint);
}

#[test]
fn a_quit_signal_tells_how_the_run_goes_and_the_run_goes_on() {
    let held = Held::start();
    let folder = held.folder();
    let mut running = folder.call(&["run", "plan.jmx", "-l", "out.jtl"]).start();
    held.wait_until_all_are_held();
    running.signal("QUIT");
    running.wait_for_words("state of the run after");
    running.wait_for_words("main: running");
    running.wait_for_words("4 users run, 4 of 4 have started, 0 have ended");
    running.wait_for_words("samples: ");
    running.signal("TERM");
    running.wait_for_words("Terminated: no new samples are started");
    running.signal("QUIT");
    running.wait_for_words("after SIGTERM: running samples are aborted in");
    held.let_all_go();
    running.wait().exits(105).prints(&["summary =      8 in"]);
}

#[test]
fn a_hang_up_that_is_ignored_from_the_start_stays_ignored() {
    let held = Held::start();
    let folder = held.folder();
    // As `nohup` does.
    let mut running = Call::in_shell(folder.path(), "trap '' HUP", &["run", "plan.jmx"], "").start();
    held.wait_until_all_are_held();
    running.signal("HUP");
    running.signal("INT");
    running.wait_for_words("Interrupted: no new samples are started");
    held.let_all_go();
    let ended = running.wait().exits(105);
    assert!(!ended.err.contains("Hung up"), "{ended}");
}

/// A run that listens for commands, and the port.
fn with_commands(folder: &Folder) -> (Running, u16) {
    let port = std::net::UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.local_addr());
    let port = port.expect("a free port").port();
    let ports = ["port", "maxport"].map(|name| format!("-Jjmeterengine.nongui.{name}={port}"));
    (folder.call(&["run", "plan.jmx", "-l", "out.jtl", &ports[0], &ports[1]]).start(), port)
}

fn command(port: u16, word: &str) {
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").expect("a socket");
    socket.send_to(word.as_bytes(), ("127.0.0.1", port)).expect("it is sent");
}

#[test]
fn the_word_of_shutdown_sh_lets_running_samples_finish() {
    let held = Held::start();
    let folder = held.folder();
    let (mut running, port) = with_commands(&folder);
    held.wait_until_all_are_held();
    command(port, "Nonsense");
    running.wait_for_words("the command `Nonsense` is not known");
    command(port, "Shutdown");
    running.wait_for_words("Shutdown: no new samples are started");
    held.let_all_go();
    running.wait().exits(0).prints(&["summary =      8 in"]);
}

#[test]
fn the_word_of_stoptest_sh_cuts_running_samples() {
    let held = Held::start();
    let folder = held.folder();
    let (running, port) = with_commands(&folder);
    held.wait_until_all_are_held();
    command(port, "StopTestNow");
    running.wait().exits(0).prints(&["summary =      4 in"]).says(&["4 running samples were aborted"]);
}

#[test]
fn a_second_interrupt_cuts_running_samples_and_reports() {
    let held = Held::start();
    let folder = held.folder();
    let mut running = folder.call(&["run", "plan.jmx", "-l", "out.jtl"]).start();
    held.wait_until_all_are_held();
    running.signal("INT");
    running.wait_for_words("Interrupted: no new samples are started");
    running.signal("INT");
    let ended = running.wait().exits(105);
    let ended = ended.prints(&["summary =      4 in"]).says(&["4 running samples were aborted"]);
    let jtl = folder.jtl("out.jtl");
    assert_eq!((jtl.len(), jtl.count("label", "/quick")), (USERS, USERS), "{ended}");
}

#[test]
fn a_quick_test_is_interrupted_as_well() {
    let held = Held::start();
    let folder = Folder::new();
    let url = format!("http://{}/held", held.server.addr);
    let mut running = folder.call(&["hit", &url, "-c", "4", "-l", "out.jtl", "-d", "1h"]).start();
    held.wait_until_all_are_held();
    running.signal("INT");
    running.wait_for_words("Interrupted");
    held.let_all_go();
    running.wait().exits(105).prints(&["/held"]);
    assert_eq!(folder.jtl("out.jtl").len(), USERS);
}

#[test]
fn a_run_that_waits_for_its_next_user_stops_at_once() {
    let held = Held::start();
    let mut group = plan::group_element("2", 1);
    group.set_text("ThreadGroup.ramp_time", "7200");
    let folder = Folder::with_plan([swell_plan::Node::new(group).with(plan::get(held.server.addr, "/held"))]);
    let mut running = folder.call(&["run", "plan.jmx", "-l", "out.jtl"]).start();
    held.arrived.recv_timeout(LIMIT).expect("the first user starts at once");
    held.go.send(()).expect("the server runs");
    running.signal("INT");
    running.wait_for_words("Interrupted");
    running.wait().exits(105);
    assert_eq!(folder.jtl("out.jtl").len(), 1);
}

#[test]
fn ctrl_c_on_a_terminal_leaves_the_built_in_site_until_the_samples_are_done() {
    let users = plan::group(4, -1).with(plan::get_from("${__P(host)}", "${__P(port)}", "/delay/300ms", ""));
    let folder = Folder::with_plan([users]);
    let running = folder.call(&["run", "plan.jmx", "--with-target", "-l", "out.jtl"]).start();
    folder.wait_for("out.jtl", "/delay/300ms");
    running.signal_group("INT");
    let ended = running.wait().exits(105);
    let jtl = folder.jtl("out.jtl");
    assert_eq!(jtl.count("success", "true"), jtl.len(), "{ended}");
}

#[test]
fn a_process_that_is_killed_leaves_whole_rows() {
    let server = Server::start(|_| Answer::ok(""));
    let folder = Folder::with_plan([plan::group(4, -1).with(plan::get(server.addr, "/quick"))]);
    let running = folder.call(&["run", "plan.jmx", "-l", "out.jtl"]).start();
    folder.wait_for("out.jtl", "/quick");
    running.signal("KILL");
    assert_eq!(running.wait().code, None);
    assert!(folder.jtl("out.jtl").len() > 0);
}

#[test]
fn an_interrupt_ends_a_calibration_with_its_target() {
    let folder = Folder::new();
    let mut running = folder.call(&["calibrate", "-d", "600s", "-c", "10"]).start();
    running.wait_for_words("The floor");
    running.signal("INT");
    running.wait().exits(105).says(&["interrupted; what the trials before found is above"]);
}
