//! What runs Swell in containers, by the scripts in `dist`: the root file system of the image, the
//! Helm chart, the recipes for pipelines. The scripts say what they leave out where a tool is
//! missing.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::support::Call;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn checked(script: &str, args: &[&str]) {
    let ended = Call::shell(&root(), script, args).within(Duration::from_mins(10)).run().exits(0);
    for line in ended.out.lines().filter(|line| line.starts_with("not checked")) {
        println!("skipped: {line}");
    }
}

#[test]
fn the_container_image_runs_plans() {
    checked("dist/image/test.sh", &[env!("CARGO_BIN_EXE_swell")]);
}

#[test]
fn the_helm_chart_runs_a_plan() {
    checked("dist/chart/test.sh", &[env!("CARGO_BIN_EXE_swell")]);
}

#[test]
fn recipes_for_pipelines_are_valid() {
    checked("dist/ci/check.sh", &[]);
}

#[test]
fn documents_name_the_image_of_this_version() {
    let mut count = 0;
    for name in [
        "Dockerfile",
        "docs/guide/install.md",
        "docs/guide/kubernetes.md",
        "docs/questions/mac-and-windows.md",
        "dist/kubernetes/job.yaml",
    ] {
        let text = fs::read_to_string(root().join(name)).expect("the file is there");
        for (at, _) in text.match_indices("swell:") {
            let tag = &text[at + "swell:".len()..];
            assert!(
                tag.starts_with(env!("CARGO_PKG_VERSION")),
                "{name}: {}",
                tag.lines().next().unwrap_or_default()
            );
            count += 1;
        }
    }
    assert!(count > 10, "{count}");
}
