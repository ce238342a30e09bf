//! Finds the known word that was probably meant by a typo.

use strsim::levenshtein;

/// The word that is least changed, if few of its letters are.
pub fn nearest<'w>(typo: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let lower = typo.to_lowercase();
    let ranked = words.into_iter().map(|word| (levenshtein(&lower, &word.to_lowercase()), word));
    let (changes, word) = ranked.min_by_key(|(changes, _)| *changes)?;
    if sorted(&lower) == sorted(&word.to_lowercase()) {
        return Some(word);
    }
    let most = (word.chars().count().max(typo.chars().count())).div_ceil(3);
    (changes <= most && changes < word.chars().count()).then_some(word)
}

/// Two words with the same letters differ by swapped letters.
fn sorted(word: &str) -> Vec<char> {
    let mut letters: Vec<_> = word.chars().collect();
    letters.sort_unstable();
    letters
}

#[cfg(test)]
mod tests {
    use super::*;

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
