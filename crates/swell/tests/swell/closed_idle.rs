//! Servers that close kept connections: what `swell hit` and a run of a plan say and count.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{Answer, Folder, Server, plan};

/// The second request gets no answer, and its connection is closed.
fn server() -> Server {
    let count = AtomicUsize::new(0);
    Server::start(move |_| {
        if count.fetch_add(1, Ordering::SeqCst) == 1 { Answer::Close(Vec::new()) } else { Answer::ok("ok") }
    })
}

#[test]
fn hit_repeats_on_a_new_connection_and_says_so() {
    let server = server();
    let url = format!("http://{}/", server.addr);
    let ended = Folder::new().swell(&["hit", &url, "-c", "1", "-n", "3", "--json"]).exits(0);
    assert_eq!((&ended.json()["total"]["samples"], &ended.json()["total"]["errors"]), (&3.into(), &0.into()));
    assert_eq!((server.requests().len(), server.connections()), (4, 2));
    ended.says(&["1 request was repeated on a new connection", "each time includes both attempts"]);
}

#[test]
fn hit_does_not_repeat_a_post_and_says_why() {
    let server = server();
    let url = format!("http://{}/", server.addr);
    let ended = Folder::new().swell(&["hit", &url, "-c", "1", "-n", "3", "-b", "x", "--json"]).exits(0);
    assert_eq!((&ended.json()["total"]["samples"], &ended.json()["total"]["errors"]), (&3.into(), &1.into()));
    assert_eq!(server.requests().len(), 3);
    ended.says(&["1 request failed because the server had closed a kept connection", "--no-keepalive"]);
}

#[test]
fn a_plan_fails_as_in_jmeter_and_names_the_property_that_prevents_it() {
    let folder = Folder::new();
    let plan_of = |server: &Server| plan::jmx([plan::group(1, 3).with(plan::get(server.addr, "/"))]);
    let first = server();
    folder.write("plan.jmx", plan_of(&first));
    let ended = folder.swell(&["run", "plan.jmx"]).exits(0);
    assert_eq!(first.requests().len(), 3);
    ended.says(&[
        "1 request failed because the server had closed a kept connection",
        "-Jhttpclient4.validate_after_inactivity=1",
        "-Jhttpclient4.retrycount=1",
    ]);
    let second = server();
    folder.write("plan.jmx", plan_of(&second));
    let ended = folder.swell(&["run", "plan.jmx", "-Jhttpclient4.retrycount=1"]).exits(0);
    assert_eq!(second.requests().len(), 4);
    assert!(!ended.err.contains("closed a kept connection"), "{ended}");
}
