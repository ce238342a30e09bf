//! What a run asks of the kernel for the sake of its times, where it may.

use crate::support::{Answer, Folder, Server};

/// Whether `swell doctor` says that the kernel lets this process do that.
fn may(what: &str) -> bool {
    let facts = Folder::new().swell(&["doctor", "--json"]).exits(0).json();
    let may = facts["facts"][what].as_bool().expect("a fact of the doctor");
    if !may {
        println!("skipped: {what} is not for this process here");
    }
    may
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
