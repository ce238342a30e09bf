//! Rows of a results file of an agent, on the controller's disk, as pieces of them come: in any
//! order, and some more than once.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

/// A piece that starts this far after the received bytes is not from an agent, which has few on
/// their way at a time.
const FURTHEST: u64 = 64 << 20;

/// Which bytes have come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReceivedRanges {
    /// All before this one.
    whole: u64,
    /// Later ones, from and until, which came before their turn.
    ahead: BTreeMap<u64, u64>,
}

impl ReceivedRanges {
    /// Notes a piece; false if it brings nothing new, or lies too far ahead to be one.
    pub fn note(&mut self, offset: u64, bytes: u64) -> bool {
        let Some(end) = offset.checked_add(bytes) else { return false };
        if end <= self.whole || offset > self.whole.saturating_add(FURTHEST) {
            return false;
        }
        let known = self.ahead.entry(offset).or_default();
        let is_new = end > *known;
        *known = end.max(*known);
        while let Some(first) = self.ahead.first_entry().filter(|first| *first.key() <= self.whole) {
            self.whole = self.whole.max(first.remove());
        }
        is_new
    }

    /// Bytes from the beginning of which none is missing.
    pub fn whole(&self) -> u64 {
        self.whole
    }
}

/// The file.
pub(crate) struct Spool {
    path: PathBuf,
    file: File,
    come: ReceivedRanges,
}

impl Spool {
    pub(crate) fn new(path: PathBuf) -> io::Result<Self> {
        let file = File::options().write(true).create(true).truncate(true).open(&path)?;
        Ok(Self { path, file, come: ReceivedRanges::default() })
    }

    /// Writes a piece where it belongs, once.
    pub(crate) fn add(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let mut come = self.come.clone();
        if come.note(offset, bytes.len() as u64) {
            self.file.write_all_at(bytes, offset)?;
            self.come = come;
        }
        Ok(())
    }

    /// Ends it after what is whole, and after `most` bytes. Gives how many there are.
    pub(crate) fn end(&mut self, most: u64) -> io::Result<u64> {
        let length = self.come.whole().min(most);
        self.file.set_len(length)?;
        Ok(length)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pieces_make_the_file_in_any_order_and_as_often_as_they_come(
            lengths in proptest::collection::vec(0_usize..50, 1..20), order in proptest::collection::vec(0_usize..20, 0..80),
        ) {
            let folder = tempfile::tempdir().expect("a folder");
            let mut spool = Spool::new(folder.path().join("rows")).expect("made");
            let text: Vec<u8> = (0..lengths.iter().sum::<usize>()).map(|at| at as u8).collect();
            let offset_of = |piece: usize| lengths[..piece].iter().sum::<usize>();
            let mut come = vec![false; lengths.len()];
            for piece in order.into_iter().map(|piece| piece % lengths.len()) {
                let offset = offset_of(piece);
                spool.add(offset as u64, &text[offset..offset + lengths[piece]]).expect("written");
                come[piece] = true;
            }
            // A piece of no bytes is there without having come.
            let missing = (0..lengths.len()).find(|piece| !come[*piece] && lengths[*piece] > 0);
            let whole = offset_of(missing.unwrap_or(lengths.len()));
            prop_assert_eq!(spool.end(u64::MAX).expect("cut"), whole as u64);
            prop_assert_eq!(std::fs::read(spool.path()).expect("there"), &text[..whole]);
            prop_assert_eq!(spool.end(3).expect("cut"), whole.min(3) as u64);
        }
    }

    #[test]
    fn a_piece_that_no_agent_sends_is_none() {
        let mut come = ReceivedRanges::default();
        assert!(!come.note(u64::MAX, 2) && !come.note(1 << 40, 1) && !come.note(0, 0));
        assert!(come.note(0, 5) && !come.note(0, 5) && !come.note(2, 3) && come.note(2, 4));
        assert_eq!(come, ReceivedRanges { whole: 6, ahead: BTreeMap::new() });
    }
}
