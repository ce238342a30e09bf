//! WebSocket connections.

use std::io;

use swell_net::{now_ns, sleep_until, yield_now};
use swell_websocket::{Conversation, ConversationLimits, Event, MaskKeys, MessageKind, Role};

use crate::metrics::CompletedRequest;
use crate::routes::{EchoRule, Upgrade};

use super::connection::{Connection, NextStep};
use super::job::Facts;

/// The longest message that is taken.
const LIMITS: ConversationLimits = ConversationLimits { message_bytes_max: 16 * 1024 * 1024 };

/// A message that waits for its answer.
struct Received {
    kind: MessageKind,
    content: Vec<u8>,
    arrival_ns: i64,
}

impl Connection {
    /// Sends the answer to an upgrade, and answers messages until one side ends. On record is the
    /// time from each message to the last of its answers.
    pub(super) async fn converse(&mut self, facts: &Facts, upgrade: Upgrade) -> io::Result<NextStep> {
        self.stream.send_all(&upgrade.head).await?;
        let mut conversation = Conversation::new(Role::Server, upgrade.compression, LIMITS, MaskKeys::new(0));
        let mut received = Vec::new();
        let mut out = Vec::new();
        let early = self.take_leftover();
        let mut is_valid = take(&mut conversation, &early, facts.arrival_ns, &mut out, &mut received);
        loop {
            if !out.is_empty() {
                self.stream.send_all(&out).await?;
                out.clear();
            }
            for message in received.drain(..) {
                self.answer(facts, &mut conversation, &message, upgrade.echo).await?;
            }
            if !is_valid || conversation.has_ended() {
                return Ok(NextStep::Close);
            }
            let got = self.stream.recv(|bytes, arrival| {
                is_valid &= take(&mut conversation, bytes, arrival.at_ns, &mut out, &mut received);
                bytes.len()
            });
            if got.await? == 0 {
                return Ok(NextStep::Abort);
            }
            // A fast sender must not keep the other connections waiting.
            yield_now().await;
        }
    }

    async fn answer(
        &mut self,
        facts: &Facts,
        conversation: &mut Conversation,
        message: &Received,
        rule: EchoRule,
    ) -> io::Result<()> {
        let mut out = Vec::new();
        for number in 0..rule.messages {
            let asked_ns = rule.delay_ns + rule.every_ns * number as i64;
            if asked_ns > 0 {
                sleep_until(message.arrival_ns + asked_ns).await;
            }
            out.clear();
            conversation.fragments(message.kind, &message.content, rule.frame_bytes, &mut out);
            let is_last = number + 1 == rule.messages;
            let route = facts.route.filter(|_| is_last);
            let Some(route) = route else {
                self.stream.send_all(&out).await?;
                continue;
            };
            let before_send_ns = now_ns();
            let done = CompletedRequest { route, arrival_ns: message.arrival_ns, asked_ns, before_send_ns };
            self.worker.metrics().answering(&done);
            self.stream.send_all(&out).await?;
            self.worker.metrics().answered(&done, now_ns());
        }
        Ok(())
    }
}

/// Takes received bytes; false where they break the protocol.
fn take(
    conversation: &mut Conversation,
    bytes: &[u8],
    arrival_ns: i64,
    out: &mut Vec<u8>,
    received: &mut Vec<Received>,
) -> bool {
    let fed = conversation.feed(bytes, out, &mut |event| {
        if let Event::Message(kind, content) = event {
            received.push(Received { kind, content: content.to_vec(), arrival_ns });
        }
    });
    fed.is_ok()
}
