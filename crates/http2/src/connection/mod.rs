//! One connection, of a client or of a server: state, and the order of what arrives.

mod control;
mod data;
mod head;
mod heads;
mod input;
mod scratch;
mod send;
mod streams;

use crate::PREFACE;
use crate::error::{ConnectionError, ErrorCode, StreamReset};
use crate::events::Events;
use crate::frame::{FrameHead, StreamId, kind, write_frame, write_number};
use crate::hpack::{Decoder, Encoder};
use crate::settings::{
    ENABLE_PUSH, HEADER_TABLE_SIZE, INITIAL_WINDOW_SIZE, MAX_CONCURRENT_STREAMS, MAX_FRAME_SIZE,
    MAX_HEADER_LIST_SIZE, PeerSettings, Settings, WINDOW_DEFAULT,
};

use heads::PendingHead;
use input::Input;
use streams::{Stream, Streams};

pub use scratch::Scratch;
pub(crate) use send::{Content, write_pseudo};

/// The rule of a connection that begins with a response of HTTP/1.
pub(crate) const HTTP_1_ANSWER: &str = "the server answered in HTTP/1.x, not HTTP/2";

/// The largest number of a stream.
const STREAM_MAX: u32 = (1 << 31) - 1;
/// Frames that move nothing, in a row: more are a flood.
const IDLE_FRAMES_MAX: u32 = 10_000;
/// Streams of a client that ended by RST_STREAM, minus those that ended well: more are a flood.
const RESETS_MAX: u32 = 1_000;
/// Bytes of output that wait: above, a frame that wants an answer is a flood.
const OUTPUT_MAX: usize = 1 << 20;

/// What a step of [`Connection::feed`] works with.
struct Step<'a, E> {
    scratch: &'a mut Scratch,
    out: &'a mut Vec<u8>,
    events: &'a mut E,
}

/// A rule of a stream that was broken, and the rest of the connection is fine.
#[derive(Clone, Copy, Debug)]
struct StreamError {
    code: ErrorCode,
    rule: &'static str,
}

impl StreamError {
    const fn new(code: ErrorCode, rule: &'static str) -> Self {
        Self { code, rule }
    }

    const fn protocol(rule: &'static str) -> Self {
        Self::new(ErrorCode::PROTOCOL_ERROR, rule)
    }
}

#[derive(Debug)]
pub(crate) struct Connection {
    is_server: bool,
    ours: Settings,
    peer: PeerSettings,
    /// The peer's first SETTINGS has come.
    has_settings: bool,
    /// The peer has acknowledged ours.
    is_acknowledged: bool,
    decoder: Decoder,
    encoder: Encoder,
    input: Input,
    pending: Option<Box<PendingHead>>,
    streams: Streams,
    /// What may still be sent, and received, on all streams together.
    send_window: i64,
    receive_window: u32,
    /// Client: the number of the next stream. Server: of the last one that the peer opened.
    last: u32,
    /// Server: numbers that the peer left out before `last`, from and to.
    left_out: (u32, u32),
    /// The highest stream that was reset from here: frames for such may be under way.
    reset_highest: u32,
    /// The last stream that the peer's GOAWAY names.
    peer_goes: Option<u32>,
    /// The last stream that this side's GOAWAY names.
    goes: Option<u32>,
    broken: Option<ConnectionError>,
    idle_frames: u32,
    resets: u32,
}

impl Connection {
    pub(crate) fn new(is_server: bool, settings: &Settings) -> Self {
        let ours = settings.bounded();
        Self {
            is_server,
            ours,
            peer: PeerSettings::default(),
            has_settings: false,
            is_acknowledged: false,
            decoder: Decoder::new(ours.header_table),
            encoder: Encoder::default(),
            input: Input::new(is_server),
            pending: None,
            streams: Streams::default(),
            send_window: i64::from(WINDOW_DEFAULT),
            receive_window: WINDOW_DEFAULT,
            last: u32::from(!is_server),
            left_out: (0, 0),
            reset_highest: 0,
            peer_goes: None,
            goes: None,
            broken: None,
            idle_frames: 0,
            resets: 0,
        }
    }

    /// Writes what a side sends before all else: preface, SETTINGS, WINDOW_UPDATE.
    pub(crate) fn start(&mut self, out: &mut Vec<u8>) {
        let defaults = PeerSettings::default();
        let mut payload = Vec::with_capacity(36);
        let mut set = |name: u16, value: u32| {
            payload.extend_from_slice(&name.to_be_bytes());
            payload.extend_from_slice(&value.to_be_bytes());
        };
        if self.ours.header_table != defaults.header_table {
            set(HEADER_TABLE_SIZE, self.ours.header_table);
        }
        if !self.is_server {
            set(ENABLE_PUSH, 0);
        }
        if let Some(streams_max) = self.ours.streams_max {
            set(MAX_CONCURRENT_STREAMS, streams_max);
        }
        set(INITIAL_WINDOW_SIZE, self.ours.stream_window);
        if self.ours.frame_max != defaults.frame_max {
            set(MAX_FRAME_SIZE, self.ours.frame_max);
        }
        set(MAX_HEADER_LIST_SIZE, self.ours.header_list_max);
        if !self.is_server {
            out.extend_from_slice(PREFACE);
        }
        write_frame(kind::SETTINGS, 0, 0, &payload, out);
        let more = self.ours.connection_window - WINDOW_DEFAULT;
        if more > 0 {
            write_number(kind::WINDOW_UPDATE, 0, more, out);
            self.receive_window += more;
        }
    }

    pub(crate) fn peer(&self) -> &PeerSettings {
        &self.peer
    }

    pub(crate) fn has_settings(&self) -> bool {
        self.has_settings
    }

