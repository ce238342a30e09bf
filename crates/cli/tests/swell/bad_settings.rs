//! Options, properties and output files that are wrong.

use crate::support::{Folder, plan};

fn folder() -> Folder {
    Folder::with_plan([plan::group(1, 1).with(plan::nap(0))])
}

#[test]
fn wrong_options_are_refused_with_what_would_be_right() {
    let table: [(&[&str], &[&str]); 23] = [
        (&["run"], &["PLAN", "Usage: swell run"]),
        (&["run", "plan.jmx", "--nosuch"], &["--nosuch"]),
        (&["run", "plan.jmx", "-t", "plan.jmx"], &["cannot be used with"]),
        (&["run", "plan.jmx", "-e"], &["--reportoutputfolder"]),
        (&["run", "plan.jmx", "--workers", "0"], &["0 is not in 1..=1024"]),
        (&["run", "plan.jmx", "-J"], &["a value is required"]),
        (&["run", "plan.jmx", "-J", "=5"], &["=5", "write name=value"]),
        (&["run", "plan.jmx", "-D", "=5"], &["=5", "write name=value"]),
        (&["run", "plan.jmx", "-L", "LOUD"], &["`LOUD` is no log level", "hint: levels are TRACE"]),
        (&["run", "plan.jmx", "-q", "none.properties"], &["`none.properties`: No such file"]),
        (&["run", "plan.jmx", "-p", "none.properties"], &["`none.properties`: No such file"]),
        (&["run", "plan.jmx", "-S", "none.properties"], &["`none.properties`: No such file"]),
        (&["run", "plan.jmx", "-G", "none.properties"], &["`none.properties`: No such file"]),
        (&["run", "plan.jmx", "-l", ""], &["a value is required"]),
        (&["nosuch"], &["nosuch", "Usage: swell"]),
        (&["hit", "localhost"], &["`localhost` is no http or https URL", "hint: "]),
        (&["hit", "http://ada:secret@localhost/"], &["user and password", "hint: send them as -H"]),
        (&["hit", "http://localhost/", "-d", "0s"], &["a test of no time", "hint: "]),
        (&["hit", "http://localhost/", "--timeout", "500us"], &["a timeout is at least 1ms", "hint: "]),
        (&["hit", "http://localhost/", "-H", "no colon"], &["`no colon` is no header", "hint: "]),
        (&["hit", "http://localhost/", "-d", "10"], &["`10` is no time"]),
        (&["hit", "http://localhost/", "-r", "0"], &["`0` is no rate"]),
        (&["hit", "http://localhost/", "-c", "0"], &["0 is not in 1..=1000000"]),
    ];
    let folder = folder();
    for (args, texts) in table {
        folder.swell(args).refused(&["error: "]).says(texts);
    }
}

#[test]
fn properties_that_are_no_text_are_refused_with_their_file() {
    let folder = folder();
    folder.write("broken.properties", "a=\\u00zz\n");
    folder.swell(&["run", "plan.jmx", "-q", "broken.properties"]).refused(&["`broken.properties`: "]);
}

#[test]
fn results_that_cannot_be_written_are_told_before_anything_runs() {
    let folder = folder();
    folder.write("file", "");
    for (args, text) in [
        (&["-l", "file/out.jtl"][..], "cannot write results to `file/out.jtl`"),
        (&["-l", "."], "cannot write results to `.`: "),
        (&["-l", "/proc/none/out.jtl"], "cannot write results to `/proc/none/out.jtl`"),
        (&["--summary", "file/summary.json"], "cannot write the summary to `file/summary.json`"),
        (&["--summary", "none/summary.json"], "cannot write the summary to `none/summary.json`"),
        (&["-e", "-o", "file"], "cannot write the report to `file"),
        (&["-e", "-o", "/proc/none"], "cannot write the report to `/proc/none"),
    ] {
        let ended = folder.swell(&[&["run", "plan.jmx"], args].concat());
        ended.refused(&["error: ", text]);
    }
}

#[test]
fn results_folders_that_are_missing_are_made() {
    let folder = folder();
    folder.swell(&["run", "plan.jmx", "-l", "a/b/out.jtl", "-e", "-o", "c/report"]).exits(0);
    assert_eq!(folder.jtl("a/b/out.jtl").len(), 1);
    assert!(folder.has("c/report/index.html"));
}

#[test]
fn a_log_that_cannot_be_written_is_told_once_and_spoils_nothing() {
    let folder = folder();
    let ended = folder.swell(&["run", "plan.jmx", "-j", "none/swell.log", "-l", "out.jtl"]);
    assert_eq!(folder.jtl("out.jtl").len(), 1, "{ended}");
    ended.exits(0);
}

#[test]
fn a_run_never_writes_over_its_plan() {
    let folder = folder();
    std::os::unix::fs::symlink("plan.jmx", folder.at("link")).expect("made");
    let plan = folder.read("plan.jmx");
    for args in [
        ["-l", "plan.jmx"],
        ["-fl", "./plan.jmx"],
        ["-l", "link"],
        ["--summary", "plan.jmx"],
        ["-j", "plan.jmx"],
    ] {
        folder.swell(&[&["run", "plan.jmx"], &args[..]].concat()).refused(&["is the plan itself", "hint: "]);
        assert_eq!(folder.read("plan.jmx"), plan);
    }
}
