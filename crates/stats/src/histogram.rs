//! Counts of durations in buckets of constant relative width, with the bucket layout of
//! HdrHistogram.
//!
//! The `hdrhistogram` crate stores its counts in one array from zero to the largest value: 100 KB
//! or more for three digits and nanoseconds. A test can have thousands of labels with five
//! histograms each, on every worker. So a few values are a list of buckets with their counts, eight
//! bytes each, and more are in pages that are allocated when a value first falls into them. Bucket
//! boundaries equal those of an `hdrhistogram` with lowest value 1 and the same number of digits,
//! which the tests use as the oracle.

/// Counts a page.
const PAGE: usize = 64;
const PAGE_BITS: u32 = PAGE.trailing_zeros();

/// Buckets that are a list at most: as large as four pages, while as many values of a wide range
/// would take fifty.
const FEW: usize = 128;

/// Pages that are made in one piece at most: what comes may claim to be longer than it is.
const MOST_ROOM: usize = 8;

/// Precision of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Two significant digits: a value is off by at most 1/128.
    Two,
    /// Three significant digits: a value is off by at most 1/1024.
    Three,
}

impl Precision {
    /// Binary logarithm of the number of buckets an octave.
    const fn octave_bits(self) -> u32 {
        match self {
            Self::Two => 7,
            Self::Three => 10,
        }
    }

    fn bucket_of(self, value: u64) -> u32 {
        let bits = self.octave_bits();
        let shift = (value | 1).ilog2().saturating_sub(bits);
        (shift << bits) + (value >> shift) as u32
    }

    /// Lowest and highest value that fall into a bucket.
    fn bounds_of(self, bucket: u32) -> (u64, u64) {
        let bits = self.octave_bits();
        let shift = (bucket >> bits).saturating_sub(1);
        let low = u64::from(bucket - (shift << bits)) << shift;
        (low, low + ((1_u64 << shift) - 1))
    }
}

/// A histogram of unsigned values (nanoseconds everywhere in Swell). Merging is exact, associative
/// and commutative.
#[derive(Clone, Debug)]
pub struct Histogram {
    precision: Precision,
    /// None before the first value: most histograms of most labels never get one.
    counts: Option<Box<Counts>>,
}

#[derive(Clone, Debug, Default)]
struct Counts {
    count: u64,
    /// Page number of the first slot.
    first_page: u32,
    /// For each page number from `first_page`: index into `pages` plus 1, or 0 where no value fell.
    slots: Vec<u16>,
    pages: Vec<[u32; PAGE]>,
    /// Without slots: the buckets with their counts, in rising order. With slots: the upper halves
    /// of counts that outgrew 32 bits, by bucket.
    pairs: Vec<(u32, u32)>,
}

impl Histogram {
    /// An empty histogram. Takes no memory before the first value.
    pub const fn new(precision: Precision) -> Self {
        Self { precision, counts: None }
    }

    /// Number of values.
    pub fn count(&self) -> u64 {
        self.counts.as_ref().map_or(0, |counts| counts.count)
    }

    #[inline]
    fn counts(&mut self) -> &mut Counts {
        self.counts.get_or_insert_default()
    }

    /// No values.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Precision of values.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Adds a value.
    #[inline]
    pub fn record(&mut self, value: u64) {
        let bucket = self.precision.bucket_of(value);
        self.counts().add(bucket, 1);
    }

    /// Adds a value many times.
    pub fn record_many(&mut self, value: u64, times: u64) {
        if times > 0 {
            let bucket = self.precision.bucket_of(value);
            self.counts().add(bucket, times);
        }
    }

    /// Adds all values of another histogram. The sum is as coarse as the coarser of both, if that
    /// has values.
    pub fn merge(&mut self, other: &Self) {
        let Some(others) = other.counts.as_deref().filter(|counts| counts.count > 0) else { return };
        if (self.precision, other.precision) == (Precision::Three, Precision::Two) {
            *self = self.coarse();
        }
        if other.precision == self.precision {
            self.counts().merge(others);
        } else {
            for (low, _, times) in other.iter() {
                self.record_many(low, times);
            }
        }
    }

