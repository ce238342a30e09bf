//! Names of characters in HTML 4.0 (sections 24.2 to 24.4).

use std::sync::LazyLock;

/// Names with their codes.
type Names = Vec<(&'static str, u16)>;

/// In the order of the codes, and in that of the names.
static NAMED: LazyLock<[Names; 2]> = LazyLock::new(|| {
    let pair = |line: &'static str| {
        let (name, code) = line.split_once(' ').expect("a name and a code");
        (name, code.parse().expect("a code"))
    };
    let by_code: Names = include_str!("entities.txt").lines().map(pair).collect();
    let mut by_name = by_code.clone();
    by_name.sort_unstable();
    [by_code, by_name]
});

/// The code of a character by its name in HTML 4, without `&` and `;`.
pub(crate) fn entity_code(name: &str) -> Option<u16> {
    let [_, names] = &*NAMED;
    let at = names.binary_search_by_key(&name, |(known, _)| known).ok()?;
    Some(names[at].1)
}

/// The name of a character in HTML 4.
pub fn entity_name(c: char) -> Option<&'static str> {
    let [codes, _] = &*NAMED;
    let at = codes.binary_search_by_key(&u32::from(c), |(_, code)| u32::from(*code)).ok()?;
    Some(codes[at].0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_and_every_code_is_found() {
        let [codes, names] = &*NAMED;
        assert_eq!((codes.len(), names.len()), (252, 252));
        for (name, code) in codes {
            assert_eq!(entity_code(name), Some(*code));
            assert_eq!(char::from_u32(u32::from(*code)).and_then(entity_name), Some(*name));
        }
        assert_eq!((entity_code("nbsp"), entity_name('\u{a0}')), (Some(160), Some("nbsp")));
        assert_eq!((entity_code("apos"), entity_name('a')), (None, None));
    }
}
