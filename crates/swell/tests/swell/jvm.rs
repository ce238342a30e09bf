//! `swell jvm`, as far as it needs neither Java nor a network.

use crate::support::{Call, Folder, closed_port};

#[test]
fn status_says_what_is_missing_and_how_to_get_it() {
    let folder = Folder::new();
    let nowhere = folder.at("nowhere");
    let call = Call::new(folder.path(), &["jvm", "status"])
        .env("JAVA_HOME", &nowhere)
        .env("XDG_CACHE_HOME", &nowhere);
    let ended = call.run().exits(104);
    ended.prints(&[
        "no Java in",
        "(set by JAVA_HOME)",
        "JMeter's classes were not found",
        "`swell jvm install` downloads them",
    ]);
}

#[test]
fn an_installation_that_cannot_fetch_says_what_and_from_where() {
    let folder = Folder::new();
    let repository = format!("http://127.0.0.1:{}/maven2", closed_port());
    let call = Call::new(folder.path(), &["jvm", "install", "--repository", &repository]);
    let ended = call.env("XDG_CACHE_HOME", folder.at("cache")).run().exits(104);
    let first = format!(
        "cannot fetch {repository}/org/apache/jmeter/ApacheJMeter_config/5.6.3/ApacheJMeter_config-5.6.3.jar"
    );
    assert!(ended.err.contains(&first) && ended.err.contains("`--repository URL` for another"), "{ended}");
}

#[test]
fn what_is_no_artifact_and_no_repository_is_refused() {
    let folder = Folder::new();
    let ended = folder.swell(&["jvm", "install", "dummy"]).exits(104);
    assert!(
        ended.err.contains("use GROUP:ARTIFACT:VERSION, such as kg.apc:jmeter-plugins-dummy:0.4"),
        "{ended}"
    );
    let ended = folder.swell(&["jvm", "install", "--repository", "ftp://x"]).exits(104);
    assert!(
        ended.err.contains("--repository ftp://x: no address; https://repo.example.com/maven2 is one"),
        "{ended}"
    );
}
