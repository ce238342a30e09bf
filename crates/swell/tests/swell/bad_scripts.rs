//! Scripts and machines at fault: what is said, with which status the run ends, and that the
//! results so far are there.

use swell_plan::{Element, Node};

use crate::support::{Call, Ended, Folder, Jtl, closed_port, jmeter, plan};

/// In the first iteration nothing is wrong.
const SECOND: &str = "int n = (vars.get('n') ?: '0') as int; vars.put('n', '' + (n + 1)); if (n == 1)";

fn nap(name: &str) -> Node {
    let mut nap = plan::nap(0);
    nap.element = nap.element.with_text("TestElement.name", name);
    nap
}

/// A plan of two iterations of `first`, `second` with this script before it, and `third`.
fn folder(language: &str, script: &str) -> Folder {
    let script = Element::new("JSR223PreProcessor", "TestBeanGUI", "the script")
        .with_text("cacheKey", "true")
        .with_text("scriptLanguage", language)
        .with_text("script", script);
    let second = nap("second").with(Node::new(script));
    Folder::with_plan([plan::group(1, 2).with(nap("first")).with(second).with(nap("third"))])
}

fn run(folder: &Folder, more: &[&str]) -> Ended {
    let args =
        ["run", "plan.jmx", "-l", "out.jtl", "-j", "swell.log", "--scripts", "jvm", "--jvm-heap", "128"];
    folder.swell(&[&args[..], more].concat())
}

/// The labels in the results.
fn labels(folder: &Folder) -> String {
    let text = folder.read("out.jtl");
    let labels: Vec<_> = text.lines().skip(1).filter_map(|line| line.split(',').nth(2)).collect();
    labels.join(" ")
}

/// A faulty script and the expected result of its run.
struct Case {
    name: &'static str,
    language: &'static str,
    script: String,
    options: &'static [&'static str],
    exits: i32,
    /// What stands on standard error.
    says: &'static [&'static str],
    labels: &'static str,
}

const ALL: &str = "first second third first second third";
const UP_TO_IT: &str = "first second third first";

fn case(name: &'static str, script: impl Into<String>, says: &'static [&'static str]) -> Case {
    Case { name, language: "groovy", script: script.into(), options: &[], exits: 0, says, labels: ALL }
}

/// A case that ends the test in the second iteration.
fn ending(
    name: &'static str,
    script: &str,
    options: &'static [&'static str],
    says: &'static [&'static str],
) -> Case {
    let script = format!("{SECOND} {{ {script} }}");
    Case { options, exits: 107, labels: UP_TO_IT, ..case(name, script, says) }
}

#[test]
fn scripts_that_fail_are_named_with_their_place_and_the_test_goes_on_as_in_jmeter() {
    let full = format!("{SECOND} {{ def all = []; while (true) all << new byte[1 << 24] }}");
    let full_says = &["Test failed! java.lang.OutOfMemoryError: Java heap space [plan.jmx:"];
    let deep = format!("{SECOND} {{\n  def call\n  call = {{ call() }}\n  call() }}");
    let deep_says = &["Test failed! java.lang.StackOverflowError", "the script, line 3 of its script]"];
    try_out([
        case(
            "throws",
            "\nthrow new IllegalStateException('on purpose')",
            &[
                "[plan.jmx:",
                "Plan > Users > second > the script, line 2 of its script]\n  java.lang.IllegalStateException: on purpose",
            ],
        ),
        case("does not compile", "\n\ndef x = (", &["the script, line 3 of its script]"]),
        Case {
            language: "nolang",
            ..case("a missing engine", "x", &["Cannot find engine named: 'nolang'", "the script]"])
        },
        case("a missing class", "import org.nowhere.Odd\nnew Odd()", &["the script, line 1 of its script]"]),
        case("threads that go on", "20.times { Thread.start { Thread.sleep(600000) } }", &[]),
        // JMeter's thread ends with an error.
        Case { labels: UP_TO_IT, ..case("a full heap", full, full_says) },
        Case { labels: UP_TO_IT, ..case("calls without end", deep, deep_says) },
    ]);
}

#[test]
fn scripts_that_take_too_long_end_the_test_and_leave_the_results() {
    let limit = &["--script-timeout", "5000"];
    let says = &["the script: it took longer than 5000 ms", "the test stops at once"];
    let endless = "while (true) { try { Thread.sleep(100) } catch (InterruptedException e) { } }";
    let deadlock = "def a = new Object(), b = new Object(), go = new java.util.concurrent.CountDownLatch(2); \
                    Thread.startDaemon { synchronized (a) { go.countDown(); go.await(); synchronized (b) { } } }; \
                    synchronized (b) { go.countDown(); go.await(); synchronized (a) { } }";
    try_out([
        ending("no end, not even when it is interrupted", endless, limit, says),
        ending("a deadlock", deadlock, limit, says),
    ]);
}

