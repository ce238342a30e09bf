//! Checks of the sources and of the generated pages, and scripts that end the process.

#[path = "../../../net/tests/net/alone.rs"]
mod alone;
mod class_names;
mod doc_comments;
mod files;
mod plain_english;
mod portable_crates;
mod reference;
mod rust_text;
mod script_exit;
