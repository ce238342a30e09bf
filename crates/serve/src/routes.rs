//! Routes: which request gets which response.

use swell_http1::server::Refusal;
use swell_net::blocking;
use swell_report::page::{
    RUNS_SCRIPT, RUNS_STYLE, SHELL_SECURITY, STYLE, TRACE_SCRIPT, TRACE_SECURITY, TRACE_STYLE, live_shell,
    trace_shell,
};
use swell_site::{Answer, BodyRules, Request, RequestBody, Rights, Site};

use crate::library::Library;
use crate::{change, list, reports, trend, upload};

/// The pages of kept runs.
pub(crate) struct Routes {
    library: Library,
}

impl Routes {
    pub(crate) fn new(library: Library) -> Self {
        Self { library }
    }
}

impl Site for Routes {
    fn body_rules(&self, request: &Request) -> BodyRules {
        if upload::is_upload(request) { upload::rules(self.library.folder()) } else { BodyRules::default() }
    }

    async fn answer(&self, request: &Request, body: RequestBody) -> Answer {
        let library = self.library.clone();
        let request = request.clone();
        // Files and the history are read elsewhere than on the event loop.
        let answered = blocking(move || answer(&library, &request, &body)).await;
        answered.unwrap_or_else(|refusal| Answer::refused(&refusal))
    }
}

fn answer(library: &Library, request: &Request, body: &RequestBody) -> Result<Answer, Refusal> {
    let parts: Vec<&str> = request.path.iter().map(String::as_str).collect();
    match (request.method.as_str(), &parts[..]) {
        ("GET" | "HEAD", ["api", path @ ..]) => read(library, request, path),
        ("GET" | "HEAD", ["" | "run" | "compare" | "trend"]) => {
            Ok(Answer::page(live_shell("Kept runs – Swell"), SHELL_SECURITY))
        }
        ("GET" | "HEAD", ["app.js"]) => Ok(Answer::script(RUNS_SCRIPT.as_str())),
        ("GET" | "HEAD", ["app.css"]) => Ok(Answer::style([STYLE.as_str(), RUNS_STYLE.as_str()].concat())),
        ("GET" | "HEAD", ["failures"]) => {
            Ok(Answer::page(trace_shell("Kept failures – Swell"), TRACE_SECURITY))
        }
        ("GET" | "HEAD", ["trace.js"]) => Ok(Answer::script(TRACE_SCRIPT.as_str())),
        ("GET" | "HEAD", ["trace.css"]) => Ok(Answer::style(TRACE_STYLE.as_str())),
        ("PUT", ["api", "runs", name, "annotation"]) => change::annotate(library, name, body.bytes()),
        ("PUT", ["api", "runs", name, "baseline"]) => change::set_baseline(library, name, body.bytes()),
        _ if upload::is_upload(request) => upload::import(library, request, body),
        ("GET" | "HEAD" | "PUT" | "POST", _) => Err(Refusal::new(404, "page not found")),
        _ => Err(Refusal::new(405, "unsupported method: use GET, HEAD, PUT or POST")),
    }
}

fn read(library: &Library, request: &Request, path: &[&str]) -> Result<Answer, Refusal> {
    match path {
        ["runs"] => list::answer(library, request.rights == Rights::Change),
        ["runs", name, "page"] => reports::document(library, name),
        ["runs", name, "file"] => reports::file(library, name),
        ["trace"] => reports::failures(library, needed(request, "run")?),
        ["compare"] => reports::comparison(library, request),
        ["labels"] => trend::labels(library, request),
        ["trend"] => trend::answer(library, request),
        _ => Err(Refusal::new(404, "page not found")),
    }
}

/// A value of the query that a request needs.
pub(crate) fn needed<'a>(request: &'a Request, name: &str) -> Result<&'a str, Refusal> {
    request.query(name).ok_or_else(|| Refusal::bad(format!("missing parameter `{name}`")))
}
