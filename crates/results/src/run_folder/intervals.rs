//! The file of intervals: appended to during the run, and always readable up to its last complete
//! record.
//!
//! | bytes | contents |
//! |---|---|
//! | 0…7 | `SWINTV` and the version of the format, 2 digits |
//! | then, per record | length of the interval (4, little-endian), its CRC-32 (4, little-endian), the interval as [`encode`] writes it |

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use swell_stats::Interval;
use swell_stats::encoding::{decode, encode};

const MAGIC: [u8; 8] = *b"SWINTV01";

/// No interval is longer; a length beyond is damage. 10,000 labels with full histograms have some
/// 100 MB.
const LONGEST: u32 = 1 << 30;

/// Appends intervals to a file.
pub(super) struct Appender {
    pub(super) file: File,
    /// Bytes in the file.
    pub(super) bytes: u64,
    /// Intervals in the file.
    pub(super) count: u64,
}

impl Appender {
    /// Begins a file that is empty.
    pub(super) fn begin(mut file: File) -> io::Result<Self> {
        file.write_all(&MAGIC)?;
        Ok(Self { file, bytes: MAGIC.len() as u64, count: 0 })
    }

    /// Appends an interval by one system call: what is killed after that leaves it.
    pub(super) fn append(&mut self, interval: &Interval) -> io::Result<()> {
        let encoded = encode(interval);
        let length = u32::try_from(encoded.len()).ok().filter(|length| *length <= LONGEST);
        let length = length.ok_or_else(|| io::Error::other("an interval of more than 1 GiB"))?;
        let mut record = Vec::with_capacity(encoded.len() + 8);
        record.extend(length.to_le_bytes());
        record.extend(crc32fast::hash(&encoded).to_le_bytes());
        record.extend(encoded);
        self.file.write_all(&record)?;
        self.bytes += record.len() as u64;
        self.count += 1;
        Ok(())
    }

    /// What was written is on the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

/// How a file of intervals ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordEnd {
    /// After a whole interval.
    Whole,
    /// In the middle of an interval: the writer was killed, or its disk was full.
    Cut,
    /// What follows cannot be understood.
    Damaged(String),
}

/// The intervals of a file in order, up to the first incomplete one; then [`Intervals::end`]
/// returns how the file ended.
pub struct Intervals {
    file: BufReader<File>,
    /// Bytes that are left.
    left: u64,
    end: Option<RecordEnd>,
}

impl Intervals {
    /// Opens a file.
    ///
    /// # Errors
    /// It cannot be read, or is no file of intervals.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        let mut file = BufReader::new(file);
        let mut magic = [0; MAGIC.len()];
        // One that was killed before its first word is an empty one.
        if length < MAGIC.len() as u64 {
            return Ok(Self { file, left: 0, end: Some(RecordEnd::Cut) });
        }
        file.read_exact(&mut magic)?;
        if magic != MAGIC {
            return Err(io::Error::new(io::ErrorKind::InvalidData, no_intervals(magic)));
        }
        Ok(Self { file, left: length - MAGIC.len() as u64, end: None })
    }

    /// How the file ended; none before the last interval was taken.
    pub fn end(&self) -> Option<&RecordEnd> {
        self.end.as_ref()
    }

    fn read(&mut self) -> Result<Option<Interval>, RecordEnd> {
        if self.left == 0 {
            return Ok(None);
        }
        let mut head = [0; 8];
        if self.left < 8 {
            return Err(RecordEnd::Cut);
        }
        self.fill(&mut head)?;
        let [length, sum] =
            [&head[..4], &head[4..]].map(|bytes| u32::from_le_bytes(bytes.try_into().expect("four bytes")));
        if length > LONGEST {
            return Err(RecordEnd::Damaged(format!("an interval of {length} bytes")));
        }
        if u64::from(length) > self.left {
            return Err(RecordEnd::Cut);
        }
        let mut encoded = vec![0; length as usize];
        self.fill(&mut encoded)?;
        if crc32fast::hash(&encoded) != sum {
            return Err(RecordEnd::Damaged("an interval has a wrong checksum".to_owned()));
        }
        decode(&encoded).map(Some).map_err(|error| RecordEnd::Damaged(error.to_string()))
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), RecordEnd> {
        self.left -= bytes.len() as u64;
        self.file.read_exact(bytes).map_err(|error| RecordEnd::Damaged(error.to_string()))
    }
}

