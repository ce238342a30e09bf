//! Errors in the bytes of a message.

/// An invalid message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WireError {
    /// The connection ended before the first byte.
    NoResponse,
    /// No status line before the connection ended.
    NoStatusLine,
    /// A status line or header that HttpClient refuses; its message.
    Head(String),
    /// The head, or the bytes before it, are larger than Swell keeps (16 MiB, or the memory that
    /// the bodies of all users leave).
    HeadTooLarge,
    /// The interim responses (1xx) before a response are larger together than 16 MiB.
    InterimTooLarge,
    /// The connection ended inside a body of known length.
    ShortBody {
        /// `Content-Length`.
        expected: u64,
        /// Bytes that came.
        received: u64,
    },
    /// The connection ended inside a chunk.
    TruncatedChunk {
        /// Size of the chunk.
        expected: u64,
        /// Bytes of it that came.
        actual: u64,
    },
    /// The connection ended where a chunk should start.
    NoLastChunk,
    /// The size of a chunk is not a number.
    ChunkHeader(String),
    /// The size of a chunk is negative.
    NegativeChunk,
    /// Bytes between a chunk and its line end.
    ChunkEnd,
    /// The connection ended between a chunk and its line end.
    NoChunkEnd,
    /// A trailer that is not a header.
    Trailer(String),
    /// The trailers of a body are larger together than 16 MiB.
    TrailersTooLarge,
    /// A chunk header or trailer line is larger than Swell keeps.
    LineTooLarge,
}
