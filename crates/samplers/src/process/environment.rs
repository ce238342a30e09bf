//! The order in which JMeter shows a program's environment variables: that of Java's `HashMap`.

use swell_java::map;

/// Pairs as a `HashMap` lists them after they were put in, in order; a later value of a name takes
/// the place of an earlier.
pub(super) fn in_order_of_hashes(pairs: &[(String, String)]) -> Vec<&(String, String)> {
    let mut kept: Vec<&(String, String)> = Vec::with_capacity(pairs.len());
    for pair in pairs {
        match kept.iter_mut().find(|known| known.0 == pair.0) {
            Some(known) => *known = pair,
            None => kept.push(pair),
        }
    }
    let bins = map::bins(16, kept.len());
    // Within a bin they stay in the order of their coming; a stable sort keeps it.
    kept.sort_by_key(|(name, _)| map::bin(name, bins));
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_the_order_of_java() {
        let pairs =
            |names: &[&str]| names.iter().map(|n| ((*n).to_owned(), String::new())).collect::<Vec<_>>();
        // As Java 17 prints a HashMap of these.
        let many = ["0", "7", "14", "21", "28", "35", "42", "49", "56", "63", "70", "77", "84", "91"];
        let java = ["14", "35", "0", "56", "77", "7", "28", "49", "70", "91", "21", "42", "63", "84"];
        let named = |all: [&str; 14]| all.map(|n| format!("VAR_{n}"));
        let many = named(many);
        let java = named(java);
        let many = many.each_ref().map(String::as_str);
        let java = java.each_ref().map(String::as_str);
        let cases: [(&[&str], &[&str]); 4] = [
            (&many, &java),
            (&["REGISTRY_USERNAME", "REGISTRY_PASSWORD"], &["REGISTRY_PASSWORD", "REGISTRY_USERNAME"]),
            (&["b", "a", "Aa", "BB"], &["Aa", "BB", "a", "b"]),
            (&["one"], &["one"]),
        ];
        for (given, expected) in cases {
            let given = pairs(given);
            let names: Vec<&str> = in_order_of_hashes(&given).iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(names, expected);
        }
    }

    #[test]
    fn the_last_value_of_a_name_counts() {
        let pairs = [("a", "1"), ("b", "2"), ("a", "3")].map(|(n, v)| (n.to_owned(), v.to_owned()));
        let values: Vec<&str> = in_order_of_hashes(&pairs).iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, ["3", "2"]);
    }
}
