//! `swell hit ws://…`: each user opens a WebSocket, and sends its text and reads the answer again
//! and again.

use swell_import::elements::literal;
use swell_plan::{Element, Node};

use super::only_http::OtherProtocol;
use super::urls::{Address, WEB_SOCKET, rest_of};
use crate::args::HitArgs;
use crate::exit::Failure;

/// The WebSocket to test.
pub(super) struct WebSocket {
    secure: bool,
    address: Address,
    text: String,
}

impl WebSocket {
    /// The WebSocket that the command line names; none if its URLs are others.
    ///
    /// # Errors
    /// It has options that a WebSocket has no use for, or lacks the text to send.
    pub(super) fn of(args: &HitArgs) -> Result<Option<Self>, Failure> {
        let Some((secure, rest)) = args.urls.first().and_then(|url| rest_of(url, WEB_SOCKET)) else {
            return match &args.request.send {
                Some(_) => Err(Failure::settings("--send is for a WebSocket").hint(
                    "swell hit ws://localhost:8080/path --send hello; -b is the body of an HTTP request",
                )),
                None => Ok(None),
            };
        };
        let request = &args.request;
        OtherProtocol {
            tests: "WebSocket",
            name: "a WebSocket",
            example: "swell hit ws://localhost:8080/path --send hello",
            sends: "--send TEXT is what is sent, -H a line of the upgrade",
            unused: &[(request.body.is_some(), "-b")],
        }
        .check(args)?;
        let Some(text) = &request.send else {
            return Err(Failure::settings("the text to send is missing")
                .hint(format!("swell hit {} --send hello", args.urls[0])));
        };
        let text = if request.functions { text.clone() } else { literal(text) };
        let scheme = if secure { "https" } else { "http" };
        let address = Address::parse(&format!("{scheme}://{rest}"))?;
        Ok(Some(Self { secure, address, text }))
    }

    /// What a user does: opens the WebSocket, then that number of exchanges, -1 for no end. `pace`:
    /// the timer of the exchanges.
    pub(super) fn steps(&self, args: &HitArgs, loops: i64, pace: Option<Element>) -> [Node; 2] {
        let path = self.address.path();
        let timeout = args.request.timeout.map_or(30_000, |timeout| timeout.as_millis());
        let port = self.address.url.port_or_known_default().unwrap_or_default();
        let open = open(&format!("open {}", literal(&path)))
            .with_flag("TLS", self.secure)
            .with_text("server", self.address.url.host_str().unwrap_or_default())
            .with_text("port", &port.to_string())
            .with_text("path", &literal(&path))
            .with_flag("swell.websocket.pings", true)
            .with_text("connectTimeout", &timeout.clamp(1, 999_999).to_string())
            .with_text("readTimeout", &timeout.min(9_999_999).to_string());
        let exchange = exchange(&literal(&path))
            .with_flag("createNewConnection", false)
            .with_text("payloadType", "Text")
            .with_text("requestData", &self.text)
            .with_flag("swell.websocket.messages", true)
            .with_flag("swell.websocket.pings", true)
            .with_text("readTimeout", &timeout.min(9_999_999).to_string());
        let mut exchange = Node::new(exchange);
        if let Some(timer) = pace {
            exchange = exchange.with(Node::new(timer));
        }
        let messages = Element::new("LoopController", "LoopControlPanel", "messages")
            .with_flag("LoopController.continue_forever", false)
            .with_text("LoopController.loops", &loops.to_string());
        [Node::new(open), Node::new(messages).with(exchange)]
    }
}

const OPEN_GUI: &str = "eu.luminis.jmeter.wssampler.OpenWebSocketSamplerGui";
const EXCHANGE_GUI: &str = "eu.luminis.jmeter.wssampler.RequestResponseWebSocketSamplerGui";

fn open(name: &str) -> Element {
    Element::new("eu.luminis.jmeter.wssampler.OpenWebSocketSampler", OPEN_GUI, name)
}

fn exchange(name: &str) -> Element {
    Element::new("eu.luminis.jmeter.wssampler.RequestResponseWebSocketSampler", EXCHANGE_GUI, name)
}
