//! Snapshots in messages of a limited size.

use swell_stats::Snapshot;
use swell_stats::encoding::encode;

/// Bytes of a piece, unless a single label needs more. Brokers take messages up to 1 MiB.
pub(crate) const PIECE: usize = 640 * 1024;

/// The snapshot as pieces of at most that size, which merged give it back.
pub(crate) fn pieces(snapshot: &Snapshot, most: usize) -> Vec<Vec<u8>> {
    let bytes = encode(snapshot);
    if bytes.len() <= most || snapshot.rows.len() < 2 {
        return vec![bytes];
    }
    let [first, second] = snapshot.halves();
    let mut all = pieces(&first, most);
    all.extend(pieces(&second, most));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use swell_stats::encoding::decode;
    use swell_stats::{Observation, Recorder};

    proptest! {
        #[test]
        fn pieces_merge_to_the_whole(samples in proptest::collection::vec((0_u8..40, 0_u64..1 << 40, any::<bool>()), 0..300), most in 50_usize..4000) {
            let mut recorder = Recorder::new(30);
            for (label, elapsed_ns, success) in samples {
                let label = format!("label {label}");
                recorder.record(&Observation { label: &label, elapsed_ns, success, code: "500", ..Observation::default() });
            }
            let whole = recorder.take_interval();
            let mut merged = Snapshot::new(whole.label_limit());
            for piece in pieces(&whole, most) {
                let piece: Snapshot = decode(&piece).expect("it was encoded");
                prop_assert!(piece.rows.len() < 2 || encode(&piece).len() <= most);
                merged.merge(&piece);
            }
            prop_assert_eq!(merged.rows, whole.rows);
            prop_assert_eq!(merged.errors, whole.errors);
        }
    }
}
