//! Names near a name that does not exist.

use strsim::damerau_levenshtein;

/// Names longer than this are not compared: the time grows with the product of their lengths.
const LONGEST: usize = 200;

/// Up to three known names that are nearest to a name, if they are near.
pub(crate) fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let length = name.chars().count();
    if length > LONGEST {
        return Vec::new();
    }
    let lower = name.to_lowercase();
    let limit = (length / 3).clamp(1, 5);
    let near = known.filter(|known| !known.is_empty() && known.len().abs_diff(name.len()) <= 4 * limit);
    let mut near: Vec<(usize, &str)> = near
        .filter(|known| known.chars().count() <= LONGEST)
        .map(|known| (damerau_levenshtein(&lower, &known.to_lowercase()), known))
        .filter(|(distance, _)| *distance <= limit)
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().map(|(_, known)| known).take(3).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let known = ["Users", "users 2", "Login", "", "Users"];
        assert_eq!(nearest("Uesrs", known.into_iter()), ["Users"]);
        assert_eq!(nearest("user2", known.into_iter()), ["Users"]);
        assert_eq!(nearest("x", known.into_iter()), [""; 0]);
        assert_eq!(nearest("Checkout", known.into_iter()), [""; 0]);
    }
}
