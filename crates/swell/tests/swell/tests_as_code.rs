//! Tests of jmeter-java-dsl on Swell, by Maven and Gradle: the project that the guide
//! `tests-as-code.md` shows, and `tests/dsl/SwellEngineTest.java`.
//!
//! Libraries come from Maven Central once and are kept in `swell/maven` and `swell/gradle` in the
//! user's cache, apart from the user's own repository, since the test puts its jar there. Where
//! Maven, Gradle, Java or the libraries are missing, the test says so and passes.

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

/// Libraries of earlier runs of a tool.
fn kept(tool: &str) -> PathBuf {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = std::env::home_dir().map(|home| home.join(".cache"));
    cache.or(home).unwrap_or_else(std::env::temp_dir).join("swell").join(tool)
}

struct Maven {
    folder: Folder,
    site: swell_target::Target,
}

impl Maven {
    fn call(&self, args: &[&str]) -> Ended {
        let repository = format!("-Dmaven.repo.local={}", kept("maven").display());
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

/// Whether a tool lacks a library or plug-in.
fn is_missing(ended: &Ended) -> bool {
    let signs = [
        "offline mode",
        "could not be resolved",
        "Could not resolve",
        "has not been downloaded",
        "Could not transfer",
        "No cached version of",
    ];
    let has = |sign: &&str| ended.out.contains(*sign) || ended.err.contains(*sign);
    ended.code != Some(0) && signs.iter().any(has)
}

/// The guide's project, with the tests of the engine as well.
fn project() -> Maven {
    let guide = guide();
    let site = site();
    let folder = Folder::new();
    folder.write("pom.xml", block(&guide, "`pom.xml`:", "xml"));
    let tests = "src/test/java/swell/dsl";
    std::fs::create_dir_all(folder.at(tests)).expect("a folder can be made");
    write_cart_test(&folder, &guide, &site);
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dsl/SwellEngineTest.java");
    let own = std::fs::read(own).expect("the sources are there");
    folder.write(&format!("{tests}/SwellEngineTest.java"), own);
    Maven { folder, site }
}

/// The test that the guide shows, against a server of this test.
fn write_cart_test(folder: &Folder, guide: &str, site: &swell_target::Target) {
    std::fs::create_dir_all(folder.at("src/test/java")).expect("a folder can be made");
    let shown = block(guide, "`src/test/java/CartTest.java`:", "java");
    folder.write("src/test/java/CartTest.java", shown.replace("localhost:8080", &site.addr().to_string()));
}

/// The oldest Gradle that has all that the guide's build uses, and the oldest that runs its test by
/// [`build_for_old_gradle`].
const OLDEST_GRADLE: [u32; 2] = [8, 4];

/// The number of the installed Gradle, or why there is none.
fn gradle_version() -> Result<u32, String> {
    let output = Command::new("gradle").arg("--version").output();
    let output = output.map_err(|_| "Gradle is not installed".to_owned())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let version = text.lines().find_map(|line| line.strip_prefix("Gradle ")).unwrap_or("of unknown version");
    let number = version.split('.').next().and_then(|number| number.parse().ok());
    number.ok_or_else(|| format!("Gradle {version} is installed"))
}

/// The guide's build in Groovy, for a Gradle that lacks the Kotlin form and JUnit 5: JUnit's own
/// program runs the test. Libraries and versions are the guide's.
fn build_for_old_gradle(guides: &str) -> String {
    let console = r#"
        task jupiter(type: JavaExec, dependsOn: testClasses) {
            classpath = sourceSets.test.runtimeClasspath
            main = "org.junit.platform.console.ConsoleLauncher"
            args "execute", "--scan-classpath", "--disable-ansi-colors"
        }"#;
    let translated = [
        ("plugins { java }", "plugins { id 'java' }"),
        (r#"exclude("org.apache.jmeter", "bom")"#, r#"exclude group: "org.apache.jmeter", module: "bom""#),
        (
            r#""org.junit.platform:junit-platform-launcher""#,
            r#""org.junit.platform:junit-platform-console-standalone:1.14.4""#,
        ),
        ("tasks.test { useJUnitPlatform() }", console),
    ];
    translated.iter().fold(guides.to_owned(), |build, (kotlin, groovy)| {
        assert!(build.contains(kotlin), "the guide's build has no `{kotlin}`: {build}");
        build.replace(kotlin, groovy)
    })
}

#[test]
fn the_project_of_the_guide_passes_with_gradle() {
    let version = match gradle_version() {
        Ok(version) if version >= OLDEST_GRADLE[1] => version,
        Ok(version) => return println!("skipped: Gradle {version} is installed"),
        Err(reason) => return println!("skipped: {reason}"),
    };
    let is_old = version < OLDEST_GRADLE[0];
    let guide = guide();
    let site = site();
    let folder = Folder::new();
    let build = block(&guide, "`build.gradle.kts`:", "kotlin");
    let shown = format!("/usr/share/java/jmeter-java-dsl-swell-{}.jar", env!("CARGO_PKG_VERSION"));
    assert!(build.contains(&shown), "the guide names another jar: {build}");
    let build = build.replace(&shown, &jar().display().to_string());
    if is_old {
        println!(
            "Gradle {version} runs the guide's test by JUnit's program: its build needs {}",
            OLDEST_GRADLE[0]
        );
        folder.write("build.gradle", build_for_old_gradle(&build));
    } else {
        folder.write("build.gradle.kts", build);
        folder.write("settings.gradle.kts", "rootProject.name = \"load-tests\"\n");
    }
    write_cart_test(&folder, &guide, &site);
    let task = if is_old { "jupiter" } else { "test" };
    let call = |args: &[&str]| {
        let home = format!("--gradle-user-home={}", kept("gradle").display());
        let args = [&[task, "--no-daemon", "--console=plain", &home], args].concat();
        let call = Call::shell(folder.path(), "gradle", &args).env("SWELL", env!("CARGO_BIN_EXE_swell"));
        call.within(Duration::from_mins(15)).run()
    };
    let mut tested = call(&["--offline"]);
    if is_missing(&tested) {
        tested = call(&[]);
    }
    if is_missing(&tested) {
        println!("skipped: Gradle has no libraries and no network");
        return;
    }
    let tested = tested.exits(0);
    if is_old {
        assert!(
            tested.out.contains("1 tests successful") && tested.out.contains("0 tests failed"),
            "{tested}"
        );
        return;
    }
    let results = folder.read("build/test-results/test/TEST-CartTest.xml");
    assert!(results.contains("tests=\"1\" skipped=\"0\" failures=\"0\" errors=\"0\""), "{results}");
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
