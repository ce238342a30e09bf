//! The list of namespaces of an element (`XPathUtil.namespacesParse`).

/// Prefixes with their namespaces, from lines `prefix=namespace`. Blanks count.
pub(super) fn parse(lines: &str) -> Vec<(String, String)> {
    let pairs = lines.split('\n').filter_map(|line| line.split_once('='));
    pairs.map(|(prefix, namespace)| (prefix.to_owned(), namespace.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_pairs() {
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(parse("x=u\ny=v=w\nnone\n"), [pair("x", "u"), pair("y", "v=w")]);
        assert_eq!(parse(" x = u"), [pair(" x ", " u")]);
        assert_eq!(parse(""), []);
    }
}
