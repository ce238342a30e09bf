//! Serves Swell's own pages: the live page of a run, and the pages of kept runs.
//!
//! A [`Site`] answers requests. This crate decides who may send them ([`Rights`]), how large they
//! may be, how long they may take and how many connections there may be. It runs on an event loop
//! of [`swell_net`].

mod access;
mod answer;
mod connection;
mod listen;
mod request;
mod upload;

use std::future::Future;
use std::io;
use std::path::PathBuf;

use swell_connect::Stream;

pub use access::Rights;
pub use answer::{Answer, stream_head};
pub use listen::{Listening, Server, SiteOptions, listen};
pub use request::Request;
pub use upload::{RequestBody, Upload};

/// Answers the requests of readers.
pub trait Site: 'static {
    /// How the body of a request is received. The secret of the request has been checked.
    fn body_rules(&self, request: &Request) -> BodyRules {
        let _ = request;
        BodyRules::default()
    }

    /// The response to a request.
    fn answer(&self, request: &Request, body: RequestBody) -> impl Future<Output = Answer>;

    /// Whether the response is a stream, which [`Site::stream`] sends.
    fn is_stream(&self, request: &Request) -> bool {
        let _ = request;
        false
    }

    /// Sends a stream until one side closes.
    fn stream(&self, request: &Request, socket: &mut Stream) -> impl Future<Output = io::Result<()>> {
        let _ = (request, socket);
        async { Ok(()) }
    }
}

/// How the body of a request is received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyRules {
    /// Its type, which a page of another site cannot send without permission.
    pub content_type: &'static str,
    /// Its size at most, bytes.
    pub most_bytes: u64,
    /// The request must be complete within this time.
    pub within_ns: i64,
    /// Write it to a new file in this folder instead of keeping it in memory.
    pub folder: Option<PathBuf>,
}

impl Default for BodyRules {
    /// A small JSON text.
    fn default() -> Self {
        Self {
            content_type: "application/json",
            most_bytes: 64 * 1024,
            within_ns: connection::REQUEST_NS,
            folder: None,
        }
    }
}
