//! The page of `swell debug`, served until it is stopped. Unlike a page in a file it can ask for
//! what expressions find in a response, and write elements for them into the plan.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::rc::Rc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use swell_http1::server::Refusal;
use swell_net::{Receiver, Runtime};
use swell_report::page::{TRACE_SCRIPT, TRACE_SECURITY, TRACE_STYLE, trace_shell};
use swell_site::{Answer, Request, RequestBody, Server, Site, SiteOptions, listen};

/// An expression for the response of a step, or for that of a sub-sample.
#[derive(Debug, Deserialize)]
pub struct TriedExpression {
    /// The number of the step.
    pub step: u32,
    /// Places of sub-samples, from 0; none: the sample of the step.
    #[serde(default)]
    pub place: Vec<usize>,
    /// The expression with the prefix of its language.
    pub expression: String,
}

/// What an expression becomes in the plan.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WrittenAs {
    /// An extractor that sets the variable of that name.
    Extractor(String),
    /// An assertion that there is a match, with that value if there is one.
    Assertion(Option<String>),
}

/// The program behind the page. Errors are for the reader.
pub trait TraceHost {
    /// What an expression finds.
    ///
    /// # Errors
    /// The expression is invalid, or the step or sub-sample does not exist.
    fn ask(&self, tried: &TriedExpression) -> Result<Value, String>;

    /// Writes an element for an expression into the plan, below the sampler of the step.
    ///
    /// # Errors
    /// As for [`TraceHost::ask`]; or there is no match, the element cannot be added, or the plan
    /// cannot be written.
    fn write(&self, tried: &TriedExpression, written_as: &WrittenAs) -> Result<Value, String>;
}

/// What the page shows.
pub struct TraceSite {
    /// Its events: lines of JSON, compressed by gzip.
    pub packed: Vec<u8>,
    /// Answers expressions.
    pub host: Box<dyn TraceHost>,
}

/// A request to write an element into the plan.
#[derive(Deserialize)]
struct WriteRequest {
    #[serde(flatten)]
    tried: TriedExpression,
    #[serde(rename = "as")]
    written_as: WrittenAs,
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
            ("GET" | "HEAD", ["trace.js"]) => Ok(Answer::script(TRACE_SCRIPT.as_str())),
            ("GET" | "HEAD", ["trace.css"]) => Ok(Answer::style(TRACE_STYLE.as_str())),
            ("GET" | "HEAD", ["api", "trace"]) => {
                Ok(Answer::text("application/octet-stream", self.packed.clone()))
            }
            ("POST", ["api", "test"]) => self.test(body),
            ("POST", ["api", "write"]) => self.write(body),
            ("GET" | "HEAD" | "POST", _) => Err(Refusal::new(404, "page not found")),
            _ => Err(Refusal::new(405, "unsupported method: use GET, HEAD or POST")),
        }
    }

    fn test(&self, body: &[u8]) -> Result<Answer, Refusal> {
        let tried = parsed(body, r#"{"step": 4, "place": [], "expression": "$.id"}"#)?;
        let answer = self.host.ask(&tried).map_err(Refusal::bad)?;
        Ok(Answer::json(200, &answer))
    }

    fn write(&self, body: &[u8]) -> Result<Answer, Refusal> {
        let wanted = r#"{"step": 4, "place": [], "expression": "$.id", "as": {"extractor": "id"}}"#;
        let WriteRequest { tried, written_as } = parsed(body, wanted)?;
        let refused = |why| Refusal::new(409, why);
        let written = self.host.write(&tried, &written_as).map_err(refused)?;
        Ok(Answer::json(200, &written))
    }
}

/// What a request has; `wanted` is an example of what it should have.
fn parsed<T: DeserializeOwned>(body: &[u8], wanted: &str) -> Result<T, Refusal> {
    let wrong = |error| Refusal::bad(format!("invalid request: {error}; expected {wanted}"));
    serde_json::from_slice(body).map_err(wrong)
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