/// An element of JSR223 with a script in Groovy.
fn groovy(class: &str, name: &str, script: &str) -> Node {
    let element = Element::new(class, "TestBeanGUI", name).with_text("cacheKey", "true");
    Node::new(element.with_text("scriptLanguage", "groovy").with_text("script", script))
}

const ENDLESS: &str = "if (vars.iteration == 2) while (true) { }";

#[test]
fn a_sampler_or_an_assertion_that_takes_too_long_fails_and_the_test_goes_on() {
    if jmeter().is_none() {
        return;
    }
    let judged = nap("judged").with(groovy("JSR223Assertion", "judge", ENDLESS));
    let samplers = [nap("first"), groovy("JSR223Sampler", "slow", ENDLESS), judged, nap("last")];
    let folder = Folder::with_plan([samplers.into_iter().fold(plan::group(1, 3), Node::with)]);
    let ended = run(&folder, &["--script-timeout", "5000"]).exits(0);
    let rows = Jtl::parse(&folder.read("out.jtl"));
    let failed: Vec<_> = rows.column("success").into_iter().map(|success| success == "false").collect();
    assert_eq!(failed.len(), 12, "{ended}");
    // In the first iteration scripts are compiled, which may take that long already on a busy
    // machine.
    assert_eq!(failed[4..], [false, true, true, false, false, false, false, false], "{ended}");
    for place in ["Users > slow]", "Users > judged > judge]"] {
        let line = "it did not finish: it took longer than 5000 ms (swell.script.timeout)";
        let log = folder.read("swell.log");
        assert!(log.lines().any(|said| said.contains(line) && said.ends_with(place)), "{place}: {log}");
    }
}

#[test]
fn scripts_of_functions_at_fault_are_named_with_their_element() {
    let call = |script: &str| {
        let named = format!("${{__groovy(if (vars.iteration == 2) {{ {script} }}; 1)}}");
        Folder::with_plan([plan::group(1, 2).with(nap("first")).with(nap(&named))])
    };
    if jmeter().is_none() {
        return;
    }
    let exits = call("System.exit(3)");
    run(&exits, &[]).exits(107).says(&[
        "a script called System.exit(3)",
        "[__groovy in `Plan > Users > ",
        "(line ",
    ]);
    assert_eq!(labels(&exits), "first 1 first");
    let endless = call("while (true) { }");
    let ended = run(&endless, &["--script-timeout", "5000"]).exits(107);
    ended.says(&["__groovy in `Plan > Users > ", "it took longer than 5000 ms", "the test stops at once"]);
}

/// Writes to address 0.
const CRASH: &str = "def f = sun.misc.Unsafe.getDeclaredField('theUnsafe'); f.accessible = true; f.get(null).putAddress(0L, 0L)";

#[test]
fn scripts_that_end_the_jvm_leave_the_results() {
    const CHILD: &[&str] = &["--jvm=child"];
    let exit_says = &["a script called System.exit(3); the test stops at once [plan.jmx:"];
    let child_says = &["SIGABRT", "the next call restarts it", "second > the script]"];
    let lost = "first second third first third";
    try_out([
        ending("System.exit", "System.exit(3)", &[], exit_says),
        ending("System.exit in a child", "System.exit(3)", CHILD, exit_says),
        ending(
            "a crash",
            CRASH,
            &[],
            &["native code crashed the JVM", "--jvm=child", "second > the script]"],
        ),
        Case { exits: 0, labels: lost, ..ending("a crash of a child", CRASH, CHILD, child_says) },
    ]);
}

#[test]
fn a_jvm_that_ends_in_the_last_thread_group_leaves_table_verdict_and_summary() {
    if jmeter().is_none() {
        return;
    }
    for (script, options, exits) in
        [("Runtime.runtime.halt(3)", &[][..], 107), (CRASH, &[], 107), (CRASH, &["--jvm=child"], 0)]
    {
        let mut last = plan::group_element("1", 1);
        let properties = std::mem::take(&mut last.properties);
        last = Element { properties, ..Element::new("PostThreadGroup", "PostThreadGroupGui", "Last") };
        let last = Node::new(last).with(groovy("JSR223Sampler", "last", script));
        let users = plan::group(1, 2).with(groovy("JSR223Sampler", "first", "Thread.sleep(1)"));
        let folder = Folder::with_plan([users, last]);
        let ended = run(&folder, &[options, &["--summary", "summary.json"]].concat()).exits(exits);
        assert!(labels(&folder).starts_with("first first"), "{ended}");
        ended.prints(&["first", "Measurement: "]);
        let summary: serde_json::Value = serde_json::from_str(&folder.read("summary.json")).expect("JSON");
        assert!(summary["verdict"]["level"].is_string(), "{summary}");
    }
}

