//! The page of `swell debug`, served until it is stopped. Unlike a page in a file it can ask for
//! what expressions find in a response.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::rc::Rc;

use serde::Deserialize;
use serde_json::Value;
use swell_http1::server::Refusal;
use swell_net::{Receiver, Runtime};
use swell_report::page::{TRACE_SCRIPT, TRACE_SECURITY, TRACE_STYLE, trace_shell};
use swell_site::{Answer, Request, RequestBody, Server, Site, SiteOptions, listen};

/// What an expression finds in the response of a step, or in that of a sub-sample: the number of
/// the step, places of sub-samples, the expression. The error is for the reader.
pub type Ask = Box<dyn Fn(u32, &[usize], &str) -> Result<Value, String>>;

/// What the page shows.
pub struct TraceSite {
    /// Its events: lines of JSON, compressed by gzip.
    pub packed: Vec<u8>,
    /// Answers expressions.
    pub ask: Ask,
}

/// An expression that is tried on a response.
#[derive(Deserialize)]
struct Question {
    step: u32,
    #[serde(default)]
    place: Vec<usize>,
    expression: String,
}

impl Site for TraceSite {
    async fn answer(&self, request: &Request, body: RequestBody) -> Answer {
        self.try_answer(request, body.bytes()).unwrap_or_else(|refusal| Answer::refused(&refusal))
    }
}

impl TraceSite {
    fn try_answer(&self, request: &Request, body: &[u8]) -> Result<Answer, Refusal> {
        let parts: Vec<&str> = request.path.iter().map(String::as_str).collect();
        match (request.method.as_str(), &parts[..]) {
            ("GET" | "HEAD", [""]) => Ok(Answer::page(trace_shell("Swell"), TRACE_SECURITY)),
            ("GET" | "HEAD", ["trace.js"]) => Ok(Answer::script(TRACE_SCRIPT)),
            ("GET" | "HEAD", ["trace.css"]) => Ok(Answer::style(TRACE_STYLE)),
            ("GET" | "HEAD", ["api", "trace"]) => {
                Ok(Answer::text("application/octet-stream", self.packed.clone()))
            }
            ("POST", ["api", "test"]) => self.test(body),
            ("GET" | "HEAD" | "POST", _) => Err(Refusal::new(404, "page not found")),
            _ => Err(Refusal::new(405, "unsupported method: use GET, HEAD or POST")),
        }
    }

    fn test(&self, body: &[u8]) -> Result<Answer, Refusal> {
        let wrong = |error| {
            let wanted = r#"expected {"step": 4, "place": [], "expression": "$.id"}"#;
            Refusal::bad(format!("invalid request: {error}; {wanted}"))
        };
        let Question { step, place, expression } = serde_json::from_slice(body).map_err(wrong)?;
        let answer = (self.ask)(step, &place, &expression).map_err(Refusal::bad)?;
        Ok(Answer::json(200, &answer))
    }
}

/// Serves the page on loopback, at a port that the system chooses, until `inbox` gets a message.
/// `ready` gets its address with its secret.
///
/// # Errors
/// No port is available.
pub fn serve_trace(site: TraceSite, mut inbox: Receiver<()>, ready: impl FnOnce(&str)) -> io::Result<()> {
    Runtime::new()?.block_on(async move {
        let options = SiteOptions { tls: None, name: None, command: "swell debug --open" };
        let listening = listen(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), options)?;
        let address = format!("http://{}/#t={}", listening.address, listening.tokens()[0]);
        let server = Server::start(Rc::new(site), listening);
        ready(&address);
        inbox.recv().await;
        server.stop();
        Ok(())
    })
}
