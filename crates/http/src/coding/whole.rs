//! A gzip body that is there as a whole, decoded in one go: libdeflate takes half the time of a
//! decoder that can be interrupted at any byte (`bench/results/downloads.md`).
//!
//! It is only asked about bodies of one plain member, and only its success counts. All others are
//! decoded step by step, which also says what is wrong with them as Java does.

use std::cell::{Cell, RefCell};

use libdeflater::Decompressor;

/// Longest body that is gathered, bytes.
pub(super) const MOST_GATHERED: usize = 256 << 10;

/// Longest text that is decoded in one go, bytes: a millisecond of work at most.
const MOST_DECODED: usize = 1 << 20;

/// Head and trailer of the shortest member.
const LEAST: usize = 18;

/// In a head: it has a checksum, which Java compares.
const HAS_SUM: u8 = 2;

thread_local! {
    static DECODER: RefCell<Option<Decompressor>> = const { RefCell::new(None) };
    static ROOM: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Gives the text of a body to `out`. False: it has to be decoded step by step. `limit`: most bytes
/// that are decoded.
pub(super) fn decode(body: &[u8], limit: u64, out: impl FnOnce(&[u8])) -> bool {
    let Some(size) = text_size(body) else { return false };
    if size > MOST_DECODED || size as u64 > limit {
        return false;
    }
    let mut room = ROOM.take();
    if room.len() < size {
        room.resize(size, 0);
    }
    let decoded = DECODER.with_borrow_mut(|decoder| {
        let decoder = decoder.get_or_insert_with(Decompressor::new);
        decoder.gzip_decompress(body, &mut room[..size])
    });
    let is_whole = decoded == Ok(size);
    if is_whole {
        out(&room[..size]);
    }
    ROOM.set(room);
    is_whole
}

/// The size of the text that the trailer gives; none if there may be more than one member, or the
/// head has what Java looks at and libdeflate does not.
fn text_size(body: &[u8]) -> Option<usize> {
    let magic = [0x1f, 0x8b, 8];
    if body.len() < LEAST || !body.starts_with(&magic) || body[3] & HAS_SUM != 0 {
        return None;
    }
    if memchr::memmem::find(&body[magic.len()..], &magic).is_some() {
        return None;
    }
    let size = u32::from_le_bytes(*body.last_chunk()?);
    usize::try_from(size).ok()
}
