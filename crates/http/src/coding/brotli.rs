//! Brotli (RFC 7932).

use brotli::enc::StandardAlloc;
use brotli::{BrotliDecompressStream, BrotliResult, BrotliState};

use super::fault::Fault;

/// A body on its way through the decoder.
pub(super) struct Brotli {
    state: BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>,
    ended: bool,
}

impl Brotli {
    pub(super) fn new() -> Self {
        let alloc = StandardAlloc::default;
        Self { state: BrotliState::new(alloc(), alloc(), alloc()), ended: false }
    }

    pub(super) fn step(&mut self, input: &[u8], out: &mut [u8]) -> Result<(usize, usize), Fault> {
        if self.ended {
            return Ok((input.len(), 0));
        }
        let (mut taken, mut given, mut total) = (0, 0, 0);
        let (mut left, mut room) = (input.len(), out.len());
        let result = BrotliDecompressStream(
            &mut left,
            &mut taken,
            input,
            &mut room,
            &mut given,
            out,
            &mut total,
            &mut self.state,
        );
        match result {
            BrotliResult::ResultFailure => return Err(Fault::Brotli),
            BrotliResult::ResultSuccess => self.ended = true,
            BrotliResult::NeedsMoreInput | BrotliResult::NeedsMoreOutput => {}
        }
        Ok((taken, given))
    }

    pub(super) fn end(&self) -> Result<(), Fault> {
        if self.ended { Ok(()) } else { Err(Fault::Brotli) }
    }
}
