//! Which request gets which answer.

use std::cell::RefCell;
use std::rc::Rc;

use percent_encoding::percent_decode_str;
use serde_json::Value;
use swell_http1::server::{Refusal, RequestHead, header};
use swell_report::page::{SCRIPT, STYLE, live_shell};

use crate::access::{Access, Rights};
use crate::answer::Answer;
use crate::change::change;
use crate::desk::Desk;

/// What one request asks for: checked, and without its body.
pub(crate) struct Asked {
    method: String,
    /// Parts of the path, decoded.
    path: Vec<String>,
    /// What who asks may do.
    rights: Rights,
    /// Stands in the journal.
    who: &'static str,
    /// The last news that the reader of a stream has.
    since: Option<u64>,
}

impl Asked {
    /// Reads a head and refuses who may not ask.
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
        if path.first().is_some_and(|part| part == "api") {
            rights = access.check_rights(head.method, head.headers)?;
        }
        let last = header(head.headers, "last-event-id").and_then(|id| std::str::from_utf8(id).ok());
        let asked = head.query.split('&').find_map(|pair| pair.strip_prefix("since="));
        let since = last.or(asked).and_then(|id| id.trim().parse().ok());
        let who = if header(head.headers, "authorization").is_some() { "ctl" } else { "page" };
        Ok(Self { method: head.method.to_owned(), path, rights, who, since })
    }

    /// From which news on a stream is asked for; none if something else is.
    pub(crate) fn stream(&self, desk: &Desk) -> Option<u64> {
        let is_stream = self.method == "GET" && self.path == ["api", "events"];
        is_stream.then(|| self.since.unwrap_or_else(|| desk.last_id()))
    }

    pub(crate) fn is_head(&self) -> bool {
        self.method == "HEAD"
    }

    /// The answer.
    pub(crate) fn answer(&self, desk: &Rc<RefCell<Desk>>, access: &Access, body: &[u8]) -> Answer {
        self.try_answer(desk, access, body).unwrap_or_else(|refusal| Answer::refused(&refusal))
    }

    fn try_answer(&self, desk: &Rc<RefCell<Desk>>, access: &Access, body: &[u8]) -> Result<Answer, Refusal> {
        let parts: Vec<&str> = self.path.iter().map(String::as_str).collect();
        match (self.method.as_str(), &parts[..]) {
            ("GET" | "HEAD", [""]) => Ok(Answer::page(live_shell("Swell"))),
            ("GET" | "HEAD", ["app.js"]) => Ok(Answer::text("text/javascript; charset=utf-8", SCRIPT)),
            ("GET" | "HEAD", ["app.css"]) => Ok(Answer::text("text/css; charset=utf-8", STYLE)),
            ("POST", ["session"]) => {
                let fields: Value =
                    serde_json::from_slice(body).map_err(|error| Refusal::bad(error.to_string()))?;
                let cookie = access.session_for(fields["token"].as_str().unwrap_or_default())?;
                Ok(Answer::cookie(&cookie))
            }
            ("GET" | "HEAD", ["api", "snapshot"]) => {
                let mut snapshot = desk.borrow().snapshot();
                snapshot["may_change"] = (self.rights == Rights::Change).into();
                Ok(Answer::json(200, &snapshot))
            }
            ("GET" | "HEAD", ["api", "status"]) => Ok(Answer::json(200, &desk.borrow().status())),
            ("PUT" | "POST" | "DELETE", ["api", ..]) => {
                let made = change(&mut desk.borrow_mut(), &self.method, &self.path[1..], body, self.who)?;
                Ok(Answer::json(202, &made))
            }
            ("GET" | "HEAD" | "PUT" | "POST" | "DELETE", _) => {
                Err(Refusal::new(404, "there is nothing here"))
            }
            _ => Err(Refusal::new(405, "GET, HEAD, PUT, POST and DELETE are understood here")),
        }
    }
}
