//! What a run asks of the kernel for the sake of its times, where it may.

use std::sync::mpsc::channel;

use swell_plan::Node;

use crate::support::{Answer, Folder, LIMIT, Running, Server, plan};

/// Whether `swell doctor` says that the kernel lets this process do that.
fn may(what: &str) -> bool {
    let facts = Folder::new().swell(&["doctor", "--json"]).json();
    let may = facts["facts"][what].as_bool().expect("a fact of the doctor");
    if !may {
        println!("skipped: {what} is not for this process here");
    }
    may
}

/// What is seen of a test of that plan, with a server that never answers, after its first request.
fn during_a_test<T>(group: Node, options: &[&str], see: impl Fn(&Running) -> T) -> T {
    let (arrive, arrived) = channel();
    let server = Server::start(move |_| {
        // The test may have ended and no longer wait for it.
        let _ = arrive.send(());
        Answer::Silence
    });
    let folder = Folder::with_plan([group.with(plan::get(server.addr, "/"))]);
    let mut running = folder.call(&[&["run", "plan.jmx"], options].concat()).start();
    arrived.recv_timeout(LIMIT).expect("a request");
    let seen = see(&running);
    running.signal("INT");
    running.wait_for_words("Interrupted");
    running.signal("INT");
    running.wait().exits(105);
    seen
}

/// Whether processors are kept from sleeping by a test with these options.
fn keeps_awake(options: &[&str]) -> bool {
    let is_kept = |running: &Running| running.open_files().iter().any(|file| file == "/dev/cpu_dma_latency");
    during_a_test(plan::group(1, 1), options, is_kept)
}

/// Whether memory of a test that plans that number of users may come in huge pages; only the first
/// few of them have started.
fn has_huge_pages(users: &str) -> bool {
    let group = plan::group_element(users, 1).with_text("ThreadGroup.ramp_time", "100000");
    let enabled = |running: &Running| running.status_line("THP_enabled").expect("it was there before");
    during_a_test(Node::new(group), &[], enabled) == "1"
}

#[test]
fn huge_pages_are_for_tests_of_many_users() {
    let own = std::fs::read_to_string("/proc/self/status").expect("Linux");
    if !own.lines().any(|line| line.starts_with("THP_enabled:") && line.ends_with('1')) {
        println!("skipped: there are no huge pages here, or the kernel does not tell");
        return;
    }
    assert!(!has_huge_pages("1999"));
    assert!(has_huge_pages("2000"));
}

#[test]
fn processors_are_kept_out_of_deep_idle_during_a_test_unless_they_may_sleep() {
    if may("stays_awake") {
        assert!(keeps_awake(&[]));
        assert!(!keeps_awake(&["-Jswell.disable_deep_idle=false"]));
        assert!(!keeps_awake(&["-Jswell.stay_awake=false"]), "its name in earlier versions");
        assert!(keeps_awake(&["-Jswell.disable_deep_idle=true", "-Jswell.stay_awake=false"]));
    }
}

/// The end of such a response is the end of its connection, of which a read has no stamp.
#[test]
fn responses_without_a_length_end_at_the_kernel_too() {
    if !may("uses_kernel_program") {
        return;
    }
    let server = Server::start(|_| Answer::Close(b"HTTP/1.1 200 OK\r\n\r\nuntil the end".to_vec()));
    let url = format!("http://{}/", server.addr);
    let ended = Folder::new().swell(&["hit", &url, "-n", "150", "-c", "2", "--json"]).exits(0).json();
    assert_eq!((&ended["total"]["samples"], &ended["total"]["errors"]), (&150.into(), &0.into()));
    assert_eq!(ended["verdict"]["clock"], "kernel");
}
