//! The documents as a site: built by mdBook, with each link checked, and read in a browser. What
//! needs a program that is missing is left out, and a line says so.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::browser;
use crate::support::Call;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_site_has_every_page_no_dead_link_and_can_be_read() {
    let limit = Duration::from_mins(10);
    let built = Call::shell(&root(), "docs/site/build.sh", &[]).within(limit).run().exits_in(&[0, 3]);
    if built.code == Some(3) {
        println!("skipped: {}", built.err.trim());
        return;
    }
    if let Some(what) = browser::missing() {
        println!("skipped: {what}");
        return;
    }
    let _only = browser::only_browser();
    _ = Call::shell(&root(), "node", &["docs/site/look.mjs"]).within(limit).run().exits(0);
}
