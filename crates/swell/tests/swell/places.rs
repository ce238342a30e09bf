//! Places that a run writes to: checked before anything is changed, and only this user's.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use swell_plan::{Element, Node};

use crate::support::{Folder, plan};

fn collector(name: &str) -> Node {
    Node::new(Element::new("ResultCollector", "SimpleDataWriter", name).with_text("filename", name))
}

fn flexible(name: &str) -> Node {
    let element = Element::new("kg.apc.jmeter.reporters.FlexibleFileWriter", "Gui", name);
    let element = element.with_text("filename", name).with_text("columns", "sampleLabel|\\n");
    Node::new(element.with_text("header", "head\\n").with_flag("overwrite", true))
}

/// A plan whose users log a line, and what an earlier run left.
fn used_folder(listener: Node) -> Folder {
    let logs = plan::get_from("127.0.0.1", "1", "/${__log(said,WARN)}", "");
    let folder = Folder::with_plan([plan::group(1, 1).with(logs), listener]);
    for name in ["r.jtl", "r.summary.json", "rows.txt", "jmeter.log"] {
        folder.write(name, format!("old {name}\n"));
    }
    let sample = "<sample t=\"1\" lb=\"a long enough label for a file with a sample\"/>\n";
    folder.write("r.xml", format!("<testResults version=\"1.2\">\n{sample}</testResults>\n"));
    fs::create_dir(folder.at("report")).expect("made");
    folder.write("report/index.html", "old report");
    folder
}

/// All files with what they hold.
fn contents(folder: &Path) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.display().to_string();
        if path.is_dir() {
            all.extend(contents(&path));
            all.insert(name, String::new());
        } else {
            all.insert(name, fs::read_to_string(&path).expect("text"));
        }
    }
    all
}

fn mode(folder: &Folder, name: &str) -> u32 {
    fs::metadata(folder.at(name)).expect(name).permissions().mode() & 0o777
}

#[test]
fn a_run_that_is_refused_leaves_everything_as_it_is() {
    let xml = "-Jjmeter.save.saveservice.output_format=xml";
    for (listener, args, text) in [
        (collector("c.jtl"), &["-l", "r.jtl", "-e", "-o", "/proc/none"][..], "cannot write the report"),
        (collector("c.jtl"), &["-l", "r.jtl", "--summary", "none/s.json"], "cannot write the summary"),
        (collector("c.jtl"), &["-l", "r.jtl", "-j", "/proc/none/x.log"], "cannot write the log"),
        (collector("/proc/none.jtl"), &["-l", "r.jtl", "-e", "-o", "report"], "`/proc/none.jtl`"),
        (flexible("/proc/none.txt"), &["-l", "r.jtl", "-e", "-o", "report"], "`/proc/none.txt`"),
        (flexible("rows.txt"), &["-l", "r.jtl", "-e", "-o", "/proc/none"], "cannot write the report"),
        (flexible("rows.txt"), &["-l", "r.xml", xml, "-e", "-o", "/proc/none"], "cannot write the report"),
        (collector("a/b/new.jtl"), &["-l", "new.jtl", "-e", "-o", "/proc/none"], "cannot write the report"),
    ] {
        let folder = used_folder(listener);
        let before = contents(folder.path());
        folder.swell(&[&["run", "plan.jmx", "-f"], args].concat()).refused(&["error: ", text]);
        assert_eq!(contents(folder.path()), before, "{args:?}");
    }
}

#[test]
fn a_run_that_starts_with_f_makes_old_results_go() {
    let folder = used_folder(flexible("rows.txt"));
    folder.swell(&["run", "plan.jmx", "-f", "-l", "r.jtl", "-e", "-o", "report"]).exits_in(&[0, 98]);
    for name in ["r.jtl", "r.summary.json", "rows.txt", "jmeter.log", "report/index.html"] {
        assert!(!folder.read(name).starts_with("old"), "{name}");
    }
    assert_eq!(folder.jtl("r.jtl").len(), 1);
}

#[test]
fn hit_continues_a_results_file_as_run_does() {
    let folder = Folder::new();
    let hit = ["hit", "http://127.0.0.1:1/", "-n", "2", "-c", "1", "-l", "r.jtl"];
    for (more, rows) in [(&[][..], 2), (&[], 4), (&["-f"], 2)] {
        folder.swell(&[&hit, more].concat()).exits_in(&[0, 98]);
        assert_eq!(folder.jtl("r.jtl").len(), rows, "{more:?}");
    }
}

