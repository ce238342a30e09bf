//! The page of elements is what the table says.

use std::path::Path;

#[test]
fn the_page_of_elements_is_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/elements.md");
    let page = swell_elements::reference::markdown();
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        std::fs::write(&path, &page).expect("the page can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    let update = "UPDATE_REFERENCE=1 cargo test -p swell-elements --test reference";
    assert!(written == page, "docs/reference/elements.md is stale; write it anew with `{update}`");
}
