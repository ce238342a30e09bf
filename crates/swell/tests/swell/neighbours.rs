//! Servers on the same machine: one whose queue of connections is full, and the processors that are
//! shared.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, OnceLock};

use serde_json::Value;
use socket2::{Domain, Socket, Type};

use crate::support::{Answer, Folder, LIMIT, Server};

/// Segments that the listener at this address dropped so far, because a queue was full; none where
/// the kernel does not say.
fn dropped(at: SocketAddr) -> Option<u32> {
    swell_monitor::listeners().into_iter().find(|listener| listener.local == at)?.dropped
}

fn gate<'a>(ended: &'a Value, criterion: &str) -> &'a Value {
    let gates = ended["verdict"]["gates"].as_array().expect("gates");
    gates.iter().find(|gate| gate["criterion"] == criterion).unwrap_or_else(|| panic!("{criterion}: {ended}"))
}

#[test]
fn connections_that_wait_for_a_full_accept_queue_are_not_lost_by_the_network() {
    let at = Arc::new(OnceLock::new());
    let place = at.clone();
    let until_full = move || {
        let deadline = std::time::Instant::now() + LIMIT;
        while place.get().is_none_or(|at| dropped(*at).is_some_and(|now| now < 10))
            && std::time::Instant::now() < deadline
        {
            std::thread::yield_now();
        }
    };
    let server = Server::crowded(2, until_full, |_| Answer::ok("hello"));
    at.set(server.addr).expect("set once");
    if dropped(server.addr).is_none() {
        println!("skipped: this kernel does not tell what listeners drop");
        return;
    }
    let url = format!("http://{}/", server.addr);
    let ended = Folder::new().swell(&["hit", &url, "-c", "20", "-n", "40", "--json"]).exits(0).json();
    let queue = gate(&ended, "AcceptQueue");
    assert_eq!(queue["level"], "DEGRADED", "{queue}");
    let reason = queue["reason"].as_str().expect("there is one");
    assert!(reason.starts_with("the server's accept queue was full"), "{reason}");
    assert_eq!(ended["total"]["errors"], 0, "{ended}");
}

/// Asks for connections that are never accepted: the queue has one place, and the kernel drops
/// requests for another.
fn flood(at: SocketAddr) -> Vec<Socket> {
    let ask = |_| {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
        socket.set_nonblocking(true).expect("a socket");
        // It is in progress, and stays so.
        let _ = socket.connect(&at.into());
        socket
    };
    (0..30).map(ask).collect()
}

#[test]
fn a_neighbour_whose_queue_is_full_accuses_nobody() {
    let neighbour = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    neighbour.bind(&any.into()).and_then(|()| neighbour.listen(0)).expect("a port is free");
    let full = neighbour.local_addr().ok().and_then(|at| at.as_socket()).expect("bound");
    // From within a request, so that it is sure to happen during the run.
    let flooded = OnceLock::new();
    let server = Server::start(move |_| {
        flooded.get_or_init(|| flood(full));
        Answer::ok("hello")
    });
    let url = format!("http://{}/", server.addr);
    let ended = Folder::new().swell(&["hit", &url, "-c", "5", "-n", "50", "--json"]).exits(0).json();
    for criterion in ["AcceptQueue", "Retransmits"] {
        assert_eq!(gate(&ended, criterion)["value"], 0.0, "{ended}");
    }
    let hint = &ended["verdict"]["machine_tcp"]["dropped_by_listeners"];
    assert!(hint.as_u64().is_some_and(|dropped| dropped >= 20), "{hint}");
}

