//! `swell run`, when nothing is wrong.

use swell_plan::Node;

use crate::support::{Answer, Folder, HEADER, Jtl, LIMIT, Server, closed_port, plan, site};

fn folder() -> Folder {
    Folder::with_plan([plan::group(2, 5).with(plan::nap(0))])
}

/// The columns that do not depend on the clock or on who comes first, sorted.
fn facts(jtl: &Jtl) -> Vec<(String, String, String)> {
    let names = jtl.column("threadName").into_iter().zip(jtl.column("label")).zip(jtl.column("responseCode"));
    let mut facts: Vec<_> = names.map(|((a, b), c)| (a.to_owned(), b.to_owned(), c.to_owned())).collect();
    facts.sort();
    facts
}

#[test]
fn both_spellings_do_the_same() {
    let folder = folder();
    let spellings: [&[&str]; 5] = [
        &["run", "plan.jmx", "-l", "out.jtl"],
        &["-n", "-t", "plan.jmx", "-l", "out.jtl"],
        &["-nf", "-tplan.jmx", "-lout.jtl"],
        &["plan.jmx", "--logfile", "out.jtl"],
        &["--nongui", "--testfile", "plan.jmx", "--logfile=out.jtl"],
    ];
    let mut seen = Vec::new();
    for args in spellings {
        let ended = folder.swell(&[args, &["-f"][..usize::from(!args.contains(&"-nf"))]].concat()).exits(0);
        let lines = ended.out.lines().filter(|line| line.starts_with("summary =     10 in "));
        assert_eq!(lines.count(), 1, "{ended}");
        seen.push(facts(&folder.jtl("out.jtl")));
    }
    assert!(seen.iter().all(|facts| *facts == seen[0] && facts.len() == 10), "{seen:?}");
    assert_eq!(seen[0][0], ("Users 1-1".into(), "nap".into(), "200".into()));
}

#[test]
fn results_have_jmeters_columns() {
    let folder = folder();
    folder.swell(&["run", "plan.jmx", "-l", "out.jtl"]).exits(0);
    let text = folder.read("out.jtl");
    assert_eq!(text.lines().next(), Some(HEADER));
    assert_eq!(text.lines().count(), 11);
}

#[test]
fn results_are_appended_to_or_replaced_with_f() {
    let folder = folder();
    let run = |more: &[&str]| {
        let ended = folder.swell(&[&["run", "plan.jmx", "-l", "out.jtl"], more].concat()).exits(0);
        let is_said = ended.err.contains("`out.jtl` has rows of an earlier run; new rows are appended");
        let text = folder.read("out.jtl");
        (folder.jtl("out.jtl").len(), text.matches(HEADER).count(), is_said)
    };
    assert_eq!([run(&[]), run(&[]), run(&["-f"])], [(10, 1, false), (20, 1, true), (10, 1, false)]);
}

#[test]
fn results_are_xml_if_a_property_says_so() {
    let folder = folder();
    let xml = "-Jjmeter.save.saveservice.output_format=xml";
    folder.swell(&["run", "plan.jmx", "-l", "out.jtl", xml]).exits(0);
    let text = folder.read("out.jtl");
    assert!(
        text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testResults version=\"1.2\">"),
        "{text}"
    );
    assert!(text.trim_end().ends_with("</testResults>"), "{text}");
    assert_eq!(text.matches("<sample ").count(), 10);
}

#[test]
fn a_report_is_written_and_an_old_one_kept_unless_f_says_otherwise() {
    let folder = folder();
    let ended = folder.swell(&["run", "plan.jmx", "-l", "out.jtl", "-e", "-o", "report"]).exits(0);
    ended.says(&["The report is report/index.html"]);
    let page = folder.read("report/index.html");
    assert!(folder.report("report/index.html").contains("nap"));
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("plan.jmx"));
    let again = folder.swell(&["run", "plan.jmx", "-e", "-o", "report"]);
    again.refused(&["the report exists already: report/index.html", "hint: ", "-f"]);
    assert_eq!(folder.read("report/index.html"), page);
    folder.swell(&["run", "plan.jmx", "-f", "-e", "-o", "report"]).exits(0);
    assert_ne!(folder.read("report/index.html"), page);
}

#[test]
fn json_is_all_there_is_on_standard_output() {
    let folder = folder();
    let ended = folder.swell(&["run", "plan.jmx", "--json", "--summary", "summary.json"]).exits(0);
    let json = ended.json();
    assert_eq!(json["schema"], "swell.summary/1");
    assert_eq!((&json["total"]["samples"], &json["users"]["finished"]), (&10.into(), &2.into()));
    assert_eq!(json["labels"][0]["label"], "nap");
    assert!(json["total"]["p99_ms"].is_number());
    assert_eq!(folder.read("summary.json"), ended.out);
    ended.says(&["summary =     10 in "]);
}

