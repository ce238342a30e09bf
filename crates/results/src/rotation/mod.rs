//! Rotation of results files: a long test does not fill the disk, and each piece is complete.
//!
//! The file keeps its name while it grows. A full file gets its closing text and the next number
//! (`results.000001.jtl`), and a separate thread compresses it (`results.000001.jtl.gz`). Rows
//! continue in a new file with the old name.

mod compressor;
mod keep;
mod pieces;

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use compressor::Compressor;
pub use keep::{Keep, OnTrouble};

pub(crate) use pieces::old_pieces;

/// When a results file is rotated, and which pieces are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rotation {
    /// A file of at least that many bytes is full. It is looked at after each piece of rows that is
    /// written (up to about 64 KiB), so a file can be larger by that.
    pub bytes: Option<u64>,
    /// A file of that age with at least one row is full.
    pub age: Option<Duration>,
    /// What is kept of the pieces; none: all.
    pub keep: Option<Keep>,
}

/// The rotation of one file.
pub(crate) struct Rotating {
    rotation: Rotation,
    /// The file itself, where its name may be a link.
    place: PathBuf,
    next: u64,
    begun: Instant,
    compressor: Compressor,
}

impl Rotating {
    /// The rotation of a file that is there. Numbers go on after those of its pieces.
    pub(crate) fn start(path: &Path, rotation: Rotation, on_trouble: OnTrouble) -> io::Result<Self> {
        let place = path.canonicalize()?;
        let next = old_pieces(&place)?.last().map_or(1, |(number, _)| number + 1);
        let compressor = Compressor::start(place.clone(), rotation.keep, on_trouble)?;
        Ok(Self { rotation, place, next, begun: Instant::now(), compressor })
    }

    /// Whether a file of that length, which has rows, is full.
    pub(crate) fn is_due(&self, length: u64) -> bool {
        self.rotation.bytes.is_some_and(|most| length >= most)
            || self.rotation.age.is_some_and(|most| self.begun.elapsed() >= most)
    }

    pub(crate) fn place(&self) -> &Path {
        &self.place
    }

    /// The name of the piece that comes next.
    pub(crate) fn next_piece(&self) -> PathBuf {
        pieces::piece(&self.place, self.next)
    }

    /// The next piece has its name and its end, and a new file is written to.
    pub(crate) fn rotated(&mut self) {
        self.compressor.take(self.next, self.next_piece());
        self.next += 1;
        self.begun = Instant::now();
    }
}

#[cfg(test)]
mod tests;
