//! How many requests a run made, where those are not its samples.

use swell_stats::Summary;

use crate::number::count;

/// A sentence where more requests went out than there are samples; none elsewhere, and where it is
/// not known.
pub(crate) fn sentence(summary: &Summary) -> Option<String> {
    let requests = summary.requests;
    let samples = summary.total.samples;
    (requests > samples).then(|| {
        format!(
            "{} samples sent {} requests, including redirects and embedded resources",
            count(samples),
            count(requests)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_stats::{Observation, Recorder};

    #[test]
    fn requests_are_told_where_they_are_not_the_samples() {
        let of = |requests| {
            let mut recorder = Recorder::default();
            let sample = Observation { label: "a", success: true, requests, ..Observation::default() };
            (0..600).for_each(|_| recorder.record(&sample));
            sentence(&Summary::of(&recorder.take_interval()))
        };
        assert_eq!([of(0), of(1)], [None, None]);
        let wanted = "600 samples sent 1,800 requests, including redirects and embedded resources";
        assert_eq!(of(3).as_deref(), Some(wanted));
    }
}
