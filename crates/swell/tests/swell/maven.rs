//! jmeter-maven-plugin of Maven Central, which starts Swell where it would start Java: with the
//! script and the settings that the guide `from-jmeter.md` shows.
//!
//! Maven keeps the plug-in and the JMeter that it assembles in its own repository. Where Maven,
//! Java or Maven Central is missing, the test says so and passes.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use crate::support::{Call, Ended, Folder, plan, site};

/// The first block of a language in the guide's part on the plug-in.
fn shown(language: &str) -> String {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/from-jmeter.md");
    let guide = std::fs::read_to_string(guide).expect("the guide is there");
    let (_, part) = guide.split_once("### jmeter-maven-plugin").expect("it has a part on the plug-in");
    let (_, block) = part.split_once(&format!("```{language}\n")).expect("it shows one");
    block.split("```").next().unwrap_or_default().to_owned()
}

/// A project with a plan of five samples, two of which fail.
fn project(site: &swell_target::Target) -> Folder {
    let group = |loops, path| plan::group(1, loops).with(plan::get(site.addr(), path));
    let folder = Folder::new();
    std::fs::create_dir_all(folder.at("src/test/jmeter")).expect("a folder can be made");
    folder.write("src/test/jmeter/load.jmx", plan::jmx([group(3, "/bytes/100"), group(2, "/status/404")]));
    folder.write("java-is-swell", shown("sh elsewhere"));
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.at("java-is-swell"), mode).expect("the file is there");
    folder.write(
        "pom.xml",
        format!(
            "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion>\
             <groupId>test</groupId><artifactId>load</artifactId><version>1</version><packaging>pom</packaging>\
             <build><plugins><plugin>\
             <groupId>com.lazerycode.jmeter</groupId><artifactId>jmeter-maven-plugin</artifactId><version>3.6.1</version>\
             <configuration>{}<generateReports>false</generateReports></configuration>\
             <executions>\
             <execution><id>configuration</id><goals><goal>configure</goal></goals></execution>\
             <execution><id>tests</id><goals><goal>jmeter</goal></goals></execution>\
             <execution><id>results</id><goals><goal>results</goal></goals></execution>\
             </executions></plugin></plugins></build></project>",
            shown("xml")
        ),
    );
    folder
}

fn maven(folder: &Folder, args: &[&str]) -> Ended {
    let binary = Path::new(env!("CARGO_BIN_EXE_swell")).parent().expect("a folder");
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").expect("there is one"));
    let args = [&["--batch-mode"], args].concat();
    // It starts JVMs and copies a whole JMeter, which took more than a minute during a build.
    Call::shell(folder.path(), "mvn", &args).env("PATH", path).within(Duration::from_mins(10)).run()
}

/// Whether Maven has the plug-in and what that assembles in its repository.
fn has_plugin(folder: &Folder) -> bool {
    if std::process::Command::new("mvn").arg("--version").output().is_err() {
        eprintln!("skipped, Maven is not installed");
        return false;
    }
    let configure = "com.lazerycode.jmeter:jmeter-maven-plugin:3.6.1:configure@configuration";
    let configured = maven(folder, &["--offline", configure]);
    let missing = ["offline mode", "could not be resolved", "Could not resolve", "has not been downloaded"];
    if missing.iter().any(|words| configured.out.contains(words)) {
        eprintln!(
            "skipped, Maven's repository lacks jmeter-maven-plugin 3.6.1 or its parts: run the plug-in once"
        );
        return false;
    }
    assert_eq!(configured.code, Some(0), "{configured}");
    true
}

#[test]
fn the_maven_plug_in_runs_swell_as_the_guide_says_and_judges_its_results() {
    let site = site();
    let folder = project(&site);
    if !has_plugin(&folder) {
        return;
    }
    // Two of five samples failed, which the goal `results` does not let pass.
    let ended = maven(&folder, &["--offline", "verify"]);
    assert_eq!(ended.code, Some(1), "{ended}");
    assert!(ended.out.contains("Measurement: "), "Swell ran: {ended}");
    let counts = |name: &str| {
        let line = ended
            .out
            .lines()
            .find_map(|line| line.split_once(name))
            .map(|(_, count)| count.trim().to_owned());
        line.unwrap_or_else(|| panic!("no {name}: {ended}"))
    };
    assert_eq!([counts("Successful requests:"), counts("Failed requests:")], ["3", "2"], "{ended}");
}
