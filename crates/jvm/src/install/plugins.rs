//! Plug-ins with their dependencies.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::artifact::Artifact;
use super::error::InstallError;
use super::fetch::{Repository, has_digest};
use super::parts::{PARTS, parts};
use crate::Java;

/// Apache Ivy, which resolves what an artifact needs as Maven does.
const IVY: &str = "org.apache.ivy:ivy:2.5.3";
const IVY_DIGEST: &str = "9502aa5aabf0b1484924a13ef4b5d24f121f7f91aab6768f11cc9d0906c0803b";

pub(super) fn install(
    repository: &Repository,
    java: &Java,
    plugins: &[Artifact],
    home: &Path,
) -> Result<Vec<PathBuf>, InstallError> {
    let fetched = home.join("fetched");
    let ivy: Artifact = IVY.parse().expect("a constant");
    let jar = fetched.join(ivy.file_name());
    if !has_digest(&jar, IVY_DIGEST) {
        repository.fetch(&ivy, IVY_DIGEST, &jar)?;
    }
    let settings = fetched.join("ivysettings.xml");
    let text = settings_of(&repository.address);
    fs::write(&settings, text).map_err(|e| InstallError::File(settings.clone(), e))?;
    let mut installed = Vec::new();
    for plugin in plugins {
        // A new folder, which an aborted attempt cannot damage.
        let folder = fetched.join(format!("resolved-{}", std::process::id()));
        let wanted = fetched.join("ivy.xml");
        fs::write(&wanted, wanted_of(plugin)).map_err(|e| InstallError::File(wanted.clone(), e))?;
        let resolved =
            resolve(java, &jar, [&settings, &wanted], &folder).and_then(|()| keep(&folder, plugin, home));
        // It is no longer needed; leftovers do no harm.
        drop(fs::remove_dir_all(&folder));
        installed.extend(resolved?);
    }
    Ok(installed)
}

fn settings_of(repository: &str) -> String {
    let address = repository.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    format!(
        "<ivysettings><settings defaultResolver=\"repository\"/><resolvers>\
         <ibiblio name=\"repository\" m2compatible=\"true\" root=\"{address}/\"/></resolvers></ivysettings>\n"
    )
}

/// What Ivy is to resolve. Plug-ins name the JMeter that they were built for, and that would bring
/// old versions of all its libraries.
fn wanted_of(plugin: &Artifact) -> String {
    const JMETER: &str = "org.apache.jmeter";
    let exclude = |module: &str| format!("<exclude org=\"{JMETER}\" module=\"{module}\"/>");
    let excluded: String = if plugin.group == JMETER {
        let ours = parts(PARTS).filter(|part| part.artifact.group == JMETER);
        ours.map(|part| exclude(&part.artifact.name)).collect()
    } else {
        exclude("*")
    };
    let Artifact { group, name, version, .. } = plugin;
    format!(
        "<ivy-module version=\"2.0\"><info organisation=\"swell\" module=\"plugins\"/>\
         <configurations><conf name=\"default\"/></configurations><dependencies>\
         <dependency org=\"{group}\" name=\"{name}\" rev=\"{version}\" conf=\"default->default\"/>{excluded}\
         </dependencies></ivy-module>\n"
    )
}

/// Puts an artifact and what it needs into a folder, as `GROUP/ARTIFACT-VERSION.jar`. Ivy compares
/// the digests that the repository gives.
fn resolve(java: &Java, ivy: &Path, files: [&Path; 2], folder: &Path) -> Result<(), InstallError> {
    let program = java.home.join("bin/java");
    let pattern = format!("{}/[organisation]/[artifact]-[revision](-[classifier]).[ext]", folder.display());
    let output = Command::new(&program)
        .arg("-jar")
        .arg(ivy)
        .arg("-settings")
        .arg(files[0])
        .arg("-ivy")
        .arg(files[1])
        .args(["-warn", "-confs", "default", "-types", "jar", "bundle", "-retrieve", &pattern])
        .output()
        .map_err(|e| InstallError::File(program, e))?;
    if output.status.success() {
        return Ok(());
    }
    let words = [output.stdout, output.stderr].concat();
    let words = String::from_utf8_lossy(&words);
    let about = words.lines().filter(|line| !line.trim().trim_matches(':').trim().is_empty());
    Err(InstallError::Resolve(about.take(20).collect::<Vec<_>>().join("\n")))
}

