//! Routes: which request gets which response.

use std::cell::RefCell;
use std::rc::Rc;

use percent_encoding::percent_decode_str;
use swell_http1::server::{Refusal, RequestHead, header};
use swell_report::page::{SCRIPT, STYLE, live_shell};

use crate::access::{Access, Rights};
use crate::answer::Answer;
use crate::change::change;
use crate::state::LiveState;

/// An authorized request, without its body.
pub(crate) struct AuthRequest {
    method: String,
    /// Parts of the path, decoded.
    path: Vec<String>,
    /// What the sender may do.
    rights: Rights,
    /// The request carried a secret.
    is_known: bool,
    /// Recorded in the journal.
    who: &'static str,
    /// The last event that the reader of a stream has.
    since: Option<u64>,
}

impl AuthRequest {
    /// Parses a head and refuses unauthorized requests.
    ///
    /// # Errors
    /// The refusal.
    pub(crate) fn of(head: &RequestHead<'_>, access: &Access) -> Result<Self, Refusal> {
        access.check_origin(head)?;
        let path: Vec<String> = head
            .path
            .split('/')
            .skip(1)
            .map(|part| percent_decode_str(part).decode_utf8_lossy().into_owned())
            .collect();
        let mut rights = Rights::Look;
        let is_known = path.first().is_some_and(|part| part == "api");
        if is_known {
            rights = access.check_rights(head.method, head.headers)?;
        }
        let last = header(head.headers, "last-event-id").and_then(|id| std::str::from_utf8(id).ok());
        let asked = head.query.split('&').find_map(|pair| pair.strip_prefix("since="));
        let since = last.or(asked).and_then(|id| id.trim().parse().ok());
        let is_page = header(head.headers, "x-swell-client").is_some_and(|client| client == b"page");
        let who = if is_page { "page" } else { "ctl" };
        Ok(Self { method: head.method.to_owned(), path, rights, is_known, who, since })
    }

    /// The event after which a stream is requested; none for other requests.
    pub(crate) fn stream(&self, live: &LiveState) -> Option<u64> {
        let is_stream = self.method == "GET" && self.path == ["api", "events"];
        is_stream.then(|| self.since.unwrap_or_else(|| live.last_id()))
    }

    /// Whether the request carries a secret of this run.
    pub(crate) fn is_known(&self) -> bool {
        self.is_known
    }

    pub(crate) fn is_head(&self) -> bool {
        self.method == "HEAD"
    }

    /// The response.
    pub(crate) fn answer(&self, live: &Rc<RefCell<LiveState>>, body: &[u8]) -> Answer {
        self.try_answer(live, body).unwrap_or_else(|refusal| Answer::refused(&refusal))
    }

    fn try_answer(&self, live: &Rc<RefCell<LiveState>>, body: &[u8]) -> Result<Answer, Refusal> {
        let parts: Vec<&str> = self.path.iter().map(String::as_str).collect();
        match (self.method.as_str(), &parts[..]) {
            ("GET" | "HEAD", [""]) => Ok(Answer::page(live_shell("Swell"))),
            ("GET" | "HEAD", ["app.js"]) => Ok(Answer::text("text/javascript; charset=utf-8", SCRIPT)),
            ("GET" | "HEAD", ["app.css"]) => Ok(Answer::text("text/css; charset=utf-8", STYLE)),
            ("GET" | "HEAD", ["api", "snapshot"]) => {
                let mut snapshot = live.borrow().snapshot();
                snapshot["may_change"] = (self.rights == Rights::Change).into();
                Ok(Answer::json(200, &snapshot))
            }
            ("GET" | "HEAD", ["api", "status"]) => Ok(Answer::json(200, &live.borrow().status())),
            ("PUT" | "POST" | "DELETE", ["api", ..]) => {
                let made = change(&mut live.borrow_mut(), &self.method, &self.path[1..], body, self.who)?;
                Ok(Answer::json(202, &made))
            }
            ("GET" | "HEAD" | "PUT" | "POST" | "DELETE", _) => Err(Refusal::new(404, "page not found")),
            _ => Err(Refusal::new(405, "unsupported method: use GET, HEAD, PUT, POST or DELETE")),
        }
    }
}