#[test]
fn a_crash_in_a_thread_that_a_script_started_leaves_the_results_and_blames_no_element() {
    if jmeter().is_none() {
        return;
    }
    let script = format!("{SECOND} {{ Thread.startDaemon {{ {CRASH} }}; Thread.sleep(600000) }}");
    let folder = folder("groovy", &script);
    let ended = run(&folder, &["--summary", "summary.json"]).exits(107);
    let ended = ended
        .says(&["native code crashed the JVM in a background thread"])
        .prints(&["first", "Measurement: "]);
    assert!(!ended.err.contains("the script]"), "the script did not crash it: {ended}");
    assert_eq!(labels(&folder), UP_TO_IT, "{ended}");
    let summary: serde_json::Value = serde_json::from_str(&folder.read("summary.json")).expect("JSON");
    assert!(summary["verdict"]["level"].is_string(), "{summary}");
    assert_eq!(summary["total"]["samples"], 4, "{summary}");
}

/// A system process that kills the process whose number is in a variable, and waits until Swell
/// knows of it.
fn killer() -> Node {
    let argument = |text: &str| {
        let argument = Element::new("Argument", "", "").with_text("Argument.name", "");
        argument.with_text("Argument.value", text).with_text("Argument.metadata", "=")
    };
    // A process that was ended has its number until its parent has asked how.
    let kill = "kill -9 ${pid} && while kill -0 ${pid} 2>/dev/null; do sleep 0.01; done";
    let arguments = Element::new("Arguments", "ArgumentsPanel", "")
        .with_elements("Arguments.arguments", [argument("-c"), argument(kill)]);
    let process =
        Element::new("SystemSampler", "SystemSamplerGui", "kill").with_text("SystemSampler.command", "sh");
    Node::new(process.with_element("SystemSampler.arguments", arguments))
}

#[test]
fn a_child_that_is_killed_between_calls_is_started_again_and_the_log_says_how_it_ended() {
    if jmeter().is_none() {
        return;
    }
    let remembers =
        groovy("JSR223Sampler", "before", "vars.put('pid', '' + ProcessHandle.current().pid()); 'known'");
    let asks = groovy(
        "JSR223Sampler",
        "after",
        "vars.put('other', '' + ProcessHandle.current().pid()); vars.get('pid')",
    );
    let folder = Folder::with_plan([plan::group(1, 2).with(remembers).with(killer()).with(asks)]);
    let ended = run(&folder, &["--jvm=child"]).exits(0);
    assert_eq!(labels(&folder), "before kill after before kill after", "{ended}");
    let rows = Jtl::parse(&folder.read("out.jtl"));
    assert!(rows.column("success").iter().all(|success| *success == "true"), "{ended}");
    let log = folder.read("swell.log");
    let told = "the JVM process ended (signal: 9 (SIGKILL)) and is restarted";
    assert_eq!(log.lines().filter(|line| line.contains(told)).count(), 2, "{log}");
}

fn try_out(cases: impl IntoIterator<Item = Case>) {
    if jmeter().is_none() {
        return;
    }
    for case in cases {
        let folder = folder(case.language, &case.script);
        let ended = run(&folder, case.options);
        assert_eq!(ended.code, Some(case.exits), "{}: {ended}", case.name);
        for text in case.says {
            assert!(ended.err.contains(text), "{}: `{text}` is missing: {ended}", case.name);
        }
        let labels = labels(&folder);
        // On a busy machine the first call, which compiles the script, may take that long already.
        let is_whole = if case.options.contains(&"--script-timeout") {
            labels.starts_with("first") && case.labels.starts_with(&labels)
        } else {
            labels == case.labels
        };
        assert!(is_whole, "{}: `{labels}`, and not `{}`: {ended}", case.name, case.labels);
    }
}

/// A folder that looks like Java of that version.
fn java(folder: &Folder, name: &str, version: &str) {
    std::fs::create_dir_all(folder.at(name).join("lib/server")).expect("it is ours");
    std::fs::write(folder.at(name).join("lib/server/libjvm.so"), "").expect("it is ours");
    std::fs::write(folder.at(name).join("release"), format!("JAVA_VERSION=\"{version}\"\n"))
        .expect("it is ours");
    std::fs::create_dir_all(folder.at(name).join("bin")).expect("it is ours");
    std::fs::write(folder.at(name).join("bin/java"), "").expect("it is ours");
}

