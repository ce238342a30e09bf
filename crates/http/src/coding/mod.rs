//! Content codings of bodies: gzip, deflate, br (`HTTPHC4Impl.RESPONSE_CONTENT_ENCODING`). A body
//! is decoded while it arrives.

mod brotli;
mod fault;
mod gzip;
mod inflate;
#[cfg(test)]
mod tests;
mod whole;

use std::cell::Cell;

pub(crate) use fault::Fault;

use brotli::Brotli;
use gzip::Gzip;
use inflate::Deflate;

/// Headers that decoding takes out of a head and JMeter puts back at its end.
pub(crate) const MOVED: [&str; 3] = ["content-length", "content-encoding", "content-md5"];

/// Most codings of a body, one in the other. HttpClient has no limit; memory has.
const MOST_CODINGS: usize = 16;

/// What is decoded at a time: half a millisecond of work, in which no other user of the worker gets
/// on.
const TURN: usize = 256 << 10;

/// Room for what a step gives.
const PIECE: usize = 32 << 10;

thread_local! {
    static ROOM: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// The codings of a `Content-Encoding` that JMeter decodes, in the order written.
pub(crate) fn known(header: &str) -> Vec<&'static str> {
    let name = |part: &str| part.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let find = |name: String| ["gzip", "x-gzip", "deflate", "br"].into_iter().find(|k| *k == name);
    header.split(',').map(name).filter_map(find).collect()
}

/// The first coding of a `Content-Encoding` that is not decoded.
pub(crate) fn unknown(header: &str) -> Option<String> {
    let names = header.split(',').map(|part| part.split(';').next().unwrap_or_default().trim());
    let mut unknown = names
        .filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case("identity") && known(name).is_empty());
    unknown.next().map(|name| name.chars().filter(char::is_ascii_graphic).take(40).collect())
}

/// Codings whose bodies may end too early: the data that arrived is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TruncationTolerance {
    pub(crate) gzip: bool,
    pub(crate) deflate: bool,
}

/// Decodes a body while it arrives, with bounded memory and bounded work per turn.
pub(crate) struct Decoder {
    layers: Vec<Layer>,
    relaxed: TruncationTolerance,
    /// Most bytes that a layer gives.
    limit: u64,
    /// What is left of this turn, in bytes.
    turn: usize,
    state: State,
    /// A body that is short enough to be decoded when all of it is there, and may be so.
    gathered: Option<Vec<u8>>,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    Open,
    /// All of it was decoded in one go.
    Complete,
    /// More came out than is decoded: the rest goes by.
    Cut,
    ExchangeError(Fault),
}

/// A coding of a body.
struct Layer {
    coder: Coder,
    input: Vec<u8>,
    /// How much of the input is decoded.
    at: usize,
    /// The last step gave as much as there was room for: there may be more without input.
    full: bool,
    given: u64,
}

enum Coder {
    Gzip(Box<Gzip>),
    Deflate(Box<Deflate>),
    Brotli(Box<Brotli>),
}

impl Coder {
    fn new(coding: &str) -> Self {
        match coding {
            "br" => Self::Brotli(Box::new(Brotli::new())),
            "deflate" => Self::Deflate(Box::default()),
            _ => Self::Gzip(Box::new(Gzip::new())),
        }
    }

    /// Decodes as much as fits; bytes taken and given.
    fn step(&mut self, input: &[u8], out: &mut [u8]) -> Result<(usize, usize), Fault> {
        match self {
            Self::Gzip(gzip) => gzip.step(input, out),
            Self::Deflate(deflate) => deflate.step(input, out),
            Self::Brotli(brotli) => brotli.step(input, out),
        }
    }

    /// Bytes that it holds, where they are many.
    fn held(&self) -> usize {
        match self {
            Self::Gzip(_) | Self::Deflate(_) => 0,
            Self::Brotli(brotli) => brotli.held(),
        }
    }

    /// There is no more input.
    fn end(&self, relaxed: TruncationTolerance) -> Result<(), Fault> {
        let (ended, forgives) = match self {
            Self::Gzip(gzip) => (gzip.end(), relaxed.gzip),
            Self::Deflate(deflate) => (deflate.end(), relaxed.deflate),
            Self::Brotli(brotli) => (brotli.end(), false),
        };
        ended.or_else(|fault| if forgives && fault.is_early_end() { Ok(()) } else { Err(fault) })
    }
}

impl Layer {
    fn has_work(&self) -> bool {
        self.full || self.at < self.input.len()
    }

    fn push(&mut self, bytes: &[u8]) {
        if self.at == self.input.len() {
            self.input.clear();
            self.at = 0;
        }
        self.input.extend_from_slice(bytes);
    }

    /// Decodes from `fresh`, or else from what is kept; bytes given.
    fn step(&mut self, fresh: Option<&mut &[u8]>, out: &mut [u8]) -> Result<usize, Fault> {
        let input = fresh.as_ref().map_or(&self.input[self.at..], |fresh| **fresh);
        let (taken, given) = self.coder.step(input, out)?;
        match fresh {
            Some(fresh) => *fresh = &fresh[taken..],
            None => self.at += taken,
        }
        self.full = given == out.len();
        Ok(given)
    }
}

