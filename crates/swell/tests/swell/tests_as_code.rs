//! Tests of jmeter-java-dsl on Swell, by Maven: the project that the guide `tests-as-code.md`
//! shows, and `tests/dsl/SwellEngineTest.java`.
//!
//! Libraries come from Maven Central once and are kept in `swell/maven` in the user's cache, apart
//! from the user's own repository, since the test puts its jar there. Where Maven, Java or the
//! libraries are missing, the test says so and passes.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::support::{Call, Ended, Folder, site};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn guide() -> String {
    std::fs::read_to_string(root().join("docs/guide/tests-as-code.md")).expect("the guide is there")
}

/// The block of a language after a text of the guide.
fn block(guide: &str, text: &str, language: &str) -> String {
    let (_, part) = guide.split_once(text).unwrap_or_else(|| panic!("the guide has no `{text}`"));
    let (_, block) = part.split_once(&format!("```{language}\n")).expect("a block follows");
    block.split("```").next().unwrap_or_default().to_owned()
}

/// The jar that releases have.
fn jar() -> PathBuf {
    root().join("jvm/dsl/jmeter-java-dsl-swell.jar")
}

/// Libraries of earlier runs.
fn repository() -> PathBuf {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = std::env::home_dir().map(|home| home.join(".cache"));
    cache.or(home).unwrap_or_else(std::env::temp_dir).join("swell/maven")
}

struct Maven {
    folder: Folder,
    site: swell_target::Target,
}

impl Maven {
    fn call(&self, args: &[&str]) -> Ended {
        let repository = format!("-Dmaven.repo.local={}", repository().display());
        let site = format!("-Dsite=http://{}", self.site.addr());
        let args = [&["--batch-mode", &repository, &site], args].concat();
        let call = Call::shell(self.folder.path(), "mvn", &args).env("SWELL", env!("CARGO_BIN_EXE_swell"));
        call.within(Duration::from_mins(15)).run()
    }

    /// First without a network, which takes seconds; the first time, Maven has to fetch libraries.
    fn run(&self, args: &[&str]) -> Ended {
        let ended = self.call(&[&["--offline"], args].concat());
        if is_missing(&ended) { self.call(args) } else { ended }
    }
}

/// Whether Maven lacks a library or plug-in.
fn is_missing(ended: &Ended) -> bool {
    let signs = [
        "offline mode",
        "could not be resolved",
        "Could not resolve",
        "has not been downloaded",
        "Could not transfer",
    ];
    ended.code != Some(0) && signs.iter().any(|sign| ended.out.contains(sign))
}

/// The guide's project, with the tests of the engine as well.
fn project() -> Maven {
    let guide = guide();
    let site = site();
    let folder = Folder::new();
    folder.write("pom.xml", block(&guide, "`pom.xml`:", "xml"));
    let tests = "src/test/java/swell/dsl";
    std::fs::create_dir_all(folder.at(tests)).expect("a folder can be made");
    let shown = block(&guide, "`src/test/java/CartTest.java`:", "java");
    folder.write("src/test/java/CartTest.java", shown.replace("localhost:8080", &site.addr().to_string()));
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dsl/SwellEngineTest.java");
    let own = std::fs::read(own).expect("the sources are there");
    folder.write(&format!("{tests}/SwellEngineTest.java"), own);
    Maven { folder, site }
}

#[test]
fn the_project_of_the_guide_and_the_tests_of_the_engine_pass() {
    if Command::new("mvn").arg("--version").output().is_err() {
        println!("skipped: Maven is not installed");
        return;
    }
    let maven = project();
    let shown = block(&guide(), "where this command puts it:", "sh elsewhere");
    let words: Vec<&str> = shown.split_whitespace().collect();
    let ["mvn", goal, file] = words[..] else { panic!("another command: {shown}") };
    let (option, _) = file.split_once('=').expect("an option with a path");
    let installed = maven.run(&[goal, &format!("{option}={}", jar().display())]);
    if is_missing(&installed) {
        println!("skipped: Maven has no libraries and no network");
        return;
    }
    installed.exits(0);
    let tested = maven.run(&["test"]);
    if is_missing(&tested) {
        println!("skipped: Maven has no libraries and no network");
        return;
    }
    let tested = tested.exits(0);
    // One of the guide and those of the engine.
    let own = maven.folder.read("src/test/java/swell/dsl/SwellEngineTest.java").matches("@Test").count();
    let line = format!("Tests run: {}, Failures: 0, Errors: 0, Skipped: 0", own + 1);
    assert!(tested.out.contains(&line), "no `{line}`: {tested}");
}

/// The texts between two others, in order.
fn between<'a>(text: &'a str, before: &str, after: &str) -> Vec<&'a str> {
    text.split(before).skip(1).filter_map(|part| part.split(after).next()).collect()
}

#[test]
fn maven_and_gradle_use_the_same_versions_and_the_jar_of_this_release() {
    let guide = guide();
    let maven = block(&guide, "`pom.xml`:", "xml");
    let gradle = block(&guide, "`build.gradle.kts`:", "kotlin");
    let dependencies = between(&maven, "<dependency>", "</dependency>").into_iter().map(|dependency| {
        ["groupId", "artifactId", "version"].map(|tag| {
            let value = between(dependency, &format!("<{tag}>"), &format!("</{tag}>"));
            value.first().copied().unwrap_or_default()
        })
    });
    let dependencies: Vec<[&str; 3]> = dependencies.collect();
    assert_eq!(dependencies.len(), 3, "{dependencies:?}");
    for dependency in dependencies {
        let [group, name, version] = dependency;
        if group == "swell" {
            assert_eq!(version, env!("CARGO_PKG_VERSION"));
            let file = format!("/usr/share/java/{name}-{version}.jar");
            assert_eq!(guide.matches(&file).count(), 2, "{file}");
        } else {
            let notation = format!("\"{group}:{name}:{version}\"");
            assert!(gradle.contains(&notation), "{notation} is not in: {gradle}");
        }
    }
    let pom = std::fs::read_to_string(root().join("jvm/dsl/pom.xml")).expect("the project is there");
    let version = format!("<version>{}</version>", env!("CARGO_PKG_VERSION"));
    assert!(
        pom.contains(&version),
        "jvm/dsl/pom.xml has another version: change it and run jvm/build.sh dsl"
    );
}
