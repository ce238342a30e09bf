//! Checks that the pages of elements and functions equal the tables.

use std::path::Path;

#[test]
fn the_pages_are_fresh() {
    let elements =
        swell_api::reference_page(&swell_run::table_of_elements()).expect("all elements are documented");
    for (name, page) in [("elements.md", elements), ("functions.md", swell_api::functions_page())] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference").join(name);
        if std::env::var_os("UPDATE_REFERENCE").is_some() {
            std::fs::write(&path, &page).expect("the page can be written");
        }
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        let update = "UPDATE_REFERENCE=1 cargo test -p swell-run --test run reference";
        assert!(written == page, "docs/reference/{name} is stale; write it again with `{update}`");
    }
}
