//! Real processes: shells that stand for servers.

use super::*;
use rustix::process::test_kill_process_group;

fn plan(command: &str, ready: &str) -> ServerPlan {
    ServerPlan::new(Template::new(command), ready.parse().expect("a sign"))
}

fn settings(all: &[(&str, &str)]) -> Vec<(String, String)> {
    all.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn is_there(group: Pid) -> bool {
    test_kill_process_group(group).is_ok()
}

#[test]
fn a_line_of_its_output_tells_the_port_and_its_settings_are_filled_in() {
    let plan = plan("echo starting {threads}; echo ready 4711 now; exec sleep 1000", r"line:ready (\d+)");
    let mut server = plan.start(&settings(&[("threads", "25")]), || true).expect("it starts");
    assert_eq!((server.setting("port"), server.setting("threads")), (Some("4711"), Some("25")));
    assert_eq!(server.last_lines(), ["starting 25", "ready 4711 now"]);
    assert!(server.death().is_none());
    let group = server.group;
    assert_eq!(server.stop().signal(), Some(15));
    assert!(!is_there(group));
}

#[test]
fn all_processes_of_a_server_end_with_it() {
    let mut plan =
        plan("trap '' TERM; (trap '' TERM; sleep 1000) & echo ready; wait; sleep 1000", "line:ready");
    plan.stop_within = Duration::from_millis(50);
    let mut server = plan.start(&[], || true).expect("it starts");
    let group = server.group;
    assert_eq!(server.stop().signal(), Some(9), "it does not end by itself");
    // The children are the system's now, and it waits for them in its own time.
    while is_there(group) {
        std::thread::yield_now();
    }
}

#[test]
fn a_server_ends_with_the_guard_of_this_process() {
    let server = plan("echo ready; sleep 1000", "line:ready").start(&[], || true).expect("it starts");
    // As if this process were gone: the guard's input ends.
    let mut server = server;
    let mut guard = server.guard.take().expect("it has one");
    drop(guard.child_input());
    while !server.has_ended() {
        std::thread::yield_now();
    }
    assert_eq!(server.death().map(|death| death.status.signal()), Some(Some(9)));
}

#[test]
fn an_early_end_shows_what_was_printed_last() {
    let plan = plan("seq 1 30; echo no memory >&2; exit 3", "line:ready");
    let error = plan.start(&[], || true).expect_err("it ends").to_string();
    assert!(error.starts_with("before it was ready, the server exited with status 3: seq"), "{error}");
    assert!(error.ends_with("| 30\n  | no memory") && !error.contains("| 11\n"), "{error}");
}

#[test]
fn one_that_is_never_ready_is_told_by_what_was_waited_for() {
    let mut plan = plan("echo hello; exec sleep 1000", r"line:ready (\d+)");
    plan.ready_within = Duration::from_millis(100);
    let error = plan.start(&[], || true).expect_err("it never is").to_string();
    assert!(error.contains("not ready within 0.1 s") && error.contains(r"matches `ready (\d+)`"), "{error}");
    assert!(error.ends_with("| hello"), "{error}");
    plan.ready_within = Duration::from_secs(1000);
    assert!(matches!(plan.start(&[], || false), Err(ServerError::GivenUp)));
}

#[test]
fn a_port_is_chosen_where_the_command_asks_for_one() {
    let server =
        plan("echo port {port}; exec sleep 1000", "line:port").start(&[], || true).expect("it starts");
    let port = server.setting("port").expect("chosen");
    assert!(port.parse::<u16>().expect("a port") > 0);
    assert_eq!(server.last_lines(), [format!("port {port}")]);
    let error = plan("run {threads}", "line:x").start(&[], || true).expect_err("unknown");
    assert!(error.to_string().contains("unknown setting `threads`"), "{error}");
}

#[test]
fn a_port_or_url_of_another_process_is_seen() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = listener.local_addr().expect("bound").port().to_string();
    let given = settings(&[("port", &port)]);
    plan("exec sleep 1000", "tcp:127.0.0.1:{port}").start(&given, || true).expect("it is taken");
    // The connection of the port's own look is dropped: it ends at once.
    let answers = std::thread::spawn(move || {
        use std::io::{Read, Write};
        for answer in ["HTTP/1.1 503 No\r\n\r\n", "HTTP/1.1 404 No\r\n\r\n"] {
            loop {
                let (mut stream, _) = listener.accept().expect("a connection");
                let mut asked = [0; 1024];
                if stream.read(&mut asked).unwrap_or(0) > 0 {
                    stream.write_all(answer.as_bytes()).expect("sent");
                    break;
                }
            }
        }
    });
    plan("exec sleep 1000", "http://127.0.0.1:{port}/up").start(&given, || true).expect("404 is an answer");
    answers.join().expect("both were asked for");
    let error = plan("exit 1", &format!("tcp:127.0.0.1:{port}")).start(&[], || true);
    assert!(matches!(error, Err(ServerError::Died(_))), "{error:?}");
}

#[test]
fn a_hook_that_fails_says_what_it_printed() {
    let given = settings(&[("n", "5")]);
    run_hook(&Template::new("test {n} = 5"), &given).expect("it holds");
    let error = run_hook(&Template::new("echo out; echo no {n} >&2; exit 2"), &given).expect_err("it fails");
    let text = error.to_string();
    assert!(
        text.starts_with("the hook exited with status 2: ") && text.ends_with("| out\n  | no 5"),
        "{text}"
    );
}
