//! The pages of elements and functions are what the tables say.

use std::path::Path;

use swell_elements::reference;

#[test]
fn the_pages_are_fresh() {
    let pages = [("elements.md", reference::markdown()), ("functions.md", reference::functions::markdown())];
    for (name, page) in pages {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference").join(name);
        if std::env::var_os("UPDATE_REFERENCE").is_some() {
            std::fs::write(&path, &page).expect("the page can be written");
        }
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        let update = "UPDATE_REFERENCE=1 cargo test -p swell-elements --test reference";
        assert!(written == page, "docs/reference/{name} is stale; write it anew with `{update}`");
    }
}