    /// Forgets all values and keeps the memory.
    pub fn clear(&mut self) {
        if let Some(counts) = &mut self.counts {
            counts.count = 0;
            counts.pairs.clear();
            counts.pages.iter_mut().for_each(|page| page.fill(0));
        }
    }

    /// The value at a quantile in 0..=1: the highest value that could have fallen into the bucket
    /// of rank `ceil(quantile * count)`, as `hdrhistogram`'s `value_at_quantile`. 0 if there are no
    /// values.
    pub fn quantile(&self, quantile: f64) -> u64 {
        let rank = (quantile.clamp(0.0, 1.0) * self.count() as f64).ceil() as u64;
        self.value_at_rank(rank)
    }

    /// The value of a rank, counted from 1 in rising order; ranks outside are those of the ends. 0
    /// if there are no values.
    pub fn value_at_rank(&self, rank: u64) -> u64 {
        self.bounds_at_rank(rank).1
    }

    /// Lowest and highest value of the bucket of a rank, as [`Self::value_at_rank`].
    pub fn bounds_at_rank(&self, rank: u64) -> (u64, u64) {
        let rank = rank.clamp(1, self.count().max(1));
        let mut below = 0;
        for (bucket, times) in self.buckets() {
            below += times;
            if below >= rank {
                return self.precision.bounds_of(bucket);
            }
        }
        (0, 0)
    }

    /// How many values fall into buckets that lie wholly at or below `value`.
    pub fn count_up_to(&self, value: u64) -> u64 {
        let within = self.buckets().take_while(|&(bucket, _)| self.precision.bounds_of(bucket).1 <= value);
        within.map(|(_, times)| times).sum()
    }

    /// Buckets with values in rising order: lowest value, highest value, count.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        self.buckets().map(|(bucket, times)| {
            let (low, high) = self.precision.bounds_of(bucket);
            (low, high, times)
        })
    }

    /// Heap memory in bytes.
    pub fn heap_bytes(&self) -> usize {
        self.counts.as_ref().map_or(0, |counts| {
            size_of::<Counts>()
                + counts.slots.capacity() * size_of::<u16>()
                + counts.pages.capacity() * size_of::<[u32; PAGE]>()
                + counts.pairs.capacity() * size_of::<(u32, u32)>()
        })
    }

    /// Adds counts to a bucket by its number; none if there is no such bucket or the sum does not
    /// fit.
    pub(crate) fn add_bucket(&mut self, bucket: u32, times: u64) -> Option<()> {
        if bucket > self.precision.bucket_of(u64::MAX) {
            return None;
        }
        self.count().checked_add(times)?;
        self.counts().add(bucket, times);
        Some(())
    }

    /// Room for values in that many buckets, since they are about to be added.
    pub(crate) fn make_room(&mut self, buckets: usize) {
        if buckets <= FEW {
            self.counts().pairs.reserve_exact(buckets);
        } else {
            self.counts().pages.reserve(MOST_ROOM);
        }
    }

    pub(crate) fn buckets(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.counts.iter().flat_map(|counts| counts.buckets())
    }
}

impl Counts {
    #[inline]
    fn add(&mut self, bucket: u32, times: u64) {
        self.count += times;
        self.add_to_bucket(bucket, times);
    }

    /// The buckets and counts, where they are a list.
    fn few(&self) -> &[(u32, u32)] {
        if self.slots.is_empty() { &self.pairs } else { &[] }
    }

