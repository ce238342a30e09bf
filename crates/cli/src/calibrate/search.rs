//! The largest load of which a trial says that it is good.

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Highest {
    /// The largest good load; none if not even the first was.
    pub(crate) good: Option<u64>,
    /// The smallest load that was tried and bad; none if all up to the limit were good.
    pub(crate) bad: Option<u64>,
}

/// Doubles the load from `first` until a trial is bad or the limit is reached (or halves it down to
/// a sixteenth until one is good), then halves the gap until it is within a tenth. A load is bad
/// only if a second trial of it is bad too: one hiccup of the machine is not its limit. An error of
/// a trial ends the search.
pub(crate) fn highest<E>(
    first: u64,
    limit: u64,
    mut is_good: impl FnMut(u64) -> Result<bool, E>,
) -> Result<Highest, E> {
    let mut twice = |load: u64| Ok(is_good(load)? || is_good(load)?);
    let mut good = None;
    let mut bad = None;
    let mut load = first.min(limit);
    loop {
        if twice(load)? {
            good = Some(load);
        } else {
            bad = Some(load);
        }
        load = match (good, bad) {
            (Some(good), Some(bad)) if bad - good <= good / 10 => break,
            (Some(good), Some(bad)) => good + (bad - good) / 2,
            (Some(good), None) if good >= limit => break,
            (Some(good), None) => good.saturating_mul(2).min(limit),
            (None, _) if load / 2 > first / 32 => load / 2,
            (None, _) => break,
        };
        if Some(load) == good {
            break;
        }
    }
    Ok(Highest { good, bad })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(first: u64, limit: u64, truth: u64) -> (Highest, usize) {
        let mut trials = 0;
        let found = highest::<()>(first, limit, |load| {
            trials += 1;
            Ok(load <= truth)
        });
        (found.expect("no trial fails"), trials)
    }

    #[test]
    fn the_limit_is_found_within_a_tenth() {
        for truth in [12, 50, 100, 130, 999, 1000, 12_345, 54_321] {
            let (found, trials) = search(100, 1_000_000, truth);
            let good = found.good.expect("the first is good");
            let bad = found.bad.expect("the last is not");
            assert!(good <= truth && truth < bad && bad - good <= good / 10 + 1, "{truth}: {found:?}");
            assert!(trials < 30, "{trials}");
        }
    }

    #[test]
    fn ends_are_told() {
        assert_eq!(search(160, 1000, 5).0, Highest { good: None, bad: Some(10) });
        assert_eq!(search(100, 1000, 5000).0, Highest { good: Some(1000), bad: None });
        assert_eq!(search(100, 50, 5000).0, Highest { good: Some(50), bad: None });
        assert_eq!(highest(1, 9, |_| Err("gone")), Err("gone"));
    }

    #[test]
    fn one_hiccup_is_not_the_limit() {
        let mut hiccup = true;
        let found = highest::<()>(100, 400, |load| Ok(!(load == 200 && std::mem::take(&mut hiccup))));
        assert_eq!(found, Ok(Highest { good: Some(400), bad: None }));
    }
}
