//! Histograms as sparse lists of buckets, and in HdrHistogram's V2 format.

use std::fmt;

use hdrhistogram::serialization::{Deserializer as HdrReader, Serializer as _, V2DeflateSerializer};
use serde::de::{Error, SeqAccess, Visitor};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Histogram, Precision};

impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let buckets = self.buckets().count();
        let mut list = serializer.serialize_seq(Some(buckets + 1))?;
        list.serialize_element(&(u64::from(self.precision() == Precision::Three), 0_u64))?;
        let mut before = 0;
        for (bucket, times) in self.buckets() {
            list.serialize_element(&(u64::from(bucket - before), times))?;
            before = bucket;
        }
        list.end()
    }
}

impl<'de> Deserialize<'de> for Histogram {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Buckets)
    }
}

struct Buckets;

impl<'de> Visitor<'de> for Buckets {
    type Value = Histogram;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the buckets of a histogram")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Histogram, A::Error> {
        let precision = match list.next_element::<(u64, u64)>()? {
            Some((0, _)) => Precision::Two,
            Some((1, _)) => Precision::Three,
            _ => return Err(A::Error::custom("a histogram without a precision")),
        };
        let mut histogram = Histogram::new(precision);
        let mut bucket = 0_u64;
        histogram.make_room(list.size_hint().unwrap_or(0));
        while let Some((gap, times)) = list.next_element::<(u64, u64)>()? {
            bucket = bucket.saturating_add(gap);
            let whole = u32::try_from(bucket).ok().and_then(|bucket| histogram.add_bucket(bucket, times));
            whole.ok_or_else(|| A::Error::custom("a bucket beyond the last, or more values than fit"))?;
        }
        Ok(histogram)
    }
}

impl Histogram {
    /// HdrHistogram's V2 form with deflate, which the HdrHistogram tools of all languages read: the
    /// same buckets, lowest value 1, the same number of digits. The unit stays nanoseconds.
    ///
    /// # Errors
    /// A count beyond 63 bits.
    pub fn to_hdr_v2_deflate(&self) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let written = V2DeflateSerializer::new().serialize(&self.to_hdr()?, &mut bytes);
        written.map_err(|error| error.to_string())?;
        Ok(bytes)
    }

    /// The histogram of bytes in HdrHistogram's V2 form, with or without deflate.
    ///
    /// # Errors
    /// They are none.
    pub fn from_hdr_v2(bytes: &[u8], precision: Precision) -> Result<Self, String> {
        let read: Result<hdrhistogram::Histogram<u64>, _> = HdrReader::new().deserialize(&mut &bytes[..]);
        let theirs = read.map_err(|error| error.to_string())?;
        let mut ours = Self::new(precision);
        for value in theirs.iter_recorded() {
            ours.record_many(value.value_iterated_to(), value.count_at_value());
        }
        Ok(ours)
    }

    fn to_hdr(&self) -> Result<hdrhistogram::Histogram<u64>, String> {
        let digits = if self.precision() == Precision::Three { 3 } else { 2 };
        let told = |error: &dyn fmt::Display| error.to_string();
        let mut theirs = hdrhistogram::Histogram::<u64>::new(digits).map_err(|error| told(&error))?;
        for (low, _, times) in self.iter() {
            theirs.record_n(low, times).map_err(|error| told(&error))?;
        }
        Ok(theirs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn other_tools_read_the_same_quantiles_and_what_they_write_is_read(
            values in proptest::collection::vec(1_u64..3_600_000_000_000, 1..200),
            quantile in 0.0..=1.0_f64,
        ) {
            for precision in [Precision::Two, Precision::Three] {
                let mut ours = Histogram::new(precision);
                for value in &values {
                    ours.record(*value);
                }
                let bytes = ours.to_hdr_v2_deflate().expect("the counts fit");
                let theirs: hdrhistogram::Histogram<u64> =
                    HdrReader::new().deserialize(&mut &bytes[..]).expect("it is their form");
                prop_assert_eq!(theirs.value_at_quantile(quantile), ours.quantile(quantile));
                prop_assert_eq!(Histogram::from_hdr_v2(&bytes, precision), Ok(ours));
            }
        }
    }

    #[test]
    fn bytes_that_are_no_histogram_are_an_error() {
        assert!(Histogram::from_hdr_v2(b"nothing of the kind", Precision::Two).is_err());
    }
}
