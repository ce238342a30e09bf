//! What a server, a plan or a property says reaches no terminal as a control sequence.

use swell_plan::Node;

use crate::support::{Answer, Ended, Folder, Server, plan};

/// Clears the screen by ESC and by a control character of C1, writes from right to left.
const HOSTILE: &str = "at\u{1b}[2J\u{9b}2J\u{202e}end";

/// No control characters but line ends and tabs.
#[track_caller]
fn is_plain(ended: &Ended) {
    for (name, text) in [("standard output", &ended.out), ("standard error", &ended.err)] {
        let wrong = |c: char| c.is_control() && !matches!(c, '\n' | '\t') || c == '\u{202e}';
        assert!(!text.contains(wrong), "{name} has {:?}: {ended}", text.chars().find(|c| wrong(*c)));
    }
}

/// A sample of that name.
fn named(name: &str) -> Node {
    let mut sample = plan::nap(0);
    let attribute = sample.element.attributes.iter_mut().find(|(attribute, _)| attribute == "testname");
    name.clone_into(&mut attribute.expect("each element has a name").1);
    sample
}

#[test]
fn escape_sequences_of_a_response_are_shown_and_not_obeyed() {
    let server = Server::start(|_| {
        let head = format!("HTTP/1.1 500 {HOSTILE}\r\nContent-Length: 2\r\n\r\nno");
        Answer::Keep(head.into_bytes())
    });
    let url = format!("http://{}/", server.addr);
    for more in [&[][..], &["--json"]] {
        let ended = Folder::new().swell(&[&["hit", &url, "-n", "1"], more].concat());
        assert!(ended.out.contains("[2J"), "{ended}");
        is_plain(&ended);
    }
}

#[test]
fn escape_sequences_of_labels_and_log_lines_are_shown_and_not_obeyed() {
    let label =
        "${__P(x)}${__log(out ${__P(x)},OUT)}${__log(err ${__P(x)},ERR)}${__log(log ${__P(x)},ERROR)}";
    let folder = Folder::with_plan([plan::group(1, 1).with(named(label))]);
    let ended = folder.swell(&["run", "plan.jmx", "-j", "run.log", &format!("-Jx={HOSTILE}")]);
    let ended = ended.prints(&["out at␛[2J�2J�end"]).says(&["err at␛[2J", "the first: "]);
    is_plain(&ended);
    let log = folder.read("run.log");
    assert!(log.contains("log at␛[2J�2J�end") && !log.contains('\u{1b}'), "{log}");
}

#[test]
fn a_plan_cannot_control_the_terminal_of_who_checks_it() {
    let folder = Folder::with_plan([plan::group(1, 1).with(named("a\u{9b}2J\u{202e}b"))]);
    for more in [&[][..], &["--json"]] {
        is_plain(&folder.swell(&[&["check", "plan.jmx"], more].concat()).exits(0));
    }
}
