//! The three clients: how they write requests and find the end of a response (`TCPClientImpl`,
//! `BinaryTCPClientImpl`, `LengthPrefixedBinaryTCPClientImpl`).

use std::sync::Arc;

use data_encoding::HEXLOWER;
use swell_api::{Bodies, Keeper, Room};
use swell_expr::Charset;

/// JMeter reads this number of bytes at a time, and looks for the end byte at the end of what it
/// read.
const READ: usize = 4096;

/// A message that is shorter than its length says is filled with zeros, as in JMeter, up to this
/// size.
const MOST_FILLED: usize = 64 << 20;

/// A client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Client {
    /// Text; ends with a byte or with the connection. No charset: the name is not known.
    Text { name: String, charset: Option<Charset>, eol: Option<u8> },
    /// Hexadecimal digits; ends so, too.
    Binary { eol: Option<u8> },
    /// Hexadecimal digits, their length before them in that number of bytes.
    Prefixed { length: i32 },
}

impl Client {
    /// The bytes of a request.
    ///
    /// # Errors
    /// Java's exception with its message.
    pub(super) fn request(&self, text: &str) -> Result<Vec<u8>, String> {
        match self {
            Self::Text { name, charset: None, .. } => {
                Err(format!("java.io.UnsupportedEncodingException: {name}"))
            }
            Self::Text { charset: Some(charset), .. } => Ok(charset.encode(text)),
            Self::Binary { .. } => binary(text),
            Self::Prefixed { length } => {
                let mut bytes = prefix(text.encode_utf16().count() / 2, *length)?;
                bytes.append(&mut binary(text)?);
                Ok(bytes)
            }
        }
    }

    /// What the sampler makes of the bytes of an answer.
    pub(super) fn text(&self, bytes: &[u8]) -> String {
        match self {
            Self::Text { charset, .. } => charset.map_or_else(String::new, |c| c.decode(bytes).into_owned()),
            Self::Binary { .. } | Self::Prefixed { .. } => HEXLOWER.encode(bytes), // as `JOrphanUtils.baToHexString`,
        }
    }

    /// How many bytes the answer's text has for that number of bytes read, where they were not
    /// kept.
    pub(super) fn text_length(&self, count: u64) -> u64 {
        if matches!(self, Self::Text { .. }) { count } else { count * 2 }
    }

    /// Whether an end of the answer is looked for, so that silence is an error.
    pub(super) fn looks_for_end(&self) -> bool {
        match self {
            Self::Binary { eol } => eol.is_some(),
            Self::Text { .. } | Self::Prefixed { .. } => true,
        }
    }

    /// What reading fails with when the connection breaks after that number of bytes, or falls
    /// silent.
    pub(super) fn read_failure(&self, count: u64, silent: bool) -> String {
        const READ: &str = "org.apache.jmeter.protocol.tcp.sampler.ReadException: ";
        match self {
            Self::Text { .. } => format!("{READ}Error reading from server, bytes read: {count}"),
            Self::Binary { .. } if silent => format!("{READ}Socket timed out while looking for EOM"),
            Self::Binary { .. } => format!("{READ}Problems while trying to read"),
            Self::Prefixed { .. } => READ.to_owned(),
        }
    }
}

/// `hexStringToByteArray`.
fn binary(text: &str) -> Result<Vec<u8>, String> {
    const ILLEGAL: &str = "java.lang.IllegalArgumentException: Hex-encoded binary string contains";
    let digits: Vec<char> = text.chars().collect();
    if digits.len() % 2 == 1 {
        return Err(format!("{ILLEGAL} an uneven no. of digits"));
    }
    let byte = |pair: &[char]| match (pair[0].to_digit(16), pair[1].to_digit(16)) {
        (Some(high), Some(low)) => Ok((high << 4 | low) as u8),
        _ => Err(format!("{ILLEGAL} an invalid hex digit in '{}{}'", pair[0], pair[1])),
    };
    digits.chunks_exact(2).map(byte).collect()
}

/// `TCPClientDecorator.intToByteArray`.
fn prefix(value: usize, length: i32) -> Result<Vec<u8>, String> {
    const ILLEGAL: &str = "java.lang.IllegalArgumentException: ";
    match length {
        2 => i16::try_from(value)
            .map(|value| value.to_be_bytes().to_vec())
            .map_err(|_| format!("{ILLEGAL}Value outside range for signed short int.")),
        4 => Ok((value as u32).to_be_bytes().to_vec()),
        _ => Err(format!("{ILLEGAL}Length must be specified as either 2 or 4.")),
    }
}

