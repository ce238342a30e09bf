//! Deflated data (RFC 1951), and the two variants of `Content-Encoding: deflate`
//! (`DeflateInputStream` of HttpClient).

use std::cell::RefCell;

use flate2::{Decompress, FlushDecompress, Status};

use super::fault::Fault;

/// Decoders that wait for the next body: one is some 40 kB, and making it costs more than a small
/// body.
const IDLE: usize = 16;

thread_local! {
    static POOL: RefCell<Vec<Decompress>> = const { RefCell::new(Vec::new()) };
}

/// How much input a step consumed and how much output it made, and whether the data has ended.
pub(super) struct Step {
    pub(super) taken: usize,
    pub(super) given: usize,
    pub(super) ended: bool,
}

/// A decoder of deflated data, taken from the worker's pool.
pub(super) struct Inflate {
    /// None once it was given back.
    decoder: Option<Decompress>,
}

impl Inflate {
    /// `zlib`: with the head and the sum of RFC 1950.
    pub(super) fn new(zlib: bool) -> Self {
        let idle = POOL.with_borrow_mut(Vec::pop);
        let decoder = match idle {
            Some(mut decoder) => {
                decoder.reset(zlib);
                decoder
            }
            None => Decompress::new(zlib),
        };
        Self { decoder: Some(decoder) }
    }

    /// Decodes as much as fits.
    pub(super) fn step(&mut self, input: &[u8], out: &mut [u8]) -> Result<Step, Fault> {
        let decoder = self.decoder.as_mut().expect("it exists until it is dropped");
        let read = decoder.total_in();
        let written = decoder.total_out();
        let status = decoder.decompress(input, out, FlushDecompress::None);
        let taken = (decoder.total_in() - read) as usize;
        let given = (decoder.total_out() - written) as usize;
        match status {
            Ok(Status::Ok | Status::BufError)
                if taken + given == 0 && !input.is_empty() && !out.is_empty() =>
            {
                Err(Fault::Data("Invalid ZLIB data format".to_owned()))
            }
            Ok(status) => Ok(Step { taken, given, ended: status == Status::StreamEnd }),
            // Java's `InflaterInputStream` takes the wish for a dictionary for the end.
            Err(error) if error.needs_dictionary().is_some() => Ok(Step { taken, given, ended: true }),
            Err(error) => Err(Fault::Data(error.message().unwrap_or("Invalid ZLIB data format").to_owned())),
        }
    }
}

impl Drop for Inflate {
    fn drop(&mut self) {
        let decoder = self.decoder.take();
        // While the thread ends, the pool no longer exists.
        let _ = POOL.try_with(|pool| {
            let mut pool = pool.borrow_mut();
            if pool.len() < IDLE {
                pool.extend(decoder);
            }
        });
    }
}

/// `deflate` with the header of RFC 1950, as the standard says, or without it, as some servers
/// send.
#[derive(Default)]
pub(super) struct Deflate {
    /// The first byte, which alone does not tell.
    first: Option<u8>,
    inflate: Option<Inflate>,
    ended: bool,
}

impl Deflate {
    pub(super) fn step(&mut self, input: &[u8], out: &mut [u8]) -> Result<(usize, usize), Fault> {
        if self.ended {
            return Ok((input.len(), 0));
        }
        match (&mut self.inflate, self.first, input) {
            (Some(inflate), ..) => {
                let step = inflate.step(input, out)?;
                self.ended = step.ended;
                Ok((step.taken, step.given))
            }
            (None, None, [first, ..]) => {
                self.first = Some(*first);
                Ok((1, 0))
            }
            (None, Some(first), [second, ..]) => {
                let inflate = self.inflate.insert(Inflate::new(is_zlib(first, *second)));
                // The shortest text has ten bits, so one byte gives nothing.
                inflate.step(&[first], out)?;
                let step = inflate.step(input, out)?;
                self.ended = step.ended;
                Ok((step.taken, step.given))
            }
            (None, _, []) => Ok((0, 0)),
        }
    }

    pub(super) fn end(&self) -> Result<(), Fault> {
        match (&self.inflate, self.ended) {
            (_, true) => Ok(()),
            (Some(_), false) => Err(Fault::CutOff),
            (None, false) => Err(Fault::NoDeflate),
        }
    }
}

/// RFC 1950 §2.2: method 8, and a check over the first two bytes.
fn is_zlib(first: u8, second: u8) -> bool {
    first & 15 == 8 && first >> 4 <= 7 && (u32::from(first) << 8 | u32::from(second)).is_multiple_of(31)
}
