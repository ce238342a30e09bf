//! Maps classes of plug-ins to their artifacts.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::Artifact;

const PLUGINS: &str = include_str!("plugins.tsv");

/// The artifact that has a class, as far as it is known: the one to name to who lacks it.
pub fn artifact_of_class(class: &str) -> Option<Artifact> {
    match known(class)? {
        (_, artifact) if is_address(artifact) => None,
        (_, artifact) => Some(artifact.parse().expect("our own list")),
    }
}

/// The address of the project that has a class, where that is known and on no Maven Central.
pub fn project_of_class(class: &str) -> Option<&'static str> {
    known(class).map(|(_, place)| place).filter(|place| is_address(place))
}

/// The line of the list that says most about a class.
fn known(class: &str) -> Option<(&'static str, &'static str)> {
    // Plans name JMeter's own by their last part.
    let class = swell_plan::class_of(class);
    let fits = lines().filter(|(prefix, _)| class.starts_with(prefix));
    fits.max_by_key(|(prefix, _)| prefix.len())
}

fn lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = PLUGINS.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split_once('\t').expect("our own list"))
}

fn is_address(place: &str) -> bool {
    place.starts_with("https://")
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
        let mail = Some("org.apache.jmeter:ApacheJMeter_mail:5.6.3");
        assert_eq!((of("SmtpSampler").as_deref(), of("MailReaderSampler").as_deref()), (mail, mail));
    }

    #[test]
    fn every_line_of_the_list_is_understood() {
        for (prefix, place) in lines() {
            assert!(
                prefix.contains('.') && (is_address(place) || place.parse::<Artifact>().is_ok()),
                "{prefix}"
            );
        }
    }

    #[test]
    fn what_is_on_no_maven_central_has_the_address_of_its_project() {
        let class = "JMeter.plugins.functional.samplers.websocket.WebSocketSampler";
        assert_eq!(artifact_of_class(class), None);
        assert_eq!(project_of_class(class), Some("https://github.com/maciejzaleski/JMeter-WebSocketSampler"));
        assert_eq!(project_of_class("kg.apc.jmeter.samplers.DummySampler"), None);
    }
}
