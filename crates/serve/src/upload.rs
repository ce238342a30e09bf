//! Results files that readers upload.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use swell_http1::server::Refusal;
use swell_session::runs::{self, ImportOptions};
use swell_session::{Say, name_of};
use swell_site::{Answer, BodyRules, Request, RequestBody};

use crate::library::Library;
use crate::problem::refusal;
use crate::routes::needed;

/// Size of a results file at most, bytes. Larger ones are imported by `swell history import`.
const MOST_BYTES: u64 = 512 << 20;
/// Time for an upload.
const WITHIN_NS: i64 = 600_000_000_000;
/// Bytes of the name of a file or plan, at most.
const MOST_NAME: usize = 1000;

/// Whether a request uploads a results file.
pub(crate) fn is_upload(request: &Request) -> bool {
    request.method == "POST" && request.path == ["api", "import"]
}

/// The body goes to a file in the folder of runs.
pub(crate) fn rules(folder: &Path) -> BodyRules {
    BodyRules {
        content_type: "application/octet-stream",
        most_bytes: MOST_BYTES,
        within_ns: WITHIN_NS,
        folder: Some(folder.to_owned()),
    }
}

/// Imports the file.
pub(crate) fn import(library: &Library, request: &Request, body: &RequestBody) -> Result<Answer, Refusal> {
    let RequestBody::File(upload) = body else { return Err(Refusal::bad("missing file")) };
    let file_name = name_of(Path::new(needed(request, "file")?));
    let plan = request.query("plan").filter(|plan| !plan.is_empty()).map(str::to_owned);
    let longest = file_name.len().max(plan.as_ref().map_or(0, String::len));
    if file_name.is_empty() || longest > MOST_NAME {
        return Err(Refusal::bad(format!("invalid file or plan name: use 1 to {MOST_NAME} bytes")));
    }
    // Only a history that cannot be opened is reported here, and then the import fails as well.
    let _ = library.history()?;
    let options = ImportOptions { file_name: Some(file_name), plan, ..ImportOptions::default() };
    let say: Say = Arc::new(|_| {});
    let imported = runs::import(upload.path(), &options, &say).map_err(refusal)?;
    Ok(Answer::json(
        200,
        &json!({ "name": imported.name, "samples": imported.counts.samples, "bad_rows": imported.counts.bad }),
    ))
}
