//! Reports of runs, and comparisons of two.

use serde::Serialize;
use swell_debug::packed;
use swell_http1::server::Refusal;
use swell_report::compare::page;
use swell_report::page::{Apdex, RunPage, file as report_file};
use swell_results::run_folder::RunFolder;
use swell_session::runs::{self, ComparedSide, EarlierRun};
use swell_session::{MADE_BY, Problem, encoded, kept_failures};
use swell_site::{Answer, Request};
use swell_stats::compare::Options;
use swell_stats::verdict::Verdict;

use crate::library::Library;
use crate::problem::refusal;
use crate::routes::needed;

/// The data of a run's page.
pub(crate) fn document(library: &Library, name: &str) -> Result<Answer, Refusal> {
    let (mut page, verdict) = page_of(library, name)?;
    let address = format!("failures?run={}", encoded(name));
    page.link_failures(kept_failures(&folder(library, name)?, &address));
    Ok(masked_json(&page.document(verdict.as_ref(), false)))
}

/// The failures that a run kept.
pub(crate) fn failures(library: &Library, name: &str) -> Result<Answer, Refusal> {
    let lines = folder(library, name)?.failures();
    let lines = lines.ok_or_else(|| Refusal::new(404, format!("`{name}` has no kept failures")))?;
    let packed = packed([lines.as_str()]);
    let packed = packed.map_err(|error| Refusal::new(500, format!("cannot pack the failures: {error}")))?;
    Ok(Answer::text("application/octet-stream", packed))
}

/// The report of a run as one file.
pub(crate) fn file(library: &Library, name: &str) -> Result<Answer, Refusal> {
    let (page, verdict) = page_of(library, name)?;
    Ok(Answer::text("text/plain; charset=utf-8", report_file(&page, verdict.as_ref())))
}

fn page_of(library: &Library, name: &str) -> Result<(RunPage, Option<Verdict>), Refusal> {
    let (history, entry) = library.entry(name)?;
    let earlier = runs::earlier_run(&history, &entry).map(EarlierRun::with_label_changes);
    runs::page_of(&folder(library, name)?, None, Apdex::default(), &[], earlier).map_err(refusal)
}

/// The folder of a run; 410 if it is gone.
fn folder(library: &Library, name: &str) -> Result<RunFolder, Refusal> {
    let (_, entry) = library.entry(name)?;
    let is_gone = !entry.has_folder();
    let status = |problem: Problem| {
        let refusal = refusal(problem);
        if is_gone { Refusal { status: 410, ..refusal } } else { refusal }
    };
    runs::open_entry(&entry).map_err(status)
}

/// The page of a comparison.
pub(crate) fn comparison(library: &Library, request: &Request) -> Result<Answer, Refusal> {
    let before = side(library, needed(request, "before")?)?;
    let after = side(library, needed(request, "after")?)?;
    let (compared, comparison) = runs::compare(before, after, Options::default()).map_err(refusal)?;
    Ok(masked_json(&page(MADE_BY, &compared, &comparison).document()))
}

fn side(library: &Library, name: &str) -> Result<ComparedSide, Refusal> {
    runs::side_of(name, &folder(library, name)?).map_err(refusal)
}

/// A JSON response without passwords of URLs. The history has none: they are masked before it is
/// written.
fn masked_json(value: &impl Serialize) -> Answer {
    let text = serde_json::to_string(value).expect("numbers and texts are valid JSON");
    Answer::text("application/json", swell_report::without_passwords(&text).into_owned())
}
