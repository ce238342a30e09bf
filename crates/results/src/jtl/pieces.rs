//! Reads a results file and its rotated pieces as one.

use std::fs::File;
use std::io::{self, BufReader, Chain, Cursor, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

use super::read::read_samples;
use super::sample::{BadRow, JtlCounts, JtlError, JtlSample, MOST_NAMED};
use crate::rotation::old_pieces;

/// The first bytes of a gzip file (RFC 1952, section 2.3.1).
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A results file and its pieces in order of time ([`crate::Rotation`]).
#[derive(Clone, Debug)]
pub struct Pieces {
    paths: Vec<PathBuf>,
    missing: u64,
}

impl Pieces {
    /// The pieces of a file, and the file itself last. One that has none is alone; a piece is its
    /// only one.
    ///
    /// # Errors
    /// The file is not there.
    pub fn of(path: &Path) -> io::Result<Self> {
        let metadata = path.metadata()?;
        let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        // A folder that cannot be listed can hold a file that can be read.
        let pieces = if metadata.is_file() { old_pieces(&place).unwrap_or_default() } else { Vec::new() };
        let last = pieces.last().map_or(0, |(number, _)| *number);
        let missing = last.saturating_sub(pieces.len() as u64);
        let paths = pieces.into_iter().map(|(_, path)| path).chain([path.to_owned()]).collect();
        Ok(Self { paths, missing })
    }

    /// The files in their order.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// How many pieces are gone: deleted by the run as the oldest, or by something else.
    pub fn missing(&self) -> u64 {
        self.missing
    }

    /// As [`read_samples`], of all files. What is said of a row names its file, where there are
    /// several.
    ///
    /// # Errors
    /// As there, of the first file that cannot be read.
    pub fn read(&self, mut take: impl FnMut(&JtlSample<'_>)) -> Result<JtlCounts, JtlError> {
        if let [path] = &self.paths[..] {
            return read_one(path, take);
        }
        let mut all = JtlCounts { missing_pieces: self.missing, ..JtlCounts::default() };
        for path in &self.paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let counts = read_one(path, &mut take).map_err(|error| match error {
                JtlError::Io(error) => JtlError::Io(io::Error::new(error.kind(), format!("{name}: {error}"))),
                JtlError::NotJtl(why) => JtlError::NotJtl(format!("{name}: {why}")),
            })?;
            all.samples += counts.samples;
            all.bad += counts.bad;
            all.hidden += counts.hidden;
            all.has_users |= counts.has_users;
            all.damaged = all.damaged.or(counts.damaged.map(|why| format!("{name}: {why}")));
            let named = counts.first_bad.into_iter();
            all.first_bad.extend(named.map(|bad| BadRow { why: format!("{} ({name})", bad.why), ..bad }));
        }
        all.first_bad.truncate(MOST_NAMED);
        Ok(all)
    }
}

/// Reads all samples of a file and its pieces; see [`Pieces::read`].
///
/// # Errors
/// As there.
pub fn read_pieces(path: &Path, take: impl FnMut(&JtlSample<'_>)) -> Result<JtlCounts, JtlError> {
    Pieces::of(path)?.read(take)
}

type Whole = Chain<Cursor<Vec<u8>>, File>;

/// A file that may be compressed. If compressed data ends too early or is damaged after a valid
/// part, reading ends there, and what was read before counts.
pub(super) enum Source {
    Plain(Whole),
    Gzip { file: Box<MultiGzDecoder<BufReader<Whole>>>, has_some: bool, damaged: Option<String> },
}

impl Read for Source {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(file) => file.read(into),
            Self::Gzip { damaged: Some(_), .. } => Ok(0),
            Self::Gzip { file, has_some, damaged } => match file.read(into) {
                Ok(count) => {
                    *has_some |= count > 0;
                    Ok(count)
                }
                Err(error) if *has_some && error.kind() != io::ErrorKind::Interrupted => {
                    *damaged = Some(error.to_string());
                    Ok(0)
                }
                Err(error) => Err(error),
            },
        }
    }
}

/// Reads one file.
pub(super) fn read_one(path: &Path, take: impl FnMut(&JtlSample<'_>)) -> Result<JtlCounts, JtlError> {
    let mut source = open(path)?;
    let mut counts = read_samples(&mut source, take)?;
    if let Source::Gzip { damaged, .. } = source {
        counts.damaged = damaged;
    }
    Ok(counts)
}

/// Opens a file; whether it is compressed its first bytes say, so that pipes can be read, too.
pub(super) fn open(path: &Path) -> io::Result<Source> {
    let mut file = File::open(path)?;
    let mut first = Vec::with_capacity(GZIP.len());
    Read::take(&mut file, GZIP.len() as u64).read_to_end(&mut first)?;
    let is_gzip = first == GZIP;
    let whole = Cursor::new(first).chain(file);
    if is_gzip {
        let file = Box::new(MultiGzDecoder::new(BufReader::new(whole)));
        return Ok(Source::Gzip { file, has_some: false, damaged: None });
    }
    Ok(Source::Plain(whole))
}
