//! Custom figures: numbers that a plan puts into variables, such as the total of an order.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Histogram, Precision};

/// Units of a value: it is kept as a whole number of millionths, so that sums are exact.
const UNITS: f64 = 1e6;

/// Bytes of the longest name.
const LONGEST: usize = 32;

/// The name of a figure: 1 to 32 ASCII letters, digits, `_`, `-` and `.`, with a letter or `_`
/// first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FigureName {
    bytes: [u8; LONGEST],
    length: u8,
}

impl FigureName {
    /// The name, if it is valid.
    pub fn new(text: &str) -> Option<Self> {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
        let starts = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        if !starts || text.len() > LONGEST || !text.bytes().all(is_part) {
            return None;
        }
        let mut bytes = [0; LONGEST];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        Some(Self { bytes, length: text.len() as u8 })
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }
}

impl fmt::Display for FigureName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for FigureName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for FigureName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_str().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for FigureName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::new(&text).ok_or_else(|| D::Error::custom("invalid name of a figure"))
    }
}

/// A value of a figure, in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FigureValue(i64);

impl FigureValue {
    /// A time as a number of milliseconds, exactly: a nanosecond is a millionth of one.
    #[must_use]
    pub fn ms_of_ns(ns: i64) -> Self {
        Self(ns)
    }

    /// A whole number; none if it is too large.
    #[must_use]
    pub fn whole(number: u64) -> Option<Self> {
        i64::try_from(number).ok()?.checked_mul(1_000_000).map(Self)
    }

    /// A number each second, of that number in a time; none of no time.
    #[must_use]
    pub fn per_second(number: u64, ns: i64) -> Option<Self> {
        let ns = u128::try_from(ns).ok().filter(|ns| *ns > 0)?;
        i64::try_from(u128::from(number) * 1_000_000_000_000_000 / ns).ok().map(Self)
    }

    /// The number in a text, rounded to a millionth; none if the text is not a number, or the
    /// number is beyond ±9.2 · 10¹².
    pub fn parse(text: &str) -> Option<Self> {
        let units = (text.trim().parse::<f64>().ok()? * UNITS).round();
        // The largest `f64` below 2⁶³ is far below it: nothing is cut here.
        (units.abs() < 2_f64.powi(63)).then_some(Self(units as i64))
    }
}

/// The values of one figure. Ends, sum and mean are exact to a millionth, percentiles to 0.1 %.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FigureStats {
    /// Values from zero up, in millionths.
    positive: Histogram,
    /// Sizes of the values below zero.
    negative: Histogram,
    sum: i128,
    min: i64,
    max: i64,
    /// Texts that are not numbers, and numbers that are too large.
    pub not_numbers: u64,
}

impl Default for FigureStats {
    fn default() -> Self {
        let histogram = || Histogram::new(Precision::Three);
        let (positive, negative) = (histogram(), histogram());
        Self { positive, negative, sum: 0, min: i64::MAX, max: i64::MIN, not_numbers: 0 }
    }
}

impl FigureStats {
    /// Counts a value; none: a text that is not a number.
    pub fn record(&mut self, value: Option<FigureValue>) {
        let Some(FigureValue(units)) = value else {
            self.not_numbers += 1;
            return;
        };
        let side = if units < 0 { &mut self.negative } else { &mut self.positive };
        side.record(units.unsigned_abs());
        self.sum += i128::from(units);
        self.min = self.min.min(units);
        self.max = self.max.max(units);
    }

    /// Adds what another has counted. Exact in any order.
    pub fn merge(&mut self, other: &Self) {
        self.positive.merge(&other.positive);
        self.negative.merge(&other.negative);
        self.sum += other.sum;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.not_numbers += other.not_numbers;
    }

    /// Values in rising order, each as the roundest of its bucket, with how often they occurred.
    pub fn values(&self) -> impl Iterator<Item = (f64, u64)> {
        let of = |(low, high, times): (u64, u64, u64)| (roundest(low, high) as f64 / UNITS, times);
        let mut below: Vec<_> = self.negative.iter().map(of).map(|(size, times)| (-size, times)).collect();
        below.reverse();
        below.into_iter().chain(self.positive.iter().map(of))
    }

    /// Number of values.
    pub fn count(&self) -> u64 {
        self.positive.count() + self.negative.count()
    }

    /// Sum of the values.
    pub fn sum(&self) -> f64 {
        self.sum as f64 / UNITS
    }

    /// Mean of the values; none without a value, as of all below.
    pub fn mean(&self) -> Option<f64> {
        (self.count() > 0).then(|| self.sum() / self.count() as f64)
    }

    /// Smallest value.
    pub fn min(&self) -> Option<f64> {
        (self.count() > 0).then(|| self.min as f64 / UNITS)
    }

    /// Largest value.
    pub fn max(&self) -> Option<f64> {
        (self.count() > 0).then(|| self.max as f64 / UNITS)
    }

    /// The value at a quantile in 0..=1, of rank `ceil(quantile * count)`: the roundest number of
    /// its bucket. So whole numbers stay whole.
    pub fn quantile(&self, quantile: f64) -> Option<f64> {
        let count = self.count();
        let rank = ((quantile.clamp(0.0, 1.0) * count as f64).ceil() as u64).clamp(1, count.max(1));
        let below = self.negative.count();
        let units = if rank <= below {
            let (low, high) = self.negative.bounds_at_rank(below - rank + 1);
            -i128::from(roundest(low, high))
        } else {
            let (low, high) = self.positive.bounds_at_rank(rank - below);
            i128::from(roundest(low, high))
        };
        (count > 0).then(|| units.clamp(i128::from(self.min), i128::from(self.max)) as f64 / UNITS)
    }
}

