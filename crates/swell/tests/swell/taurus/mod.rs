//! Taurus (`bzt` of PyPI) with `modules.jmeter.path` set to this program and nothing else changed.
//!
//! The versions are pinned in `requirements.txt`. They are installed once, into the target folder.
//! Where Python, Java (which bzt asks for) or PyPI is missing, the tests say so and pass.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use crate::support::{Call, Ended, Folder, plan, site};

/// Python with bzt.
fn python() -> Option<&'static Path> {
    static PYTHON: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    match PYTHON.get_or_init(install) {
        Ok(python) => Some(python),
        Err(why) => {
            eprintln!("skipped, there is no bzt: {why}");
            None
        }
    }
}

fn install() -> Result<PathBuf, String> {
    let wanted = include_str!("requirements.txt");
    let venv = Path::new(env!("CARGO_TARGET_TMPDIR")).join("taurus");
    let python = venv.join("bin/python");
    let installed = venv.join("installed.txt");
    ran(Command::new("java").arg("-version"))?;
    if std::fs::read_to_string(&installed).is_ok_and(|text| text == wanted) {
        return Ok(python);
    }
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/swell/taurus/requirements.txt");
    ran(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv))?;
    let pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--retries", "1", "--timeout", "20", "-r"];
    ran(Command::new(&python).args(pip).arg(list))?;
    std::fs::write(&installed, wanted).map_err(|error| error.to_string())?;
    Ok(python)
}

fn ran(command: &mut Command) -> Result<Output, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{program}: {error}"))?;
    if output.status.success() {
        return Ok(output);
    }
    let err = String::from_utf8_lossy(&output.stderr);
    Err(format!("{program}: {}", err.trim().lines().last().unwrap_or_default()))
}

/// Runs bzt to its end in a folder with that scenario; what it made is in `art`.
fn bzt(folder: &Folder, execution: &str, more: &[&str]) -> Option<Ended> {
    let python = python()?.to_str().expect("UTF-8");
    let config = format!(
        "execution:\n- {{scenario: s, {execution}}}\n\
         settings: {{check-updates: false, check-interval: 100ms, artifacts-dir: art}}\n\
         modules:\n  jmeter: {{path: '{}', detect-plugins: false}}\n  console: {{disable: true}}\n\
         services: []\nreporting: [{{module: final-stats, dump-csv: stats.csv}}]\n",
        env!("CARGO_BIN_EXE_swell"),
    );
    folder.write("test.yml", config);
    let args = [&["-m", "bzt.cli", "test.yml", "scenario.yml"], more].concat();
    // It writes a file of settings into its home.
    let call = Call::shell(folder.path(), python, &args).env("HOME", folder.path());
    Some(call.run())
}

/// A column of the row of all labels in what bzt counted.
fn total(folder: &Folder, column: &str) -> u64 {
    let text = folder.read("stats.csv");
    let mut lines = text.lines();
    let names = lines.next().expect("names");
    let at = names.split(',').position(|name| name == column).expect("a column");
    let row = lines.find(|line| line.starts_with(',')).unwrap_or_else(|| panic!("no total: {text}"));
    row.split(',').nth(at).and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("{column}: {text}"))
}

#[test]
fn bzt_asks_for_the_version_and_runs_the_requests_of_its_own_files() {
    let site = site();
    let folder = Folder::new();
    let at = site.addr();
    folder.write(
        "scenario.yml",
        format!("scenarios:\n  s:\n    requests: [http://{at}/bytes/100, http://{at}/status/404]\n"),
    );
    let Some(ended) = bzt(&folder, "concurrency: 2, iterations: 20", &[]) else { return };
    let ended = ended.exits(0);
    assert_eq!((total(&folder, "succ"), total(&folder, "fail")), (40, 40), "{ended}");
    assert_eq!((total(&folder, "rc_200"), total(&folder, "rc_404")), (40, 40), "{ended}");
    // What failed is read from the results in XML.
    assert!((ended.out.clone() + &ended.err).contains("Not Found"), "{ended}");
}

#[test]
fn bzt_runs_a_plan_and_stops_it_when_its_time_is_over() {
    let site = site();
    let folder = Folder::new();
    folder.write("plan.jmx", plan::jmx([plan::group(1, -1).with(plan::get(site.addr(), "/bytes/10"))]));
    folder.write("scenario.yml", "scenarios:\n  s: {script: plan.jmx}\n");
    let Some(ended) = bzt(&folder, "concurrency: 3, ramp-up: 1s, hold-for: 1s", &[]) else { return };
    let ended = ended.exits(0);
    assert!(total(&folder, "succ") > 3 && total(&folder, "fail") == 0, "{ended}");
    assert_eq!(total(&folder, "concurrency"), 3, "{ended}");
}

#[test]
fn bzt_stops_a_plan_by_its_criteria_through_the_port_for_commands() {
    let site = site();
    let folder = Folder::new();
    folder.write("plan.jmx", plan::jmx([plan::group(1, -1).with(plan::get(site.addr(), "/status/500"))]));
    folder.write(
        "scenario.yml",
        "scenarios:\n  s: {script: plan.jmx}\nreporting:\n- {module: passfail, criteria: ['fail>50% for 1s, stop as failed']}\n",
    );
    let Some(ended) = bzt(&folder, "hold-for: 1h", &[]) else { return };
    // Status 3: a criterion failed.
    let ended = ended.exits(3);
    assert!((ended.out.clone() + &ended.err).contains("Sending Shutdown command"), "{ended}");
    assert!(folder.read("art/jmeter.out").contains("Measurement: "), "{ended}");
}

#[test]
fn bzt_takes_functional_results() {
    let site = site();
    let folder = Folder::new();
    let at = site.addr();
    folder.write("scenario.yml", format!("scenarios:\n  s:\n    requests: [http://{at}/bytes/100]\n"));
    let Some(ended) = bzt(&folder, "iterations: 1", &["-func"]) else { return };
    let ended = ended.exits(0);
    assert!((ended.out.clone() + &ended.err).contains("Total: 1 test"), "{ended}");
}
