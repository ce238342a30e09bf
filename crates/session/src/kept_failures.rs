//! Kept failures: where pages link to them.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use swell_debug::{FailureLink, KeptFailures, links_of, packed};
use swell_report::page::{KeptFailure, RunPage, trace_file};
use swell_results::run_folder::{FAILURES_PAGE, RunFolder};

/// The failures of a run, for the links of its report.
#[derive(Clone)]
pub(crate) struct LinkedFailures {
    /// What is kept.
    pub(crate) kept: Arc<KeptFailures>,
    /// The page with them, as the report names it; none: there will be none.
    pub(crate) page: Option<String>,
}

impl LinkedFailures {
    /// Links the errors of a page.
    pub(crate) fn link(&self, page: &mut RunPage) {
        let links = self.page.as_ref().map(|address| addressed(&self.kept.links(), address));
        page.link_failures(links.unwrap_or_default());
    }
}

fn addressed(links: &[FailureLink], page: &str) -> Vec<KeptFailure> {
    let link = |link: &FailureLink| KeptFailure {
        label: link.label.clone(),
        code: link.code.clone(),
        address: format!("{page}#step={}", link.step),
    };
    links.iter().map(link).collect()
}

/// The failures that a run kept, as links to a page that has this address.
pub fn kept_failures(run: &RunFolder, page: &str) -> Vec<KeptFailure> {
    run.failures().map(|lines| addressed(&links_of(&lines), page)).unwrap_or_default()
}

/// The address of the page with the failures of a run folder, for a report in that file; none if
/// the run has no such page.
pub fn failures_address(folder: &Path, report: &Path) -> Option<String> {
    let page = folder.join(FAILURES_PAGE);
    page.is_file().then(|| relative_address(&page, report))
}

/// The page with failures of a run, from their events.
///
/// # Errors
/// They cannot be compressed.
pub(crate) fn page_of(title: &str, lines: &[String]) -> std::io::Result<String> {
    Ok(trace_file(title, &packed(lines.iter().map(String::as_str))?))
}

/// The address of a file in a page of another one.
pub(crate) fn relative_address(file: &Path, page: &Path) -> String {
    let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let file = whole(file);
    let folder = whole(page.parent().unwrap_or(Path::new("")));
    let from: Vec<Component<'_>> = folder.components().collect();
    let to: Vec<Component<'_>> = file.components().collect();
    let shared = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    let up = from[shared..].iter().map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(to[shared..].iter().copied()).collect();
    encoded(&path.to_string_lossy())
}

/// A path as part of a URL.
pub fn encoded(path: &str) -> String {
    const KEPT: &AsciiSet =
        &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');
    utf8_percent_encode(path, KEPT).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lead_from_the_report_to_the_folder_of_the_run() {
        let address = |file: &str, page: &str| relative_address(Path::new(file), Path::new(page));
        assert_eq!(address("/runs/a/failures.html", "/runs/a/report.html"), "failures.html");
        assert_eq!(
            address("/runs/a b/failures.html", "/home/x/report.html"),
            "../../runs/a%20b/failures.html"
        );
        assert_eq!(address("runs/a#1/failures.html", "report/index.html"), "../runs/a%231/failures.html");
    }
}