/// The received part of a response.
#[derive(Debug, Default)]
pub(super) struct Body {
    /// Its bytes, if they are read, up to the memory limit.
    pub(super) kept: Vec<u8>,
    /// How many there were.
    pub(super) count: u64,
    /// `None` if they are not read.
    keeper: Option<Keeper>,
}

impl Body {
    /// More came than was kept.
    pub(super) fn is_cut(&self) -> bool {
        self.count > self.kept.len() as u64
    }

    /// What it takes of the room for all users.
    pub(super) fn into_room(self) -> Option<Room> {
        self.keeper.map(Keeper::into_room)
    }

    /// Makes room for the texts that are made of it.
    pub(super) fn before_texts(&mut self) {
        if let Some(keeper) = &mut self.keeper {
            // Two digits for a byte, and its encoding again.
            keeper.before_copies(&mut self.kept, 4);
        }
    }
}

/// Reads a response from pieces.
pub(super) struct Reader {
    rule: Rule,
    pub(super) body: Body,
}

enum Rule {
    /// To this byte at the end of a read, or to the end of the connection.
    Byte(Option<u8>),
    /// The length first.
    Prefixed { length: usize, head: Vec<u8> },
}

/// The effect of a piece.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ResponseProgress {
    /// More is wanted.
    More,
    /// The answer ended after that number of bytes of the piece.
    Done(usize),
    /// Java's exception.
    Failed(String),
}

impl Reader {
    /// `bodies`: the limits, if the response is read.
    pub(super) fn new(client: &Client, bodies: Option<Arc<Bodies>>) -> Self {
        let rule = match client {
            Client::Text { eol, .. } | Client::Binary { eol } => Rule::Byte(*eol),
            Client::Prefixed { length } => Rule::Prefixed { length: *length as usize, head: Vec::new() },
        };
        Self { rule, body: Body { keeper: bodies.map(Keeper::new), ..Body::default() } }
    }

