//! WebSocket (RFC 6455) with permessage-deflate (RFC 7692) as bytes, for clients and servers: no
//! socket, no clock, no source of randomness.
//!
//! [`handshake`] has the keys and extensions of the upgrade. [`FrameReader`] cuts received bytes
//! into frames, for callers that want each frame by itself. [`Conversation`] is one end of a
//! connection: whole messages, answers to pings, the closing handshake.

mod close;
mod conversation;
mod deflate;
mod error;
mod frame;
pub mod handshake;
mod mask;
mod messages;
mod reader;
mod utf8;

pub use close::CloseReason;
pub use conversation::{Conversation, ConversationLimits, Event};
pub use deflate::{Deflater, Inflater};
pub use error::ProtocolError;
pub use frame::{FrameHead, Opcode, Role, write_frame};
pub use handshake::Compression;
pub use mask::MaskKeys;
pub use messages::MessageKind;
pub use reader::{Frame, FrameReader, FrameRules};
