use super::*;
use crate::matrix::tools;

struct Quiet {
    lines: Vec<String>,
    kept: usize,
}

impl MatrixDriver for Quiet {
    type Failure = String;

    fn goes_on(&self) -> bool {
        true
    }

    fn begin(&mut self, _: &RunFacts<'_>) -> Vec<String> {
        Vec::new()
    }

    fn done(&mut self, _: usize, _: usize, _: &Run, line: &str) -> Result<(), String> {
        self.lines.push(line.to_owned());
        Ok(())
    }

    fn keep(&mut self, matrix: &Matrix) -> Result<(), String> {
        self.kept = matrix.runs.len();
        Ok(())
    }
}

/// A tool that is a script: it asks once over bash's own sockets and writes what wrk wrote once.
fn script(folder: &Path, name: &str, text: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/bash\n{text}\n")).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("made a program");
    path
}

fn options(
    folder: &Path,
    site: SocketAddr,
    tools: Vec<(&'static Adapter, Option<PathBuf>)>,
) -> MatrixOptions {
    MatrixOptions {
        tools,
        site,
        rtts: vec![Duration::from_micros(100), Duration::from_millis(10)],
        users: vec![20],
        seconds: 1,
        rounds: 2,
        seed: Some(3),
        folder: folder.join("runs"),
    }
}

#[test]
fn tools_are_run_in_rounds_read_and_compared_with_the_record_of_the_site() {
    let folder = tempfile::tempdir().expect("a folder");
    let site = swell_target::start(swell_target::Options::default()).expect("it starts");
    let recorded = concat!(env!("CARGO_MANIFEST_DIR"), "/src/matrix/recorded/wrk.txt");
    let ask = "url=${@: -1}; rest=${url#http://}; at=${rest%%/*}; exec 3<>/dev/tcp/${at%%:*}/${at##*:}\n\
         printf 'GET /%s HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n' \"${rest#*/}\" >&3; cat <&3 >/dev/null";
    let works = script(
        folder.path(),
        "works",
        &format!("[ \"$1\" = -v ] && echo fake 1.2 && exit\n{ask}\ncat {recorded}"),
    );
    let fails = script(folder.path(), "fails", "echo no memory >&2; exit 1");
    let [wrk, hey, oha] = ["wrk", "hey", "oha"].map(|name| tools::named(name).expect("a tool"));
    let options =
        options(folder.path(), site.addr(), vec![(wrk, Some(works)), (hey, Some(fails)), (oha, None)]);
    let mut driver = Quiet { lines: Vec::new(), kept: 0 };
    let (matrix, whole) = run("Swell", &options, &mut driver).expect("it runs");
    assert!(whole && matrix.runs.len() == 8 && driver.kept == 8, "{:?}", driver.lines);
    assert_eq!(matrix.tools[0].version.as_deref(), Some("fake 1.2"));
    assert_eq!(matrix.tools[2].program, None);
    let slow = matrix.rows(10.0, 20);
    let [wrk, hey] = ["wrk", "hey"].map(|name| slow.iter().find(|row| row.tool == name).expect("it was run"));
    assert_eq!((wrk.per_s, wrk.rounds), (Some(1421.76), 2));
    // One request that took a little over 10 ms, where the tool says a mean of 14.82.
    assert!(wrk.mean_error.is_some_and(|error| error < 0.5), "{wrk:?}");
    assert_eq!((hey.rounds, hey.per_s, hey.failure.as_deref()), (0, None, Some("no memory")));
    let truth: Vec<_> = matrix.runs.iter().map(|run| run.truth.requests).collect();
    assert!(truth.iter().all(|requests| [0.0, 1.0].contains(requests)), "{truth:?}");
}

#[test]
fn a_tool_that_does_not_start_is_a_failed_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let site = swell_target::start(swell_target::Options::default()).expect("it starts");
    let wrk = tools::named("wrk").expect("a tool");
    let options = options(folder.path(), site.addr(), vec![(wrk, Some(folder.path().join("none")))]);
    let (matrix, _) = run("Swell", &options, &mut Quiet { lines: Vec::new(), kept: 0 }).expect("it runs");
    assert!(
        matches!(&matrix.runs[0].ending, RunEnding::Failed(why) if why.contains("No such file")),
        "{matrix:?}"
    );
}

#[test]
fn the_order_is_drawn_a_round() {
    let wrk = tools::named("wrk").expect("a tool");
    let mut options = options(Path::new("/"), ([127, 0, 0, 1], 1).into(), vec![(wrk, Some("/x".into()))]);
    options.users = (1..20).collect();
    let drawn = order(&options);
    let again = order(&options);
    options.seed = None;
    let given = order(&options);
    assert!(drawn == again && drawn != given && drawn.len() == 76);
    assert!(drawn[..38].iter().all(|run| run.0 == 0) && drawn[38..].iter().all(|run| run.0 == 1));
    assert_ne!(
        drawn[..38].iter().map(|run| (run.2, run.3)).collect::<Vec<_>>(),
        drawn[38..].iter().map(|run| (run.2, run.3)).collect::<Vec<_>>()
    );
}
