//! The encoding of figures between processes and machines: a header of four bytes with kind and
//! version, then [postcard](https://postcard.jamesmunns.com/wire-format)'s binary format.
//!
//! | bytes | contents |
//! |---|---|
//! | 0, 1 | `SW` |
//! | 2 | the kind ([`Portable::KIND`]) |
//! | 3 | the version of its format ([`Portable::VERSION`]) |
//! | 4… | its fields in order |
//!
//! A histogram is its precision and, for each non-empty bucket, the distance from the previous one
//! and the count. Merging decoded histograms gives the same result as merging the originals.
//! HdrHistogram's V2 format, which other tools read, is ten times as expensive to write and read;
//! it is available as well ([`crate::Histogram::to_hdr_v2_deflate`]). offered in addition
//! ([`crate::Histogram::to_hdr_v2_deflate`]).

mod histogram;
pub(crate) mod snapshot;

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::interval::{WithoutOutcomes, WithoutReadings, WithoutReported};
use crate::verdict::Evidence;
use crate::{Interval, Snapshot};

const MAGIC: [u8; 2] = *b"SW";

/// A type that can be encoded.
pub trait Portable: Serialize + DeserializeOwned {
    /// Tells it from others; unique in the house.
    const KIND: u8;
    /// What it is called in messages.
    const NAME: &'static str;
    /// Raised whenever the form changes: postcard does not describe itself.
    const VERSION: u8;

    /// The value of fields in an older form, with the bytes that follow them; none where that form
    /// is not read any more.
    ///
    /// # Errors
    /// The fields are damaged.
    fn of_older(_version: u8, _fields: &[u8]) -> Option<postcard::Result<(Self, &[u8])>> {
        None
    }
}

impl Portable for Snapshot {
    const KIND: u8 = 1;
    const NAME: &'static str = "snapshot";
    const VERSION: u8 = 4;
}

impl Portable for Evidence {
    const KIND: u8 = 2;
    const NAME: &'static str = "evidence";
    const VERSION: u8 = 4;
}

/// 3 is the outcome of a run, which the engine has.
impl Portable for Interval {
    const KIND: u8 = 4;
    const NAME: &'static str = "interval";
    const VERSION: u8 = 4;

    fn of_older(version: u8, fields: &[u8]) -> Option<postcard::Result<(Self, &[u8])>> {
        let first = || postcard::take_from_bytes::<WithoutReadings>(fields);
        let second = || postcard::take_from_bytes::<WithoutReported>(fields);
        let third = || postcard::take_from_bytes::<WithoutOutcomes>(fields);
        match version {
            1 => Some(first().map(|(older, rest)| (older.into(), rest))),
            2 => Some(second().map(|(older, rest)| (older.into(), rest))),
            3 => Some(third().map(|(older, rest)| (older.into(), rest))),
            _ => None,
        }
    }
}

/// Why bytes cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// They do not begin as the expected kind does.
    OtherKind {
        /// What was expected.
        expected: &'static str,
    },
    /// They are of another version of Swell.
    OtherVersion {
        /// What it is.
        name: &'static str,
        /// The version of the bytes.
        found: u8,
        /// The version that this program reads.
        reads: u8,
    },
    /// They are cut short, or damaged, or too long.
    Damaged {
        /// What was expected.
        expected: &'static str,
        /// What was found wrong.
        why: String,
    },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherKind { expected } => write!(f, "not a Swell {expected}"),
            Self::OtherVersion { name, found, reads } => {
                write!(
                    f,
                    "this {name} has format {found}, and this program reads format {reads}: run the \
                    same version of Swell on both sides"
                )
            }
            Self::Damaged { expected, why } => write!(f, "this {expected} is damaged: {why}"),
        }
    }
}

impl std::error::Error for DecodeError {}

/// The bytes of a value.
///
/// # Panics
/// Never: writing to memory does not fail, and every kind has lengths that are known.
pub fn encode<T: Portable>(value: &T) -> Vec<u8> {
    let header = vec![MAGIC[0], MAGIC[1], T::KIND, T::VERSION];
    postcard::to_extend(value, header).expect("a value in memory has an encoding")
}

