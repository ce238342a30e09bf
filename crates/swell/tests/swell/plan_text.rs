//! Plans as text: `show`, `set`, `diff`, `lint`, `fmt`, and `--set` of the commands that run a
//! plan.

use std::os::unix::fs::PermissionsExt as _;

use crate::support::{Answer, Folder, Server, nats_server, plan};

const FIRST: &str = include_str!("../../../../examples/first.jmx");

/// A server, and a plan with two users that ask it for a page each.
fn site() -> (Server, Folder) {
    let server = Server::start(|_| Answer::ok("hello"));
    let folder = Folder::with_plan([plan::group(2, 1).with(plan::get(server.addr, "/page"))]);
    (server, folder)
}

#[test]
fn a_plan_is_shown_as_text_as_data_and_as_a_page() {
    let folder = Folder::new();
    folder.write("plan.jmx", FIRST);
    let shown = folder.swell(&["show", "plan.jmx"]).exits(0).prints(&["Thread Group", "HTTP Request"]);
    assert!(shown.out.lines().all(|line| line.chars().count() <= 100), "{shown}");
    folder.swell(&["show", "plan.jmx", "--stable"]).exits(0).prints(&["Test Plan: ", " = "]);
    let page = folder.swell(&["show", "plan.jmx", "--html"]).exits(0).prints(&["<!DOCTYPE html>"]).out;
    assert!(!page.contains("<script") && !page.contains("http://"), "it loads nothing");
    folder.write("broken.jmx", "<a>");
    folder.swell(&["show", "broken.jmx"]).refused(&["broken.jmx:1: error", "is not a plan"]);
    folder.swell(&["show", "broken.jmx", "--stable"]).exits(0).prints(&["<a>"]);
    folder.swell(&["show", "missing.jmx"]).refused(&["cannot read the plan `missing.jmx`"]);
}

#[test]
fn set_changes_only_what_it_says_and_keeps_permissions() {
    let (_server, folder) = site();
    let before = folder.read("plan.jmx");
    let mode = std::fs::Permissions::from_mode(0o640);
    std::fs::set_permissions(folder.at("plan.jmx"), mode).expect("ours");
    std::os::unix::fs::symlink("plan.jmx", folder.at("link.jmx")).expect("a new link");
    let path = "Thread Group/num_threads=3";
    folder.swell(&["set", "plan.jmx", path]).exits(0).says(&["num_threads: 2 -> 3", "nothing is written"]);
    assert_eq!(folder.read("plan.jmx"), before);
    folder.swell(&["set", "link.jmx", path, "-i"]).exits(0).says(&["num_threads: 2 -> 3"]);
    let after = folder.read("plan.jmx");
    let differ: Vec<_> = before.lines().zip(after.lines()).filter(|(old, new)| old != new).collect();
    assert_eq!(differ.len(), 1, "{differ:?}");
    assert!(differ[0].1.contains("ThreadGroup.num_threads\">3</"), "{differ:?}");
    let mode = std::fs::metadata(folder.at("plan.jmx")).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert!(folder.at("link.jmx").is_symlink());
    folder.swell(&["set", "plan.jmx", path, "-o", "new.jmx"]).exits(0);
    assert_eq!(folder.read("new.jmx"), after);
    folder.swell(&["set", "plan.jmx", path, "-o", "new.jmx"]).refused(&["`new.jmx` exists", "-f"]);
    let piped = folder.swell(&["set", "plan.jmx", "Thread Group/num_threads=2", "-o", "-"]).exits(0);
    assert_eq!(piped.out, before);
}

#[test]
fn set_refuses_paths_that_match_nothing_or_too_much() {
    let (_server, folder) = site();
    folder.swell(&["set", "plan.jmx", "Users/x=1"]).refused(&["matches nothing", "hint: "]);
    folder.swell(&["set", "plan.jmx", "Thread Group/num_thread=1"]).refused(&["did you mean `num_threads`"]);
    folder.swell(&["set", "plan.jmx", "Thread Group/num_threads=x"]).refused(&["`x` is not a value"]);
    folder.swell(&["set", "plan.jmx", "num_threads"]).refused(&["no = is in"]);
    folder.swell(&["run", "plan.jmx", "--set", "Users/x=1"]).refused(&["matches nothing"]);
    folder.swell(&["set", "plan.jmx", "list"]).exits(0).prints(&["/ThreadGroup.num_threads=2\n"]);
}

