//! Batch plans whose scripts or samplers need JMeter's classes; the rest runs natively. Also needs
//! Java and a JMeter; plans with their servers need what `jmeter/batch.sh` fetches.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use swell_parity::{JMeter, Swell, diff};

/// A plan and its special requirements.
pub(super) struct OnJvm {
    pub(super) name: &'static str,
    /// Ports that it names; each run replaces them with others of as many digits.
    ports: &'static [&'static str],
    /// Texts of the expected files, with what Swell writes instead.
    departures: &'static [(&'static str, &'static str)],
    /// Whether it starts a server or needs a database.
    has_server: bool,
    /// Number of attempts if it depends on time: a server may listen only after its script has
    /// ended.
    attempts: usize,
}

impl OnJvm {
    const fn new(name: &'static str) -> Self {
        Self { name, ports: &[], departures: &[], has_server: false, attempts: 1 }
    }
}

pub(super) const PLANS: [OnJvm; 8] = [
    OnJvm::new("BatchTestLocal"),
    OnJvm::new("OS_TESTS"),
    // Its script allows one second for everything except the pauses, which a busy machine may
    // exceed.
    OnJvm { attempts: 6, ..OnJvm::new("TestSchedulerWithTimer") },
    OnJvm {
        ports: &["8081", "8082"],
        // Where `Java` is configured, Swell sends as `HttpClient4` does.
        departures: &[("java.net.ConnectException", "org.apache.http.conn.HttpHostConnectException")],
        attempts: 10,
        ..OnJvm::new("TestCookieManager")
    },
    OnJvm {
        ports: &["2222", "2223"],
        // JMeter 5.6.3 writes the same; the expected files are older, and its build calls the plan
        // unreliable.
        departures: &[("ReadException: ,", LATE_ANSWER_CSV), ("ReadException: \"", LATE_ANSWER_XML)],
        has_server: true,
        ..OnJvm::new("TCP_TESTS")
    },
    OnJvm { ports: &["2222", "2223"], has_server: true, ..OnJvm::new("FTP_TESTS") },
    OnJvm { has_server: true, ..OnJvm::new("JDBC_TESTS") },
    OnJvm { ports: &["61616"], has_server: true, ..OnJvm::new("JMS_TESTS") },
];

const LATE_ANSWER_CSV: &str = "ReadException: Socket timed out while looking for EOM,";
const LATE_ANSWER_XML: &str = "ReadException: Socket timed out while looking for EOM\"";

#[test]
fn results_of_batch_plans_with_scripts_are_those_that_jmeter_expects() {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/jmeter-suite/bin");
    let Ok(suite) = suite.canonicalize() else {
        return eprintln!("skipped: no JMeter suite at {}", suite.display());
    };
    let usual = std::env::var_os("JMETER_HOME").map_or_else(JMeter::usual_home, PathBuf::from);
    let swell = match (JMeter::find(&usual), Swell::find()) {
        (Ok(_), Ok(swell)) => swell,
        (Err(reason), _) | (_, Err(reason)) => return eprintln!("skipped: {reason}"),
    };
    let servers = usual.join("batch");
    let has_servers = servers.is_dir();
    let mut wrong = Vec::new();
    for plan in &PLANS {
        if plan.has_server && !has_servers {
            eprintln!("skipped: {}: no servers in {} (jmeter/batch.sh)", plan.name, servers.display());
            continue;
        }
        let mut differences = Vec::new();
        for _ in 0..plan.attempts {
            differences = of_plan(plan, &swell, &suite, &usual);
            if differences.is_empty() {
                break;
            }
        }
        wrong.extend(differences);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns how the results of one run differ from those expected.
fn of_plan(plan: &OnJvm, swell: &Swell, suite: &Path, usual: &Path) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path();
    let bin = home.join("bin");
    make_home(home, usual, suite);
    let ports = free_ports(plan.ports);
    for file in [format!("{}.jmx", plan.name), "activemq.xml".to_owned()] {
        let file = bin.join("testfiles").join(file);
        let text = fs::read_to_string(&file).expect("a file of the suite");
        let text = ports.iter().fold(text, |text, (named, free)| text.replace(named, free));
        fs::write(&file, text).expect("a copy");
    }
    let mut command = Command::new(swell.binary());
    command.current_dir(&bin).arg("run").arg(format!("testfiles/{}.jmx", plan.name));
    command.arg("--jmeter-home").arg(home).args(["-l", "run.jtl", "-j", "run.log"]);
    command.args(["-p", "jmeter.properties", "-q", "testfiles/jmeter-batch.properties", "-Jmodule=Module"]);
    command.arg(format!("-JCSVFILE={}.csv", plan.name));
    let output = command.output().expect("swell can be started");
    let said = String::from_utf8_lossy(&output.stderr);
    let of_kind = |kind: &str| {
        let name = format!("{}.{kind}", plan.name);
        let expected = super::text(&bin.join("testfiles").join(&name));
        let expected = plan.departures.iter().fold(expected, |text, (old, new)| text.replace(old, new));
        let actual = super::text(&bin.join(&name));
        (expected != actual).then(|| format!("{name}:\n{}{said}", diff(&expected, &actual, 40)))
    };
    ["csv", "xml"].into_iter().filter_map(of_kind).collect()
}

/// Makes a folder like a JMeter home, with the suite in `bin`: the plans read and write there.
fn make_home(home: &Path, usual: &Path, suite: &Path) {
    let bin = home.join("bin");
    let lib = home.join("lib");
    super::copy_files(&usual.join("bin"), &bin);
    super::copy_files(suite, &bin);
    let broker = Path::new(env!("CARGO_MANIFEST_DIR")).join("jmeter/batch/activemq.xml");
    fs::copy(broker, bin.join("testfiles/activemq.xml")).expect("a copy");
    fs::write(home.join("README.md"), "OS_TESTS looks for this file.\n").expect("a file");
    for part in ["ext", "opt", "junit"] {
        fs::create_dir_all(lib.join(part)).expect("a folder");
    }
    link_jars(&usual.join("lib"), &lib);
    link_jars(&usual.join("lib/ext"), &lib.join("ext"));
    let servers = usual.join("batch");
    for (name, jar) in jars_of(&servers) {
        let place = match name.as_str() {
            // The plan names this version.
            name if name.starts_with("hsqldb") => lib.join("opt/hsqldb-2.4.0.jar"),
            name if name.starts_with("ApacheJMeter") => lib.join("ext").join(name),
            name => lib.join(name),
        };
        symlink(jar, place).expect("a link");
    }
}

fn link_jars(from: &Path, to: &Path) {
    for (name, jar) in jars_of(from) {
        symlink(jar, to.join(name)).expect("a link");
    }
}

/// Returns the jars in a folder, by name; none if the folder is missing.
fn jars_of(folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.expect("a file"));
    let named = entries.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()));
    named.filter(|(name, _)| Path::new(name).extension().is_some_and(|ending| ending == "jar")).collect()
}

/// Returns a free port for each of these, with as many digits: message lengths include them.
fn free_ports(named: &[&'static str]) -> Vec<(&'static str, String)> {
    let mut taken = Vec::new();
    let mut free = |named: &&'static str| {
        let range = if named.len() == 4 { 4000..10_000 } else { 10_000..30_000 };
        let mut listeners = range.filter_map(|port: u16| TcpListener::bind(("0.0.0.0", port)).ok());
        let listener = listeners.next().expect("not all ports are taken");
        let port = listener.local_addr().expect("it is bound").port();
        taken.push(listener);
        (*named, port.to_string())
    };
    named.iter().map(&mut free).collect()
}