    fn buckets(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        let pages = self.slots.iter().zip(self.first_page..).filter(|&(&slot, _)| slot != 0);
        let few = self.few().iter().map(|&(bucket, times)| (bucket, u64::from(times)));
        few.chain(pages.flat_map(move |(&slot, number)| {
            let counts = self.pages[usize::from(slot) - 1].iter().zip(number << PAGE_BITS..);
            counts
                .map(|(&low, bucket)| (bucket, u64::from(low) + self.carry(bucket)))
                .filter(|&(_, times)| times > 0)
        }))
    }

    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        if other.slots.is_empty() {
            return other.pairs.iter().for_each(|&(bucket, times)| self.add_to_bucket(bucket, times.into()));
        }
        if self.slots.is_empty() {
            self.spread();
        }
        for (&slot, number) in other.slots.iter().zip(other.first_page..).filter(|&(&slot, _)| slot != 0) {
            let page = usize::from(self.page(number)) - 1;
            let mine = &mut self.pages[page];
            let theirs = &other.pages[usize::from(slot) - 1];
            // A loop without a branch adds several counts at a time.
            let mut overflowed = false;
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                *mine = mine.wrapping_add(*theirs);
                overflowed |= *mine < *theirs;
            }
            if overflowed {
                let over = mine.iter().zip(theirs).zip(number << PAGE_BITS..);
                let over = over.filter(|((sum, theirs), _)| sum < theirs);
                over.for_each(|(_, bucket)| add_carry(&mut self.pairs, bucket, 1));
            }
        }
        for &(bucket, high) in &other.pairs {
            add_carry(&mut self.pairs, bucket, high);
        }
    }

    fn carry(&self, bucket: u32) -> u64 {
        self.pairs.iter().find(|(of, _)| *of == bucket).map_or(0, |&(_, high)| u64::from(high) << 32)
    }

    #[inline]
    fn add_to_bucket(&mut self, bucket: u32, times: u64) {
        if self.slots.is_empty() {
            self.add_to_few(bucket, times);
        } else {
            self.add_to_page(bucket, times);
        }
    }

    #[inline(never)]
    fn add_to_few(&mut self, bucket: u32, times: u64) {
        let place = self.pairs.binary_search_by_key(&bucket, |&(known, _)| known);
        let before = place.map_or(0, |at| u64::from(self.pairs[at].1));
        match (place, u32::try_from(before + times)) {
            (Ok(at), Ok(sum)) => self.pairs[at].1 = sum,
            (Err(at), Ok(sum)) if self.pairs.len() < FEW => self.pairs.insert(at, (bucket, sum)),
            _ => {
                self.spread();
                self.add_to_page(bucket, times);
            }
        }
    }

    /// Puts what was a list into pages.
    #[cold]
    fn spread(&mut self) {
        for (bucket, times) in std::mem::take(&mut self.pairs) {
            self.add_to_page(bucket, u64::from(times));
        }
    }

    #[inline]
    fn add_to_page(&mut self, bucket: u32, times: u64) {
        let page = self.page(bucket >> PAGE_BITS);
        let count = &mut self.pages[usize::from(page) - 1][bucket as usize % PAGE];
        let sum = u64::from(*count) + times;
        *count = sum as u32;
        if sum > u64::from(u32::MAX) {
            add_carry(&mut self.pairs, bucket, (sum >> 32) as u32);
        }
    }

    #[inline]
    fn page(&mut self, number: u32) -> u16 {
        match self.slots.get(number.wrapping_sub(self.first_page) as usize) {
            Some(&page) if page != 0 => page,
            _ => self.make_page(number),
        }
    }

    #[cold]
    fn make_page(&mut self, number: u32) -> u16 {
        if self.slots.is_empty() {
            self.first_page = number;
        }
        if number < self.first_page {
            let missing = (self.first_page - number) as usize;
            self.slots.splice(0..0, std::iter::repeat_n(0, missing));
            self.first_page = number;
        }
        let slot = (number - self.first_page) as usize;
        if slot >= self.slots.len() {
            self.slots.resize(slot + 1, 0);
        }
        self.pages.push([0; PAGE]);
        self.slots[slot] = self.pages.len() as u16;
        self.slots[slot]
    }
}

#[cold]
fn add_carry(carries: &mut Vec<(u32, u32)>, bucket: u32, high: u32) {
    match carries.iter_mut().find(|(of, _)| *of == bucket) {
        Some((_, have)) => *have += high,
        None => carries.push((bucket, high)),
    }
}