/// The value of bytes that [`encode`] made, in this version or one before that is still read.
///
/// # Errors
/// They are something else, of another version, or damaged. Hostile bytes cost at most some two
/// hundred times their length in memory: a page of counts a bucket.
pub fn decode<T: Portable>(bytes: &[u8]) -> Result<T, DecodeError> {
    let (header, fields) =
        bytes.split_first_chunk::<4>().ok_or(DecodeError::OtherKind { expected: T::NAME })?;
    if header[..3] != [MAGIC[0], MAGIC[1], T::KIND] {
        return Err(DecodeError::OtherKind { expected: T::NAME });
    }
    let read = if header[3] == T::VERSION {
        postcard::take_from_bytes(fields)
    } else {
        let other = DecodeError::OtherVersion { name: T::NAME, found: header[3], reads: T::VERSION };
        T::of_older(header[3], fields).ok_or(other)?
    };
    let damaged = |why: String| DecodeError::Damaged { expected: T::NAME, why };
    let (value, rest) = read.map_err(|error| damaged(error.to_string()))?;
    if rest.is_empty() { Ok(value) } else { Err(damaged(format!("{} bytes too many", rest.len()))) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::{Figure, Known};
    use crate::{FailureKind, Observation, Reading, Recorder, Users};
    use proptest::prelude::*;

    fn snapshot(samples: &[(u8, u64, bool)]) -> Snapshot {
        let mut recorder = Recorder::new(20);
        for &(label, elapsed_ns, success) in samples {
            recorder.record(&Observation {
                label: &format!("label {label}"),
                is_transaction: label % 5 == 0,
                success,
                elapsed_ns,
                response_ns: (label % 2 == 0).then_some(elapsed_ns + 7),
                code: "500",
                message: if label % 3 == 0 { "no" } else { "nothing" },
                kind: FailureKind::Status,
                ..Observation::default()
            });
        }
        let mut snapshot = recorder.take_interval();
        snapshot.users = Users { active: 3, started: 5, finished: 2 };
        snapshot
    }

    fn figures(snapshot: &Snapshot) -> impl PartialEq + std::fmt::Debug {
        (snapshot.rows.clone(), snapshot.errors.clone(), snapshot.users, snapshot.label_limit())
    }

    proptest! {
        #[test]
        fn decoding_gives_what_was_encoded_and_merges_alike(
            a in proptest::collection::vec(any::<(u8, u64, bool)>(), 0..60),
            b in proptest::collection::vec(any::<(u8, u64, bool)>(), 0..60),
        ) {
            // Sums of squares of random 64-bit times would overflow.
            let small = |all: Vec<(u8, u64, bool)>| all.into_iter().map(|(l, ns, ok)| (l, ns >> 20, ok)).collect::<Vec<_>>();
            let a = snapshot(&small(a));
            let b = snapshot(&small(b));
            let decoded: Snapshot = decode(&encode(&a)).expect("it was encoded");
            prop_assert_eq!(figures(&decoded), figures(&a));
            let mut of_decoded = decoded;
            let mut of_original = a;
            of_decoded.merge(&b);
            of_original.merge(&b);
            prop_assert_eq!(figures(&of_decoded), figures(&of_original));
        }

        #[test]
        fn damaged_bytes_are_an_error_or_another_value_but_never_a_panic(at in any::<prop::sample::Index>(), bit in 0_u32..8) {
            let mut bytes = encode(&snapshot(&[(1, 5, true), (2, 1 << 40, false), (5, 700_000, true)]));
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
            let mut all = Snapshot::new(3);
            if let Ok(snapshot) = decode::<Snapshot>(&bytes) {
                all.merge(&snapshot);
            }
            prop_assert!(decode::<Snapshot>(&bytes[..at]).is_err(), "cut short");
        }
    }

    #[test]
    fn what_is_something_else_is_told() {
        let bytes = encode(&Evidence::default());
        let told = |bytes: &[u8]| decode::<Snapshot>(bytes).expect_err("it is none").to_string();
        assert_eq!(told(&bytes), "not a Swell snapshot");
        assert_eq!(told(b"SW"), "not a Swell snapshot");
        let newer = [&bytes[..3], &[9], &bytes[4..]].concat();
        let error = decode::<Evidence>(&newer).expect_err("it is newer");
        let told = format!("this evidence has format 9, and this program reads format {}", Evidence::VERSION);
        assert!(error.to_string().starts_with(&told), "{error}");
        let longer = [&bytes[..], b"xy"].concat();
        let error = decode::<Evidence>(&longer).expect_err("it is longer");
        assert_eq!(error.to_string(), "this evidence is damaged: 2 bytes too many");
    }

    #[test]
    fn intervals_of_older_forms_are_read() {
        let mut interval = Interval { start_ms: 5, length_ms: 1000, is_paused: true, ..Interval::default() };
        let mut bytes = encode(&interval);
        // What JMeter reports is one byte where it is nothing else, and so are the numbers of
        // requests, of outcomes and of rows with figures: the last four of the snapshot, which
        // follows start and length.
        let times = postcard::to_stdvec(&(interval.start_ms, interval.length_ms)).expect("encoded");
        let reported = times.len() + encode(&interval.labels).len() - 4;
        assert_eq!([bytes.remove(reported + 2), bytes.remove(reported + 2)], [0, 0]);
        bytes[3] = 3;
        let older = decode::<Interval>(&bytes).expect("it is read");
        assert_eq!((older.start_ms, older.length_ms, older.is_paused), (5, 1000, true));
        assert_eq!([bytes.remove(reported), bytes.remove(reported)], [0, 0]);
        bytes[3] = 2;
        let older = decode::<Interval>(&bytes).expect("it is read");
        assert_eq!((older.start_ms, older.length_ms, older.is_paused), (5, 1000, true));
        // No readings are one byte, their number, and the last.
        assert_eq!(bytes.pop(), Some(0));
        bytes[3] = 1;
        let older: Interval = decode(&bytes).expect("it is read");
        assert_eq!((older.start_ms, older.length_ms, older.is_paused), (5, 1000, true));
        let source = "port 80".into();
        interval.readings = vec![
            Reading::new(&source, Known::JvmThreads, 7.5, 1.0),
            Reading {
                figure: Figure::Named { name: "x".into(), is_rate: true },
                ..Reading::new(&source, Known::GcTime, 1.0, 2.0)
            },
        ];
        assert_eq!(
            decode::<Interval>(&encode(&interval)).expect("it was encoded").readings,
            interval.readings
        );
        bytes[3] = 5;
        assert!(matches!(decode::<Interval>(&bytes), Err(DecodeError::OtherVersion { found: 5, .. })));
    }

    #[test]
    fn custom_figures_come_back_whole() {
        let mut original = snapshot(&[(1, 5, true), (2, 1 << 40, false), (5, 700_000, true)]);
        let name = crate::FigureName::new("total").expect("a name");
        original.rows[1].stats.figures.record(name, crate::FigureValue::parse("-1.5"));
        original.rows[2].stats.figures.record(name, None);
        let decoded: Snapshot = decode(&encode(&original)).expect("it was encoded");
        assert_eq!(figures(&decoded), figures(&original));
        assert_eq!(decoded.rows[1].stats.figures.get(name).map(crate::FigureStats::sum), Some(-1.5));
    }

    #[test]
    fn evidence_comes_back_whole() {
        let evidence = Evidence {
            start_delay_p99_ns: Some(7),
            cpu_busy: Some((3, 0.5)),
            rate_error: Some(-0.25),
            scripts: Some(crate::verdict::ScriptTime { calls: 3, ran_s: 0.5, ..Default::default() }),
            neighbour: Some(crate::verdict::Neighbour {
                address: "[::1]:80".parse().expect("an address"),
                processors: 2,
            }),
            processors: Some(crate::verdict::ProcessorUse {
                others: 1.5,
                programs: vec![crate::verdict::Program { name: "cc1".into(), processes: 3, processors: 1.5 }],
                ..Default::default()
            }),
            ..Evidence::default()
        };
        assert_eq!(decode::<Evidence>(&encode(&evidence)), Ok(evidence));
    }

    #[test]
    fn a_second_of_a_label_takes_some_two_bytes_a_bucket() {
        let samples: Vec<_> = (0..1000_u64).map(|step| (1, 40_000_000 + step * step * 53, true)).collect();
        let bytes = encode(&snapshot(&samples)).len();
        assert!(bytes < 4000, "{bytes} bytes for 1,000 samples in two histograms at most");
    }
}