#[test]
fn data_goes_to_standard_output_and_words_to_standard_error() {
    let folder = folder();
    let ended =
        folder.swell(&["run", "plan.jmx"]).exits(0).says(&["Created the tree successfully using plan.jmx"]);
    assert!(!ended.out.contains("Created"), "{ended}");
    let (lines, table) = ended.out.split_once("label (times in ms)").expect("the table follows the lines");
    let last = lines.lines().rfind(|line| line.starts_with("summary")).expect("there is a line");
    assert!(
        last.starts_with("summary =     10 in 00:00:0") && last.ends_with("Err:     0 (0.00%)"),
        "{ended}"
    );
    assert!(table.contains("nap "), "{ended}");
    assert!(!ended.err.contains("summary ="), "{ended}");
    assert!(folder.read("jmeter.log").contains(" INFO o.a.j.r.Summariser: summary =     10 in "));
    let settings = ["-Jsummariser.out=false", "-Jsummariser.log=false", "-j", "silent.log"];
    let silent = folder.swell(&[&["run", "plan.jmx"][..], &settings].concat()).exits(0);
    assert!(!silent.out.contains("summary") && !folder.has("silent.log"), "{silent}");
    let silent = folder.swell(&["run", "plan.jmx", "-Jsummariser.name="]).exits(0);
    assert!(!silent.out.contains("summary"), "{silent}");
}

#[test]
fn failed_samples_are_counted_and_are_no_failure_of_the_run() {
    let site = site();
    let users =
        plan::group(1, 3).with(plan::get(site.addr(), "/status/503")).with(plan::get(site.addr(), "/"));
    let folder = Folder::with_plan([users]);
    let ended = folder.swell(&["run", "plan.jmx", "-l", "out.jtl"]).exits(0);
    ended.prints(&["summary =      6 in ", "Err:     3 (50.00%)", "503 Service Unavailable"]);
    let jtl = folder.jtl("out.jtl");
    assert_eq!((jtl.count("responseCode", "503"), jtl.count("responseCode", "200")), (3, 3));
    let url = format!("http://{}/status/503", site.addr());
    assert_eq!(jtl.count("URL", &url), 3);
}

#[test]
fn properties_that_do_nothing_are_said() {
    let folder = Folder::with_plan([plan::group(1, 1).with(plan::nap(0))]);
    let said = "these properties have no effect in Swell: http.java.sampler.retries, https.socket.protocols";
    let properties = ["-Jhttp.java.sampler.retries=2", "-Jhttps.socket.protocols=TLSv1 TLSv1.1"];
    folder.swell(&["run", "plan.jmx", properties[0], properties[1]]).exits(0).says(&[said]);
    let silent = folder.swell(&["run", "plan.jmx", "-Jhttps.socket.protocols=TLSv1 TLSv1.2"]).exits(0);
    assert!(!silent.err.contains("have no effect"), "{silent}");
}

#[test]
fn properties_reach_the_plan_and_later_ones_win() {
    let group = Node::new(plan::group_element("${__P(users,1)}", 1)).with(plan::nap(0));
    let folder = Folder::with_plan([group]);
    folder.write("more.properties", "users=3\n");
    for (args, samples) in [
        (&[][..], 1),
        (&["-Jusers=2"], 2),
        (&["-q", "more.properties"], 3),
        (&["-Jusers=2", "-q", "more.properties"], 3),
        (&["-q", "more.properties", "-Jusers=2"], 2),
        (&["-Gusers=4"], 4),
        (&["-q", "more.properties", "-Jusers="], 1),
    ] {
        let ended = folder.swell(&[&["run", "plan.jmx", "--json"], args].concat()).exits(0);
        assert_eq!(ended.json()["total"]["samples"], samples, "{ended}");
    }
}

#[test]
fn jmeter_home_gives_its_properties() {
    let folder = folder();
    std::fs::create_dir_all(folder.at("home/bin")).expect("made");
    folder.write("home/bin/user.properties", "jmeter.save.saveservice.label=false\n");
    folder.call(&["run", "plan.jmx", "-l", "out.jtl"]).env("JMETER_HOME", folder.at("home")).run().exits(0);
    assert_eq!(folder.read("out.jtl").lines().next(), Some(HEADER.replace("label,", "").as_str()));
}