#[test]
fn who_shares_the_machine_is_named_where_the_verdict_suffers() {
    let server = Server::start(|_| Answer::ok("hello"));
    let url = format!("http://{}/", server.addr);
    // One user cannot reach this rate, wherever the server is.
    let args = ["hit", &url, "-c", "1", "-r", "1000000", "-d", "300ms", "--json"];
    let ended = Folder::new().swell(&args).exits(0).json();
    let verdict = &ended["verdict"];
    assert_eq!(verdict["level"], "INVALID", "{verdict}");
    let advice = verdict["advice"][0].as_str().expect("there is one");
    // Other tests run at the same time, and may take more than the server of this one does.
    let by_server = format!("the server under test, {}, runs on this machine", server.addr);
    let is_named = !verdict["neighbour"].is_null() && advice.starts_with(&by_server);
    assert!(is_named || advice.starts_with("other programs took "), "{verdict}");
    assert!(verdict["processors"]["server"].as_f64().is_some_and(|took| took > 0.0), "{verdict}");
}

/// Programs that do nothing, as fast as they can, until this is dropped.
struct Loops(Vec<Child>);

impl Loops {
    fn start(count: usize) -> Self {
        let start =
            |_| Command::new("sh").args(["-c", "while :; do :; done"]).spawn().expect("there is a shell");
        Self((0..count).map(start).collect())
    }
}

impl Drop for Loops {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // One that has ended needs no end.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[test]
fn programs_that_take_the_processors_are_named_and_the_server_is_not() {
    // A separate process: the loops are children of this one, and would count as its server's.
    let mut server = Command::new(env!("CARGO_BIN_EXE_swell"))
        .args(["target", "--port", "0", "--until-stdin-ends"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut line = String::new();
    let output = server.stdout.take().expect("piped");
    BufReader::new(output).read_line(&mut line).expect("it says where it listens");
    let url = line.trim().rsplit(' ').next().expect("an address").to_owned();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let loops = Loops::start(4 * processors);
    let args = ["hit", &url, "-c", "1", "-r", "1000000", "-d", "1s"];
    let ended = Folder::new().swell(&[&args[..], &["--json"]].concat()).exits(0).json();
    let verdict = &ended["verdict"];
    let said = verdict["advice"][0].as_str().expect("there is one");
    assert!(said.starts_with("other programs took ") && said.contains("sh ×"), "{verdict}");
    assert_eq!(verdict["neighbour"], Value::Null, "{verdict}");
    let ended = Folder::new().swell(&args).exits(0).prints(&["INVALID", "other programs took ", "stop them"]);
    assert!(!ended.out.contains("the server under test"), "{ended}");
    drop((loops, server.stdin.take()));
    server.wait().expect("it ends with its input");
}

#[test]
fn the_first_example_leaves_room_for_the_site_beside_it() {
    let plan = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/first.jmx");
    let args = ["run", plan, "--with-target", "-Jusers=4", "-Jseconds=1", "-l", "out.jtl"];
    let folder = Folder::new();
    folder.swell(&[&args[..], &["-Jjmeter.save.saveservice.time_line=true"]].concat()).exits(0);
    let jtl = folder.jtl("out.jtl");
    // A pause of 50 to 100 ms stands before each sample of a user, for a second. Without it there
    // are thousands.
    assert!((1..=84).contains(&jtl.len()), "{}", jtl.len());
    // Users that pause equally long ask all at once, and one delay of the machine makes each of
    // them late.
    let ms = |name: &str| -> Vec<i64> {
        jtl.column(name).iter().map(|ns| ns.parse::<i64>().expect("a number") / 1_000_000).collect()
    };
    let threads = jtl.column("threadName");
    let wanted = ms("intendedNs");
    let ends = ms("endNs");
    let mut pauses: Vec<i64> = Vec::new();
    for at in 0..threads.len() {
        let before = (0..at).rev().find(|before| threads[*before] == threads[at]);
        pauses.extend(before.map(|before| wanted[at] - ends[before]));
    }
    assert!(pauses.iter().all(|pause| (49..=101).contains(pause)), "{pauses:?}");
    pauses.sort_unstable();
    pauses.dedup();
    assert!(pauses.len() > 4, "{pauses:?}");
}
