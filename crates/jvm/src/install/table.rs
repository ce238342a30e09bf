//! Which artifact a class of a plug-in comes from.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::Artifact;

const PLUGINS: &str = include_str!("plugins.tsv");

/// The artifact that has a class, as far as it is known: the one to name to who lacks it.
pub fn artifact_of_class(class: &str) -> Option<Artifact> {
    let lines =
        PLUGINS.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'));
    let longest =
        lines.filter(|(prefix, _)| class.starts_with(prefix)).max_by_key(|(prefix, _)| prefix.len());
    longest.map(|(_, artifact)| artifact.parse().expect("our own list"))
}

/// Those of the jars that have a class of that full name.
pub fn jars_of<'a>(class: &str, jars: impl IntoIterator<Item = &'a Path>) -> Vec<PathBuf> {
    let entry = format!("{}.class", class.replace('.', "/"));
    let has_it = |jar: &&Path| {
        let file = File::open(jar).ok();
        file.and_then(|file| zip::ZipArchive::new(file).ok())
            .is_some_and(|zip| zip.index_for_name(&entry).is_some())
    };
    jars.into_iter().filter(has_it).map(Path::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_prefix_counts() {
        let of = |class: &str| artifact_of_class(class).map(|artifact| artifact.to_string());
        assert_eq!(
            of("kg.apc.jmeter.samplers.DummySampler").as_deref(),
            Some("kg.apc:jmeter-plugins-dummy:0.4")
        );
        assert_eq!(of("com.example.Sampler"), None);
    }

    #[test]
    fn every_line_of_the_list_is_understood() {
        for line in PLUGINS.lines().filter(|line| !line.starts_with('#')) {
            let (prefix, artifact) = line.split_once('\t').expect("two fields");
            assert!(prefix.contains('.') && artifact.parse::<Artifact>().is_ok(), "{line}");
        }
    }
}
