//! The order in which `java.util.HashMap` lists its keys.
//!
//! JMeter copies an object that a path found into a `JSONObject`, which is a `HashMap`, before it
//! writes the object. So the keys of that object (but not of nested ones) are in hash order. The
//! size of the table is that of Java 8 to 17.

use swell_java::map::bin;

/// Positions of the keys in the order of a `HashMap` that was made from them.
pub(super) fn hash_order<'k>(keys: impl ExactSizeIterator<Item = &'k str>) -> Vec<usize> {
    let bins = table_size(keys.len());
    let mut order: Vec<(u32, usize)> = keys.map(|key| bin(key, bins)).zip(0..).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, position)| position).collect()
}

/// `HashMap.tableSizeFor(size / 0.75f + 1)`.
fn table_size(keys: usize) -> u32 {
    ((keys as f32 / 0.75 + 1.0) as u32).next_power_of_two()
}
