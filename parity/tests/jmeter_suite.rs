//! JMeter's own batch plans: results files must be those that its build expects, byte by byte. Needs JMeter's suite beside
//! the repository and a built `swell`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use swell_parity::{Swell, diff};

/// Plans that need neither scripts nor a server, with the properties that JMeter's build gives them.
const PLANS: [(&str, &str); 7] = [
    ("Bug50898", ""),
    ("Bug52968", ""),
    ("Bug54685", "-Jsample_variables=REFERENCE,JSESSIONID"),
    ("Bug55375", ""),
    ("Bug62239", ""),
    ("BUG_62847", ""),
    ("TestHeaderManager", ""),
];

/// The other plans that have expected files, and why they are not run.
const LEFT_OUT: [(&str, &str); 21] = [
    ("BatchTestLocal", "scripts of BSF, BeanShell and JSR223"),
    ("Bug47165", "its expected files are not what JMeter 5.6.3 writes, and JMeter's build does not run it"),
    ("Bug56243", "a BeanShell script"),
    ("Bug56811", "BeanShell scripts"),
    ("FTP_TESTS", "FTP"),
    ("HTMLParserTestFile_2", "a page by the protocol `file`"),
    ("Http4ImplDigestAuth", "sites of the internet"),
    ("Http4ImplPreemptiveBasicAuth", "a Groovy script, and sites of the internet"),
    ("JDBC_TESTS", "a database"),
    ("JMS_TESTS", "a message service"),
    ("OS_TESTS", "a Groovy script"),
    ("ResponseDecompression", "sites of the internet"),
    ("SlowCharsFeature", "Groovy scripts, and sites of the internet"),
    ("TCP_TESTS", "its server is a Groovy script"),
    ("TEST_HTTP", "its server is started by a Groovy script, and sites of the internet"),
    ("TEST_HTTPS", "sites of the internet"),
    ("TestCookieManager", "its server is started by a Groovy script"),
    ("TestKeepAlive", "Groovy scripts, and sites of the internet"),
    ("TestRedirectionPolicies", "sites of the internet"),
    ("TestResultStatusAction", "Groovy scripts"),
    ("TestSchedulerWithTimer", "Groovy scripts"),
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
    let listed = |plan: &&str| PLANS.iter().chain(&LEFT_OUT).any(|(name, _)| name == plan);
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
    let of_kind = |kind: &str| {
        let name = format!("{plan}.{kind}");
        let expected = text(&folder.path().join("testfiles").join(&name));
        let actual = text(&folder.path().join(&name));
        (expected != actual).then(|| format!("{name}:\n{}{said}", diff(&expected, &actual, 40)))
    };
    ["csv", "xml"].into_iter().filter_map(of_kind).collect()
}

/// A file with line ends as on Unix; nothing if it is not there.
fn text(file: &PathBuf) -> String {
    fs::read_to_string(file).unwrap_or_default().replace("\r\n", "\n")
}

fn copy_files(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    let files = fs::read_dir(from).expect("the suite").map(|entry| entry.expect("a file").path());
    for file in files.filter(|file| file.is_file()) {
        fs::copy(&file, to.join(file.file_name().expect("files have names"))).expect("a copy");
    }
}