impl Decoder {
    /// For a body in these codings. `limit`: most bytes that are decoded.
    pub(crate) fn new(codings: &[&str], limit: u64, relaxed: TruncationTolerance) -> Self {
        let too_many = codings.len() > MOST_CODINGS;
        let state = if too_many { State::ExchangeError(Fault::TooMany(MOST_CODINGS)) } else { State::Open };
        let layer = |coding: &&str| Layer {
            coder: Coder::new(coding),
            input: Vec::new(),
            at: 0,
            full: false,
            given: 0,
        };
        let layers = codings.iter().take(MOST_CODINGS).map(layer).collect();
        let is_gathered = matches!(codings, ["gzip" | "x-gzip"]);
        Self { layers, relaxed, limit, turn: TURN, state, gathered: is_gathered.then(Vec::new) }
    }

    /// Takes bytes of the coded body, and gives what this turn allows to `out`.
    pub(crate) fn feed(&mut self, bytes: &[u8], mut out: impl FnMut(&[u8])) {
        if let Some(gathered) = &mut self.gathered {
            if gathered.len() + bytes.len() <= whole::MOST_GATHERED {
                return gathered.extend_from_slice(bytes);
            }
            self.stop_gathering(&mut out);
        }
        match self.state {
            State::Open if self.is_busy() => self.layers[0].push(bytes),
            State::Open => self.go_on(bytes, out),
            State::Complete | State::Cut | State::ExchangeError(_) => {}
        }
    }

    /// Bytes of the body that are kept to be decoded when all of it is there.
    pub(crate) fn gathered(&self) -> usize {
        self.gathered.as_ref().map_or(0, Vec::len)
    }

    /// Decodes step by step from now on.
    pub(crate) fn stop_gathering(&mut self, out: impl FnMut(&[u8])) {
        if let Some(gathered) = self.gathered.take() {
            self.go_on(&gathered, out);
        }
    }

    /// All of the body was given. Some may be left to be decoded in further turns.
    pub(crate) fn end_input(&mut self, mut out: impl FnMut(&[u8])) {
        let Some(gathered) = &self.gathered else { return };
        if whole::decode(gathered, self.limit, &mut out) {
            self.state = State::Complete;
            self.gathered = None;
        } else {
            self.stop_gathering(out);
        }
    }

    /// Some of what was taken is to be decoded in a further turn.
    pub(crate) fn is_busy(&self) -> bool {
        self.state == State::Open && self.layers.iter().any(Layer::has_work)
    }

    /// A turn begins.
    pub(crate) fn next_turn(&mut self, out: impl FnMut(&[u8])) {
        self.turn = TURN;
        self.go_on(&[], out);
    }

    /// There is more in the body than was decoded.
    pub(crate) fn is_cut(&self) -> bool {
        self.state == State::Cut
    }

    /// Bytes that decoders hold which need more than a few kilobytes.
    pub(crate) fn held(&self) -> usize {
        self.layers.iter().map(|layer| layer.coder.held()).sum()
    }

    /// Stops decoding: there is not enough memory.
    pub(crate) fn cut(&mut self) {
        if self.state == State::Open {
            self.state = State::Cut;
            self.layers.clear();
            self.gathered = None;
        }
    }

    /// The body is not in its coding.
    #[cfg(test)]
    pub(crate) fn is_broken(&self) -> bool {
        matches!(self.state, State::ExchangeError(_))
    }

    /// The body has ended, and [`Self::end_input`] said so. It must not be busy.
    ///
    /// # Errors
    /// The body is not in its coding, or ends too early.
    pub(crate) fn end(&self) -> Result<(), Fault> {
        match &self.state {
            State::Complete | State::Cut => Ok(()),
            State::ExchangeError(fault) => Err(fault.clone()),
            State::Open => self.layers.iter().try_for_each(|layer| layer.coder.end(self.relaxed)),
        }
    }

    /// `fresh`: input of the first layer, which has no other then. What is left of it is kept.
    fn go_on(&mut self, mut fresh: &[u8], mut out: impl FnMut(&[u8])) {
        let mut room = ROOM.take();
        room.resize(PIECE, 0);
        while self.state == State::Open && self.turn > 0 {
            // The innermost first: so no layer has more than a piece in its input, but the first,
            // which has what was read.
            let at = self.layers.iter().rposition(Layer::has_work);
            let Some(at) = at.or((!fresh.is_empty()).then_some(0)) else { break };
            let size = self.turn.min(PIECE);
            let layer = &mut self.layers[at];
            let fresh = if at == 0 && !fresh.is_empty() { Some(&mut fresh) } else { None };
            let given = match layer.step(fresh, &mut room[..size]) {
                Ok(given) => given,
                Err(fault) => {
                    self.state = State::ExchangeError(fault);
                    break;
                }
            };
            let allowed = (self.limit - layer.given).min(given as u64) as usize;
            layer.given += allowed as u64;
            self.turn -= given;
            if allowed < given {
                self.state = State::Cut;
            }
            match self.layers.get_mut(at + 1) {
                Some(inner) => inner.push(&room[..allowed]),
                None => out(&room[..allowed]),
            }
        }
        ROOM.set(room);
        if self.state == State::Open && !fresh.is_empty() {
            self.layers[0].push(fresh);
        }
    }
}
