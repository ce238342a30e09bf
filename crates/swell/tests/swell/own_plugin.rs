//! A plug-in jar that is named nowhere in Swell: what its classes are is read from the jar.

use swell_plan::{Element, Node};

use crate::support::{Ended, Folder, plan, plugin_jar, site};

fn odd(class: &str, name: &str) -> Element {
    Element::new(&format!("org.nowhere.odd.{class}"), "org.nowhere.odd.Gui", name)
}

fn knock(name: &str, text: &str) -> Node {
    Node::new(odd("Knock", name).with_text("Knock.text", text))
}

/// A group whose elements of the plug-in are called one by one.
fn group() -> Node {
    plan::group(1, 1)
        .with(Node::new(odd("Pause", "pause")))
        .with(Node::new(odd("Ledger", "ledger").with_text("Ledger.file", "ledger.txt")))
}

/// The value of a column in the rows of `out.jtl`.
fn column(folder: &Folder, name: &str) -> Vec<String> {
    let text = folder.read("out.jtl");
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let at = lines.next().expect("a header").iter().position(|column| *column == name).expect("the column");
    lines.map(|line| line[at].to_owned()).collect()
}

fn swell(folder: &Folder, args: &[&str]) -> Ended {
    folder.swell(&[args, &["-Jsearch_paths=odd.jar"]].concat())
}

/// What `swell check` says of each class: how it is run and why.
fn checked(folder: &Folder) -> Vec<(String, String, String)> {
    let ended = swell(folder, &["check", "plan.jmx", "--json"]).exits(0);
    let json = ended.json();
    let elements = json["elements"].as_array().expect("elements").iter();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    elements.map(|of| (text(&of["class"]), text(&of["support"]), text(&of["why"]))).collect()
}

fn of<'a>(checked: &'a [(String, String, String)], class: &str) -> (&'a str, &'a str) {
    let found = checked
        .iter()
        .find(|(of, _, _)| of.ends_with(class))
        .unwrap_or_else(|| panic!("{class}: {checked:?}"));
    (&found.1, &found.2)
}

#[test]
fn its_elements_and_functions_run_in_a_native_plan() {
    let site = site();
    let group =
        group().with(plan::get(site.addr(), "/bytes/10")).with(knock("${__oddShout(knock)}", "${paused}"));
    let folder = Folder::with_plan([group]);
    if plugin_jar(folder.path()).is_none() {
        return;
    }
    let checked = checked(&folder);
    for class in ["Pause", "Ledger", "Knock"] {
        let (support, why) = of(&checked, class);
        assert!(support == "jvm" && why.contains("odd.jar"), "{class}: {support} {why}");
    }
    assert_eq!(of(&checked, "HTTPSamplerProxy").0, "native");
    swell(&folder, &["run", "plan.jmx", "-l", "out.jtl"]).exits(0);
    assert_eq!(column(&folder, "label"), ["/bytes/10", "KNOCK!"]);
    assert_eq!(column(&folder, "responseMessage"), ["OK", "yes"]);
    assert_eq!(folder.read("ledger.txt"), "/bytes/10\nKNOCK!\n");
}

#[test]
fn its_controller_has_the_thread_group_run_whole_on_jmeters_engine() {
    let site = site();
    let twice = Node::new(odd("Twice", "twice"))
        .with(plan::get(site.addr(), "/bytes/10"))
        .with(knock("knock", "${paused}"));
    let other = plan::group(1, 1).with(plan::get(site.addr(), "/bytes/20"));
    let folder = Folder::with_plan([group().with(twice), other]);
    if plugin_jar(folder.path()).is_none() {
        return;
    }
    let checked = checked(&folder);
    let (support, why) = of(&checked, "Twice");
    assert!(support == "jvm" && why.contains("it is a controller, from odd.jar"), "{why}");
    let http: Vec<_> = checked.iter().filter(|(class, _, _)| class == "HTTPSamplerProxy").collect();
    assert!(
        http[0].1 == "jvm" && http[0].2.contains("because of `twice` (org.nowhere.odd.Twice)"),
        "{http:?}"
    );
    assert_eq!(http[1].1, "native", "the other group");
    swell(&folder, &["run", "plan.jmx", "-l", "out.jtl"]).exits(0);
    let mut labels = column(&folder, "label");
    labels.sort();
    assert_eq!(labels, ["/bytes/10", "/bytes/10", "/bytes/20", "knock", "knock"]);
    assert_eq!(folder.read("ledger.txt"), "/bytes/10\n/bytes/10\nknock\nknock\n");
}