#[test]
fn a_secret_header_is_masked_when_it_is_listed_and_set() {
    let header = |name: &str, value: &str| {
        let header = swell_plan::Element::new("Header", "", "").with_text("Header.name", name);
        header.with_text("Header.value", value)
    };
    let headers = [header("Authorization", "hunter22"), header("Accept", "text/html")];
    let manager = swell_plan::Element::new("HeaderManager", "HeaderPanel", "Headers");
    let manager = manager.with_elements("HeaderManager.headers", headers);
    let folder = Folder::with_plan([plan::group(1, 1).with(swell_plan::Node::new(manager))]);
    let listed = folder.swell(&["set", "plan.jmx", "list"]).exits(0);
    let listed = listed.prints(&["headers[Authorization].value=***\n", "headers[Accept].value=text/html\n"]);
    let set = folder.swell(&["set", "plan.jmx", "Headers/headers[Authorization]=correct horse", "-i"]);
    let set = set.exits(0).says(&["headers[Authorization].value: *** -> ***"]);
    assert!(!format!("{listed}{set}").contains("hunter22") && !set.err.contains("horse"), "{set}");
    assert!(folder.read("plan.jmx").contains(">correct horse<"));
}

#[test]
fn a_run_with_a_changed_plan_keeps_the_plan_that_ran() {
    let (server, folder) = site();
    let before = folder.read("plan.jmx");
    let args = ["run", "plan.jmx", "--set", "num_threads=5", "--set", "/**/path=/other", "--run-dir", "kept"];
    folder.swell(&args).exits(0).says(&["num_threads: 2 -> 5"]);
    let requests = server.requests();
    assert_eq!(requests.len(), 5);
    assert!(requests.iter().all(|request| request.path() == "/other"), "{requests:?}");
    assert_eq!(folder.read("plan.jmx"), before, "the file stays");
    let kept = folder.read("kept/plan.jmx");
    assert!(kept.contains("num_threads\">5<") && kept.contains("/other"), "{kept}");
    folder.swell(&["run", "plan.jmx", "--set", "list"]).exits(0).prints(&["num_threads=2\n"]);
    folder.swell(&["check", "plan.jmx", "--set", "num_threads=0x"]).refused(&["`0x` is not a value"]);
    let disabled = folder.swell(&["check", "plan.jmx", "--set", "/**/HTTP Request/enabled=false"]).exits(0);
    assert!(!disabled.out.contains("HTTPSamplerProxy"), "{disabled}");
}

#[test]
fn agents_run_the_changed_plan() {
    if nats_server().is_none() {
        return;
    }
    let (server, folder) = site();
    let args = ["run", "plan.jmx", "--agents", "2", "--set", "num_threads=6", "--set", "/**/path=/agents"];
    folder.swell(&args).exits(0);
    let requests = server.requests();
    assert_eq!(requests.len(), 6);
    assert!(requests.iter().all(|request| request.path() == "/agents"), "{requests:?}");
}

#[test]
fn a_search_uses_the_changed_plan() {
    let (_server, folder) = site();
    let args = ["search", "plan.jmx", "--users", "1..2", "--set", "Users/x=1"];
    folder.swell(&args).refused(&["matches nothing"]);
    let args = ["search", "http://127.0.0.1:1/", "--users", "1..2", "--set", "Users/x=1"];
    folder.swell(&args).refused(&["is a URL"]);
    folder
        .swell(&["search", "plan.jmx", "--users", "1..2", "--set", "list"])
        .exits(0)
        .prints(&["num_threads=2"]);
}

#[test]
fn diff_names_what_changed_and_its_status_says_so() {
    let (_server, folder) = site();
    folder.swell(&["set", "plan.jmx", "num_threads=9", "-o", "new.jmx"]).exits(0);
    let same = folder.swell(&["diff", "plan.jmx", "plan.jmx"]).exits(0);
    assert_eq!(same.out, "");
    folder.swell(&["diff", "plan.jmx", "new.jmx"]).exits(1).prints(&["~ ThreadGroup.num_threads: 2 -> 9\n"]);
    folder.write("broken.jmx", "{}");
    folder.swell(&["diff", "plan.jmx", "broken.jmx"]).refused(&["this is JSON"]);
}

