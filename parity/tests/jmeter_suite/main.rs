//! Runs JMeter's batch plans: results files must equal those that JMeter's build expects, byte by
//! byte. Needs JMeter's suite next to the repository, and a built `swell`.

mod on_jvm;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use swell_parity::{Swell, diff, lacks_java};

/// Plans that need no script engine and no server, with the properties that JMeter's build gives them.
const PLANS: [(&str, &str); 11] = [
    ("Bug50898", ""),
    ("Bug52968", ""),
    ("Bug54685", "-Jsample_variables=REFERENCE,JSESSIONID"),
    ("Bug55375", ""),
    ("Bug56243", ""),
    ("Bug56811", ""),
    ("Bug62239", ""),
    ("BUG_62847", ""),
    ("HTMLParserTestFile_2", ""),
    ("TestHeaderManager", ""),
    ("TestResultStatusAction", ""),
];

/// The other plans with expected files, and why they are skipped.
const LEFT_OUT: [(&str, &str); 9] = [
    ("Bug47165", "its expected files are not what JMeter 5.6.3 writes, and JMeter's build does not run it"),
    ("Http4ImplDigestAuth", "sites of the internet"),
    ("Http4ImplPreemptiveBasicAuth", "sites of the internet"),
    ("ResponseDecompression", "sites of the internet"),
    ("SlowCharsFeature", "sites of the internet"),
    ("TEST_HTTP", "sites of the internet"),
    ("TEST_HTTPS", "sites of the internet"),
    ("TestKeepAlive", "sites of the internet"),
    ("TestRedirectionPolicies", "sites of the internet"),
];

#[test]
fn results_of_batch_plans_are_those_that_jmeter_expects() {
    let bin = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/jmeter-suite/bin");
    let Ok(bin) = bin.canonicalize() else {
        return eprintln!("skipped: no JMeter suite at {}", bin.display());
    };
    let swell = match Swell::find() {
        Ok(swell) => swell,
        Err(reason) => return eprintln!("skipped: {reason}"),
    };
    let wrong: Vec<String> =
        PLANS.iter().flat_map(|(plan, more)| differences(&swell, &bin, plan, more)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_batch_plan_is_run_or_left_out_for_a_reason() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/jmeter-suite/bin/testfiles");
    let Ok(entries) = fs::read_dir(&folder) else {
        return eprintln!("skipped: no JMeter suite at {}", folder.display());
    };
    let names = entries.map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned());
    let names: Vec<String> = names.collect();
    let has = |name: &str| names.iter().any(|known| known == name);
    let plans = names.iter().filter_map(|name| name.strip_suffix(".jmx"));
    let expected = plans.filter(|plan| ["", "_HttpClient4"].iter().any(|of| has(&format!("{plan}{of}.xml"))));
    for (plan, reason) in LEFT_OUT {
        eprintln!("left out: {plan}: {reason}");
    }
    let on_jvm = on_jvm::PLANS.map(|plan| plan.name);
    let listed =
        |plan: &&str| PLANS.iter().chain(&LEFT_OUT).any(|(name, _)| name == plan) || on_jvm.contains(plan);
    let missing: Vec<&str> = expected.filter(|plan| !listed(plan)).collect();
    assert!(missing.is_empty(), "neither run nor left out: {missing:?}");
}

fn differences(swell: &Swell, bin: &Path, plan: &str, more: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    copy_files(&bin.join("testfiles"), &folder.path().join("testfiles"));
    let mut command = Command::new(swell.binary());
    command.current_dir(folder.path()).args([
        "run",
        &format!("testfiles/{plan}.jmx"),
        "-l",
        "run.jtl",
        "-j",
        "run.log",
    ]);
    command.arg("-p").arg(bin.join("jmeter.properties")).args(["-q", "testfiles/jmeter-batch.properties"]);
    command.arg("-Jmodule=Module").args(Some(more).filter(|more| !more.is_empty()));
    let output = command.output().expect("swell can be started");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if lacks_java(&said) {
        eprintln!("skipped: {plan}: there is no Java or no JMeter");
        return Vec::new();
    }
    let of_kind = |kind: &str| {
        let name = format!("{plan}.{kind}");
        let expected = text(&folder.path().join("testfiles").join(&name));
        let actual = text(&folder.path().join(&name));
        (expected != actual).then(|| format!("{name}:\n{}{said}", diff(&expected, &actual, 40)))
    };
    ["csv", "xml"].into_iter().filter_map(of_kind).collect()
}

/// Reads a file with Unix line ends; empty if the file is missing.
fn text(file: &PathBuf) -> String {
    fs::read_to_string(file).unwrap_or_default().replace("\r\n", "\n")
}

fn copy_files(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("the suite").map(|entry| entry.expect("a file")) {
        let path = entry.path();
        let copy = to.join(entry.file_name());
        if path.is_dir() {
            copy_files(&path, &copy);
            continue;
        }
        let mut content = fs::read(&path).expect("the suite can be read");
        if has_crlf(&path) {
            content = with_crlf(&content);
        }
        fs::write(&copy, content).expect("a copy");
    }
}

/// Whether JMeter's `.gitattributes` give a file the line ends that its expected sizes assume; the
/// suite may have been copied without applying them.
fn has_crlf(file: &Path) -> bool {
    let ending = file.extension().unwrap_or_default();
    let of_the_page = file.to_string_lossy().contains("HTMLParserTestFile_2");
    of_the_page && ["html", "htm", "css"].iter().any(|known| ending == *known)
}

fn with_crlf(content: &[u8]) -> Vec<u8> {
    let lines = content.split_inclusive(|byte| *byte == b'\n');
    let ended = lines.map(|line| match line.strip_suffix(b"\n") {
        Some(text) => [text.strip_suffix(b"\r").unwrap_or(text), b"\r\n"].concat(),
        None => line.to_vec(),
    });
    ended.collect::<Vec<_>>().concat()
}
