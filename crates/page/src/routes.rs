//! Routes: which request gets which response.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use swell_connect::Stream;
use swell_debug::packed;
use swell_http1::server::Refusal;
use swell_report::page::{
    SCRIPT, SHELL_SECURITY, STYLE, TRACE_SCRIPT, TRACE_SECURITY, TRACE_STYLE, live_shell, trace_shell,
};
use swell_site::{Answer, Request, RequestBody, Rights, Site};

use crate::change::change;
use crate::state::LiveState;
use crate::stream::stream;

/// The live page.
pub(crate) struct LiveSite {
    pub(crate) live: Rc<RefCell<LiveState>>,
}

impl Site for LiveSite {
    async fn answer(&self, request: &Request, body: RequestBody) -> Answer {
        self.try_answer(request, body.bytes()).unwrap_or_else(|refusal| Answer::refused(&refusal))
    }

    fn is_stream(&self, request: &Request) -> bool {
        request.method == "GET" && request.path == ["api", "events"]
    }

    async fn stream(&self, request: &Request, socket: &mut Stream) -> io::Result<()> {
        let since = request.last_event.unwrap_or_else(|| self.live.borrow().last_id());
        stream(socket, &self.live, since).await
    }
}

impl LiveSite {
    /// The failures that are kept so far.
    fn failures(&self) -> Result<Answer, Refusal> {
        let lines = self.live.borrow().failures.as_ref().map(|kept| kept.lines_from(0)).unwrap_or_default();
        if lines.is_empty() {
            return Err(Refusal::new(404, "no failure of this run is kept"));
        }
        let packed = packed(lines.iter().map(String::as_str));
        let packed =
            packed.map_err(|error| Refusal::new(500, format!("cannot pack the failures: {error}")))?;
        Ok(Answer::text("application/octet-stream", packed))
    }

    fn try_answer(&self, request: &Request, body: &[u8]) -> Result<Answer, Refusal> {
        let parts: Vec<&str> = request.path.iter().map(String::as_str).collect();
        match (request.method.as_str(), &parts[..]) {
            ("GET" | "HEAD", [""]) => Ok(Answer::page(live_shell("Swell"), SHELL_SECURITY)),
            ("GET" | "HEAD", ["app.js"]) => Ok(Answer::script(SCRIPT.as_str())),
            ("GET" | "HEAD", ["app.css"]) => Ok(Answer::style(STYLE.as_str())),
            ("GET" | "HEAD", ["failures"]) => Ok(Answer::page(trace_shell("Swell"), TRACE_SECURITY)),
            ("GET" | "HEAD", ["trace.js"]) => Ok(Answer::script(TRACE_SCRIPT.as_str())),
            ("GET" | "HEAD", ["trace.css"]) => Ok(Answer::style(TRACE_STYLE.as_str())),
            ("GET" | "HEAD", ["api", "trace"]) => self.failures(),
            ("GET" | "HEAD", ["api", "snapshot"]) => {
                let mut snapshot = self.live.borrow().snapshot();
                snapshot["may_change"] = (request.rights == Rights::Change).into();
                Ok(Answer::json(200, &snapshot))
            }
            ("GET" | "HEAD", ["api", "status"]) => Ok(Answer::json(200, &self.live.borrow().status())),
            ("PUT" | "POST" | "DELETE", ["api", ..]) => {
                let who = if request.is_from_page { "page" } else { "ctl" };
                let path = &request.path[1..];
                let made = change(&mut self.live.borrow_mut(), &request.method, path, body, who)?;
                Ok(Answer::json(202, &made))
            }
            ("GET" | "HEAD" | "PUT" | "POST" | "DELETE", _) => Err(Refusal::new(404, "page not found")),
            _ => Err(Refusal::new(405, "unsupported method: use GET, HEAD, PUT, POST or DELETE")),
        }
    }
}
