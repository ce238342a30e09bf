//! The order of Java's `Hashtable`, in which its JKS stores list their aliases.

/// Puts keys, given in the order in which they were put in, into the order in which they come out.
pub(crate) fn hashtable_order(keys: &[String]) -> Vec<usize> {
    let mut table: Vec<Vec<usize>> = vec![Vec::new(); 11];
    for (count, key) in keys.iter().enumerate() {
        if count >= table.len() * 3 / 4 {
            table = grown(&table, keys);
        }
        let bucket = bucket(key, table.len());
        // The newest of a bucket comes first.
        table[bucket].insert(0, count);
    }
    table.into_iter().rev().flatten().collect()
}

fn grown(table: &[Vec<usize>], keys: &[String]) -> Vec<Vec<usize>> {
    let mut larger = vec![Vec::new(); table.len() * 2 + 1];
    for &at in table.iter().rev().flatten() {
        let bucket = bucket(&keys[at], larger.len());
        larger[bucket].insert(0, at);
    }
    larger
}

fn bucket(key: &str, size: usize) -> usize {
    let hash =
        key.encode_utf16().fold(0_i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)));
    (hash & i32::MAX) as usize % size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_java_lists_them() {
        for (put, listed) in [
            ("first second third-3 user4", "second user4 third-3 first"),
            (
                "a1 b2 user3 user4 user5 user6 user7 user8 user9 user10 user11 user12 zeta \u{e9}mile",
                "user12 user11 a1 \u{e9}mile user10 zeta user9 user8 user7 b2 user6 user5 user4 user3",
            ),
        ] {
            let keys: Vec<String> = put.split(' ').map(str::to_owned).collect();
            let order: Vec<&str> = hashtable_order(&keys).into_iter().map(|at| keys[at].as_str()).collect();
            assert_eq!(order.join(" "), listed);
        }
    }
}