#[test]
fn what_has_two_roles_has_both() {
    let around = Node::new(odd("Around", "around"));
    let folder = Folder::with_plan([plan::group(1, 2).with(knock("k", "${around}")).with(around)]);
    if plugin_jar(folder.path()).is_none() {
        return;
    }
    let support = checked(&folder);
    let why = "it is a pre-processor and post-processor, from odd.jar";
    assert!(of(&support, "Around").1.contains(why), "{support:?}");
    swell(&folder, &["run", "plan.jmx", "-l", "out.jtl"]).exits(0);
    assert_eq!(column(&folder, "responseMessage"), ["x", "xxx"]);
}

#[test]
fn a_class_that_no_jar_has_is_named_also_where_jmeters_engine_would_run_it() {
    let twice = Node::new(odd("Twice", "twice")).with(Node::new(odd("AbsentSampler", "absent")));
    let listener = Node::new(odd("AbsentListener", "nobody"));
    let folder = Folder::with_plan([plan::group(1, 1).with(twice).with(listener)]);
    if plugin_jar(folder.path()).is_none() {
        return;
    }
    let ended = swell(&folder, &["run", "plan.jmx"]);
    ended.refused(&["org.nowhere.odd.AbsentSampler", "no jar on JMeter's class path has its class"]);
    let twice = Node::new(odd("Twice", "twice")).with(knock("k", "m"));
    folder.write(
        "plan.jmx",
        plan::jmx([plan::group(1, 1).with(twice).with(Node::new(odd("AbsentListener", "nobody")))]),
    );
    swell(&folder, &["run", "plan.jmx", "-l", "out.jtl"]).exits(0);
    assert_eq!(column(&folder, "label"), ["k", "k"]);
}

#[test]
fn a_config_element_that_nothing_reads_hears_of_the_start_and_the_end_of_the_test() {
    let door = Node::new(odd("Door", "door"));
    let folder = Folder::with_plan([plan::group(1, 1).with(plan::nap(0)).with(door)]);
    if plugin_jar(folder.path()).is_none() {
        return;
    }
    assert_eq!(of(&checked(&folder), "Door").0, "jvm");
    swell(&folder, &["run", "plan.jmx"]).exits(0);
    assert_eq!(folder.read("door.txt"), "opened\nclosed\n");
}

/// Runs `plan.jmx`, and gives the log of the run.
fn logged(folder: &Folder) -> String {
    swell(folder, &["run", "plan.jmx", "-l", "out.jtl", "-j", "run.log"]);
    folder.read("run.log")
}

#[test]
fn a_listener_that_throws_stops_nobody() {
    let group = plan::group(1, 2)
        .with(knock("k", "m"))
        .with(Node::new(odd("Grumble", "grumble")))
        .with(Node::new(odd("Ledger", "ledger").with_text("Ledger.file", "ledger.txt")));
    let folder = Folder::with_plan([group]);
    if plugin_jar(folder.path()).is_none() {
        return;
    }
    let log = logged(&folder);
    assert_eq!(column(&folder, "label"), ["k", "k"]);
    assert_eq!(folder.read("ledger.txt"), "k\nk\n", "listeners after it");
    assert_eq!(
        log.matches("Detected problem in Listener. java.lang.IllegalStateException: not k again").count(),
        2
    );
}

#[test]
fn what_throws_at_the_end_of_the_test_keeps_it_from_nobody() {
    let group = plan::group(1, 1).with(knock("k", "m"));
    let ends = ["front", "back"].map(|name| Node::new(odd("Slam", name)));
    let folder = Folder::with_plan(ends.into_iter().chain([Node::new(odd("Door", "door")), group]));
    if plugin_jar(folder.path()).is_none() {
        return;
    }
    let log = logged(&folder);
    assert_eq!(folder.read("door.txt"), "opened\nclosed\n");
    for line in ["front is open", "front shuts", "back shuts", "java.lang.IllegalStateException: slammed"] {
        assert!(log.contains(line), "`{line}` is missing: {log}");
    }
}

