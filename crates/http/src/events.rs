//! Server-sent events (WHATWG HTML §9.2), read while they arrive: when each one is complete, and
//! whether it is a piece of a language model's text.

use memchr::{memchr2, memmem};
use swell_api::{EventTimes, KeptEvent, TokenTimes};

/// Bytes of an event's data that are looked at.
const DATA_MAX: usize = 64 << 10;

/// Bytes of the data of all events of a response that are kept.
const KEPT_DATA_MAX: usize = 1 << 20;

/// Bytes of an event's type that are kept.
const NAME_MAX: usize = 100;

/// Which events of a response are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EventsKept {
    /// How many, from the first on.
    pub(crate) most: usize,
    /// With their data.
    pub(crate) has_data: bool,
}

/// Reads a stream of events.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "what the bytes so far were, each by itself")]
pub(crate) struct EventReader {
    is_active: bool,
    /// Arrival of the bytes that are fed.
    at_ns: i64,
    /// The begun line, as far as it is looked at.
    line: Vec<u8>,
    /// The data of the begun event, as far as it is looked at.
    data: Vec<u8>,
    has_data: bool,
    /// The last line ended with CR: an LF belongs to it.
    after_cr: bool,
    /// No line has ended yet: a byte order mark may be there.
    is_first_line: bool,
    /// The begun event, as far as it is kept.
    begun: KeptEvent,
    kept: EventsKept,
    /// Bytes of data of the events that are kept.
    kept_data: usize,
    times: EventTimes,
}

impl EventReader {
    /// A reader that keeps some events.
    pub(crate) fn keeping(kept: EventsKept) -> Self {
        Self { kept, ..Self::default() }
    }

    /// Starts again with a response; `is_stream`: it is a stream of events.
    pub(crate) fn restart(&mut self, is_stream: bool) {
        let Self { at_ns, kept, .. } = *self;
        *self = Self { is_active: is_stream, is_first_line: true, at_ns, kept, ..Self::default() };
    }

    /// The bytes that follow arrived then.
    pub(crate) fn arrives(&mut self, at_ns: i64) {
        self.at_ns = at_ns;
    }

    pub(crate) fn is_active(&self) -> bool {
        self.is_active
    }

    /// Takes a piece of the body.
    pub(crate) fn feed(&mut self, mut bytes: &[u8]) {
        if !self.is_active {
            return;
        }
        if std::mem::take(&mut self.after_cr) && bytes.first() == Some(&b'\n') {
            bytes = &bytes[1..];
        }
        while let Some(end) = memchr2(b'\r', b'\n', bytes) {
            let is_pair = bytes[end..].starts_with(b"\r\n");
            let after = end + if is_pair { 2 } else { 1 };
            self.add_to_line(&bytes[..end]);
            self.begun.bytes += (after - end) as u64;
            self.end_line();
            self.after_cr = bytes[end] == b'\r' && end + 1 == bytes.len();
            bytes = &bytes[after..];
        }
        self.add_to_line(bytes);
    }

    /// What came; none if the response was no stream of events.
    pub(crate) fn finish(self) -> Option<EventTimes> {
        self.is_active.then_some(self.times)
    }

    fn add_to_line(&mut self, bytes: &[u8]) {
        if self.begun.begun_ns == 0 && !bytes.is_empty() {
            self.begun.begun_ns = self.at_ns;
        }
        self.begun.bytes += bytes.len() as u64;
        let room = DATA_MAX.saturating_sub(self.line.len()).min(bytes.len());
        self.line.extend_from_slice(&bytes[..room]);
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let mut text = &line[..];
        if std::mem::take(&mut self.is_first_line) {
            text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        }
        if text.is_empty() {
            self.end_event();
        } else if let Some(value) = field(text, b"data") {
            // Lines of data are joined by a line end.
            if std::mem::replace(&mut self.has_data, true) && self.data.len() < DATA_MAX {
                self.data.push(b'\n');
            }
            let room = DATA_MAX.saturating_sub(self.data.len()).min(value.len());
            self.data.extend_from_slice(&value[..room]);
        } else if let Some(value) = field(text, b"event") {
            self.begun.name = String::from_utf8_lossy(&value[..value.len().min(NAME_MAX)]).into_owned();
        }
        self.line = line;
        self.line.clear();
    }

