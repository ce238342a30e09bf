//! Samples by response code and by the way they failed.

use std::fmt;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{FailureKind, NO_HTTP_CODE};

/// A response code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    /// A whole number below 1,000: those of HTTP and gRPC.
    Number(u16),
    /// There was no response: no code, or JMeter's `Non HTTP response code: …`.
    NoResponse,
    /// Another text: those that scripts set are without limit, so they are counted together.
    Other,
}

/// Numbers of codes after the last number that is a code itself.
const NO_RESPONSE: u16 = 1000;
const OTHER: u16 = 1001;

impl Code {
    /// The code of a text.
    #[inline]
    pub fn of(text: &str) -> Self {
        let digit = |byte: u8| byte.is_ascii_digit().then(|| u16::from(byte - b'0'));
        match *text.as_bytes() {
            [a @ b'1'..=b'9', b, c] => match (digit(a), digit(b), digit(c)) {
                (Some(a), Some(b), Some(c)) => Self::Number(a * 100 + b * 10 + c),
                _ => Self::Other,
            },
            _ => Self::of_seldom(text),
        }
    }

    #[cold]
    fn of_seldom(text: &str) -> Self {
        if text.is_empty() || text.starts_with(NO_HTTP_CODE) {
            return Self::NoResponse;
        }
        let is_short = text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        let is_number = is_short && (text.len() == 1 || !text.starts_with('0'));
        text.parse().ok().filter(|_| is_number).map_or(Self::Other, Self::Number)
    }

    fn place(self) -> u16 {
        match self {
            Self::Number(number) => number.min(NO_RESPONSE - 1),
            Self::NoResponse => NO_RESPONSE,
            Self::Other => OTHER,
        }
    }

    fn at(place: u16) -> Self {
        match place {
            NO_RESPONSE => Self::NoResponse,
            0..NO_RESPONSE => Self::Number(place),
            _ => Self::Other,
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::NoResponse => f.write_str("no response"),
            Self::Other => f.write_str("other"),
        }
    }
}

/// Counts of samples by code and by the way they failed. Merging is exact in any order. There are
/// at most as many entries as there are codes and kinds of failures; most labels have one or two.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcomes(
    /// Rising by code and kind: [`key`].
    Vec<(u32, u64)>,
);

/// A good sample; failed ones have the place of their kind and one.
const GOOD: u32 = 0;
/// Bits of the kind of failure in a key.
const KIND_BITS: u32 = 8;

#[inline]
fn key(code: Code, failed: Option<FailureKind>) -> u32 {
    u32::from(code.place()) << KIND_BITS | failed.map_or(GOOD, |kind| kind as u32 + 1)
}

fn kind_of(key: u32) -> Option<FailureKind> {
    let kind = key & ((1 << KIND_BITS) - 1);
    FailureKind::ALL.get((kind as usize).checked_sub(1)?).copied()
}

fn code_of(key: u32) -> Code {
    Code::at((key >> KIND_BITS) as u16)
}

impl Outcomes {
    /// Counts a sample; `failed`: why, if it did.
    #[inline]
    pub(crate) fn record(&mut self, code: &str, failed: Option<FailureKind>) {
        let key = key(Code::of(code), failed);
        match self.0.first_mut() {
            // Nearly all samples of a label have one outcome.
            Some((first, times)) if *first == key => *times += 1,
            _ => self.add(key, 1),
        }
    }

    fn add(&mut self, key: u32, more: u64) {
        match self.0.binary_search_by_key(&key, |(key, _)| *key) {
            Ok(at) => self.0[at].1 += more,
            Err(at) => self.0.insert(at, (key, more)),
        }
    }

    /// Adds what another has counted.
    pub fn merge(&mut self, other: &Self) {
        for &(key, times) in &other.0 {
            self.add(key, times);
        }
    }

    /// Nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Codes with the numbers of their samples, good and failed: numbers first, in rising order.
    pub fn codes(&self) -> Vec<(Code, u64)> {
        let mut found: Vec<(Code, u64)> = Vec::new();
        for &(key, times) in &self.0 {
            match found.last_mut() {
                Some((code, sum)) if *code == code_of(key) => *sum += times,
                _ => found.push((code_of(key), times)),
            }
        }
        found
    }

    /// Failed samples by code and kind.
    pub(crate) fn failed(&self) -> impl Iterator<Item = (Code, FailureKind, u64)> {
        self.0.iter().filter_map(|(key, times)| Some((code_of(*key), kind_of(*key)?, *times)))
    }

