//! What is known before the first request is said before it.

use swell_plan::{Element, Node};

use crate::support::{Answer, Call, Folder, Server, plan};

fn server() -> (Server, String) {
    let server = Server::start(|_| Answer::ok("ok"));
    let url = format!("http://{}/", server.addr);
    (server, url)
}

#[test]
fn more_users_than_descriptors_are_refused_before_the_first_request() {
    let (server, url) = server();
    let folder = Folder::new();
    let limited = |args: &[&str]| Call::in_shell(folder.path(), "ulimit -n 200", args, "").run();
    let said =
        ["error: 300 users need 400 descriptors, one a connection, and this process may have 200", "hint: "];
    limited(&["hit", &url, "-c", "300", "-d", "1s"]).refused(&said);
    limited(&["sweep", &url, "--vary", "users=10,300", "--each", "1s"]).refused(&said);
    limited(&["search", &url, "--users", "300..900", "--trial", "1s"]).refused(&said);
    assert_eq!(server.connections(), 0);
    // Fewer requests than users need no more connections than that.
    limited(&["hit", &url, "-c", "300", "-n", "20"]).exits(0);
    let paced = limited(&["hit", &url, "-c", "300", "-r", "40", "-d", "100ms"]).exits(0);
    paced.says(&["warning: 300 users need 400 descriptors"]);
    let folder = Folder::with_plan([plan::group(300, 1).with(plan::get(server.addr, "/"))]);
    let run = Call::in_shell(folder.path(), "ulimit -n 350", &["run", "plan.jmx"], "").run().exits(0);
    run.says(&[
        "warning: 300 users need 400 descriptors, one a connection, and this process may have 350",
        "hint: ",
    ]);
}

#[test]
fn loose_words_are_no_hosts() {
    let (server, url) = server();
    let folder = Folder::new();
    let hit = |args: &[&str]| folder.swell(&[&["hit", &url], args].concat());
    hit(&["-d", "10", "sec"]).refused(&["error: invalid URL `sec`", "hint: did you mean -d 10s?"]);
    hit(&["-d", "2", "min"]).refused(&["did you mean -d 2m?"]);
    hit(&["backend"]).refused(&["invalid URL `backend`", "hint: a host of that name is http://backend/"]);
    assert!(server.requests().is_empty());
}

/// A plan that reads the property `loops`.
fn reader(server: &Server) -> Folder {
    let group = plan::group_element("1", 1);
    let group = Node::new(group.with_text("ThreadGroup.ramp_time", "${__P(seconds,0)}"));
    Folder::with_plan([group.with(plan::get(server.addr, "/"))])
}

#[test]
fn a_property_that_nothing_reads_is_told_with_the_one_that_was_meant() {
    let (server, _) = server();
    let folder = reader(&server);
    let run = |args: &[&str]| folder.swell(&[&["run", "plan.jmx"], args].concat()).exits(0);
    let warned = "warning: nothing in the plan reads the property `second`: did you mean `seconds`?";
    run(&["-Jsecond=1"]).says(&[warned]);
    let quiet = run(&[
        "-Jseconds=0",
        "-Jswell.workers=1",
        "-Jjmeter.save.saveservice.url=true",
        "-Jhttpclient4.retrycount=0",
    ]);
    assert!(!quiet.err.contains("nothing in the plan reads"), "{quiet}");
    let found = folder.swell(&[
        "search",
        "plan.jmx",
        "--users",
        "1..2",
        "--trial",
        "1s",
        "-Jsecond=1",
        "--budget",
        "1s",
    ]);
    found.says(&[warned]);
}

#[test]
fn a_script_that_makes_names_may_read_any_property() {
    let (server, _) = server();
    let warned = |name: &str| {
        let script = Element::new("JSR223PreProcessor", "TestBeanGUI", "s")
            .with_text("scriptLanguage", "groovy")
            .with_text("script", &format!("vars.put('a', '' + props.get({name}))"));
        let get = plan::get(server.addr, "/").with(Node::new(script));
        let ended =
            Folder::with_plan([plan::group(1, 1).with(get)]).swell(&["run", "plan.jmx", "-Jsecond=1"]);
        ended.err.contains("nothing in the plan reads the property `second`")
    };
    assert!(!warned("vars.get('b')") && !warned("'sec' + 'ond'"));
    assert!(warned("'b' + 1"));
}

#[test]
fn hosts_without_an_address_are_told_and_the_plan_runs() {
    let (server, _) = server();
    let users = plan::group(1, 1).with(plan::get(server.addr, "/"));
    let folder = Folder::with_plan([users.with(plan::get_from("no-such-host.invalid", "80", "/", ""))]);
    let ended = folder.swell(&["run", "plan.jmx"]).exits(0);
    ended.says(&["HTTPSampler.domain: `no-such-host.invalid` has no address (", "requests to it will fail"]);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_url_without_an_address_ends_at_once_as_any_run_of_nothing() {
    let folder = Folder::new();
    let said = "nothing answered: name not found: no-such-host.invalid";
    // Longer than a test may take.
    let args = ["hit", "http://no-such-host.invalid/", "-d", "1h", "--give-up", "1h"];
    folder.swell(&args).exits(98).prints(&[said, "unusable"]);
    let (_server, url) = server();
    let both = folder.swell(&["hit", &url, "http://no-such-host.invalid/", "-n", "4"]).exits(0);
    both.says(&["warning: ", "`no-such-host.invalid` has no address"]);
}
