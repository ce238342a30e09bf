//! Changes that readers make: tags, notes and baselines.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use swell_http1::server::Refusal;
use swell_session::runs::{self, Annotation, History};
use swell_site::Answer;

use crate::library::Library;
use crate::list::Row;
use crate::problem::refusal;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewAnnotation {
    tags: BTreeMap<String, String>,
    note: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewBaseline {
    is_baseline: bool,
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refusal> {
    serde_json::from_slice(body).map_err(|error| Refusal::bad(format!("invalid JSON: {error}")))
}

/// Replaces tags and note of a run.
pub(crate) fn annotate(library: &Library, name: &str, body: &[u8]) -> Result<Answer, Refusal> {
    let NewAnnotation { tags, note } = read(body)?;
    let note = Annotation::parse_note(&note).map_err(Refusal::bad)?;
    let (history, entry) = library.entry(name)?;
    runs::annotate(&history, &entry, &Annotation { tags, note }).map_err(refusal)?;
    changed(&history, &entry.name)
}

/// Makes a run the baseline of its subject, or ends that.
pub(crate) fn set_baseline(library: &Library, name: &str, body: &[u8]) -> Result<Answer, Refusal> {
    let NewBaseline { is_baseline } = read(body)?;
    let (history, entry) = library.entry(name)?;
    let changed_file =
        if is_baseline { history.set_baseline(&entry) } else { history.remove_baseline(&entry) };
    changed_file.map_err(refusal)?;
    changed(&history, &entry.name)
}

/// The run as the list has it now.
fn changed(history: &History, name: &str) -> Result<Answer, Refusal> {
    let entry = runs::entry_in(Some(history), name).map_err(refusal)?;
    let is_baseline = history.baselines().get(&entry.subject) == Some(&entry.name);
    Ok(Answer::json(200, &Row::of(&entry, is_baseline)))
}