    /// Kinds of failures with the numbers of their samples, in the order of the kinds.
    pub fn failures(&self) -> Vec<(FailureKind, u64)> {
        let of_kind = |kind: FailureKind| {
            let of_it = self.0.iter().filter(|(key, _)| kind_of(*key) == Some(kind));
            (kind, of_it.map(|(_, times)| times).sum::<u64>())
        };
        FailureKind::ALL.into_iter().map(of_kind).filter(|(_, times)| *times > 0).collect()
    }
}

impl Serialize for Outcomes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Outcomes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let pairs = Vec::<(u32, u64)>::deserialize(deserializer)?;
        let mut outcomes = Self::default();
        for (found, times) in pairs {
            if key(code_of(found), kind_of(found)) != found {
                return Err(D::Error::custom("an outcome of an unknown kind"));
            }
            outcomes.add(found, times);
        }
        Ok(outcomes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn codes_are_numbers_below_a_thousand_or_one_of_two_others() {
        let number = Code::Number;
        let table = [
            ("200", number(200)),
            ("999", number(999)),
            ("0", number(0)),
            ("14", number(14)),
            ("", Code::NoResponse),
            ("Non HTTP response code: java.net.ConnectException", Code::NoResponse),
            ("007", Code::Other),
            ("07", Code::Other),
            ("+7", Code::Other),
            ("1000", Code::Other),
            ("20x", Code::Other),
            ("OK", Code::Other),
            ("٣", Code::Other),
        ];
        for (text, code) in table {
            assert_eq!(Code::of(text), code, "{text}");
            assert_eq!(Code::at(code.place()), code, "{text}");
        }
    }

    #[test]
    fn samples_are_counted_by_code_and_by_kind() {
        let mut outcomes = Outcomes::default();
        for (code, failed) in [
            ("200", None),
            ("500", Some(FailureKind::Status)),
            ("200", Some(FailureKind::Assertion)),
            ("200", None),
            ("", Some(FailureKind::Refused)),
            ("404", Some(FailureKind::Status)),
        ] {
            outcomes.record(code, failed);
        }
        let codes: Vec<_> = outcomes.codes().iter().map(|(code, times)| (code.to_string(), *times)).collect();
        let wanted = [("200", 3), ("404", 1), ("500", 1), ("no response", 1)];
        assert_eq!(codes, wanted.map(|(code, times)| (code.to_owned(), times)));
        let failures = [(FailureKind::Refused, 1), (FailureKind::Status, 2), (FailureKind::Assertion, 1)];
        assert_eq!(outcomes.failures(), failures);
    }

    proptest! {
        #[test]
        fn merging_gives_the_same_in_any_order_and_all_samples(
            samples in proptest::collection::vec((0_u16..1100, proptest::option::of(0_usize..FailureKind::COUNT)), 0..60),
            cut in any::<prop::sample::Index>(),
        ) {
            let of = |samples: &[(u16, Option<usize>)]| {
                let mut outcomes = Outcomes::default();
                for (code, kind) in samples {
                    outcomes.record(&code.to_string(), kind.map(|kind| FailureKind::ALL[kind]));
                }
                outcomes
            };
            let whole = of(&samples);
            let (first, second) = samples.split_at(cut.index(samples.len() + 1));
            for (a, b) in [(first, second), (second, first)] {
                let mut both = of(a);
                both.merge(&of(b));
                prop_assert_eq!(&both, &whole);
            }
            let sum: u64 = whole.codes().iter().map(|(_, times)| times).sum();
            prop_assert_eq!(sum, samples.len() as u64);
            let failed: u64 = whole.failures().iter().map(|(_, times)| times).sum();
            prop_assert_eq!(failed, samples.iter().filter(|(_, kind)| kind.is_some()).count() as u64);
            let bytes = postcard::to_stdvec(&whole).expect("encoded");
            prop_assert_eq!(postcard::from_bytes::<Outcomes>(&bytes).expect("decoded"), whole);
        }
    }

    #[test]
    fn an_unknown_kind_is_refused() {
        let bytes = postcard::to_stdvec(&vec![((200_u32 << KIND_BITS) | 0x63, 5_u64)]).expect("encoded");
        assert!(postcard::from_bytes::<Outcomes>(&bytes).is_err());
        let bytes = postcard::to_stdvec(&vec![(5000_u32 << KIND_BITS, 5_u64)]).expect("encoded");
        assert!(postcard::from_bytes::<Outcomes>(&bytes).is_err());
    }
}