/// Same values, whatever the memory looks like.
impl PartialEq for Histogram {
    fn eq(&self, other: &Self) -> bool {
        self.precision == other.precision && self.buckets().eq(other.buckets())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(precision: Precision, values: &[u64]) -> Histogram {
        let mut histogram = Histogram::new(precision);
        for &value in values {
            histogram.record(value);
        }
        histogram
    }

    /// Fewer values than are a list, and more.
    fn values() -> impl Strategy<Value = Vec<u64>> {
        let value = (0_u32..42, any::<u64>()).prop_map(|(bits, random)| random & ((1 << bits) - 1));
        proptest::collection::vec(value, 1..FEW * 3)
    }

    fn part() -> impl Strategy<Value = (Precision, Vec<u64>)> {
        (prop_oneof![Just(Precision::Two), Just(Precision::Three)], values())
    }

    proptest! {
        #[test]
        fn quantiles_equal_those_of_hdrhistogram(values in values(), quantile in 0.0..=1.0_f64) {
            for (precision, digits) in [(Precision::Two, 2), (Precision::Three, 3)] {
                let ours = of(precision, &values);
                let mut theirs = hdrhistogram::Histogram::<u64>::new(digits).expect("digits are valid");
                for &value in &values {
                    theirs.record(value).expect("it grows");
                }
                prop_assert_eq!(ours.quantile(quantile), theirs.value_at_quantile(quantile));
            }
        }

        #[test]
        fn a_quantile_is_at_most_the_stated_error_above_the_true_one(mut values in values(), quantile in 0.0..=1.0_f64) {
            let histograms = [(of(Precision::Two, &values), 128), (of(Precision::Three, &values), 1024)];
            values.sort_unstable();
            let rank = ((quantile * values.len() as f64).ceil() as usize).clamp(1, values.len());
            let truth = values[rank - 1];
            for (histogram, parts) in histograms {
                let found = histogram.quantile(quantile);
                prop_assert!(found >= truth && found - truth <= truth / parts, "{found} for {truth}");
            }
        }

        #[test]
        fn merging_is_associative_and_commutative(parts in [part(), part(), part()]) {
            let [a, b, c] = parts.map(|(precision, values)| of(precision, &values));
            let merged = |parts: [&Histogram; 2]| {
                let mut all = parts[0].clone();
                all.merge(parts[1]);
                all
            };
            prop_assert_eq!(merged([&a, &b]), merged([&b, &a]));
            prop_assert_eq!(merged([&merged([&a, &b]), &c]), merged([&a, &merged([&b, &c])]));
        }

        #[test]
        fn coarsening_equals_recording_coarsely(values in values()) {
            let mut coarse = Histogram::new(Precision::Two);
            coarse.merge(&of(Precision::Three, &values));
            prop_assert_eq!(coarse, of(Precision::Two, &values));
        }
    }

    #[test]
    fn counts_beyond_32_bits_are_kept() {
        let mut histogram = Histogram::new(Precision::Three);
        histogram.record_many(7, u64::from(u32::MAX));
        histogram.record_many(9, 1);
        for _ in 0..3 {
            histogram.merge(&histogram.clone());
        }
        assert_eq!(histogram.count(), 8 * (u64::from(u32::MAX) + 1));
        assert_eq!(histogram.count_up_to(7), 8 * u64::from(u32::MAX));
        assert_eq!(histogram.iter().map(|(_, _, times)| times).sum::<u64>(), histogram.count());
    }

    #[test]
    fn clearing_keeps_the_memory_and_forgets_the_values() {
        let mut histogram = of(Precision::Three, &[5, 1_000_000, 3_600_000_000_000]);
        let bytes = histogram.heap_bytes();
        histogram.clear();
        assert_eq!((histogram.count(), histogram.quantile(0.5), histogram.iter().count()), (0, 0, 0));
        histogram.record(1_000_000);
        assert_eq!(histogram.heap_bytes(), bytes);
    }

    #[test]
    fn a_few_values_take_little_memory() {
        let histogram = of(Precision::Three, &[900_000, 1_000_000, 1_100_000, 3_600_000_000_000]);
        assert!(histogram.heap_bytes() <= 160, "{} bytes", histogram.heap_bytes());
        let values: Vec<u64> = (0..64).map(|at| 1_000_000 * 11_u64.pow(at % 6) + u64::from(at)).collect();
        assert!(of(Precision::Three, &values).heap_bytes() <= 640);
    }

    #[test]
    fn ranks_outside_are_the_ends() {
        let histogram = of(Precision::Three, &[10, 20, 30]);
        assert_eq!([0, 1, 2, 3, 4].map(|rank| histogram.value_at_rank(rank)), [10, 10, 20, 30, 30]);
        assert_eq!(Histogram::new(Precision::Two).value_at_rank(1), 0);
    }
}
