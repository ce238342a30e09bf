//! What a run asks of the kernel for the sake of its times, where it may.

use std::sync::mpsc::channel;

use crate::support::{Answer, Folder, LIMIT, Server, plan};

/// Whether `swell doctor` says that the kernel lets this process do that.
fn may(what: &str) -> bool {
    let facts = Folder::new().swell(&["doctor", "--json"]).json();
    let may = facts["facts"][what].as_bool().expect("a fact of the doctor");
    if !may {
        println!("skipped: {what} is not for this process here");
    }
    may
}

/// Whether processors are kept from sleeping by a test with these options, while it waits for an answer.
fn keeps_awake(options: &[&str]) -> bool {
    let (arrive, arrived) = channel();
    let server = Server::start(move |_| {
        // The test may have ended.
        // Nobody may wait for it any more.
        let _ = arrive.send(());
        Answer::Silence
    });
    let folder = Folder::with_plan([plan::group(1, 1).with(plan::get(server.addr, "/"))]);
    let mut running = folder.call(&[&["run", "plan.jmx"], options].concat()).start();
    arrived.recv_timeout(LIMIT).expect("a request");
    let keeps = running.open_files().iter().any(|file| file == "/dev/cpu_dma_latency");
    running.signal("INT");
    running.wait_for_words("Interrupted");
    running.signal("INT");
    running.wait().exits(105);
    keeps
}

#[test]
fn processors_stay_awake_during_a_test_unless_they_may_sleep() {
    if may("stays_awake") {
        assert!(keeps_awake(&[]));
        assert!(!keeps_awake(&["-Jswell.stay_awake=false"]));
    }
}

/// The end of such a response is the end of its connection, of which a read has no stamp.
#[test]
fn responses_without_a_length_end_at_the_kernel_too() {
    if !may("notes_arrivals") {
        return;
    }
    let server = Server::start(|_| Answer::Close(b"HTTP/1.1 200 OK\r\n\r\nuntil the end".to_vec()));
    let url = format!("http://{}/", server.addr);
    let ended = Folder::new().swell(&["hit", &url, "-n", "150", "-c", "2", "--json"]).exits(0).json();
    assert_eq!((&ended["total"]["samples"], &ended["total"]["errors"]), (&150.into(), &0.into()));
    assert_eq!(ended["verdict"]["clock"], "kernel");
}
