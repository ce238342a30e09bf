//! A disk in memory that takes parts of writes, is interrupted, and fills up.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use rand::Rng;
use rand::rngs::SmallRng;
use swell_results::simulated::Disk;

/// What is on a disk; clones are the same.
#[derive(Clone, Default)]
pub(super) struct Content(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    bytes: Vec<u8>,
    /// Nothing was written after the last flush.
    is_flushed: bool,
}

impl Content {
    fn with<R>(&self, f: impl FnOnce(&mut Kept) -> R) -> R {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        self.with(|kept| kept.bytes.clone())
    }

    pub(super) fn is_flushed(&self) -> bool {
        self.with(|kept| kept.is_flushed)
    }
}

/// A disk.
pub(super) struct SimulatedDisk {
    pub(super) content: Content,
    pub(super) draws: SmallRng,
    pub(super) piece: usize,
    pub(super) interrupted: f64,
    pub(super) full_at: Option<u64>,
}

impl Write for SimulatedDisk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.interrupted > 0.0 && self.draws.random_bool(self.interrupted) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let most = self.draws.random_range(0..=self.piece).max(1);
        let full_at = self.full_at.map_or(usize::MAX, |full_at| full_at as usize);
        self.content.with(|content| {
            let count = bytes.len().min(most).min(full_at.saturating_sub(content.bytes.len()));
            if count == 0 && !bytes.is_empty() {
                return Err(io::ErrorKind::StorageFull.into());
            }
            content.bytes.extend_from_slice(&bytes[..count]);
            content.is_flushed = false;
            Ok(count)
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.content.with(|content| content.is_flushed = true);
        Ok(())
    }
}

impl Disk for SimulatedDisk {
    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.content.with(|content| content.bytes.truncate(length as usize));
        Ok(())
    }
}
