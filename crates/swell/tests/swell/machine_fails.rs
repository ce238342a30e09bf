//! The machine fails: disk full, pipes closed, no descriptors left.

use std::process::Command;

use crate::support::{Answer, Call, Folder, Jtl, Server, plan};

/// 20 users that take 50 quick samples each.
fn thousand() -> Folder {
    Folder::with_plan([plan::group(20, 50).with(plan::nap(0))])
}

#[test]
fn a_full_disk_is_told_and_the_summary_is_complete() {
    let ended = thousand().swell(&["run", "plan.jmx", "-l", "/dev/full", "--json"]);
    let ended = ended.exits(112).says(&[
        "error: results could not be written to `/dev/full`",
        "No space left on device",
        "0 samples are in the file, 1000 are lost",
        "cannot write results to `/dev/full`: No space left on device",
        "the test continues",
    ]);
    assert_eq!(ended.json()["total"]["samples"], 1000);
}

/// What a results file holds that could take no more is whole, and the message counts it.
#[track_caller]
fn is_whole(file: &str, said: &str) {
    let rows = Jtl::parse(file).len();
    assert!(rows > 0 && rows < 1000, "{rows} rows");
    assert!(
        said.contains(&format!("{rows} samples are in the file, {} are lost", 1000 - rows)),
        "{rows}: {said}"
    );
}

#[test]
fn a_file_that_reached_its_limit_ends_with_a_whole_row() {
    let folder = thousand();
    let call =
        Call::in_shell(folder.path(), "ulimit -f 32", &["run", "plan.jmx", "-l", "out.jtl", "--json"], "");
    let ended = call.run().exits(112).says(&["File too large"]);
    assert_eq!(ended.json()["total"]["samples"], 1000);
    is_whole(&folder.read("out.jtl"), &ended.err);
}

#[test]
fn a_small_disk_ends_with_a_whole_row() {
    let mount = "mkdir small && mount -t tmpfs -o size=32k none small";
    let possible = Command::new("unshare").args(["-m", "true"]).status();
    if !possible.is_ok_and(|status| status.success()) {
        println!("skipped: this user may not mount a small disk");
        return;
    }
    let folder = thousand();
    let script = format!(
        "{mount} || exit 99; \"$0\" run plan.jmx -l small/out.jtl --json; code=$?; cp small/out.jtl .; exit $code"
    );
    let ended =
        Call::shell(folder.path(), "unshare", &["-m", "sh", "-c", &script, env!("CARGO_BIN_EXE_swell")])
            .run();
    let ended = ended.exits(112).says(&["No space left on device"]);
    assert_eq!(ended.json()["total"]["samples"], 1000);
    is_whole(&folder.read("out.jtl"), &ended.err);
}

#[test]
fn a_results_pipe_that_nobody_reads_any_more_is_told() {
    // More than a pipe holds.
    let folder = Folder::with_plan([plan::group(20, 100).with(plan::nap(0))]);
    assert!(Command::new("mkfifo").arg(folder.at("pipe")).status().expect("mkfifo").success());
    // The reader opens the pipe and is gone.
    let reader = Command::new("sh").args(["-c", ": < pipe"]).current_dir(folder.path()).spawn();
    let ended = folder.swell(&["run", "plan.jmx", "-l", "pipe", "--json"]);
    reader.expect("a shell").wait().expect("our child");
    let ended = ended.exits(112).says(&["results could not be written to `pipe`", "Broken pipe"]);
    assert_eq!(ended.json()["total"]["samples"], 2000);
}

#[test]
fn closed_outputs_spoil_nothing() {
    let server = Server::start(|_| Answer::ok(""));
    let folder = Folder::with_plan([plan::group(2, 200).with(plan::get(server.addr, "/"))]);
    let call = folder.call(&["run", "plan.jmx", "-l", "out.jtl", "-e", "-o", "report"]);
    call.start_unheard().wait().exits(0);
    assert_eq!(folder.jtl("out.jtl").len(), 400);
    let closed =
        Call::in_shell(folder.path(), "true", &["run", "plan.jmx", "-f", "-l", "out.jtl"], ">&- 2>&- <&-");
    closed.run().exits(0);
    assert_eq!(folder.jtl("out.jtl").len(), 400);
}

#[test]
fn a_summary_that_goes_nowhere_is_no_success() {
    let folder = thousand();
    let run = |args: &[&str], after| {
        let args = [&["run", "plan.jmx"], args].concat();
        Call::in_shell(folder.path(), "true", &args, after).run().exits(112)
    };
    for args in [&[][..], &["--json"]] {
        run(args, "> /dev/full").says(&["error: cannot write to standard output: No space left on device"]);
    }
    let ended = run(&["--summary", "/dev/full"], "");
    ended.says(&["error: cannot write the summary to `/dev/full`: No space left"]).prints(&["nap "]);
    Call::in_shell(folder.path(), "true", &["check", "plan.jmx"], "> /dev/full").run().exits(112);
}

#[test]
fn users_that_find_no_descriptor_are_error_samples() {
    let server = Server::start(|_| Answer::ok(""));
    let folder = Folder::with_plan([plan::group(100, 3).with(plan::get(server.addr, "/"))]);
    let args = ["run", "plan.jmx", "-l", "out.jtl", "--json", "-w", "1"];
    let ended = Call::in_shell(folder.path(), "ulimit -n 40", &args, "").run().exits(0);
    let jtl = folder.jtl("out.jtl");
    let failed = jtl.count("responseMessage", "Non HTTP response message: Too many open files");
    assert_eq!(jtl.len(), 300);
    assert_eq!(jtl.count("responseCode", "Non HTTP response code: java.net.SocketException"), failed);
    assert_eq!(jtl.count("responseCode", "200"), 300 - failed);
    assert!(failed > 0 && failed < 300, "{failed}");
    assert_eq!(ended.json()["total"]["errors"], failed);
}

#[test]
fn so_few_descriptors_that_nothing_can_start_are_told() {
    let folder = Folder::with_plan([plan::group(1, 1).with(plan::nap(0))]);
    for limit in 4..=24 {
        let before = format!("ulimit -n {limit}");
        let ended = Call::in_shell(folder.path(), &before, &["run", "plan.jmx", "-l", "out.jtl"], "").run();
        match ended.code {
            // 127: not even the loader found one, where a few are inherited.
            Some(0 | 127) => {}
            Some(104) => assert!(ended.err.contains("Too many open files"), "{limit}: {ended}"),
            _ => panic!("{limit}: {ended}"),
        }
    }
}