#[test]
fn no_file_is_written_twice_or_over_what_is_read() {
    let folder = used_folder(collector("c.jtl"));
    folder.write("my.properties", "a=b\n");
    folder.write("my.rules", "rps>1\n");
    folder.write("my.urls", "http://127.0.0.1:1/\n");
    for (args, text) in [
        (&["-l", "x.jtl", "--summary", "./x.jtl"][..], "cannot be the summary: it is the results file"),
        (&["-l", "x.jtl", "-j", "x.jtl"], "cannot be the log: it is the results file"),
        (&["-l", "report/index.html", "-e", "-o", "report"], "cannot be the report: it is the results file"),
        (&["-q", "my.properties", "-l", "my.properties"], "it is a file of properties"),
        (&["-l", "x.jtl", "--junit", "x.jtl"], "cannot be the JUnit file: it is the results file"),
        (&["--junit", "x.xml", "--gitlab", "x.xml"], "cannot be the file for GitLab: it is the JUnit file"),
        (&["--thresholds", "my.rules", "-l", "my.rules"], "it is the file of rules"),
    ] {
        folder.swell(&[&["run", "plan.jmx", "-f"], args].concat()).refused(&["error: ", text, "hint: "]);
    }
    for (args, text) in [
        (&["-l", "x.jtl", "--junit", "x.jtl"][..], "cannot be the JUnit file: it is the results file"),
        (&["--urls", "my.urls", "-l", "my.urls"], "cannot be the results file: it is the file of URLs"),
    ] {
        let hit = ["hit", "http://127.0.0.1:1/", "-n", "1"];
        folder.swell(&[&hit[..], args].concat()).refused(&["error: ", text, "hint: "]);
    }
    folder.swell(&["run", "plan.jmx", "-f", "-l", "/dev/null", "-j", "/dev/null"]).exits_in(&[0, 98]);
    for listener in [collector("plan.jmx"), flexible("~/plan.jmx")] {
        let folder = used_folder(listener);
        let plan = folder.read("plan.jmx");
        // The Flexible File Writer knows `~/`, too.
        folder.swell(&["run", "plan.jmx", "-f"]).refused(&["plan.jmx`: it is the plan itself"]);
        assert_eq!(folder.read("plan.jmx"), plan);
    }
}

#[test]
fn new_files_have_the_mode_of_the_umask_or_the_one_given_and_old_ones_keep_theirs() {
    let folder = used_folder(flexible("new.txt"));
    fs::remove_file(folder.at("jmeter.log")).expect("removed");
    let args = ["run", "plan.jmx", "-l", "new.jtl", "-e", "-o", "new"];
    let names = ["new.jtl", "new.summary.json", "new.txt", "jmeter.log", "new/index.html"];
    folder.write("other", "");
    folder.swell(&args).exits_in(&[0, 98]);
    for name in names {
        assert_eq!(mode(&folder, name), mode(&folder, "other"), "{name}");
        fs::remove_file(folder.at(name)).expect("removed");
    }
    folder
        .swell(&[&args[..], &["-f", "--file-mode", "0600", "--run-dir", "kept/run"]].concat())
        .exits_in(&[0, 98]);
    assert_eq!((mode(&folder, "kept"), mode(&folder, "kept/run/plan.jmx")), (0o700, 0o600));
    folder
        .swell(&["run", "plan.jmx", "--file-mode", "0400"])
        .refused(&["invalid file mode `0400`: use an octal number"]);
    for name in names {
        assert_eq!(mode(&folder, name), 0o600, "{name}");
        fs::set_permissions(folder.at(name), Permissions::from_mode(0o640)).expect("set");
    }
    folder.swell(&[&args[..], &["-f"]].concat()).exits_in(&[0, 98]);
    for name in ["new.jtl", "new.summary.json", "new.txt", "jmeter.log", "new/index.html"] {
        assert_eq!(mode(&folder, name), 0o640, "{name}");
    }
}

#[test]
fn a_process_that_is_killed_leaves_no_empty_summary_or_report() {
    let folder = Folder::with_plan([plan::group(1, -1).with(plan::nap(1))]);
    let running = folder.call(&["run", "plan.jmx", "-l", "r.jtl", "-e", "-o", "report"]).start();
    folder.wait_for("r.jtl", "nap");
    running.signal("KILL");
    running.wait();
    let left: Vec<_> = contents(folder.path()).into_keys().collect();
    assert_eq!(left, ["plan.jmx", "r.jtl"].map(|name| folder.at(name).display().to_string()));
}

#[test]
fn passwords_in_urls_are_in_the_results_file_only() {
    let url = "http://ada:s3cret@127.0.0.1:1/x?user=ada&api_key=s3cret#end";
    let asks = format!("${{__log(asks {url})}}${{__logn(asks {url},OUT)}}");
    let mut named = plan::get_from("", "", &format!("{url}{asks}"), "");
    named.element.attributes.retain(|(name, _)| name != "testname");
    named.element.attributes.push(("testname".to_owned(), url.to_owned()));
    let folder = Folder::with_plan([plan::group(1, 1).with(named)]);
    let ended = folder.swell(&["run", "plan.jmx", "-l", "r.jtl", "-e", "-o", "report"]).exits_in(&[0, 98]);
    assert!(folder.read("r.jtl").contains(url), "as in JMeter: {}", folder.read("r.jtl"));
    let texts = ["r.summary.json", "jmeter.log"].map(|name| (name, folder.read(name)));
    let report = ("report", folder.report("report/index.html"));
    for (place, text) in texts.into_iter().chain([report, ("output", ended.out), ("words", ended.err)]) {
        assert!(!text.contains("s3cret"), "{place}: {text}");
        let masked = text.contains("ada:***@127.0.0.1") && text.contains("api_key=***");
        assert!(place == "words" || masked, "{place}: {text}");
    }
}
