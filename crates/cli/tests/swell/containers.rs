//! What runs Swell in containers, by the scripts in `dist`: the root file system of the image, the Helm chart, the recipes for
//! pipelines. The scripts say what they leave out where a tool is missing.

use std::path::Path;
use std::time::Duration;

use crate::support::Call;

fn checked(script: &str, args: &[&str]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let ended = Call::shell(&root, script, args).within(Duration::from_mins(10)).run().exits(0);
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
