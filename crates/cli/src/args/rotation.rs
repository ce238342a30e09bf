//! Options of long tests: results files in pieces.

use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use swell_results::{Keep, Rotation};

use super::units::{duration, size};

/// How results files are cut into pieces.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct RotationArgs {
    /// Rotate results files into compressed parts by size or age: 1GB, 1h, or 1GB,1h
    ///
    /// Parts are named results.000001.jtl.gz and so on. `swell report results.jtl` reads all of
    /// them.
    #[arg(long, value_name = "SIZE|TIME", value_delimiter = ',', help_heading = "Results")]
    pub(crate) jtl_rotate: Vec<Full>,
    /// Rotated files to keep, by count (24) or total size (20GB) [default: all]
    #[arg(long, value_name = "N|SIZE", requires = "jtl_rotate", value_parser = keep, help_heading = "Results")]
    pub(crate) jtl_keep: Option<Keep>,
}

/// When a file is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Full {
    Bytes(u64),
    Age(Duration),
}

impl FromStr for Full {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("invalid size or time `{text}`; write 1GB, 500MB, 1h, or 1GB,1h");
        // `5m` is five minutes: a size says its B.
        if text.trim().ends_with(['b', 'B']) {
            return size(text).map(Self::Bytes).ok_or_else(wrong);
        }
        // A bare number could be either.
        if text.trim().bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
            return Err(wrong());
        }
        match duration(text) {
            Ok(age) if !age.is_zero() => Ok(Self::Age(age)),
            _ => Err(wrong()),
        }
    }
}

/// `--jtl-keep`.
fn keep(text: &str) -> Result<Keep, String> {
    if let Ok(pieces) = text.trim().parse() {
        return Ok(Keep::Pieces(pieces));
    }
    let is_size = text.trim().ends_with(['b', 'B']);
    let bytes = size(text).filter(|_| is_size).map(Keep::Bytes);
    bytes.ok_or_else(|| format!("invalid count or size `{text}`; write 24 or 20GB"))
}

impl RotationArgs {
    /// The same for a trial; of two sizes or two times the last is meant.
    pub(crate) fn rotation(&self) -> Option<Rotation> {
        let mut rotation = Rotation { keep: self.jtl_keep, ..Rotation::default() };
        for full in &self.jtl_rotate {
            match full {
                Full::Bytes(bytes) => rotation.bytes = Some(*bytes),
                Full::Age(age) => rotation.age = Some(*age),
            }
        }
        (!self.jtl_rotate.is_empty()).then_some(rotation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_says_its_b_and_all_else_is_a_time() {
        assert_eq!("1GB".parse(), Ok(Full::Bytes(1_000_000_000)));
        assert_eq!("5m".parse(), Ok(Full::Age(Duration::from_mins(5))));
        assert_eq!("1h".parse(), Ok(Full::Age(Duration::from_hours(1))));
        for text in ["", "100", "0s", "0B", "1G", "soon", "1GB1h"] {
            text.parse::<Full>().expect_err(text);
        }
        assert_eq!((keep("24"), keep("2MB")), (Ok(Keep::Pieces(24)), Ok(Keep::Bytes(2_000_000))));
        for text in ["", "-1", "1.5", "2M", "all"] {
            keep(text).expect_err(text);
        }
    }

    #[test]
    fn both_may_be_given() {
        let args = RotationArgs {
            jtl_rotate: vec!["1MB".parse().expect("a size"), "1h".parse().expect("a time")],
            jtl_keep: Some(Keep::Pieces(3)),
        };
        let both = Rotation {
            bytes: Some(1_000_000),
            age: Some(Duration::from_hours(1)),
            keep: Some(Keep::Pieces(3)),
        };
        assert_eq!(args.rotation(), Some(both));
        assert_eq!(RotationArgs::default().rotation(), None);
    }
}
