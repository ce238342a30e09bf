//! Maven coordinates.

use std::fmt;
use std::str::FromStr;

/// An artifact of a repository, `group:artifact:version`, with the classifier of its jar if there
/// is one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Artifact {
    /// Group, as `kg.apc`.
    pub group: String,
    /// Name, as `jmeter-plugins-dummy`.
    pub name: String,
    /// Version, as `0.4`.
    pub version: String,
    /// Classifier; mostly none.
    pub classifier: Option<String>,
}

/// A text that is not an artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArtifactError(String);

impl fmt::Display for ArtifactError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "invalid artifact `{}`: use GROUP:ARTIFACT:VERSION, such as kg.apc:jmeter-plugins-dummy:0.4",
            self.0
        )
    }
}

impl std::error::Error for ArtifactError {}

impl FromStr for Artifact {
    type Err = ArtifactError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // What Maven's names are made of; each becomes a part of a path and of an address.
        let is_name = |part: &&str| {
            !part.is_empty()
                && !part.contains("..")
                && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
        };
        let parts: Vec<&str> = text.split(':').collect();
        let (group, name, version, classifier) = match parts.as_slice() {
            [group, name, version] => (group, name, version, None),
            [group, name, version, classifier] => (group, name, version, Some(*classifier)),
            _ => return Err(ArtifactError(text.to_owned())),
        };
        if !parts.iter().all(is_name) {
            return Err(ArtifactError(text.to_owned()));
        }
        let classifier = classifier.map(str::to_owned);
        Ok(Self {
            group: (*group).to_owned(),
            name: (*name).to_owned(),
            version: (*version).to_owned(),
            classifier,
        })
    }
}

impl fmt::Display for Artifact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.group, self.name, self.version)?;
        self.classifier.iter().try_for_each(|classifier| write!(f, ":{classifier}"))
    }
}

impl Artifact {
    /// The name of its jar.
    pub(super) fn file_name(&self) -> String {
        let classifier =
            self.classifier.as_ref().map(|classifier| format!("-{classifier}")).unwrap_or_default();
        format!("{}-{}{classifier}.jar", self.name, self.version)
    }

    /// Its jar's path in a repository.
    pub(super) fn path(&self) -> String {
        format!("{}/{}/{}/{}", self.group.replace('.', "/"), self.name, self.version, self.file_name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn artifacts_have_their_place_in_a_repository() {
        let artifact: Artifact = "org.xmlresolver:xmlresolver:5.2.1:data".parse().expect("an artifact");
        assert_eq!(artifact.path(), "org/xmlresolver/xmlresolver/5.2.1/xmlresolver-5.2.1-data.jar");
        assert_eq!(artifact.to_string(), "org.xmlresolver:xmlresolver:5.2.1:data");
    }

    #[test]
    fn what_is_no_artifact_is_refused() {
        for text in ["", "a:b", "a::1", "a:b:c:d:e", "a:../b:1", "a:b:1/2", "-a b:c:1"] {
            assert!(text.parse::<Artifact>().is_err(), "{text}");
        }
    }
}
