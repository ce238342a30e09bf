//! `swell jvm`: JMeter's classes and plug-ins in the user's cache.

use std::fmt::Write as _;

use swell_jvm::install::{self, Artifact};
use swell_jvm::{Config, JMeterHome, Java, archive};

use crate::args::{JvmCommandArgs, JvmInstallArgs, JvmPlaceArgs, JvmSubcommand};
use crate::exit::{Exit, Failure};
use crate::print;

pub(crate) fn jvm(args: &JvmCommandArgs) -> Result<Exit, Failure> {
    match &args.command {
        JvmSubcommand::Install(args) => install(args),
        JvmSubcommand::Status(args) => status(args),
    }
}

fn install(args: &JvmInstallArgs) -> Result<Exit, Failure> {
    let repository = args.repository.trim();
    if !repository.starts_with("https://") && !repository.starts_with("http://") {
        let message =
            format!("--repository {repository}: no address; https://repo.example.com/maven2 is one");
        return Err(Failure::settings(message));
    }
    // What is refused for its words or its bytes is refused before anything large is fetched.
    for jar in args.jars().map_err(Failure::settings)? {
        let file = install::install_jar(&jar).map_err(failed)?;
        print::print_stderr(&format!("installed {}: {}", jar.source, file.display()));
    }
    let installed =
        install::install(repository, |artifact| print::print_stderr(&format!("fetching {artifact}")));
    let installed = installed.map_err(failed)?;
    print::print_stderr(&format!(
        "JMeter 5.6.3 is in {}: {} files fetched, {} there already",
        JMeterHome::installed().display(),
        installed.fetched,
        installed.kept
    ));
    let artifacts = args.artifacts();
    if !artifacts.is_empty() {
        install_plugins(args, repository, &artifacts)?;
    }
    make_archive(args);
    Ok(Exit::Fine)
}

fn failed(error: impl std::fmt::Display) -> Failure {
    Failure::settings(error.to_string())
}

fn install_plugins(args: &JvmInstallArgs, repository: &str, artifacts: &[Artifact]) -> Result<(), Failure> {
    let java = Java::find(args.java_home.as_deref()).map_err(failed)?;
    let kept = install::install_plugins(repository, &java, artifacts).map_err(failed)?;
    let home = JMeterHome::installed();
    let shown =
        kept.iter().filter_map(|file| file.strip_prefix(&home).ok()).map(|file| file.display().to_string());
    print::print_stderr(&format!(
        "installed {}: {}",
        artifacts.iter().map(Artifact::to_string).collect::<Vec<_>>().join(", "),
        shown.collect::<Vec<_>>().join(", ")
    ));
    Ok(())
}

/// An archive of classes makes the JVM start faster. Nothing is missing without one, so what goes
/// wrong is said and no more.
fn make_archive(args: &JvmInstallArgs) {
    let config = Config {
        java_home: args.java_home.clone(),
        jmeter_home: Some(JMeterHome::installed()),
        ..Config::default()
    };
    match archive::make(&config) {
        Ok(true) => print::print_stderr("a class-data archive for faster starts is there"),
        Ok(false) => {}
        Err(error) => print::print_stderr(&format!("no class-data archive for faster starts: {error}")),
    }
}

/// What a plan on the JVM would run on. Ends with status 104 where it could not.
fn status(args: &JvmPlaceArgs) -> Result<Exit, Failure> {
    let mut text = String::new();
    let mut exit = Exit::Fine;
    let mut line = |name: &str, found: Result<String, String>| {
        if found.is_err() {
            exit = Exit::Settings;
        }
        let said = found.unwrap_or_else(|error| error).replace('\n', "\n         ");
        writeln!(text, "{name:<8} {said}").expect("a string takes everything");
    };
    let java = Java::find(args.java_home.as_deref());
    line("Java", java.map(|java| said_of_java(&java)).map_err(|e| e.to_string()));
    let home = JMeterHome::find(args.jmeter_home.as_deref());
    line("JMeter", home.map(|home| said_of(&home)).map_err(|e| e.to_string()));
    print::print_stdout(&text)?;
    Ok(exit)
}

fn said_of_java(java: &Java) -> String {
    let others = java.others();
    let mut said = format!("{} in {}", java.version, java.home.display());
    for folder in &others {
        write!(said, "\nnot used: {}", folder.display()).expect("a string takes everything");
    }
    said
}

fn said_of(home: &JMeterHome) -> String {
    let jars = |folder: &str| {
        let listed = std::fs::read_dir(home.folder().join(folder)).into_iter().flatten().flatten();
        listed.filter(|entry| entry.path().extension().is_some_and(|end| end == "jar")).count()
    };
    let version = home.version().unwrap_or_else(|| "of an unknown version".to_owned());
    let doubt = home.doubt().map(|doubt| format!("\n{doubt}")).unwrap_or_default();
    let folder = home.folder().display();
    format!("{version} in {folder}: {} jars in lib, {} in lib/ext{doubt}", jars("lib"), jars("lib/ext"))
}