/// The number with the most zeros at its end, of those from `low` to `high`; the smallest of these.
fn roundest(low: u64, high: u64) -> u64 {
    let steps = (0..=19).rev().filter_map(|zeros| 10_u64.checked_pow(zeros));
    let mut round = steps.filter_map(|step| low.div_ceil(step).checked_mul(step));
    round.find(|number| *number <= high).unwrap_or(low)
}

/// The figures of a label. One without figures takes a word.
#[expect(clippy::box_collection, reason = "a word in the statistics of each label, which seldom has figures")]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures(Option<Box<BTreeMap<FigureName, FigureStats>>>);

impl Figures {
    /// Counts a value of a figure.
    pub fn record(&mut self, name: FigureName, value: Option<FigureValue>) {
        self.0.get_or_insert_default().entry(name).or_default().record(value);
    }

    /// Adds what another has counted. Exact in any order.
    pub fn merge(&mut self, other: &Self) {
        let Some(others) = &other.0 else { return };
        let own = self.0.get_or_insert_default();
        for (name, stats) in &**others {
            own.entry(*name).or_default().merge(stats);
        }
    }

    /// The values of a figure.
    pub fn get(&self, name: FigureName) -> Option<&FigureStats> {
        self.0.as_ref()?.get(&name)
    }

    /// All figures in order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&FigureName, &FigureStats)> {
        self.0.iter().flat_map(|all| all.iter())
    }

    /// Whether there are no figures.
    pub fn is_empty(&self) -> bool {
        self.0.as_ref().is_none_or(|all| all.is_empty())
    }
}

impl FromIterator<(FigureName, FigureStats)> for Figures {
    fn from_iter<I: IntoIterator<Item = (FigureName, FigureStats)>>(all: I) -> Self {
        let all: BTreeMap<_, _> = all.into_iter().collect();
        Self((!all.is_empty()).then(|| Box::new(all)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(values: &[&str]) -> FigureStats {
        let mut stats = FigureStats::default();
        for text in values {
            stats.record(FigureValue::parse(text));
        }
        stats
    }

    #[test]
    fn names_are_short_and_plain() {
        for name in ["order_total", "a", "_x", "queue-depth.max", &"x".repeat(32)] {
            assert_eq!(FigureName::new(name).map(|known| known.to_string()).as_deref(), Some(name));
        }
        for name in ["", "1a", "-a", "a b", "ü", "a\"", &"x".repeat(33)] {
            assert_eq!(FigureName::new(name), None, "{name}");
        }
    }

    #[test]
    fn values_are_decimals_and_negative_and_other_texts_are_counted() {
        let stats =
            of(&[" 12.5", "-3", "0", "1e3", "-0.000001", "", "12,5", "NaN", "inf", "9.3e12", "-9.3e12", "x"]);
        assert_eq!((stats.count(), stats.not_numbers), (5, 7));
        assert_eq!((stats.min(), stats.max(), stats.sum()), (Some(-3.0), Some(1000.0), 1_009.499_999));
        assert_eq!(stats.mean(), Some(201.899_999_8));
        assert_eq!(stats.quantile(0.5), Some(0.0));
        let found = [0.0, 0.4, 0.8, 1.0].map(|share| stats.quantile(share));
        assert_eq!(found, [Some(-3.0), Some(-0.000_001), Some(12.5), Some(1000.0)]);
        let values: Vec<_> = stats.values().collect();
        assert_eq!(values, [(-3.0, 1), (-0.000_001, 1), (0.0, 1), (12.5, 1), (1000.0, 1)]);
        let none = of(&["x"]);
        assert_eq!((none.count(), none.mean(), none.min(), none.quantile(0.5)), (0, None, None, None));
    }

    #[test]
    fn whole_numbers_stay_whole() {
        for number in 1..3000_u64 {
            let mut stats = FigureStats::default();
            for text in [number.to_string(), "0".to_owned(), "1e6".to_owned()] {
                stats.record(FigureValue::parse(&text));
            }
            let found = stats.quantile(0.5).expect("values");
            assert!(
                (found - number as f64).abs() <= number as f64 / 1024.0 && found.fract() == 0.0,
                "{number} {found}"
            );
            assert!(number >= 1000 || found as u64 == number, "{number} {found}");
        }
        assert_eq!((roundest(0, 0), roundest(1, 1), roundest(u64::MAX - 1, u64::MAX)), (0, 1, u64::MAX - 1));
    }

    proptest! {
        #[test]
        fn merging_is_exact_in_any_order_and_quantiles_are_close(a in proptest::collection::vec(-1e9..1e9_f64, 1..60), b in proptest::collection::vec(-1.0..1.0_f64, 0..60)) {
            let texts = |all: &[f64]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
            let stats = |texts: &[String]| of(&texts.iter().map(String::as_str).collect::<Vec<_>>());
            let (a, b) = (texts(&a), texts(&b));
            let mut ab = stats(&a);
            ab.merge(&stats(&b));
            let mut ba = stats(&b);
            ba.merge(&stats(&a));
            prop_assert_eq!(&ab, &ba);
            prop_assert_eq!(&ab, &stats(&[&a[..], &b[..]].concat()));
            let mut sorted: Vec<f64> = a.iter().chain(&b).map(|text| text.parse().expect("a number")).collect();
            sorted.sort_unstable_by(f64::total_cmp);
            for share in [0.1, 0.5, 0.9, 1.0] {
                let rank = (share * sorted.len() as f64).ceil() as usize;
                let exact = sorted[rank - 1];
                let found = ab.quantile(share).expect("values");
                prop_assert!((found - exact).abs() <= exact.abs() * 0.001 + 1e-6, "{found} {exact}");
            }
        }
    }
}