#[test]
fn the_built_in_site_is_started_for_a_plan_and_gone_after_it() {
    let users = plan::group(2, 5).with(plan::get_from("${__P(host)}", "${__P(port)}", "/", ""));
    let folder = Folder::with_plan([users]);
    folder.swell(&["run", "plan.jmx", "--with-target", "-l", "out.jtl"]).exits(0);
    let jtl = folder.jtl("out.jtl");
    assert_eq!(jtl.count("responseCode", "200"), 10);
    let port =
        jtl.column("URL")[0].trim_end_matches('/').rsplit(':').next().and_then(|text| text.parse().ok());
    let gone = std::net::TcpStream::connect(("127.0.0.1", port.expect("a port")));
    assert!(gone.is_err(), "the site is still there");
}

#[test]
fn plans_find_their_data_beside_them_from_any_folder() {
    let data = swell_plan::Element::new("CSVDataSet", "TestBeanGUI", "data")
        .with_text("filename", "users.csv")
        .with_text("variableNames", "user");
    let sampler = Node::new(swell_plan::Element::new("DebugSampler", "TestBeanGUI", "hello ${user}"));
    let folder = Folder::new();
    std::fs::create_dir(folder.at("plans")).expect("made");
    folder.write("plans/plan.jmx", plan::jmx([plan::group(1, 2).with(Node::new(data)).with(sampler)]));
    folder.write("plans/users.csv", "ada\ngrace\n");
    folder.swell(&["run", "plans/plan.jmx", "-l", "out.jtl"]).exits(0);
    assert_eq!(folder.jtl("out.jtl").column("label"), ["hello ada", "hello grace"]);
}

#[test]
fn variables_that_jmeter_keeps_for_itself_are_there_when_they_are_asked_for() {
    let server = Server::start(|_| Answer::ok(""));
    let debug = |name: &str| Node::new(swell_plan::Element::new("DebugSampler", "TestBeanGUI", name));
    let names = "${JMeterThread.pack} ${__jmv_SAME_USER} ${__jmeter.U_T__}";
    let refused = plan::get_from("127.0.0.1", &closed_port().to_string(), "/", "");
    let mut users = plan::group_element("1", 2);
    users.properties.retain(|property| property.name != "ThreadGroup.same_user_on_next_iteration");
    let users = users.with_flag("ThreadGroup.same_user_on_next_iteration", false);
    let users = Node::new(users).with(debug(names)).with(refused).with(plan::get(server.addr, "/"));
    let folder = Folder::with_plan([users.with(debug(names))]);
    folder.swell(&["run", "plan.jmx", "-l", "out.jtl"]).exits(0);
    let jtl = folder.jtl("out.jtl");
    let labels = jtl.column("label");
    let package = "org.apache.jmeter.threads.SamplePackage@";
    let rests: Vec<_> =
        labels.iter().filter_map(|label| label.strip_prefix(package)?.split_once(' ')).collect();
    let token = "false Users 1-1";
    let none = "false ${__jmeter.U_T__}";
    // It goes with the first request of an iteration, not with the iteration.
    assert_eq!(rests.iter().map(|rest| rest.1).collect::<Vec<_>>(), [none, token, token, token]);
    assert_ne!(rests[0].0, rests[1].0, "each sampler has its package");
    assert_eq!(rests[0].0, rests[2].0, "and keeps it");
}

#[test]
fn rows_are_on_disk_while_the_test_runs() {
    let (arrive, arrived) = std::sync::mpsc::channel();
    let (go, going) = std::sync::mpsc::channel::<()>();
    let going = parking_lot::Mutex::new(going);
    let server = Server::start(move |request| {
        if request.path() == "/held" {
            arrive.send(()).expect("the test waits");
            // An error: the test has finished.
            let _ = going.lock().recv();
        }
        Answer::ok("")
    });
    let users =
        plan::group(1, 1).with(plan::get(server.addr, "/first")).with(plan::get(server.addr, "/held"));
    let folder = Folder::with_plan([users]);
    let running = folder.call(&["run", "plan.jmx", "-l", "out.jtl"]).start();
    arrived.recv_timeout(LIMIT).expect("the second sample starts");
    folder.wait_for("out.jtl", "/first");
    go.send(()).expect("the server waits");
    running.wait().exits(0);
    assert_eq!(folder.jtl("out.jtl").len(), 2);
}

#[test]
fn the_summary_stands_beside_the_results() {
    let folder = Folder::with_plan([plan::group(1, 3).with(plan::nap(0))]);
    folder.swell(&["run", "plan.jmx", "-l", "out.jtl"]).exits(0);
    let text = std::fs::read_to_string(folder.path().join("out.summary.json")).expect("it exists");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&json["schema"], &json["total"]["samples"]), (&"swell.summary/1".into(), &3.into()));
    assert!(json["verdict"]["level"].is_string(), "{text}");
    folder.swell(&["run", "plan.jmx", "-l", "/dev/null"]).exits(0);
    assert!(!std::path::Path::new("/dev/null.summary.json").exists(), "only next to files");
}
