//! `swell doctor`: limits of this machine that would spoil a test, before they do.

mod facts;

use std::fmt::Write;

use serde::Serialize;

use crate::args::DoctorArgs;
use crate::exit::Exit;
use crate::kernel;
use facts::Facts;
pub(crate) use facts::local_ports;

/// Descriptors that a run needs besides one a connection: plan, results, log, loops, helpers.
pub(crate) const OWN_DESCRIPTORS: u64 = 100;
/// Resident memory of a user, generously: what was measured is in bench/.
const BYTES_A_USER: u64 = 12 * 1024;

/// One thing looked at.
#[derive(Debug, Serialize, PartialEq, Eq)]
pub(crate) struct Finding {
    /// Whether it is good enough.
    ok: bool,
    /// What was looked at.
    what: &'static str,
    /// What was found.
    found: String,
    /// What to do about it, if it is not good enough.
    hint: Option<String>,
}

#[derive(Serialize)]
struct Report<'a> {
    users: u64,
    /// Nothing here will spoil a test with `users` users: the exit status is 0.
    ok: bool,
    facts: &'a Facts,
    findings: &'a [Finding],
}

/// Runs the command: text or JSON for standard output, and whether something will spoil a test with
/// that number of users.
pub(crate) fn doctor(args: &DoctorArgs) -> (String, Exit) {
    let facts = Facts::of_this_machine();
    let findings = judge(&facts, args.users);
    let text = if args.json { json(&facts, &findings, args.users) } else { text_of(&findings, args.users) };
    (text, exit(&findings))
}

fn exit(findings: &[Finding]) -> Exit {
    if findings.iter().all(|finding| finding.ok) { Exit::Fine } else { Exit::Found }
}

fn json(facts: &Facts, findings: &[Finding], users: u64) -> String {
    let report = Report { users, ok: exit(findings) == Exit::Fine, facts, findings };
    swell_report::json::indented(&report)
}

fn text_of(findings: &[Finding], users: u64) -> String {
    let mut out = format!("This machine, for a test with {users} users:\n\n");
    for finding in findings {
        let mark = if finding.ok { "ok  " } else { "WARN" };
        // Writing to a String cannot fail.
        let _ = writeln!(out, "  {mark}  {:<22} {}", finding.what, finding.found);
        if let Some(hint) = &finding.hint {
            // Writing to a String cannot fail.
            let _ = writeln!(out, "        hint: {hint}");
        }
    }
    let bad = findings.iter().filter(|f| !f.ok).count();
    // Writing to a String cannot fail.
    let _ = match bad {
        0 => writeln!(out, "\nNo problems found."),
        1 => writeln!(out, "\n1 problem found."),
        _ => writeln!(out, "\n{bad} problems found."),
    };
    out
}

fn finding(what: &'static str, ok: bool, found: String, hint: impl FnOnce() -> String) -> Finding {
    Finding { ok, what, found, hint: (!ok).then(hint) }
}

/// Judges the facts for a number of users. Pure.
fn judge(facts: &Facts, users: u64) -> Vec<Finding> {
    let is_new = !kernel::is_too_old(&facts.kernel);
    let found = format!("Linux {}, needed {}", facts.kernel, kernel::oldest());
    let mut all = vec![finding("kernel", is_new, found, || {
        "commands can fail, and times can be less accurate: use a newer kernel".to_owned()
    })];
    all.push(finding("cores", facts.cores > 1, facts.cores.to_string(), || {
        "with one core, the tool competes with every other program: use a dedicated machine with more cores"
            .to_owned()
    }));
    if let Some(hard) = facts.descriptors_hard {
        let need = users + OWN_DESCRIPTORS;
        all.push(finding("open files a process", hard >= need, format!("{hard}, needed {need}"), || {
            let agents = users.div_ceil(hard.saturating_sub(OWN_DESCRIPTORS).max(1));
            format!(
                "raise the hard limit: `ulimit -Hn {need}` as root, or /etc/security/limits.conf; or run the plan in {agents} \
                 processes: `swell run PLAN --agents {agents}`"
            )
        }));
    }
    if let Some((first, last)) = facts.local_ports {
        let ports = u64::from(last.saturating_sub(first)) + 1;
        let found = format!("{ports} ({first}-{last}) to one address and port");
        all.push(finding("local ports", ports >= users, found, || {
            format!(
                "widen the range: `sysctl -w net.ipv4.ip_local_port_range=\"1024 65535\"`, or connect from {} addresses of this \
                 machine: `--source`",
                users.div_ceil(ports)
            )
        }));
    }
    if let Some(queue) = facts.somaxconn {
        all.push(finding("accept queue", queue >= 1024, format!("{queue} (net.core.somaxconn)"), || {
            "if the server under test runs here: `sysctl -w net.core.somaxconn=4096`".to_owned()
        }));
    }
    if let Some(free) = facts.memory_available_bytes {
        let need = users * BYTES_A_USER;
        let found = format!("{} MB free, about {} MB needed", free >> 20, (need >> 20).max(1));
        all.push(finding("memory", free > need * 2, found, || {
            "use fewer users or a larger machine".to_owned()
        }));
    }
    all.extend(clocks(facts));
    all.extend(neighbours(facts));
    all
}