    /// An event without data is none: its bytes are those of the next.
    fn end_event(&mut self) {
        if !std::mem::take(&mut self.has_data) {
            self.begun.name.clear();
            return;
        }
        self.keep();
        self.times.add(self.at_ns);
        if is_piece_of_text(&self.data) {
            let at_ns = self.at_ns;
            let tokens =
                self.times.tokens.get_or_insert(TokenTimes { first_ns: at_ns, ..TokenTimes::default() });
            tokens.last_ns = at_ns;
            tokens.pieces += 1;
        }
        if let (Some(tokens), Some(count)) = (&mut self.times.tokens, counted(&self.data)) {
            tokens.counted = count;
        }
        self.data.clear();
    }

    fn keep(&mut self) {
        let begun = std::mem::take(&mut self.begun);
        if self.times.kept.len() >= self.kept.most {
            return;
        }
        let room = KEPT_DATA_MAX - self.kept_data;
        let size = if self.kept.has_data { self.data.len().min(room) } else { 0 };
        self.kept_data += size;
        self.times.kept.push(KeptEvent { at_ns: self.at_ns, data: self.data[..size].to_vec(), ..begun });
    }
}

/// The value of a line with that field.
fn field<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let rest = line.strip_prefix(name)?;
    if rest.is_empty() {
        return Some(rest);
    }
    let value = rest.strip_prefix(b":")?;
    Some(value.strip_prefix(b" ").unwrap_or(value))
}

/// Whether the data are a piece of a language model's text: a `delta` with content (chat
/// completions and messages of several vendors).
fn is_piece_of_text(data: &[u8]) -> bool {
    let Some(delta) = memmem::find(data, b"\"delta\"") else { return false };
    let after = &data[delta..];
    [&b"\"content\""[..], b"\"text\"", b"\"delta\""].iter().any(|name| has_text(after, name))
}

/// Whether a member with that name has a text that is not empty.
fn has_text(json: &[u8], name: &[u8]) -> bool {
    memmem::find_iter(json, name).any(|at| {
        let rest = json[at + name.len()..].trim_ascii_start();
        let value = rest.strip_prefix(b":").map(<[u8]>::trim_ascii_start);
        value.is_some_and(|value| value.starts_with(b"\"") && !value.starts_with(b"\"\""))
    })
}

