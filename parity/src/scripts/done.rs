//! Effects of an element, and the sample that it finds.

/// Code of the sample that scripts see.
pub(super) const CODE: &str = "200";
pub(super) const MESSAGE: &str = "OK";
pub(super) const LABEL: &str = "home";
pub(super) const BODY: &str = "a body, \"quoted\"";

/// Effects of an element.
#[derive(Clone, Debug, Default)]
pub(super) struct Done {
    pub(super) variables: Vec<(String, Option<String>)>,
    /// Its changes to the sample, or the sample that it made.
    pub(super) sample: Vec<(&'static str, String)>,
    /// Failure and message of an assertion.
    pub(super) assertion: Option<(bool, Option<String>)>,
    pub(super) delay_ms: i64,
    /// Why it failed.
    pub(super) fault: Option<String>,
}
