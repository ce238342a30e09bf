//! Compares Swell with JMeter's recorded output of each case. Needs a built `swell` (`SWELL_BIN`,
//! or in the target folder), and Java for scripts that do not run natively.

use std::process::Command;

use swell_parity::case::Case;
use swell_parity::{Departures, Outcome, Subject, Swell, Tool, Verdict, each, golden, home, judge};

/// Runs mostly wait, so several run at once.
const AT_ONCE: usize = 4;

#[test]
fn swell_does_what_jmeter_does() {
    let swell = match Swell::find() {
        Ok(swell) => Tool::Swell(swell),
        Err(reason) => return eprintln!("skipped: {reason}"),
    };
    let home = home();
    let departures = Departures::load(&home.join("departures.txt")).expect("the list of departures");
    let cases = Case::load_all(&home.join("cases")).expect("cases that can be read");
    let data = home.join("cases/data");
    let verdicts = each(&cases, AT_ONCE, |case| {
        let expected =
            golden::load(&home.join("golden"), &case.name).expect("a golden file that can be read");
        let actual = Subject { case, data: Some(&data) }.render(&swell).map(|(text, _)| text);
        judge(&case.name, expected, actual, &departures)
    });
    let is_wrong = |verdict: &&Verdict| !verdict.is_fine() && !lacks_java(verdict);
    let wrong: Vec<String> = verdicts.iter().filter(is_wrong).map(told).collect();
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// Whether the case has scripts for the JVM, and Java or JMeter's classes are missing on this
/// machine.
fn lacks_java(verdict: &Verdict) -> bool {
    let Outcome::Failed(error) = &verdict.outcome else { return false };
    let lacks = swell_parity::lacks_java(error);
    if lacks {
        println!("{}: skipped: there is no Java or no JMeter", verdict.case);
    }
    lacks
}

fn told(verdict: &Verdict) -> String {
    match &verdict.outcome {
        Outcome::Differs(diff) => format!("{} differs (- JMeter, + Swell):\n{diff}", verdict.case),
        Outcome::Failed(error) => format!("{} failed: {error}", verdict.case),
        Outcome::Mended => format!("{} agrees now: take it out of departures.txt", verdict.case),
        Outcome::Same | Outcome::Known(_) => verdict.case.clone(),
    }
}

#[test]
fn every_case_has_a_golden_file_and_every_golden_file_and_departure_a_case() {
    let home = home();
    let cases = Case::load_all(&home.join("cases")).expect("cases that can be read");
    let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    for name in &names {
        assert!(golden::path(&home.join("golden"), name).is_file(), "{name}: `swell-parity golden {name}`");
    }
    for entry in std::fs::read_dir(home.join("golden")).expect("golden files") {
        let file = entry.expect("a golden file").path();
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        assert!(names.contains(&name.as_str()), "{}: no such case", file.display());
    }
    let departures = Departures::load(&home.join("departures.txt")).expect("the list of departures");
    for name in departures.cases() {
        assert!(names.contains(&name), "departures.txt: no case {name}");
    }
}

/// Otherwise a script that runs would be listed as one that is not compared.
#[test]
fn nothing_that_runs_stands_in_a_case_of_refused_scripts() {
    let swell = match Swell::find() {
        Ok(swell) => swell,
        Err(reason) => return eprintln!("skipped: {reason}"),
    };
    let cases = Case::load_all(&home().join("cases")).expect("cases that can be read");
    let refused: Vec<&str> =
        cases.iter().map(|case| &*case.name).filter(|name| name.contains("_refused_")).collect();
    assert!(refused.len() > 10, "{refused:?}");
    for name in refused {
        let plan = home().join("cases").join(format!("{name}.jmx"));
        let checked = Command::new(swell.binary()).arg("check").arg(plan).output().expect("swell runs");
        let listed = String::from_utf8_lossy(&checked.stdout).into_owned();
        // The columns are treatment, line, class.
        let class = |line: &str| line.split_whitespace().nth(2).unwrap_or_default().to_owned();
        let is_script =
            |line: &&str| ["JSR223", "BeanShell"].iter().any(|kind| class(line).starts_with(kind));
        let runs: Vec<&str> =
            listed.lines().filter(|line| line.starts_with("  native")).filter(is_script).collect();
        assert!(runs.is_empty(), "{name}: take these to a case that is compared:\n{}", runs.join("\n"));
    }
}
