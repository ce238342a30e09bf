//! Completes unqualified names (`/etc/resolv.conf`, as dnsjava reads it).

use std::sync::OnceLock;

/// The suffixes to try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Search {
    domains: Vec<String>,
    /// A name with more dots than this is tried as it is, too, and first.
    dots: usize,
}

impl Search {
    /// That of this machine.
    pub(super) fn of_machine() -> &'static Self {
        static SEARCH: OnceLock<Search> = OnceLock::new();
        SEARCH.get_or_init(|| Self::parse(&std::fs::read_to_string("/etc/resolv.conf").unwrap_or_default()))
    }

    fn parse(text: &str) -> Self {
        let mut search = Self { domains: Vec::new(), dots: 1 };
        for line in text.lines() {
            let mut words = line.split_ascii_whitespace();
            match words.next() {
                Some("domain") if search.domains.is_empty() => {
                    search.domains.extend(words.next().map(str::to_owned));
                }
                Some("search") => search.domains = words.map(str::to_owned).collect(),
                Some("options") => {
                    let dots = words.find_map(|word| word.strip_prefix("ndots:")?.parse().ok());
                    search.dots = dots.unwrap_or(search.dots);
                }
                _ => {}
            }
        }
        search
    }

    /// What to ask for, one after the other.
    pub(super) fn names(&self, name: &str) -> Vec<String> {
        if name.ends_with('.') || self.domains.is_empty() {
            return vec![name.to_owned()];
        }
        let labels = name.split('.').count();
        let whole = (labels > self.dots).then(|| name.to_owned());
        whole.into_iter().chain(self.domains.iter().map(|domain| format!("{name}.{domain}"))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_whole() {
        let none = Search::parse("nameserver 192.0.2.1\n");
        assert_eq!(none.names("a"), ["a"]);
        let search = Search::parse("domain first.test\nsearch one.test two.test\noptions rotate ndots:2\n");
        assert_eq!(search.names("a"), ["a.one.test", "a.two.test"]);
        assert_eq!(search.names("a.b"), ["a.b.one.test", "a.b.two.test"]);
        assert_eq!(search.names("a.b.c"), ["a.b.c", "a.b.c.one.test", "a.b.c.two.test"]);
        assert_eq!(search.names("a."), ["a."]);
        assert_eq!(Search::parse("domain d.test\n").names("a.b"), ["a.b", "a.b.d.test"]);
    }
}
