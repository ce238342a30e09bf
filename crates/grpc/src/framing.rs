//! Messages in the body of a request or response: a byte that says whether the message is
//! compressed, its length in four bytes, the message.

use std::error::Error;
use std::fmt;
use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

/// Bytes before each message.
pub const PREFIX_BYTES: usize = 5;

/// What is held between messages; more is given back.
const KEPT_MAX: usize = 4096;

/// A rule of the framing that the peer broke.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FramingError {
    /// A message is longer than the limit, compressed or not.
    TooLong {
        /// Its length in bytes; of one that was decompressed, at least that.
        length: u64,
        /// The limit in bytes.
        limit: usize,
    },
    /// The first byte of a prefix is neither 0 nor 1.
    Flag(u8),
    /// A message is compressed, but the head names no encoding.
    NoEncoding,
    /// The head names an encoding that is not known.
    UnknownEncoding(String),
    /// A message is not what its encoding says.
    Broken(String),
}

impl fmt::Display for FramingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { length, limit } => {
                write!(f, "a message of {length} bytes is longer than the limit of {limit}")
            }
            Self::Flag(flag) => write!(f, "a message begins with {flag}; expected 0 or 1"),
            Self::NoEncoding => {
                f.write_str("a message is marked as compressed, but there is no grpc-encoding")
            }
            Self::UnknownEncoding(name) => {
                write!(f, "unknown grpc-encoding `{name}`; expected gzip or identity")
            }
            Self::Broken(why) => write!(f, "a compressed message is broken: {why}"),
        }
    }
}

impl Error for FramingError {}

/// How the messages of a body may be compressed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Encoding {
    #[default]
    Identity,
    Gzip,
    Unknown(String),
}

/// Cuts a body into messages. Nothing is allocated for a length, only for bytes that came.
#[derive(Clone, Debug)]
pub struct MessageReader {
    limit: usize,
    encoding: Encoding,
    /// The prefix of the begun message, as far as it has come.
    prefix: [u8; PREFIX_BYTES],
    prefix_bytes: usize,
    /// The begun message, as far as it has come.
    held: Vec<u8>,
    /// What is held was handed out.
    is_given: bool,
}

impl MessageReader {
    /// A reader at the start of a body. `limit`: bytes of the longest message.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            encoding: Encoding::Identity,
            prefix: [0; PREFIX_BYTES],
            prefix_bytes: 0,
            held: Vec::new(),
            is_given: false,
        }
    }

    /// The value of `grpc-encoding`.
    pub fn set_encoding(&mut self, name: &str) {
        self.encoding = match name.trim() {
            "" | "identity" => Encoding::Identity,
            "gzip" => Encoding::Gzip,
            other => Encoding::Unknown(other.to_owned()),
        };
    }

    /// The next message, decompressed, taken from the front of `input`; none once all of it is used
    /// up.
    ///
    /// # Errors
    /// The message is longer than the limit, or not what it says it is. The reader is of no use
    /// afterwards.
    pub fn next<'a, 'b: 'a>(&'a mut self, input: &mut &'b [u8]) -> Result<Option<&'a [u8]>, FramingError> {
        if std::mem::take(&mut self.is_given) {
            self.held.clear();
            self.held.shrink_to(KEPT_MAX);
        }
        let Some((is_compressed, length)) = self.begun(input)? else { return Ok(None) };
        if self.held.is_empty() && input.len() >= length {
            self.prefix_bytes = 0;
            let (message, rest) = input.split_at(length);
            *input = rest;
            if !is_compressed {
                return Ok(Some(message));
            }
            self.held = decompress(message, self.limit)?;
            self.is_given = true;
            return Ok(Some(&self.held));
        }
        let (more, rest) = input.split_at(input.len().min(length - self.held.len()));
        *input = rest;
        self.held.extend_from_slice(more);
        if self.held.len() < length {
            return Ok(None);
        }
        self.prefix_bytes = 0;
        self.is_given = true;
        if is_compressed {
            self.held = decompress(&self.held, self.limit)?;
        }
        Ok(Some(&self.held))
    }

    /// Whether a part of a message has come, and not all of it.
    #[must_use]
    pub fn is_inside_message(&self) -> bool {
        self.prefix_bytes > 0
    }

    /// Whether the begun message is compressed, and its length on the wire.
    fn begun(&mut self, input: &mut &[u8]) -> Result<Option<(bool, usize)>, FramingError> {
        let is_new = self.prefix_bytes < PREFIX_BYTES;
        let (more, rest) = input.split_at(input.len().min(PREFIX_BYTES - self.prefix_bytes));
        self.prefix[self.prefix_bytes..][..more.len()].copy_from_slice(more);
        self.prefix_bytes += more.len();
        *input = rest;
        if self.prefix_bytes < PREFIX_BYTES {
            return Ok(None);
        }
        let [flag, length @ ..] = self.prefix;
        let length = u32::from_be_bytes(length);
        if is_new {
            self.check(flag, length)?;
        }
        Ok(Some((flag == 1, length as usize)))
    }

    fn check(&self, flag: u8, length: u32) -> Result<(), FramingError> {
        if flag > 1 {
            return Err(FramingError::Flag(flag));
        }
        if length as usize > self.limit {
            return Err(FramingError::TooLong { length: length.into(), limit: self.limit });
        }
        match &self.encoding {
            Encoding::Identity if flag == 1 => Err(FramingError::NoEncoding),
            Encoding::Unknown(name) if flag == 1 => Err(FramingError::UnknownEncoding(name.clone())),
            _ => Ok(()),
        }
    }
}

