//! The thread that compresses full pieces and deletes the oldest ones.

use std::fs::{self, File};
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::keep::{Keep, OnTrouble};
use super::pieces::old_pieces;
use crate::place::TemporaryFile;

/// Takes numbers and names of pieces without waiting; uncompressed pieces wait on disk. When
/// dropped, it finishes what it has.
pub(super) struct Compressor {
    sender: Option<Sender<(u64, PathBuf)>>,
    thread: Option<JoinHandle<()>>,
}

impl Compressor {
    pub(super) fn start(file: PathBuf, keep: Option<Keep>, on_trouble: OnTrouble) -> io::Result<Self> {
        let (sender, receiver) = channel();
        let work = move || run(&receiver, &file, keep, &on_trouble);
        let thread = std::thread::Builder::new().name("swell-gzip".to_owned()).spawn(work)?;
        Ok(Self { sender: Some(sender), thread: Some(thread) })
    }

    pub(super) fn take(&self, number: u64, piece: PathBuf) {
        let sent = self.sender.as_ref().map(|sender| sender.send((number, piece)));
        debug_assert!(matches!(sent, Some(Ok(()))), "the thread ends after its sender");
    }
}

impl Drop for Compressor {
    fn drop(&mut self) {
        self.sender = None;
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            debug_assert!(ended.is_ok(), "the thread does not panic");
        }
    }
}

fn run(pieces: &Receiver<(u64, PathBuf)>, file: &Path, keep: Option<Keep>, on_trouble: &OnTrouble) {
    for (number, piece) in pieces {
        if let Err(error) = compress(&piece) {
            on_trouble(&format!(
                "`{}` is complete and stays as it is: it cannot be compressed: {error}",
                piece.display()
            ));
        }
        if let Some(keep) = keep
            && let Err(error) = delete_beyond(file, keep, number)
        {
            on_trouble(&format!("old pieces of `{}` cannot be deleted: {error}", file.display()));
        }
    }
}

/// The compressed piece is on the disk before the piece goes.
fn compress(piece: &Path) -> io::Result<()> {
    let place = PathBuf::from(format!("{}.gz", piece.display()));
    let (temporary, file) = TemporaryFile::make(&place)?;
    let mut encoder = GzEncoder::new(file, Compression::fast());
    io::copy(&mut BufReader::with_capacity(1 << 16, File::open(piece)?), &mut encoder)?;
    let mut file = encoder.finish()?;
    file.flush()?;
    file.sync_all()?;
    temporary.rename_to(&place)?;
    fs::remove_file(piece)
}

/// Judges pieces up to that number: later ones wait to be compressed and do not have their final
/// size yet.
fn delete_beyond(file: &Path, keep: Keep, newest: u64) -> io::Result<()> {
    let mut pieces = 0;
    let mut bytes = 0;
    for (_, path) in old_pieces(file)?.iter().rev().filter(|(number, _)| *number <= newest) {
        pieces += 1;
        bytes += path.metadata()?.len();
        let stays = match keep {
            Keep::Pieces(most) => pieces <= most,
            Keep::Bytes(most) => bytes <= most,
        };
        if !stays {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}