fn clocks(facts: &Facts) -> Vec<Finding> {
    let mut all = Vec::new();
    if let Some(source) = &facts.clock_source {
        let fast = ["tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page"]
            .contains(&source.as_str());
        all.push(finding("clock source", fast, source.clone(), || {
            "reading this clock needs a system call, about ten times slower: usually a virtual machine setting"
                .to_owned()
        }));
    }
    let found = match (facts.receive_stamps, facts.uses_kernel_program) {
        (true, true) => "recorded by a program in the kernel",
        (true, false) => {
            "delivered with each read; a kernel program costs less CPU but needs root or CAP_BPF"
        }
        (false, _) => "not given",
    };
    all.push(finding("kernel receive stamps", facts.receive_stamps, found.to_owned(), || {
        "latencies will include the tool's own delay; the report says so".to_owned()
    }));
    let found = match &facts.uring_refused {
        None => "epoll; io_uring is available (--io uring)".to_owned(),
        Some(why) => format!("epoll; io_uring is not available ({why})"),
    };
    all.push(finding("event loops", true, found, String::new));
    let found =
        if facts.stays_awake { "disabled during a test" } else { "root can disable it during a test" };
    all.push(finding("sleep of processors", true, found.to_owned(), String::new));
    all
}

fn neighbours(facts: &Facts) -> Vec<Finding> {
    let mut all = Vec::new();
    if let Some(load) = facts.load_average {
        let calm = load < facts.cores as f64 / 2.0;
        all.push(finding(
            "other work",
            calm,
            format!("load average {load} on {cores} cores", cores = facts.cores),
            || "other programs are running and will compete with the test for the cores".to_owned(),
        ));
    }
    if let Some(steal) = facts.steal_percent {
        all.push(finding("stolen time", steal < 1.0, format!("{steal:.2} % since boot"), || {
            "the hypervisor gives the cores to other machines, which delays the test by invisible milliseconds"
                .to_owned()
        }));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good() -> Facts {
        Facts {
            kernel: "6.1.0-18-amd64".to_owned(),
            cores: 4,
            memory_available_bytes: Some(8 << 30),
            descriptors_hard: Some(1_000_000),
            local_ports: Some((1024, 65_535)),
            somaxconn: Some(4096),
            clock_source: Some("tsc".to_owned()),
            receive_stamps: true,
            uses_kernel_program: true,
            uring_refused: None,
            stays_awake: true,
            load_average: Some(0.1),
            steal_percent: Some(0.0),
        }
    }

    fn bad(facts: &Facts, users: u64) -> Vec<&'static str> {
        judge(facts, users).iter().filter(|f| !f.ok).map(|f| f.what).collect()
    }

    #[test]
    fn a_good_machine_has_nothing_in_the_way() {
        assert_eq!(bad(&good(), 10_000), [""; 0]);
        assert_eq!(exit(&judge(&good(), 10_000)) as u8, 0);
        assert!(text_of(&judge(&good(), 10_000), 10_000).ends_with("No problems found.\n"));
    }

    #[test]
    fn each_limit_is_found_with_a_hint() {
        let table: [(&str, Facts); 9] = [
            ("kernel", Facts { kernel: "4.18.0-553.el8_10.x86_64".to_owned(), ..good() }),
            ("cores", Facts { cores: 1, load_average: None, ..good() }),
            ("open files a process", Facts { descriptors_hard: Some(10_099), ..good() }),
            ("local ports", Facts { local_ports: Some((32_768, 40_000)), ..good() }),
            ("accept queue", Facts { somaxconn: Some(128), ..good() }),
            ("memory", Facts { memory_available_bytes: Some(200 << 20), ..good() }),
            ("clock source", Facts { clock_source: Some("hpet".to_owned()), ..good() }),
            ("kernel receive stamps", Facts { receive_stamps: false, ..good() }),
            ("other work", Facts { load_average: Some(3.0), ..good() }),
        ];
        for (what, facts) in table {
            assert_eq!(bad(&facts, 10_000), [what]);
            assert_eq!(exit(&judge(&facts, 10_000)) as u8, 1, "{what}");
            assert!(judge(&facts, 10_000).iter().all(|f| f.ok == f.hint.is_none()));
        }
    }

    #[test]
    fn more_users_than_a_process_may_have_are_for_several() {
        let facts = Facts { descriptors_hard: Some(20_000), ..good() };
        let hint = |users| judge(&facts, users).into_iter().find_map(|finding| finding.hint);
        assert_eq!(hint(19_900), None);
        assert!(hint(19_901).is_some_and(|hint| hint.contains("--agents 2`")));
        assert!(
            hint(60_000)
                .is_some_and(|hint| hint.contains("`ulimit -Hn 60100`") && hint.contains("--agents 4`"))
        );
    }

    #[test]
    fn this_machine_answers_as_text_and_json() {
        let (text, _) = doctor(&DoctorArgs { users: 10, json: false });
        assert!(text.contains("open files a process"), "{text}");
        let (json, exit) = doctor(&DoctorArgs { users: 10, json: true });
        let value: serde_json::Value = serde_json::from_str(&json).expect("valid JSON");
        assert_eq!((&value["users"], &value["ok"]), (&10.into(), &(exit == Exit::Fine).into()));
    }
}