#[test]
fn lint_has_a_place_a_reason_and_a_remedy_and_fixes_what_is_safe() {
    let folder = Folder::new();
    let data = folder.at("users.csv").display().to_string();
    folder.write("users.csv", "user\nada\n");
    let csv = swell_plan::Element::new("CSVDataSet", "TestBeanGUI", "Users").with_text("filename", &data);
    let csv = swell_plan::Node::new(csv.with_text("variableNames", ""));
    let get = plan::get(([127, 0, 0, 1], 9).into(), "/page?u=${usr}&v=${user}");
    folder.write("plan.jmx", plan::jmx([plan::group(1, 1).with(csv).with(get)]));
    let found = folder.swell(&["lint", "plan.jmx"]).exits(1);
    let found =
        found.prints(&["warning: [", "`${usr}` is read", "(variable-misspelt)", "  why: ", "  hint: "]);
    let found = found.prints(&["(absolute-path)", "1 plan: 2 warnings, 0 notes; --fix can fix 2"]);
    assert!(found.out.starts_with("plan.jmx:"), "{found}");
    let before = folder.read("plan.jmx");
    folder
        .swell(&["lint", "plan.jmx", "--fix"])
        .exits(0)
        .says(&["fixed: write `${user}` instead of `${usr}`"]);
    assert_eq!(folder.read("plan.jmx"), before.replace("${usr}", "${user}").replace(&data, "users.csv"));
    folder.swell(&["lint", "plan.jmx", "--strict"]).exits(0);
    folder.write("broken.jmx", "<a>");
    folder.swell(&["lint", "."]).exits(104).says(&["broken.jmx:1: error"]).prints(&["1 plan: 0 warnings"]);
    folder.swell(&["lint", "--rules"]).exits(0).prints(&["variable-never-set"]);
    folder.swell(&["lint", "plan.jmx", "--skip", "no-rule"]).refused(&["variable-never-set"]);
}

#[test]
fn fmt_gives_jmeters_layout_once() {
    let folder = Folder::new();
    let compact: String = FIRST.lines().map(str::trim_start).collect();
    folder.write("plan.jmx", &compact);
    let check = folder.swell(&["fmt", "plan.jmx", "--check"]).exits(1);
    assert_eq!((check.out.as_str(), folder.read("plan.jmx")), ("plan.jmx\n", compact));
    folder.swell(&["fmt", "plan.jmx"]).exits(0).says(&["formatted plan.jmx"]);
    folder.swell(&["fmt", "plan.jmx", "--check"]).exits(0);
    folder.write("first.jmx", FIRST);
    folder.swell(&["diff", "first.jmx", "plan.jmx"]).exits(0);
    folder.write("broken.jmx", "<a>");
    folder.swell(&["fmt", "broken.jmx"]).refused(&["broken.jmx:1: error", "cannot be changed"]);
}

#[test]
fn a_plan_of_100_000_elements_is_set_compared_and_checked() {
    let folder = Folder::new();
    let timers = (0..100_000).map(|number| {
        let timer = swell_plan::Element::new("ConstantTimer", "ConstantTimerGui", &format!("t{number}"));
        swell_plan::Node::new(timer.with_text("ConstantTimer.delay", "1"))
    });
    let group = timers.fold(plan::group(1, 1), swell_plan::Node::with);
    folder.write("plan.jmx", plan::jmx([group]));
    folder
        .swell(&["set", "plan.jmx", "/**/ConstantTimer/delay=2", "-o", "new.jmx"])
        .exits(0)
        .says(&["and 99990 more"]);
    let diff = folder.swell(&["diff", "plan.jmx", "new.jmx"]).exits(1);
    assert_eq!(diff.out.matches("~ ConstantTimer.delay: 1 -> 2").count(), 100_000);
    folder.swell(&["lint", "plan.jmx", "--skip", "no-sampler-in-scope"]).exits(0);
}