fn no_intervals(magic: [u8; 8]) -> String {
    match std::str::from_utf8(&magic[6..]) {
        Ok(version) if magic[..6] == MAGIC[..6] => {
            format!("its intervals have format {version}, and this program reads format 01")
        }
        _ => "it holds no intervals of Swell".to_owned(),
    }
}

impl Iterator for Intervals {
    type Item = Interval;

    fn next(&mut self) -> Option<Interval> {
        if self.end.is_some() {
            return None;
        }
        match self.read() {
            Ok(Some(interval)) => return Some(interval),
            Ok(None) => self.end = Some(RecordEnd::Whole),
            Err(end) => self.end = Some(end),
        }
        None
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use swell_stats::{Observation, Recorder};

    /// A second with that number of samples.
    pub(crate) fn second(start_ms: i64, samples: u64) -> Interval {
        let mut recorder = Recorder::default();
        for number in 0..samples {
            let elapsed_ns = 1_000_000 * (1 + number % 100);
            recorder.record(&Observation { label: "a", success: true, elapsed_ns, ..Observation::default() });
        }
        Interval { start_ms, length_ms: 1000, labels: recorder.take_interval(), ..Interval::default() }
    }

    fn file_of(seconds: &[Interval]) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("intervals");
        let mut appender = Appender::begin(File::create(&path).expect("made")).expect("begun");
        for second in seconds {
            appender.append(second).expect("appended");
        }
        assert_eq!(appender.bytes, std::fs::metadata(&path).expect("there").len());
        (folder, path)
    }

    fn read(path: &Path) -> (Vec<u64>, RecordEnd) {
        let mut intervals = Intervals::open(path).expect("a file of intervals");
        let samples = intervals.by_ref().map(|interval| interval.labels.total().samples).collect();
        (samples, intervals.end().expect("it was read to its end").clone())
    }

    #[test]
    fn intervals_come_back_in_their_order() {
        let (_folder, path) = file_of(&[second(0, 5), second(1000, 0), second(2000, 7)]);
        assert_eq!(read(&path), (vec![5, 0, 7], RecordEnd::Whole));
    }

    #[test]
    fn a_file_that_was_cut_anywhere_gives_all_whole_intervals() {
        let (_folder, path) = file_of(&[second(0, 5), second(1000, 6)]);
        let whole = std::fs::read(&path).expect("readable");
        let (_other, first) = file_of(&[second(0, 5)]);
        let of_first = std::fs::metadata(first).expect("there").len() as usize;
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).expect("written");
            let (samples, end) = read(&path);
            let at_border = length == 8 || length == of_first;
            assert_eq!(end, if at_border { RecordEnd::Whole } else { RecordEnd::Cut }, "{length}");
            assert_eq!(samples.len(), usize::from(length >= of_first), "{length}");
        }
    }

    #[test]
    fn a_byte_that_changed_is_noticed_and_what_came_before_is_read() {
        let (_folder, path) = file_of(&[second(0, 5), second(1000, 6)]);
        let whole = std::fs::read(&path).expect("readable");
        for at in [whole.len() - 3, whole.len() / 2 + 20] {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x40;
            std::fs::write(&path, &damaged).expect("written");
            let (samples, end) = read(&path);
            assert!(
                samples.len() <= 1 && matches!(end, RecordEnd::Damaged(_) | RecordEnd::Cut),
                "{samples:?} {end:?}"
            );
        }
    }

    #[test]
    fn another_file_and_another_version_are_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x");
        for (content, told) in [
            (&b"timeStamp,elapsed"[..], "it holds no intervals of Swell"),
            (b"SWINTV02....", "its intervals have format 02, and this program reads format 01"),
        ] {
            std::fs::write(&path, content).expect("written");
            let error = Intervals::open(&path).err().expect("it is refused");
            assert_eq!(error.to_string(), told);
        }
    }
}