    pub(crate) fn fed(&self) -> u64 {
        self.input.fed
    }

    /// Whether the peer has begun a frame or a head and not ended it.
    pub(crate) fn awaits_rest(&self) -> bool {
        self.input.is_within_frame() || self.pending.is_some()
    }

    pub(crate) fn open_streams(&self) -> usize {
        self.streams.len()
    }

    /// No more streams can be opened: one of the sides said so, numbers are used up, or the
    /// connection is broken.
    pub(crate) fn is_closing(&self) -> bool {
        self.peer_goes.is_some()
            || self.goes.is_some()
            || self.broken.is_some()
            || (!self.is_server && self.last > STREAM_MAX)
    }

    pub(crate) fn can_open(&self) -> bool {
        !self.is_closing() && self.streams.len() < self.peer.streams_max as usize
    }

    /// Takes bytes that arrived.
    pub(crate) fn feed<E: Events>(
        &mut self,
        bytes: &[u8],
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
        events: &mut E,
    ) -> Result<(), ConnectionError> {
        if let Some(error) = self.broken {
            return Err(error);
        }
        let fed = self.read(bytes, &mut Step { scratch, out, events });
        if let Err(error) = fed {
            self.broken = Some(error);
            self.write_go_away(error.code, error.rule.as_bytes(), out);
        }
        fed
    }

    /// Announces that no more streams are accepted; those up to the highest seen are finished.
    pub(crate) fn go_away(&mut self, code: ErrorCode, out: &mut Vec<u8>) {
        self.write_go_away(code, b"", out);
    }

    fn write_go_away(&mut self, code: ErrorCode, debug: &[u8], out: &mut Vec<u8>) {
        let last = if self.is_server { self.goes.unwrap_or(self.last) } else { 0 };
        self.goes = Some(last);
        FrameHead::new(kind::GOAWAY, 0, 0, 8 + debug.len()).write(out);
        out.extend_from_slice(&last.to_be_bytes());
        out.extend_from_slice(&code.0.to_be_bytes());
        out.extend_from_slice(debug);
    }

    /// Ends a stream from here; there is no event, and later frames of the stream are dropped.
    pub(crate) fn reset(&mut self, stream: StreamId, code: ErrorCode, out: &mut Vec<u8>) {
        if self.streams.remove(stream.0) {
            self.write_reset(stream.0, code, out);
        }
    }

    fn write_reset(&mut self, stream: u32, code: ErrorCode, out: &mut Vec<u8>) {
        self.reset_highest = self.reset_highest.max(stream);
        write_number(kind::RST_STREAM, stream, code.0, out);
    }

    /// Ends a stream whose peer broke a rule.
    fn fail<E: Events>(
        &mut self,
        stream: u32,
        error: StreamError,
        step: &mut Step<'_, E>,
    ) -> Result<(), ConnectionError> {
        self.streams.remove(stream);
        self.write_reset(stream, error.code, step.out);
        let StreamError { code, rule } = error;
        step.events.reset(StreamId(stream), StreamReset::Rule { code, rule }, self.input.fed);
        self.count_reset()
    }

    /// Counts a stream that a client ended early, or made this side end.
    fn count_reset(&mut self) -> Result<(), ConnectionError> {
        self.resets += u32::from(self.is_server);
        if self.resets > RESETS_MAX {
            return Err(flood("more streams were reset than a client needs to"));
        }
        Ok(())
    }

    /// Counts a frame that moves nothing.
    fn count_idle(&mut self) -> Result<(), ConnectionError> {
        self.idle_frames += 1;
        if self.idle_frames > IDLE_FRAMES_MAX {
            return Err(flood("more than 10000 frames in a row that carry nothing"));
        }
        Ok(())
    }

    /// Before an answer to a frame: the peer may not have read the answers before.
    fn check_output(out: &[u8]) -> Result<(), ConnectionError> {
        if out.len() > OUTPUT_MAX {
            return Err(flood("frames that want answers, and no answer is read"));
        }
        Ok(())
    }

    /// Whether this side's streams may have had the number: for a client its own, for a server the
    /// peer's.
    fn is_idle(&self, stream: u32) -> bool {
        let is_odd = stream % 2 == 1;
        if self.is_server { !is_odd || stream > self.last } else { !is_odd || stream >= self.last }
    }

    /// A frame for a stream that is closed: it was under way where this side reset the stream.
    fn check_closed(&self, stream: u32) -> Result<(), ConnectionError> {
        if stream <= self.reset_highest || self.goes.is_some() {
            return Ok(());
        }
        Err(ConnectionError::new(ErrorCode::STREAM_CLOSED, "a frame for a stream that is closed"))
    }

    /// The peer has ended its side of a stream.
    fn end_receiving(&mut self, stream: u32) {
        if let Some(open) = self.streams.get(stream) {
            open.end_receiving();
            if open.is_closed() {
                self.streams.remove(stream);
                self.resets = self.resets.saturating_sub(1);
            }
        }
    }

    fn new_stream(&self, stream: u32) -> Stream {
        // Before the acknowledgement the peer may still use the default.
        let receive = self.ours.stream_window;
        let receive = if self.is_acknowledged { receive } else { receive.max(WINDOW_DEFAULT) };
        Stream::new(stream, self.peer.stream_window, receive)
    }
}

fn flood(rule: &'static str) -> ConnectionError {
    ConnectionError::new(ErrorCode::ENHANCE_YOUR_CALM, rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_whose_numbers_are_used_up_closes() {
        let mut client = Connection::new(false, &Settings::default());
        client.last = STREAM_MAX;
        assert!(client.can_open());
        assert_eq!(client.open(false), STREAM_MAX);
        assert!(client.is_closing() && !client.can_open());
    }
}
