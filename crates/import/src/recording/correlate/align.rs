//! Which requests of two recordings are the same step.

use crate::model::Exchange;
use crate::write::is_id;
use crate::write::url::target;

/// More comparisons take too long; then nothing is aligned.
const MOST: usize = 40_000_000;

/// What two requests have in common if they are the same step.
struct Key {
    method: String,
    host: String,
    segments: Vec<String>,
}

fn key(exchange: &Exchange) -> Key {
    let target = target(&exchange.url).ok();
    let host = target.as_ref().and_then(|target| target.origin.as_ref()).map(|origin| origin.host.clone());
    let path = target.map(|target| target.path.to_plan()).unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default();
    Key {
        method: exchange.method.clone(),
        host: host.unwrap_or_default(),
        segments: path.split('/').skip(1).map(str::to_owned).collect(),
    }
}

impl Key {
    fn is_like(&self, other: &Self) -> bool {
        if self.method != other.method
            || self.host != other.host
            || self.segments.len() != other.segments.len()
        {
            return false;
        }
        // One segment may be an id that does not look like one, if another is equal.
        let pairs = || self.segments.iter().zip(&other.segments);
        let differ = pairs().filter(|(one, two)| one != two && !(is_id(one) && is_id(two))).count();
        differ == 0 || differ == 1 && pairs().any(|(one, two)| one == two && !one.is_empty())
    }
}

/// For each request of the first recording, the index of the same one in the second: the longest
/// common subsequence.
pub(crate) fn pairs(first: &[&Exchange], second: &[&Exchange]) -> Vec<Option<usize>> {
    let mut out = vec![None; first.len()];
    if first.len().saturating_mul(second.len()) > MOST {
        return out;
    }
    let one: Vec<Key> = first.iter().map(|exchange| key(exchange)).collect();
    let two: Vec<Key> = second.iter().map(|exchange| key(exchange)).collect();
    let width = two.len() + 1;
    let mut lengths = vec![0_u32; (one.len() + 1) * width];
    for i in (0..one.len()).rev() {
        for j in (0..two.len()).rev() {
            let skipped = lengths[(i + 1) * width + j].max(lengths[i * width + j + 1]);
            let taken = if one[i].is_like(&two[j]) { lengths[(i + 1) * width + j + 1] + 1 } else { 0 };
            lengths[i * width + j] = skipped.max(taken);
        }
    }
    let mut i = 0;
    let mut j = 0;
    while i < one.len() && j < two.len() {
        let best = lengths[i * width + j];
        if one[i].is_like(&two[j]) && best == lengths[(i + 1) * width + j + 1] + 1 {
            out[i] = Some(j);
            i += 1;
            j += 1;
        } else if lengths[(i + 1) * width + j] == best {
            i += 1;
        } else {
            j += 1;
        }
    }
    out
}
