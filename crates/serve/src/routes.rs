//! Routes: which request gets which response.

use swell_http1::server::Refusal;
use swell_net::blocking;
use swell_report::page::{RUNS_SCRIPT, RUNS_STYLE, SHELL_SECURITY, STYLE, live_shell};
use swell_site::{Answer, Body, BodyRules, Request, Rights, Site};

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

    async fn answer(&self, request: &Request, body: Body) -> Answer {
        let call = Call::of(request, body);
        let library = self.library.clone();
        // Files and the history are read elsewhere than on the event loop.
        blocking(move || call.answer(&library)).await.unwrap_or_else(|refusal| Answer::refused(&refusal))
    }
}

/// A request that can go to another thread.
struct Call {
    method: String,
    path: Vec<String>,
    query: Query,
    rights: Rights,
    body: Body,
}

/// Values of the query that some request has.
pub(crate) struct Query {
    pub(crate) subject: Option<String>,
    pub(crate) label: Option<String>,
    pub(crate) count: Option<String>,
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
    pub(crate) file: Option<String>,
    pub(crate) plan: Option<String>,
}

impl Call {
    fn of(request: &Request, body: Body) -> Self {
        let value = |name: &str| request.query(name).map(str::to_owned);
        Self {
            method: request.method.clone(),
            path: request.path.clone(),
            query: Query {
                subject: value("subject"),
                label: value("label"),
                count: value("count"),
                before: value("before"),
                after: value("after"),
                file: value("file"),
                plan: value("plan"),
            },
            rights: request.rights,
            body,
        }
    }

    fn answer(&self, library: &Library) -> Result<Answer, Refusal> {
        let parts: Vec<&str> = self.path.iter().map(String::as_str).collect();
        match (self.method.as_str(), &parts[..]) {
            ("GET" | "HEAD", ["api", path @ ..]) => self.read(library, path),
            ("GET" | "HEAD", ["" | "run" | "compare" | "trend"]) => {
                Ok(Answer::page(live_shell("Kept runs – Swell"), SHELL_SECURITY))
            }
            ("GET" | "HEAD", ["app.js"]) => Ok(Answer::text("text/javascript; charset=utf-8", RUNS_SCRIPT)),
            ("GET" | "HEAD", ["app.css"]) => {
                Ok(Answer::text("text/css; charset=utf-8", [STYLE, RUNS_STYLE].concat()))
            }
            ("PUT", ["api", "runs", name, "annotation"]) => {
                change::annotate(library, name, self.body.bytes())
            }
            ("PUT", ["api", "runs", name, "baseline"]) => {
                change::set_baseline(library, name, self.body.bytes())
            }
            ("POST", ["api", "import"]) => upload::import(library, &self.query, &self.body),
            ("GET" | "HEAD" | "PUT" | "POST", _) => Err(Refusal::new(404, "page not found")),
            _ => Err(Refusal::new(405, "unsupported method: use GET, HEAD, PUT or POST")),
        }
    }

    fn read(&self, library: &Library, path: &[&str]) -> Result<Answer, Refusal> {
        match path {
            ["runs"] => list::answer(library, self.rights == Rights::Change),
            ["runs", name, "page"] => reports::document(library, name),
            ["runs", name, "file"] => reports::file(library, name),
            ["compare"] => reports::comparison(library, &self.query),
            ["labels"] => trend::labels(library, &self.query),
            ["trend"] => trend::answer(library, &self.query),
            _ => Err(Refusal::new(404, "page not found")),
        }
    }
}

/// A value of the query that a request needs.
pub(crate) fn needed<'a>(value: Option<&'a String>, name: &str) -> Result<&'a str, Refusal> {
    value.map(String::as_str).ok_or_else(|| Refusal::bad(format!("missing parameter `{name}`")))
}
