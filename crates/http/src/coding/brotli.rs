//! Brotli (RFC 7932).

use std::cell::Cell;
use std::rc::Rc;

use brotli_decompressor::{
    Allocator, BrotliDecompressStream, BrotliResult, BrotliState, SliceWrapper, StandardAlloc,
};

use super::fault::Fault;

/// The decoder of a body.
pub(super) struct Brotli {
    state: BrotliState<Counting, Counting, Counting>,
    ended: bool,
    /// Bytes of the stream so far.
    taken: u64,
    /// Bytes after its end.
    after: u64,
    held: Rc<Cell<usize>>,
}

impl Brotli {
    pub(super) fn new() -> Self {
        let held = Rc::new(Cell::new(0));
        let alloc = || Counting(held.clone());
        Self { state: BrotliState::new(alloc(), alloc(), alloc()), ended: false, taken: 0, after: 0, held }
    }

    /// Bytes that the decoder holds: the stream says how large its window is, up to 16 MiB.
    pub(super) fn held(&self) -> usize {
        self.held.get()
    }

    pub(super) fn step(&mut self, input: &[u8], out: &mut [u8]) -> Result<(usize, usize), Fault> {
        if self.ended {
            self.after += input.len() as u64;
            return Ok((input.len(), 0));
        }
        let mut taken = 0;
        let mut given = 0;
        let mut total = 0;
        let mut left = input.len();
        let mut room = out.len();
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
        self.taken += taken as u64;
        match result {
            BrotliResult::ResultFailure => return Err(Fault::Brotli),
            BrotliResult::ResultSuccess => self.ended = true,
            BrotliResult::NeedsMoreInput | BrotliResult::NeedsMoreOutput => {}
        }
        Ok((taken, given))
    }

    pub(super) fn end(&self) -> Result<(), Fault> {
        if self.ended && !self.decoder_of_java_sees_more() { Ok(()) } else { Err(Fault::Brotli) }
    }

    /// Whether Java's decoder has read bytes after the end when it gets there
    /// (`BitReader.readMoreInput`, `checkHealth`): it reads 4,096 bytes at first, and again up to
    /// 4,096 when 4,064 of them are used. Only where that brings the end of the body are they
    /// "unused bytes after end". (Where the stream ends in bytes that are not compressed, it has
    /// used up what it read.)
    fn decoder_of_java_sees_more(&self) -> bool {
        const BUFFER: u64 = 4_096;
        const USED: u64 = 4_064;
        self.after > 0 && self.taken % USED + self.after < BUFFER
    }
}

/// Counts what a decoder holds.
struct Counting(Rc<Cell<usize>>);

impl<T: Clone + Default> Allocator<T> for Counting {
    type AllocatedMemory = <StandardAlloc as Allocator<T>>::AllocatedMemory;

    fn alloc_cell(&mut self, length: usize) -> Self::AllocatedMemory {
        self.0.set(self.0.get() + length * size_of::<T>());
        StandardAlloc::default().alloc_cell(length)
    }

    fn free_cell(&mut self, data: Self::AllocatedMemory) {
        self.0.set(self.0.get().saturating_sub(size_of_val(data.slice())));
    }
}
