//! Fixed documents: the files of `parity/pages/`.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Content type and body of the documents, by name. JTidy finds no problem in `sound`, and many in
/// `faults`, except those of access and layout, for which it prints advice.
static PAGES: LazyLock<HashMap<&str, (&str, Vec<u8>)>> = LazyLock::new(|| {
    let folder = crate::home().join("pages");
    let rows = include_str!("../../pages/types.tsv").lines().filter_map(|line| line.split_once('\t'));
    let read = |name| std::fs::read(folder.join(name)).expect("a file for each row of types.tsv");
    rows.map(|(name, content_type)| (name, (content_type, read(name)))).collect()
});

/// Content type and body of a document, by its name.
pub(super) fn page(name: &str) -> Option<(&'static str, &'static [u8])> {
    PAGES.get(name).map(|(content_type, body)| (*content_type, body.as_slice()))
}