#[test]
fn of_two_javas_the_first_is_used_and_status_and_version_say_which() {
    let folder = Folder::new();
    for (name, version) in [("one", "17.0.1"), ("two", "21.0.1"), ("old", "1.8.0_402")] {
        java(&folder, name, version);
    }
    let paths = |names: &[&str]| {
        let paths = names.iter().map(|name| folder.at(name).join("bin"));
        std::env::join_paths(paths).expect("no `:` in them")
    };
    let call = |args: &[&str], path: &[&str]| {
        Call::new(folder.path(), args)
            .env("PATH", paths(path))
            .env("JAVA_HOME", "")
            .env("XDG_CACHE_HOME", folder.at("none"))
    };
    let status = call(&["jvm", "status"], &["one", "two"]).run();
    let real = folder.path().canonicalize().expect("it exists");
    let not_used = format!("not used: {}", real.join("two").display());
    status.prints(&["17.0.1 in ", "/one\n", &not_used]);
    let status = call(&["jvm", "status"], &["two", "one"]).env("JAVA_HOME", folder.at("one")).run();
    status.prints(&["17.0.1 in ", &not_used]);
    for args in [&["-v"][..], &["--version"], &["-n", "-v"]] {
        call(args, &["two", "one"]).run().exits(0).prints(&["Java 21.0.1 in ", "/two, no classes of JMeter"]);
    }
    call(&["jvm", "status"], &["old"]).run().exits(104).prints(&["1.8.0_402", "is too old: use 11 or newer"]);
}

#[test]
fn another_version_of_jmeter_is_warned_of_where_a_plan_needs_it() {
    let Some(home) = jmeter() else { return };
    let folder = folder("groovy", "[1].each { vars.put('x', '' + it) }");
    let other = folder.at("jmeter");
    for part in ["bin", "lib/ext", "lib/junit"] {
        std::fs::create_dir_all(other.join(part)).expect("it is ours");
    }
    let link = |from: &std::path::Path, to: &std::path::Path| {
        std::os::unix::fs::symlink(from, to).expect("it is ours");
    };
    for part in ["bin", "lib", "lib/ext"] {
        for entry in std::fs::read_dir(home.join(part)).expect("it exists") {
            let entry = entry.expect("it can be listed");
            let to = other.join(part).join(entry.file_name());
            if !to.exists() && entry.file_name() != "ApacheJMeter_core.jar" {
                link(&entry.path(), &to);
            }
        }
    }
    // The jar of the core with another version in its manifest.
    let core = other.join("lib/ext/ApacheJMeter_core.jar");
    std::fs::copy(home.join("lib/ext/ApacheJMeter_core.jar"), &core).expect("it exists");
    folder.write("manifest", "Implementation-Version: 5.5\n");
    let changed = std::process::Command::new("jar").arg("ufm").arg(&core).arg(folder.at("manifest")).output();
    match changed {
        Ok(changed) => assert!(changed.status.success(), "{}", String::from_utf8_lossy(&changed.stderr)),
        Err(error) => return println!("skipped: jar cannot be started: {error}"),
    }
    let other = other.to_string_lossy().into_owned();
    let said = ["warning", "is version 5.5; Swell is compatible with 5.6.3"];
    run(&folder, &["--jmeter-home", &other]).exits(0).says(&said);
    folder.swell(&["check", "plan.jmx", "--jmeter-home", &other]).exits(0).prints(&said);
    folder.swell(&["jvm", "status", "--jmeter-home", &other]).exits(0).prints(&said[1..]);
    let native = Folder::with_plan([plan::group(1, 1).with(nap("a"))]);
    let ended = native.swell(&["run", "plan.jmx", "--jmeter-home", &other]).exits(0);
    assert!(!ended.err.contains("5.5"), "no JVM is needed: {ended}");
}

/// A Java takes a tenth of a second to start.
#[test]
fn no_java_is_started_where_nothing_asks_for_one() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    java(&folder, "java", "17.0.1");
    let program = folder.at("java/bin/java");
    std::fs::write(&program, format!("#!/bin/sh\necho $@ >> {}\n", folder.at("started").display()))
        .expect("it is ours");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
    let url = format!("http://127.0.0.1:{}/", closed_port());
    let plan = "Java: ${__P(java.version)}";
    for (args, is_started) in
        [(&["hit", &url, "-n", "1"][..], false), (&["hit", &url, "-n", "1", "-H", plan, "--functions"], true)]
    {
        Call::new(folder.path(), args).env("JAVA_HOME", folder.at("java")).run();
        assert_eq!(folder.at("started").exists(), is_started, "{args:?}");
    }
}