/// Table, verdict and summary of a run whose JVM ended while elements were notified of the end.
fn wrecked(way: &str, more: &[&str]) -> Option<(Folder, Ended)> {
    let group = plan::group(1, 2).with(knock("k", "m"));
    let folder = Folder::with_plan([Node::new(odd("Wreck", way)), group]);
    plugin_jar(folder.path())?;
    let args = ["run", "plan.jmx", "-l", "out.jtl", "-j", "swell.log", "--summary", "summary.json"];
    let ended = swell(&folder, &[&args, more].concat()).prints(&["k ", "Measurement: "]);
    assert_eq!(column(&folder, "label"), ["k", "k"], "{ended}");
    let summary: serde_json::Value = serde_json::from_str(&folder.read("summary.json")).expect("JSON");
    assert_eq!(summary["total"]["samples"], 2, "{summary}");
    assert!(summary["verdict"]["level"].is_string(), "{summary}");
    Some((folder, ended))
}

#[test]
fn a_jvm_that_ends_at_the_end_of_the_test_leaves_table_verdict_and_summary() {
    for (way, cause) in [
        ("crash", "native code crashed the JVM (its report is hs_err_pid"),
        ("halt", "a script called System.exit(3)"),
        ("exit", "a script called System.exit(3)"),
    ] {
        let Some((folder, ended)) = wrecked(way, &[]) else { return };
        ended.exits(107).says(&[cause, "[the end of JMeter's elements]"]);
        assert!(folder.read("swell.log").contains("cannot notify JMeter's elements of the end of the test"));
    }
}

#[test]
fn a_child_that_crashes_at_the_end_of_the_test_leaves_the_results_and_the_log_says_why() {
    let Some((folder, ended)) = wrecked("crash", &["--jvm=child"]) else { return };
    let log = folder.read("swell.log");
    let line =
        log.lines().find(|line| line.contains("cannot notify JMeter's elements of the end of the test"));
    assert!(line.is_some_and(|line| line.contains("SIGABRT")), "{log}\n{ended}");
}

#[test]
fn a_config_element_that_hears_of_users_gives_them_variables_before_their_first_sampler() {
    let site = site();
    let welcome = Node::new(odd("Welcome", "welcome"));
    let gifts = Node::new(odd("Gifts", "gifts"));
    let get = || plan::get(site.addr(), "/bytes/10?${guest}-${gift}");
    let folder = Folder::with_plan([plan::group(2, 2).with(welcome).with(get()), gifts]);
    if plugin_jar(folder.path()).is_none() {
        return;
    }
    let log = logged(&folder);
    let mut urls = column(&folder, "URL");
    urls.sort();
    let queries: Vec<_> = urls.iter().filter_map(|url| url.split('?').nth(1)).collect();
    let first = "Users%201-1-clock";
    let second = "Users%201-2-clock";
    assert_eq!(queries, [first, first, second, second]);
    for user in ["Users 1-1 leaves", "Users 1-2 leaves"] {
        assert_eq!(log.matches(user).count(), 1, "{log}");
    }
}

#[test]
fn what_throws_when_an_iteration_starts_ends_that_user_only() {
    let rows = odd("Rows", "rows").with_flag("Rows.unreadable", true);
    let other = plan::group(1, 2).with(knock("other", "m"));
    let folder = Folder::with_plan([plan::group(1, 2).with(Node::new(rows)).with(knock("k", "m")), other]);
    if plugin_jar(folder.path()).is_none() {
        return;
    }
    let log = logged(&folder);
    assert_eq!(column(&folder, "label"), ["other", "other"], "{log}");
    assert!(log.contains("Test failed! java.lang.IllegalArgumentException: unreadable"), "{log}");
}

#[test]
fn a_data_set_is_read_before_controllers_look_at_its_variables() {
    let site = site();
    let when = |condition: &str| {
        let element = Element::new("IfController", "IfControllerPanel", "if")
            .with_text("IfController.condition", condition)
            .with_flag("IfController.useExpression", true)
            .with_flag("IfController.evaluateAll", false);
        Node::new(element)
    };
    let odd_rows = when("${__jexl3(${row} % 2 == 1)}").with(knock("odd ${row}", "m"));
    let even_rows = when("${__jexl3(${row} % 2 == 0)}").with(plan::get(site.addr(), "/bytes/1${row}"));
    let rows = Node::new(odd("Rows", "rows").with_text("Rows.rows", "4"));
    let folder = Folder::with_plan([plan::group(1, 9).with(rows).with(odd_rows).with(even_rows)]);
    if plugin_jar(folder.path()).is_none() {
        return;
    }
    logged(&folder);
    assert_eq!(column(&folder, "label"), ["odd 1", "/bytes/12", "odd 3", "/bytes/14"]);
}

