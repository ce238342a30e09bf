//! Servers on the same machine: one whose queue of connections is full, and the processors that are shared.

use crate::support::{Answer, Folder, LIMIT, Server};

/// Segments that listeners dropped so far, because a queue was full; none where the kernel does not say.
fn dropped() -> Option<u64> {
    let counts = std::fs::read_to_string("/proc/self/net/netstat").ok()?;
    let mut lines = counts.lines().filter_map(|line| line.strip_prefix("TcpExt:"));
    let (names, numbers) = (lines.next()?, lines.next()?);
    let place = names.split_whitespace().position(|name| name == "ListenDrops")?;
    numbers.split_whitespace().nth(place)?.parse().ok()
}

#[test]
fn connections_that_wait_for_a_full_accept_queue_are_not_lost_by_the_network() {
    let Some(before) = dropped() else {
        println!("skipped: this kernel does not count what listeners drop");
        return;
    };
    let until_full = move || {
        let deadline = std::time::Instant::now() + LIMIT;
        while dropped().is_some_and(|now| now < before + 10) && std::time::Instant::now() < deadline {
            std::thread::yield_now();
        }
    };
    let server = Server::crowded(2, until_full, |_| Answer::ok("hello"));
    let url = format!("http://{}/", server.addr);
    let args = ["hit", &url, "-c", "20", "-n", "40"];
    let ended = Folder::new().swell(&[&args[..], &["--json"]].concat()).exits(0).json();
    let gates = ended["verdict"]["gates"].as_array().expect("gates");
    let queue =
        gates.iter().find(|gate| gate["criterion"] == "AcceptQueue").expect("the server is found here");
    assert_eq!(queue["level"], "DEGRADED", "{queue}");
    let reason = queue["reason"].as_str().expect("there is one");
    assert!(reason.starts_with("the accept queue of the server was full"), "{reason}");
    assert_eq!(ended["total"]["errors"], 0, "{ended}");
}

#[test]
fn a_server_on_the_same_machine_is_named_where_the_verdict_suffers() {
    let server = Server::start(|_| Answer::ok("hello"));
    let url = format!("http://{}/", server.addr);
    // One user cannot reach this rate, wherever the server is.
    let args = ["hit", &url, "-c", "1", "-r", "1000000", "-d", "300ms"];
    let ended = Folder::new().swell(&args).exits(0);
    let sentence = format!("the server under test, {}, runs on this machine", server.addr);
    ended.prints(&["INVALID", &sentence, "or lower the load"]);
}

#[test]
fn the_first_example_leaves_room_for_the_site_beside_it() {
    let plan = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/first.jmx");
    let args = ["run", plan, "--with-target", "-Jusers=4", "-Jseconds=1", "-l", "out.jtl"];
    let folder = Folder::new();
    folder.swell(&[&args[..], &["-Jjmeter.save.saveservice.time_line=true"]].concat()).exits(0);
    let jtl = folder.jtl("out.jtl");
    // A pause of 50 to 100 ms stands before each sample of a user, for a second. Without it there are thousands.
    assert!((1..=84).contains(&jtl.len()), "{}", jtl.len());
    // Users that pause equally long ask all at once, and one delay of the machine makes each of them late.
    let ms = |name: &str| -> Vec<i64> {
        jtl.column(name).iter().map(|ns| ns.parse::<i64>().expect("a number") / 1_000_000).collect()
    };
    let (threads, wanted, ends) = (jtl.column("threadName"), ms("intendedNs"), ms("endNs"));
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
