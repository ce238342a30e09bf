//! The known word that a typo may stand for.

/// The word that is least changed, if few of its letters are.
pub(crate) fn nearest<'w>(typo: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let lower = typo.to_lowercase();
    let ranked = words.into_iter().map(|word| (distance(&lower, &word.to_lowercase()), word));
    let (changes, word) = ranked.min_by_key(|(changes, _)| *changes)?;
    if sorted(&lower) == sorted(&word.to_lowercase()) {
        return Some(word);
    }
    let most = (word.chars().count().max(typo.chars().count())).div_ceil(3);
    (changes <= most && changes < word.chars().count()).then_some(word)
}

/// Two words of the same letters differ by letters that changed places.
fn sorted(word: &str) -> Vec<char> {
    let mut letters: Vec<_> = word.chars().collect();
    letters.sort_unstable();
    letters
}

/// Letters that are put in, left out, or changed (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let changed = corner + usize::from(x != *y);
            corner = row[j + 1];
            row[j + 1] = changed.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_the_textbook() {
        for (a, b, wanted) in [("kitten", "sitting", 3), ("", "abc", 3), ("abc", "abc", 0), ("ab", "ba", 2)] {
            assert_eq!((distance(a, b), distance(b, a)), (wanted, wanted), "{a} {b}");
        }
    }

    #[test]
    fn a_typo_has_a_word_and_something_else_has_none() {
        let words = ["errors", "samples", "median", "rps"];
        for (typo, wanted) in [
            ("error", Some("errors")),
            ("Sampels", Some("samples")),
            ("rp", Some("rps")),
            ("rsp", Some("rps")),
            ("x", None),
            ("turnip", None),
        ] {
            assert_eq!(nearest(typo, words), wanted, "{typo}");
        }
        assert_eq!(nearest("a", []), None);
    }
}