#[test]
fn variables_may_be_set_by_a_thread_of_an_element() {
    let folder = Folder::with_plan([plan::group(1, 100)
        .with(Node::new(odd("Murmur", "murmur")))
        .with(knock("k", "m"))]);
    if plugin_jar(folder.path()).is_none() {
        return;
    }
    let log = logged(&folder);
    assert_eq!(column(&folder, "label").len(), 100, "{log}");
}

#[test]
fn what_ends_a_user_is_an_error_by_its_class() {
    let group = |hard: bool| {
        let sneeze = odd("Sneeze", "sneeze").with_flag("Sneeze.hard", hard);
        plan::group(1, 2).with(knock("before", "m")).with(knock("k", "m").with(Node::new(sneeze)))
    };
    for (hard, labels) in [(false, vec!["before", "before"]), (true, vec!["before"])] {
        let folder = Folder::with_plan([group(hard)]);
        if plugin_jar(folder.path()).is_none() {
            return;
        }
        logged(&folder);
        assert_eq!(column(&folder, "label"), labels);
    }
}

#[test]
fn a_function_hears_of_the_start_and_the_end_of_the_test() {
    let site = site();
    let get = plan::get(site.addr(), "/bytes/10?${__oddTally}");
    let folder = Folder::with_plan([plan::group(1, 3).with(get)]);
    if plugin_jar(folder.path()).is_none() {
        return;
    }
    logged(&folder);
    let urls = column(&folder, "URL");
    assert!(urls[0].ends_with("?1") && urls[2].ends_with("?3"), "{urls:?}");
    // The call in the name of the sampler is another one.
    let tally = folder.read("tally.txt");
    assert!(tally.lines().any(|line| line == "3 calls"), "{tally}");
}

#[test]
fn a_message_that_is_null_is_shown_as_in_jmeter() {
    let folder = Folder::with_plan([plan::group(1, 1).with(Node::new(odd("Knock", "k")))]);
    if plugin_jar(folder.path()).is_none() {
        return;
    }
    logged(&folder);
    assert_eq!(column(&folder, "responseMessage"), ["null"]);
}

#[test]
fn a_user_can_be_stopped_by_the_name_of_its_thread() {
    let farewell = || Node::new(odd("Farewell", "farewell"));
    let native = plan::group(2, 3).with(farewell());
    let whole =
        plan::group(2, 3).with(Node::new(odd("Twice", "twice")).with(knock("k", "m"))).with(farewell());
    let folder = Folder::with_plan([native, whole]);
    if plugin_jar(folder.path()).is_none() {
        return;
    }
    logged(&folder);
    let mut rows: Vec<_> =
        std::iter::zip(column(&folder, "label"), column(&folder, "responseMessage")).collect();
    rows.retain(|(label, _)| label == "farewell");
    let wanted = ("farewell".to_owned(), "false true".to_owned());
    assert_eq!(rows, [wanted.clone(), wanted.clone(), wanted.clone(), wanted]);
}

/// A Backend Listener with that client, which writes to `backend.txt`.
fn backend(client: &str) -> Node {
    let file = Element::new("Argument", "", "file")
        .with_text("Argument.name", "file")
        .with_text("Argument.value", "backend.txt");
    let arguments =
        Element::new("Arguments", "ArgumentsPanel", "").with_elements("Arguments.arguments", [file]);
    let element = Element::new("BackendListener", "BackendListenerGui", "backend")
        .with_element("arguments", arguments)
        .with_text("classname", client);
    Node::new(element)
}

#[test]
fn a_client_of_the_backend_listener_hears_of_all_samples_and_of_the_end() {
    let site = site();
    let group = plan::group(1, 2).with(plan::get(site.addr(), "/bytes/10")).with(knock("k", "m"));
    let folder =
        Folder::with_plan([group, backend("org.nowhere.odd.Beacon"), backend("org.nowhere.odd.Absent")]);
    if plugin_jar(folder.path()).is_none() {
        return;
    }
    let ran = swell(&folder, &["run", "plan.jmx", "-l", "out.jtl"]).exits(0);
    ran.says(&["this listener sends nothing: no jar on JMeter's class path has its class"]);
    assert_eq!(folder.read("backend.txt"), "/bytes/10 200\nk 77\n/bytes/10 200\nk 77\nout\n");
}