/// The number of tokens that a server says at the end.
fn counted(data: &[u8]) -> Option<u64> {
    let names: [&[u8]; 2] = [b"\"completion_tokens\"", b"\"output_tokens\""];
    let found = names.iter().find_map(|name| Some(memmem::find(data, name)? + name.len()))?;
    let value = data[found..].trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let end = value.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(value.len());
    std::str::from_utf8(&value[..end]).ok()?.parse().ok().filter(|count| *count > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&[u8]]) -> EventTimes {
        let mut reader = EventReader::default();
        reader.restart(true);
        for (number, piece) in pieces.iter().enumerate() {
            reader.arrives(number as i64 + 1);
            reader.feed(piece);
        }
        reader.finish().expect("a stream")
    }

    #[test]
    fn lines_end_as_they_like_wherever_they_are_cut() {
        let stream =
            b"\xef\xbb\xbfdata: a\r\n\r\n: comment\r\rdata\n\ndata:b\rdata: c\n\nid: 1\n\nevent: x\ndata: d";
        assert_eq!(read(&[stream]).count, 3, "one without data is none, one without end neither");
        for cut in 0..stream.len() {
            assert_eq!(read(&[&stream[..cut], &stream[cut..]]).count, 3, "{cut}");
        }
        let single: Vec<&[u8]> = stream.chunks(1).collect();
        assert_eq!(read(&single).count, 3);
    }

    #[test]
    fn an_event_arrives_with_the_end_of_its_empty_line() {
        let times = read(&[b"data: a\n", b"\ndata: b\n\n", b": keep alive\n\n", b"data: c\n\n"]);
        assert_eq!(times.arrivals_ns, [2, 2, 4]);
        assert_eq!(times.gaps_ns().collect::<Vec<_>>(), [0, 2]);
        assert_eq!(times.tokens, None);
    }

    #[test]
    fn pieces_of_text_are_found_in_streams_of_models() {
        let times = read(&[
            b"data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n",
            b"data: {\"choices\":[{\"delta\":{\"content\":\"one \"}}]}\n\n",
            b"data: {\"choices\":[{\"delta\": {\"content\" : \"two\"}}]}\n\n",
            b"data: {\"choices\":[{\"delta\":{}}],\"usage\":{\"completion_tokens\": 3}}\n\ndata: [DONE]\n\n",
        ]);
        let tokens = times.tokens.expect("pieces of text");
        assert_eq!((times.count, tokens.first_ns, tokens.last_ns, tokens.pieces), (5, 2, 3, 2));
        assert_eq!((tokens.tokens(), tokens.each_ns()), (3, Some(0)));
        let other = read(&[b"data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi\"}}\n\n"]);
        assert_eq!(other.tokens.expect("text").pieces, 1);
        let third = read(&[b"data: {\"type\":\"response.output_text.delta\",\"delta\":\"Hi\"}\n\n"]);
        assert_eq!(third.tokens.expect("text").pieces, 1);
    }

    #[test]
    fn the_first_events_are_kept_with_their_bytes_types_and_data() {
        let stream =
            b": hello\n\nevent: a\ndata: 1\ndata:2\n\nid: 7\r\ndata: \xc3\xa4\r\n\r\ndata: three\n\n";
        for cut in 0..stream.len() {
            let mut reader = EventReader::keeping(EventsKept { most: 2, has_data: true });
            reader.restart(true);
            for (at_ns, piece) in [(5, &stream[..cut]), (9, &stream[cut..])] {
                reader.arrives(at_ns);
                reader.feed(piece);
            }
            let times = reader.finish().expect("a stream");
            let kept: Vec<_> = times.kept.iter().map(|event| (&*event.name, &event.data[..])).collect();
            assert_eq!(kept, [("a", &b"1\n2"[..]), ("", "\u{e4}".as_bytes())], "{cut}");
            assert_eq!((times.kept[0].bytes, times.count), (34, 3), "{cut}");
            assert_eq!(times.kept[0].begun_ns, if cut == 0 { 9 } else { 5 }, "{cut}");
        }
    }

    #[test]
    fn kept_data_are_bounded() {
        let mut reader = EventReader::keeping(EventsKept { most: 1000, has_data: true });
        reader.restart(true);
        let event = [b"data: ", &vec![b'x'; 50_000][..], b"\n\n"].concat();
        for _ in 0..1000 {
            reader.feed(&event);
        }
        let times = reader.finish().expect("a stream");
        let kept: usize = times.kept.iter().map(|event| event.data.len()).sum();
        assert_eq!((kept, times.kept.len()), (KEPT_DATA_MAX, 1000));
        let mut without = EventReader::keeping(EventsKept { most: 1000, has_data: false });
        without.restart(true);
        without.feed(b"data: x\n\n");
        assert_eq!(without.finish().map(|times| times.kept[0].data.len()), Some(0));
    }

    #[test]
    fn an_event_without_end_takes_bounded_memory() {
        let mut reader = EventReader::default();
        reader.restart(true);
        for _ in 0..100 {
            reader.feed(&[b'x'; 10_000]);
            reader.feed(b"\ndata: ");
            reader.feed(&[b'y'; 10_000]);
        }
        assert!(reader.line.capacity() <= 2 * DATA_MAX && reader.data.capacity() <= 2 * DATA_MAX);
        reader.feed(b"\n\n");
        assert_eq!(reader.finish().map(|times| times.count), Some(1));
    }
}