/// Moves what JMeter does not have yet to its place: the plug-in to `lib/ext`, the rest to `lib`.
fn keep(folder: &Path, plugin: &Artifact, home: &Path) -> Result<Vec<PathBuf>, InstallError> {
    let fault = |path: &Path| {
        let path = path.to_owned();
        move |error| InstallError::File(path, error)
    };
    let mut present = Vec::new();
    for known in ["lib", "lib/ext"].map(|folder| home.join(folder)) {
        fs::create_dir_all(&known).map_err(fault(&known))?;
        present.extend(jars_in(&known).map_err(fault(&known))?.iter().filter_map(|jar| name_of(jar)));
    }
    let mut kept = Vec::new();
    for group in fs::read_dir(folder).map_err(fault(folder))? {
        let group = group.map_err(fault(folder))?.path();
        for jar in jars_in(&group).map_err(fault(&group))? {
            let Some(name) = name_of(&jar) else { continue };
            let is_plugin = name == plugin.name;
            if !is_plugin && present.contains(&name) {
                continue;
            }
            let place = home.join(if is_plugin { "lib/ext" } else { "lib" });
            if is_plugin {
                remove_other_versions(&place, &name).map_err(fault(&place))?;
            }
            let target = place.join(jar.file_name().expect("a jar has a name"));
            fs::rename(&jar, &target).map_err(fault(&target))?;
            kept.push(target);
        }
    }
    Ok(kept)
}

fn remove_other_versions(folder: &Path, name: &str) -> std::io::Result<()> {
    let mut same = jars_in(folder)?.into_iter().filter(|jar| name_of(jar).as_deref() == Some(name));
    same.try_for_each(fs::remove_file)
}

fn jars_in(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let files = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let files: Vec<PathBuf> = files.collect::<Result<_, _>>()?;
    Ok(files.into_iter().filter(|file| file.extension().is_some_and(|end| end == "jar")).collect())
}

/// The name of a jar without its version: `a-b` of `a-b-1.2.jar`.
fn name_of(jar: &Path) -> Option<String> {
    let stem = jar.file_stem()?.to_str()?;
    let version =
        stem.match_indices('-').find(|(at, _)| stem[at + 1..].starts_with(|c: char| c.is_ascii_digit()));
    Some(version.map_or(stem, |(at, _)| &stem[..at]).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jars_are_named_without_their_versions() {
        for (jar, name) in [
            ("a-b-1.2.jar", "a-b"),
            ("jtidy-r938.jar", "jtidy-r938"),
            ("ApacheJMeter_core.jar", "ApacheJMeter_core"),
        ] {
            assert_eq!(name_of(Path::new(jar)).as_deref(), Some(name));
        }
    }

    #[test]
    fn what_plug_ins_say_of_jmeter_is_not_resolved() {
        let excluded = |artifact: &str, module: &str| {
            let text = wanted_of(&artifact.parse().expect("an artifact"));
            text.contains(&format!("<exclude org=\"org.apache.jmeter\" module=\"{module}\"/>"))
        };
        assert!(excluded("kg.apc:jmeter-plugins-dummy:0.4", "*"));
        assert!(excluded("org.apache.jmeter:ApacheJMeter_bolt:5.6.3", "ApacheJMeter_core"));
        assert!(!excluded("org.apache.jmeter:ApacheJMeter_bolt:5.6.3", "ApacheJMeter_bolt"));
    }

    #[test]
    fn a_plug_in_replaces_its_old_version_and_what_jmeter_has_stays() {
        let home = tempfile::tempdir().expect("a folder");
        let resolved = tempfile::tempdir().expect("a folder");
        for file in ["lib/ext/dummy-0.3.jar", "lib/ext/ApacheJMeter_core.jar", "lib/oro-2.0.8.jar"] {
            let file = home.path().join(file);
            fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            fs::write(file, "old").expect("a file");
        }
        for file in
            ["kg/dummy-0.4.jar", "oro/oro-2.0.7.jar", "x/needed-1.jar", "org/ApacheJMeter_core-5.1.jar"]
        {
            let file = resolved.path().join(file);
            fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            fs::write(file, "new").expect("a file");
        }
        let plugin = "kg:dummy:0.4".parse().expect("an artifact");
        let mut kept = keep(resolved.path(), &plugin, home.path()).expect("kept");
        kept.sort_unstable();
        assert_eq!(kept, ["lib/ext/dummy-0.4.jar", "lib/needed-1.jar"].map(|file| home.path().join(file)));
        assert!(!home.path().join("lib/ext/dummy-0.3.jar").exists());
    }
}
