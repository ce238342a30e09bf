//! One end of a connection after its handshake.

use crate::close::CloseReason;
use crate::messages::{MessageKind, Messages};
use crate::{
    Compression, Deflater, FrameHead, FrameReader, FrameRules, MaskKeys, Opcode, ProtocolError, Role,
    write_frame,
};

/// What the other end said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// A whole message, decompressed.
    Message(MessageKind, &'a [u8]),
    /// A ping; its answer is in `out` already.
    Ping(&'a [u8]),
    /// A pong.
    Pong(&'a [u8]),
    /// The end; its answer is in `out` already, unless this end began it.
    Close(CloseReason),
}

/// Limits of one connection.
#[derive(Clone, Copy, Debug)]
pub struct ConversationLimits {
    /// Bytes of the largest message, decompressed.
    pub message_bytes_max: usize,
}

/// One end of a connection: reads messages, answers pings and the closing handshake, writes frames.
#[derive(Debug)]
pub struct Conversation {
    role: Role,
    reader: FrameReader,
    messages: Messages,
    writer: Writer,
    limits: ConversationLimits,
    /// The other end may compress with what it sent before.
    peer_keeps_context: bool,
    has_ended: bool,
}

/// What is sent.
#[derive(Debug)]
struct Writer {
    keys: Option<MaskKeys>,
    /// Made with the first message: an idle connection has no window.
    compression: Option<(bool, u8)>,
    deflater: Option<Deflater>,
    has_closed: bool,
}

impl Conversation {
    /// `compression`: what the handshake agreed upon; `keys`: masks, where this is the client.
    #[must_use]
    pub fn new(
        role: Role,
        compression: Option<Compression>,
        limits: ConversationLimits,
        keys: MaskKeys,
    ) -> Self {
        let rules = FrameRules {
            role,
            allows_compression: compression.is_some(),
            payload_bytes_max: limits.message_bytes_max,
        };
        let (own, peer) = match role {
            Role::Client => {
                (compression.map(Compression::of_client), compression.map(Compression::of_server))
            }
            Role::Server => {
                (compression.map(Compression::of_server), compression.map(Compression::of_client))
            }
        };
        let keys = (role == Role::Client).then_some(keys);
        Self {
            role,
            reader: FrameReader::new(rules),
            messages: Messages::default(),
            writer: Writer { keys, compression: own, deflater: None, has_closed: false },
            limits,
            peer_keeps_context: peer.is_some_and(|(keeps, _)| keeps),
            has_ended: false,
        }
    }

    /// Takes received bytes. Answers that the protocol wants are appended to `out`.
    ///
    /// # Errors
    /// The other end broke the protocol; `out` has the close frame for it.
    pub fn feed(
        &mut self,
        mut bytes: &[u8],
        out: &mut Vec<u8>,
        events: &mut impl FnMut(Event<'_>),
    ) -> Result<(), ProtocolError> {
        let fed = self.frames(&mut bytes, out, events);
        if let Err(error) = &fed {
            self.has_ended = true;
            self.writer.close(error.close_status(), "", out);
        }
        fed
    }

    fn frames(
        &mut self,
        bytes: &mut &[u8],
        out: &mut Vec<u8>,
        events: &mut impl FnMut(Event<'_>),
    ) -> Result<(), ProtocolError> {
        while !self.has_ended {
            let Some(frame) = self.reader.next(bytes)? else { break };
            match frame.head.opcode {
                Opcode::Ping => {
                    if !self.writer.has_closed {
                        self.writer.frame(Opcode::Pong, frame.payload, out);
                    }
                    events(Event::Ping(frame.payload));
                }
                Opcode::Pong => events(Event::Pong(frame.payload)),
                Opcode::Close => {
                    let reason = CloseReason::parse(frame.payload)?;
                    self.has_ended = true;
                    match reason.status {
                        Some(status) => self.writer.close(status, "", out),
                        None => self.writer.close_without_status(out),
                    }
                    events(Event::Close(reason));
                }
                Opcode::Continuation | Opcode::Text | Opcode::Binary => {
                    let most = self.limits.message_bytes_max;
                    let message = self.messages.frame(&frame, self.peer_keeps_context, most)?;
                    if let Some((kind, content)) = message {
                        events(Event::Message(kind, content));
                    }
                }
            }
        }
        if let Some((head, payload)) = self.reader.begun() {
            self.messages.look_at_begun(&head, payload)?;
        }
        Ok(())
    }

    /// Which end this is.
    #[must_use]
    pub fn role(&self) -> Role {
        self.role
    }

    /// The other end has closed, or broke the protocol: nothing more is read.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Appends a message, compressed where that was agreed upon.
    pub fn message(&mut self, kind: MessageKind, content: &[u8], out: &mut Vec<u8>) {
        self.writer.message(kind, content, usize::MAX, out);
    }

    /// The same in frames of at most that many bytes.
    pub fn fragments(&mut self, kind: MessageKind, content: &[u8], frame_bytes: usize, out: &mut Vec<u8>) {
        self.writer.message(kind, content, frame_bytes.max(1), out);
    }

    /// Appends a ping with at most 125 bytes.
    pub fn ping(&mut self, payload: &[u8], out: &mut Vec<u8>) {
        self.writer.frame(Opcode::Ping, &payload[..payload.len().min(125)], out);
    }

    /// Begins the closing handshake; after it nothing is sent.
    pub fn close(&mut self, status: u16, reason: &str, out: &mut Vec<u8>) {
        self.writer.close(status, reason, out);
    }
}

impl Writer {
    fn head(&mut self, opcode: Opcode, is_final: bool, is_compressed: bool) -> FrameHead {
        let mask = self.keys.as_mut().map(MaskKeys::key);
        FrameHead { is_final, is_compressed, opcode, mask, length: 0 }
    }

    fn frame(&mut self, opcode: Opcode, payload: &[u8], out: &mut Vec<u8>) {
        let head = self.head(opcode, true, false);
        write_frame(head, payload, out);
    }

    fn message(&mut self, kind: MessageKind, content: &[u8], frame_bytes: usize, out: &mut Vec<u8>) {
        let opcode = match kind {
            MessageKind::Text => Opcode::Text,
            MessageKind::Binary => Opcode::Binary,
        };
        let mut compressed = Vec::new();
        if let Some((keeps_context, window_bits)) = self.compression
            && self.deflater.is_none()
        {
            self.deflater = Deflater::new(keeps_context, window_bits);
        }
        let is_compressed = self.deflater.is_some();
        if let Some(deflater) = &mut self.deflater {
            deflater.message(content, &mut compressed);
        }
        let payload = if is_compressed { &compressed[..] } else { content };
        let mut rest = payload;
        let mut opcode_now = opcode;
        loop {
            let (piece, after) = rest.split_at(rest.len().min(frame_bytes));
            rest = after;
            let is_first = opcode_now == opcode;
            let head = self.head(opcode_now, rest.is_empty(), is_compressed && is_first);
            write_frame(head, piece, out);
            opcode_now = Opcode::Continuation;
            if rest.is_empty() {
                return;
            }
        }
    }

    fn close(&mut self, status: u16, reason: &str, out: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.has_closed, true) {
            self.frame(Opcode::Close, &CloseReason::payload(status, reason), out);
        }
    }

    fn close_without_status(&mut self, out: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.has_closed, true) {
            self.frame(Opcode::Close, b"", out);
        }
    }
}