fn decompress(bytes: &[u8], limit: usize) -> Result<Vec<u8>, FramingError> {
    let mut out = Vec::new();
    let mut decoder = GzDecoder::new(bytes).take(limit as u64 + 1);
    decoder.read_to_end(&mut out).map_err(|error| FramingError::Broken(error.to_string()))?;
    if out.len() > limit {
        return Err(FramingError::TooLong { length: out.len() as u64, limit });
    }
    Ok(out)
}

/// Appends a message with its prefix.
///
/// # Panics
/// It has 4 GiB or more.
pub fn write_message(message: &[u8], out: &mut Vec<u8>) {
    write_prefix(0, message.len(), out);
    out.extend_from_slice(message);
}

/// As [`write_message`], compressed by gzip.
///
/// # Panics
/// It has 4 GiB or more.
pub fn write_gzip(message: &[u8], out: &mut Vec<u8>) {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(message).expect("a vector takes all");
    let packed = encoder.finish().expect("a vector takes all");
    write_prefix(1, packed.len(), out);
    out.extend_from_slice(&packed);
}

fn write_prefix(flag: u8, length: usize, out: &mut Vec<u8>) {
    let length = u32::try_from(length).expect("a message has less than 4 GiB");
    out.push(flag);
    out.extend_from_slice(&length.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All messages, with the input cut after each of these many bytes.
    fn read(bytes: &[u8], cut: usize, encoding: &str) -> Result<Vec<Vec<u8>>, FramingError> {
        let mut reader = MessageReader::new(1000);
        reader.set_encoding(encoding);
        let mut found = Vec::new();
        for mut piece in bytes.chunks(cut) {
            while let Some(message) = reader.next(&mut piece)? {
                found.push(message.to_vec());
            }
        }
        assert!(!reader.is_inside_message(), "all of it is whole");
        Ok(found)
    }

    #[test]
    fn messages_are_the_same_however_they_are_cut() {
        let mut bytes = Vec::new();
        write_message(b"ab", &mut bytes);
        assert_eq!(bytes, b"\0\0\0\0\x02ab");
        write_message(b"", &mut bytes);
        write_gzip(&[b'x'; 900], &mut bytes);
        write_message(&[7; 300], &mut bytes);
        let wanted = [b"ab".to_vec(), Vec::new(), vec![b'x'; 900], vec![7; 300]];
        for cut in 1..=bytes.len() {
            assert_eq!(read(&bytes, cut, "gzip").as_deref(), Ok(&wanted[..]), "{cut}");
        }
    }

    #[test]
    fn what_breaks_a_rule_has_a_name() {
        let mut bomb = Vec::new();
        write_gzip(&[0; 1001], &mut bomb);
        let broken = b"\x01\0\0\0\x03abc";
        let table: [(&[u8], &str, FramingError); 6] = [
            (b"\0\xff\xff\xff\xff", "", FramingError::TooLong { length: 0xffff_ffff, limit: 1000 }),
            (b"\0\0\0\x03\xe9", "", FramingError::TooLong { length: 1001, limit: 1000 }),
            (b"\x02\0\0\0\0", "", FramingError::Flag(2)),
            (broken, "", FramingError::NoEncoding),
            (broken, "br", FramingError::UnknownEncoding("br".to_owned())),
            (&bomb, "gzip", FramingError::TooLong { length: 1001, limit: 1000 }),
        ];
        for (bytes, encoding, wanted) in table {
            assert_eq!(read(bytes, bytes.len(), encoding), Err(wanted.clone()), "{wanted}");
        }
        assert!(matches!(read(broken, 3, "gzip"), Err(FramingError::Broken(_))));
    }

    #[test]
    fn a_message_that_is_cut_by_the_end_is_seen() {
        let mut reader = MessageReader::new(10);
        for (piece, is_inside) in [(&b"\0"[..], true), (b"\0\0\0\x02", true), (b"a", true), (b"b", false)] {
            let mut rest = piece;
            let found = reader.next(&mut rest).expect("valid").map(<[u8]>::to_vec);
            assert_eq!((reader.is_inside_message(), found.is_some()), (is_inside, !is_inside), "{piece:?}");
        }
    }

    #[test]
    fn a_length_takes_no_memory() {
        let mut reader = MessageReader::new(usize::MAX >> 1);
        let mut input: &[u8] = b"\0\xff\xff\xff\xffabc";
        assert_eq!(reader.next(&mut input), Ok(None));
        assert!(reader.held.capacity() < 100);
    }
}
