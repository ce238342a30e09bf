//! Violations of the protocol by the other end.

use std::fmt;

/// What the other end did wrong. The connection cannot be used any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProtocolError {
    /// A reserved bit is set that no negotiated extension uses.
    ReservedBit,
    /// The opcode has no meaning.
    ReservedOpcode(u8),
    /// A server sent a masked frame.
    Masked,
    /// A client sent a frame without a mask.
    Unmasked,
    /// A control frame has a payload of more than 125 bytes.
    LongControl,
    /// A control frame is a fragment.
    FragmentedControl,
    /// The length uses more bytes than it needs, or its highest bit.
    Length,
    /// A frame or message is larger than this number of bytes, its limit.
    TooLarge(usize),
    /// A continuation without a message that it continues.
    LoneContinuation,
    /// A new message inside a fragmented one.
    MissingContinuation,
    /// A text is not UTF-8.
    Text,
    /// The payload of a close frame has one byte.
    ShortClose,
    /// The status of a close frame must not be sent.
    CloseStatus(u16),
    /// The reason in a close frame is not UTF-8.
    CloseReason,
    /// A compressed message is not valid.
    Deflate,
}

impl ProtocolError {
    /// The status of the close frame that answers it (RFC 6455 §7.4.1).
    #[must_use]
    pub fn close_status(&self) -> u16 {
        match self {
            Self::Text | Self::CloseReason | Self::Deflate => 1007,
            Self::TooLarge(_) => 1009,
            _ => 1002,
        }
    }
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::ReservedBit => "a reserved bit is set that no extension uses",
            Self::ReservedOpcode(opcode) => return write!(f, "the opcode {opcode} is reserved"),
            Self::Masked => "the server masked a frame",
            Self::Unmasked => "the client did not mask a frame",
            Self::LongControl => "a control frame has more than 125 bytes",
            Self::FragmentedControl => "a control frame is a fragment",
            Self::Length => "the length of a frame is not in its shortest form",
            Self::TooLarge(most) => return write!(f, "a message is larger than {most} bytes"),
            Self::LoneContinuation => "a continuation frame continues no message",
            Self::MissingContinuation => "a new message starts inside a fragmented one",
            Self::Text => "a text message is not UTF-8",
            Self::ShortClose => "a close frame has a payload of one byte",
            Self::CloseStatus(status) => return write!(f, "the close status {status} must not be sent"),
            Self::CloseReason => "the reason of a close frame is not UTF-8",
            Self::Deflate => "a compressed message is not valid",
        };
        f.write_str(text)
    }
}

impl std::error::Error for ProtocolError {}
