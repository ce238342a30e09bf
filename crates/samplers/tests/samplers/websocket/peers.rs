//! Servers that share no code with Swell: `ws` of npm, with compression, and `websockets` of Python.
//! Where they are not installed, the test says so and ends.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use swell_api::Needs;
use swell_plan::Element;

use super::server::{element, exchange, open};
use crate::bench::{Bench, run};

const NODE: &str = r"
const { WebSocketServer } = require('ws');
const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: { threshold: 0 } });
server.on('listening', () => console.log(server.address().port));
server.on('connection', socket => {
  socket.ping('are you there');
  socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
});
process.stdin.on('close', () => process.exit()).resume();
";

const PYTHON: &str = r"
import asyncio, sys
from websockets.asyncio.server import serve

async def echo(socket):
    async for message in socket:
        half = len(message) // 2
        await socket.send([message[:half], message[half:]])

async def main():
    async with serve(echo, '127.0.0.1', 0) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)

asyncio.run(main())
";

/// A server as a process, which ends with the test.
struct Peer {
    process: Child,
    port: u16,
}

impl Drop for Peer {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        // It ends with its input.
        let _ = self.process.wait();
    }
}

/// Starts a script that prints its port; none where its library is not there. `NODE_PATH` and
/// `SWELL_PYTHON` say where to look.
fn peer(name: &str, program: &str, args: &[&str]) -> Option<Peer> {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let started = command.spawn().ok().and_then(|mut process| {
        let mut line = String::new();
        BufReader::new(process.stdout.take()?).read_line(&mut line).ok()?;
        let Ok(port) = line.trim().parse() else {
            let _ = process.wait();
            return None;
        };
        Some(Peer { process, port })
    });
    if started.is_none() {
        println!("skipped: {name} is not installed");
    }
    started
}

fn deflate() -> Element {
    let header = Element::new("Header", "", "")
        .with_text("Header.name", "Sec-WebSocket-Extensions")
        .with_text("Header.value", "permessage-deflate");
    Element::new("HeaderManager", "", "Headers").with_elements("HeaderManager.headers", [header])
}

const WHOLE: [(&str, &str); 2] = [("swell.websocket.messages", "true"), ("swell.websocket.pings", "true")];

/// Sends texts of many sizes and compares what comes back.
async fn echoes(bench: &mut Bench, port: u16, is_compressed: bool) {
    let headers = if is_compressed { vec![deflate()] } else { Vec::new() };
    let opened = bench.sampler(open(port), headers, Needs::ALL);
    let sample = bench.take(&opened).await;
    assert_eq!(&*sample.code, "101", "{sample:?}");
    assert_eq!(sample.response_headers.contains("permessage-deflate"), is_compressed, "{sample:?}");
    for size in [0, 1, 2, 125, 126, 127, 1000, 65_535, 65_536, 200_000] {
        let text: String = "Swell \u{e4}\u{20ac}\u{1f600} ".chars().cycle().take(size).collect();
        let sampler = exchange(&[&WHOLE[..], &[("requestData", &text)]].concat());
        let sampler = bench.sampler(sampler, Vec::new(), Needs::ALL);
        let sample = bench.take(&sampler).await;
        assert!(
            sample.success && sample.body_text() == *text,
            "{size}: {} {}",
            &*sample.code,
            &*sample.message
        );
        let is_smaller = sample.bytes < 1000 + size as u64 / 10;
        assert!(!is_compressed || size < 1000 || is_smaller, "{size}: {} bytes", sample.bytes);
    }
    let close = bench.sampler(element("CloseWebSocketSampler", &WHOLE), Vec::new(), Needs::ALL);
    let sample = bench.take(&close).await;
    assert_eq!((&*sample.code, sample.success), ("1000", true), "{sample:?}");
}

#[test]
fn ws_of_npm_with_and_without_compression() {
    let Some(peer) = peer("`ws` of npm", "node", &["-e", NODE]) else { return };
    run(async |bench| {
        echoes(bench, peer.port, false).await;
        echoes(bench, peer.port, true).await;
    });
}

#[test]
fn websockets_of_python_with_and_without_compression() {
    let python = std::env::var("SWELL_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let Some(peer) = peer("`websockets` of Python", &python, &["-c", PYTHON]) else { return };
    run(async |bench| {
        echoes(bench, peer.port, false).await;
        echoes(bench, peer.port, true).await;
    });
}
