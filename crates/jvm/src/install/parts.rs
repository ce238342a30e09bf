//! The parts of JMeter.

use super::artifact::Artifact;

/// A part of JMeter: a line of `jmeter.tsv`.
pub(super) struct Part<'a> {
    /// File below the home; `bin/` where the files in it are taken out.
    pub(super) file: &'a str,
    pub(super) artifact: Artifact,
    pub(super) digest: &'a str,
}

/// The parts in a list.
pub(super) fn parts(list: &str) -> impl Iterator<Item = Part<'_>> {
    list.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let mut fields = line.split('\t');
        let mut next = || fields.next().expect("three fields a line");
        let file = next();
        let artifact = next();
        let digest = next();
        Part { file, artifact: artifact.parse().expect("our own list"), digest }
    })
}

/// All of them.
pub(super) const PARTS: &str = include_str!("jmeter.tsv");
