//! Figures of the target: of processes of this machine and of exporters, in the folder of a run.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use swell_results::run_folder::RunFolder;
use swell_stats::Reading;
use swell_stats::reading::{Figure, Known};

use crate::support::{Answer, Folder, LIMIT, Server, closed_port, site};

/// All readings of a run so far.
fn readings(folder: &Folder) -> Vec<Reading> {
    let run = RunFolder::open(&folder.at("kept")).ok();
    let intervals = run.and_then(|run| run.intervals().ok());
    intervals.into_iter().flatten().flat_map(|interval| interval.readings).collect()
}

/// Runs until these figures were read, and interrupts.
fn until(args: &[&str], are_there: impl Fn(&[Reading]) -> bool) -> Vec<Reading> {
    let folder = Folder::new();
    let whole = [&["hit", "-c", "2", "-r", "50", "-d", "10m", "--run-dir", "kept"], args].concat();
    let running = folder.call(&whole).start();
    let deadline = Instant::now() + LIMIT;
    while !are_there(&readings(&folder)) {
        assert!(Instant::now() < deadline, "{:?}", readings(&folder));
        std::thread::sleep(Duration::from_millis(20));
    }
    running.signal("INT");
    running.wait().exits(105);
    readings(&folder)
}

fn has(all: &[Reading], source: &str, figure: &Figure) -> bool {
    all.iter().any(|reading| &*reading.source == source && reading.figure == *figure)
}

#[test]
fn a_target_on_this_machine_is_watched_without_being_asked_to() {
    let site = site();
    let url = format!("http://{}/", site.addr());
    let port = format!("port {}", site.addr().port());
    let all = until(&[&url], |all| has(all, &port, &Figure::Known(Known::ProcessCpu)));
    for known in [Known::Threads, Known::ProcessMemory, Known::AcceptQueue, Known::Descriptors] {
        assert!(has(&all, &port, &Figure::Known(known)), "{known:?} {all:?}");
    }
    for known in [Known::MachineUser, Known::RunQueue, Known::ListenDrops] {
        assert!(has(&all, "machine", &Figure::Known(known)), "{known:?}");
    }
}

#[test]
fn an_exporter_is_read_beside_a_process() {
    let site = site();
    let exporter = Server::start(|_| {
        Answer::ok(
            "# TYPE pool_waits_total counter\npool_active{pool=\"a\"} 7\npool_waits_total 5\njvm_threads_current 33\n",
        )
    });
    // Not this process: another test may have started a JVM in it, whose threads would count.
    let mut other = Command::new("cat").stdin(Stdio::piped()).spawn().expect("a process");
    let url = format!("http://{}/", site.addr());
    let pid = format!("pid:{}", other.id());
    let source = format!("prometheus=http://{}/metrics,match=pool_*", exporter.addr);
    let named = |name: &str, is_rate| Figure::Named { name: name.into(), is_rate };
    let from = exporter.addr.to_string();
    let all = until(&[&url, "--monitor", &source, "--monitor", &pid], |all| {
        has(all, &from, &named("pool_waits_total", true))
            && has(all, &pid.replace(':', " "), &Figure::Known(Known::Threads))
    });
    assert!(has(&all, &from, &named("pool_active{pool=a}", false)), "{all:?}");
    // The target is watched as well: it is this process, in which another test may have started a
    // JVM. A mean of equal figures may differ from them by its rounding.
    let of_exporter: Vec<_> = all.iter().filter(|reading| *reading.source == *from).cloned().collect();
    let threads = Reading::mean_of(&of_exporter, Known::JvmThreads);
    assert!(threads.is_some_and(|threads| (threads - 33.0).abs() < 1e-9), "{threads:?}");
    assert!(exporter.requests().iter().all(|request| request.path() == "/metrics"));
    drop(other.stdin.take());
    other.wait().expect("cat ends with its input");
}

#[test]
fn a_source_that_has_no_figures_is_refused_before_the_test() {
    let folder = Folder::new();
    let site = site();
    let url = format!("http://{}/", site.addr());
    let port = closed_port();
    let refused = |source: &str, texts: &[&str]| {
        folder.swell(&["hit", &url, "-n", "1", "--monitor", source]).refused(texts);
    };
    refused("nonsense", &["invalid source `nonsense`; examples of sources: local, port:8080"]);
    refused(&format!("port:{port}"), &["no process on this machine listens on port", "--no-monitor"]);
    refused("pid:4000000000", &["no process has pid 4000000000"]);
    // Not this process: another test may have started a JVM in it.
    let mut other = Command::new("cat").stdin(Stdio::piped()).spawn().expect("a process");
    refused(&format!("jvm:{}", other.id()), &["has no JVM counters"]);
    drop(other.stdin.take());
    other.wait().expect("cat ends with its input");
    refused(
        &format!("prometheus=http://127.0.0.1:{port}/"),
        &["cannot monitor `http://127.0.0.1:", "refused"],
    );
    refused(&format!("prometheus={url}"), &["not from a Prometheus exporter"]);
    folder.swell(&["hit", &url, "-n", "1", "--no-monitor"]).exits(0);
}
