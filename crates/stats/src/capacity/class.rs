//! Classifies a load from repeated trials of it (MLRsearch, RFC 9971).

/// The class of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The server can handle it.
    Lower,
    /// It does not.
    Upper,
    /// More trials are needed to tell.
    Open,
}

/// The requirements for classifying a load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Needs {
    /// A trial of this time or more is a long one, in seconds.
    pub long_s: f64,
    /// Time of trials that settles a load, in seconds.
    pub sum_s: f64,
    /// Part (0..1) of the time that may be bad.
    pub exceed_ratio: f64,
}

/// Classifies a load from its trials: their seconds, and whether they were good. The formula is
/// that of the reference code of RFC 9971: good short trials can make up for bad short ones only,
/// so a load is a lower bound by long trials alone.
pub fn classify(trials: impl IntoIterator<Item = (f64, bool)>, needs: Needs) -> Class {
    let mut good_long = 0.0;
    let mut bad_long = 0.0;
    let mut good_short = 0.0;
    let mut bad_short = 0.0;
    for (seconds, good) in trials {
        let is_long = seconds >= needs.long_s;
        *match (is_long, good) {
            (true, true) => &mut good_long,
            (true, false) => &mut bad_long,
            (false, true) => &mut good_short,
            (false, false) => &mut bad_short,
        } += seconds;
    }
    let decrease = good_short * needs.exceed_ratio / (1.0 - needs.exceed_ratio);
    let excess = bad_long + f64::max(0.0, bad_short - decrease);
    let sum = f64::max(good_long + excess, needs.sum_s);
    let limit = sum * needs.exceed_ratio;
    match (excess <= limit, sum - good_long <= limit) {
        (true, true) => Class::Lower,
        (false, false) => Class::Upper,
        _ => Class::Open,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trials_of_a_load_are_summed_up() {
        let needs = Needs { long_s: 20.0, sum_s: 60.0, exceed_ratio: 0.5 };
        let good = (20.0, true);
        let bad = (20.0, false);
        let quick_good = (10.0, true);
        let quick_bad = (10.0, false);
        for (trials, class) in [
            (&[][..], Class::Open),
            (&[good], Class::Open),
            (&[good, good], Class::Lower),
            (&[good, bad, good], Class::Lower),
            (&[bad], Class::Open),
            (&[bad, bad], Class::Upper),
            (&[good, bad], Class::Open),
            (&[good, bad, bad], Class::Upper),
            (&[quick_good; 9], Class::Open),
            (&[quick_bad; 3], Class::Open),
            (&[quick_bad; 4], Class::Upper),
            (&[quick_bad, quick_bad, quick_bad, quick_bad, quick_good], Class::Open),
        ] {
            assert_eq!(classify(trials.iter().copied(), needs), class, "{trials:?}");
        }
    }
}
