//! The example plans for other protocols, whose elements run on JMeter's classes. If the jars of a
//! server are not on JMeter's class path, its test prints that and passes.

use std::collections::BTreeMap;
use std::path::Path;

use swell_jvm::hosted::Classes;
use swell_jvm::{ClassPath, JMeterHome};
use swell_run::ScriptMode;

use crate::plans::{jvm, run_with};

/// Runs an example, if a class of its server is there: how often each label came, good or not.
fn example(name: &str, server: &str, artifact: &str) -> Option<BTreeMap<(String, bool), u32>> {
    let _jvm = jvm()?;
    let home = JMeterHome::find(None).expect("it was found by now");
    if !Classes::of(&ClassPath::of(&home)).has(server) {
        println!(
            "skipped: {server} is not on JMeter's class path (`swell jvm install {artifact}` fetches it)"
        );
        return None;
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    let bytes = std::fs::read(&file).expect("the example is there");
    let plan = swell_plan::read(&bytes, Some(&file)).plan.expect("it is well-formed");
    // The test's listener receives what is below the Test Plan.
    let plan = crate::plans::with_listener(plan);
    let ran = run_with(&plan, |settings| settings.scripts = ScriptMode::Auto);
    let mut counts = BTreeMap::new();
    for sample in &ran.samples {
        *counts.entry((sample.label.clone(), sample.success)).or_default() += 1;
    }
    assert!(!ran.samples.is_empty(), "{}", ran.log);
    Some(counts)
}

fn counts<const N: usize>(wanted: [(&str, bool, u32); N]) -> BTreeMap<(String, bool), u32> {
    wanted.into_iter().map(|(label, success, count)| ((label.to_owned(), success), count)).collect()
}

#[test]
fn a_database_is_asked_through_its_driver() {
    let Some(ran) = example("jdbc.jmx", "org.h2.Driver", "com.h2database:h2:2.2.224") else { return };
    let all =
        [("create", true, 1), ("fill", true, 1), ("look", true, 50), ("sold", true, 1), ("drop", true, 1)];
    assert_eq!(ran, counts(all));
}

#[test]
fn a_directory_is_searched_and_changed() {
    let class = "com.unboundid.ldap.listener.InMemoryDirectoryServer";
    let Some(ran) = example("ldap.jmx", class, "com.unboundid:unboundid-ldapsdk:6.0.11") else { return };
    let one = [("start", true, 1), ("stop", true, 1)];
    let each = ["bind", "add", "search", "unbind"].map(|label| (label, true, 6));
    assert_eq!(ran, counts([one[0], one[1], each[0], each[1], each[2], each[3]]));
}

#[test]
fn messages_are_published_received_and_sent() {
    let class = "org.apache.activemq.broker.BrokerService";
    let artifact = "org.apache.activemq:activemq-broker:5.16.7 org.apache.activemq:activemq-client:5.16.7";
    let Some(ran) = example("jms.jmx", class, artifact) else { return };
    assert_eq!(ran, counts([("publish", true, 6), ("receive", true, 6), ("send", true, 6)]));
}

#[test]
fn files_are_fetched_and_stored() {
    let class = "org.apache.ftpserver.FtpServerFactory";
    let Some(ran) = example("ftp.jmx", class, "org.apache.ftpserver:ftpserver-core:1.2.0") else { return };
    let all =
        [("start", true, 1), ("get", true, 6), ("put", true, 6), ("missing", false, 6), ("stop", true, 1)];
    assert_eq!(ran, counts(all));
}

#[test]
fn mail_is_sent_and_read() {
    let class = "com.icegreen.greenmail.util.GreenMail";
    let Some(ran) = example("mail.jmx", class, "com.icegreen:greenmail:1.5.11") else { return };
    assert_eq!(ran, counts([("start", true, 1), ("send", true, 6), ("read", true, 1), ("stop", true, 1)]));
}
