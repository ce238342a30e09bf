//! Says whether the page of `web/` is built, so that the program can hold it. Without it reports are plain pages.

use std::path::Path;

fn main() {
    let dist = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/dist");
    println!("cargo:rustc-check-cfg=cfg(has_web_page)");
    println!("cargo:rerun-if-changed={}", dist.display());
    if ["app.js", "app.css"].iter().all(|name| dist.join(name).is_file()) {
        println!("cargo:rustc-cfg=has_web_page");
    } else {
        println!(
            "cargo:warning=web/dist is not built: reports are plain pages without scripts, and \
            there is no live page; `make web` builds it (Node 18 or later)"
        );
    }
}