    /// Takes a piece that was read.
    pub(super) fn feed(&mut self, piece: &[u8]) -> ResponseProgress {
        match &mut self.rule {
            Rule::Byte(end) => {
                let end = *end;
                let mut used = 0;
                for read in piece.chunks(READ) {
                    self.take(read);
                    used += read.len();
                    if end.is_some() && read.last().copied() == end {
                        return ResponseProgress::Done(used);
                    }
                }
                ResponseProgress::More
            }
            Rule::Prefixed { length, head } => {
                let missing = length.saturating_sub(head.len()).min(piece.len());
                head.extend_from_slice(&piece[..missing]);
                if head.len() < *length {
                    return ResponseProgress::More;
                }
                let message = message_length(head);
                let Ok(wanted) = u64::try_from(message) else {
                    return ResponseProgress::Failed(format!(
                        "java.lang.NegativeArraySizeException: {message}"
                    ));
                };
                let rest = &piece[missing..];
                let more = usize::try_from(wanted - self.body.count).unwrap_or(usize::MAX).min(rest.len());
                self.take(&rest[..more]);
                if self.body.count == wanted {
                    ResponseProgress::Done(missing + more)
                } else {
                    ResponseProgress::More
                }
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.body.count += bytes.len() as u64;
        if let Some(keeper) = &mut self.body.keeper {
            // Bytes beyond the memory limit are counted.
            let _ = keeper.keep(&mut self.body.kept, bytes, usize::MAX);
        }
    }

    /// The connection has ended or broken: a message that is too short is filled.
    pub(super) fn end(&mut self) {
        if let Rule::Prefixed { length, head } = &self.rule
            && head.len() == *length
            && let Ok(wanted) = usize::try_from(message_length(head))
            && wanted <= MOST_FILLED
        {
            let zeros = vec![0; wanted.saturating_sub(self.body.count as usize)];
            self.take(&zeros);
        }
    }
}

/// `TCPClientDecorator.byteArrayToInt`: the first byte has the sign.
fn message_length(head: &[u8]) -> i64 {
    let first = i64::from(head.first().copied().unwrap_or_default() as i8);
    head.iter().skip(1).fold(first, |length, byte| length << 8 | i64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads, and keeps what it reads.
    fn reading(client: &Client) -> Reader {
        Reader::new(client, Some(Arc::default()))
    }

    fn text(eol: Option<u8>) -> Client {
        Client::Text { name: "UTF-8".into(), charset: Charset::of("UTF-8"), eol }
    }

    #[test]
    fn requests_are_bytes_or_what_java_throws() {
        let prefixed = |length| Client::Prefixed { length };
        let binary = Client::Binary { eol: None };
        let none = Client::Text { name: "none".into(), charset: None, eol: None };
        let cases = [
            (&text(None), "aä", Ok(b"a\xc3\xa4".to_vec())),
            (&none, "a", Err("java.io.UnsupportedEncodingException: none")),
            (&binary, "00fFa1", Ok(vec![0, 0xff, 0xa1])),
            (
                &binary,
                "0",
                Err(
                    "java.lang.IllegalArgumentException: Hex-encoded binary string contains an uneven no. of digits",
                ),
            ),
            (
                &binary,
                "0x",
                Err(
                    "java.lang.IllegalArgumentException: Hex-encoded binary string contains an invalid hex digit in '0x'",
                ),
            ),
            (&prefixed(2), "abcd", Ok(vec![0, 2, 0xab, 0xcd])),
            (&prefixed(4), "ab", Ok(vec![0, 0, 0, 1, 0xab])),
            (
                &prefixed(3),
                "ab",
                Err("java.lang.IllegalArgumentException: Length must be specified as either 2 or 4."),
            ),
            (
                &prefixed(2),
                &"ab".repeat(40_000),
                Err("java.lang.IllegalArgumentException: Value outside range for signed short int."),
            ),
        ];
        for (client, request, wanted) in cases {
            assert_eq!(client.request(request), wanted.map_err(str::to_owned), "{client:?}");
        }
    }

    #[test]
    fn a_text_ends_with_its_byte_at_the_end_of_a_read() {
        let mut reader = reading(&text(Some(b'\n')));
        assert_eq!(reader.feed(b"a\nb"), ResponseProgress::More, "inside of a read it is nothing");
        assert_eq!(reader.feed(b"c\n"), ResponseProgress::Done(2));
        assert_eq!((&reader.body.kept[..], reader.body.count), (&b"a\nbc\n"[..], 5));
        let mut long = vec![b'x'; READ];
        long[READ - 1] = b'\n';
        long.push(b'y');
        assert_eq!(reading(&text(Some(b'\n'))).feed(&long), ResponseProgress::Done(READ));
        assert_eq!(reading(&text(None)).feed(&long), ResponseProgress::More);
    }

    #[test]
    fn a_length_says_where_a_message_ends() {
        let client = Client::Prefixed { length: 2 };
        let mut reader = reading(&client);
        assert_eq!(reader.feed(&[0]), ResponseProgress::More);
        assert_eq!(reader.feed(&[3, 1, 2]), ResponseProgress::More);
        assert_eq!(reader.feed(&[9, 0, 1]), ResponseProgress::Done(1));
        assert_eq!(client.text(&reader.body.kept), "010209");
        let mut short = reading(&client);
        assert_eq!(short.feed(&[0, 3, 7]), ResponseProgress::More);
        short.end();
        assert_eq!(client.text(&short.body.kept), "070000");
        let thrown = "java.lang.NegativeArraySizeException: -2".to_owned();
        assert_eq!(reading(&client).feed(&[0xff, 0xfe]), ResponseProgress::Failed(thrown));
        assert_eq!(reading(&client).feed(&[0, 0]), ResponseProgress::Done(2));
    }

    #[test]
    fn what_is_not_kept_is_counted() {
        let mut reader = Reader::new(&Client::Binary { eol: None }, None);
        assert_eq!(reader.feed(b"abc"), ResponseProgress::More);
        assert_eq!((reader.body.count, reader.body.kept.len()), (3, 0));
        assert_eq!(Client::Binary { eol: None }.text_length(3), 6);
    }

    #[test]
    fn of_an_answer_without_end_the_beginning_is_kept() {
        let bodies = Arc::new(Bodies::new(Some(10), None));
        let mut reader = Reader::new(&Client::Binary { eol: None }, Some(bodies.clone()));
        for _ in 0..3 {
            assert_eq!(reader.feed(b"abcdef"), ResponseProgress::More);
        }
        assert_eq!((&reader.body.kept[..], reader.body.count), (&b"abcdefabcd"[..], 18));
        assert!(reader.body.is_cut() && bodies.told().is_some());
    }
}
