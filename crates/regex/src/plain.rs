//! Searches for expressions that take no steps back: those of `fancy-regex` make a list of groups
//! for each match, and go over a match three times.

use fancy_regex::{Assertion, Expr};
use regex_automata::meta;
use regex_automata::util::prefilter::Prefilter;
use regex_automata::util::primitives::NonMaxUsize;
use regex_automata::{Anchored, Input, MatchKind, Span};

use super::SIZE_LIMIT;

/// Beginnings of a match that are tried one by one before the search is left to the engine, which
/// goes over the text once whatever it is like.
const TRIES: usize = 4;

/// The same expression as automata, with what finds where a match may begin.
#[derive(Debug)]
pub(super) struct PlainSearch {
    engine: meta::Regex,
    /// Finds the literal texts one of which each match begins with, where there are some that can be
    /// found fast.
    beginning: Option<Prefilter>,
}

/// Where groups are, as `regex-automata` writes them: a start and an end for each, the whole match
/// first.
pub(super) type Slots = [Option<NonMaxUsize>];

impl PlainSearch {
    /// Compiles an expression in the syntax of `fancy-regex`; none if it needs more than automata.
    pub(super) fn new(syntax: &str) -> Option<Self> {
        let tree = Expr::parse_tree(syntax).ok()?;
        if !is_plain(&tree.expr) {
            return None;
        }
        let mut cooked = String::with_capacity(syntax.len() + 16);
        tree.expr.to_str(&mut cooked, 0);
        let hir = regex_syntax::parse(&cooked).ok()?;
        let config = meta::Config::new().nfa_size_limit(Some(SIZE_LIMIT));
        let engine = meta::Builder::new().configure(config).build_from_hir(&hir).ok()?;
        let beginning = Prefilter::from_hir_prefix(MatchKind::LeftmostFirst, &hir);
        Some(Self { engine, beginning: beginning.filter(Prefilter::is_fast) })
    }

    /// How many slots a match has.
    pub(super) fn slots(&self) -> usize {
        self.engine.captures_len() * 2
    }

    /// Looks for the first match from a position on; whether there is one.
    pub(super) fn find(&self, text: &str, mut at: usize, slots: &mut Slots) -> bool {
        if let Some(beginning) = &self.beginning {
            for _ in 0..TRIES {
                let rest = Span { start: at, end: text.len() };
                let Some(found) = beginning.find(text.as_bytes(), rest) else { return false };
                let input = Input::new(text).span(found.start..text.len()).anchored(Anchored::Yes);
                if self.engine.search_slots(&input, slots).is_some() {
                    return true;
                }
                at = found.start + 1;
            }
        }
        self.engine.search_slots(&Input::new(text).span(at..text.len()), slots).is_some()
    }
}

/// Whether automata are all that an expression needs, and [`Expr::to_str`] can write it.
fn is_plain(expr: &Expr) -> bool {
    match expr {
        Expr::Empty | Expr::Any { .. } | Expr::Literal { .. } | Expr::Delegate { .. } => true,
        Expr::Assertion(assertion) => matches!(
            assertion,
            Assertion::StartText
                | Assertion::EndText
                | Assertion::StartLine { .. }
                | Assertion::EndLine { .. }
        ),
        Expr::Concat(parts) | Expr::Alt(parts) => parts.iter().all(is_plain),
        Expr::Group(inner) | Expr::Repeat { child: inner, .. } => is_plain(inner),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Where the groups of a match are.
    type Places = Vec<Option<(usize, usize)>>;

    /// All matches, each looked for from the end of the one before.
    fn found(find: &mut dyn FnMut(usize) -> Option<Places>) -> Vec<Places> {
        let mut all = Vec::new();
        let mut at = 0;
        while let Some(groups) = find(at) {
            let (start, end) = groups[0].expect("group 0 is the match");
            all.push(groups);
            if start == end {
                break;
            }
            at = end;
        }
        all
    }

    proptest! {
        #[test]
        fn it_finds_what_fancy_regex_finds(
            pattern in r#"(a|b|ab|"id":|\(a\)|\(b\|ab\)|\([^"]+\)|\(.*?\)|\(\d+\)|\^|\$|[*+?]|x\{1,2\}|(?i)|ä){1,6}"#,
            text in r#"(a|b|ab|x|xx|"|"id":|1|22|ä|\n| ){0,16}"#,
        ) {
            let Ok(fancy) = fancy_regex::Regex::new(&pattern) else { return Ok(()) };
            let Some(plain) = PlainSearch::new(&pattern) else { return Ok(()) };
            let expected = found(&mut |at| {
                let groups = fancy.captures_from_pos(&text, at).expect("it takes no steps back")?;
                Some((0..groups.len()).map(|at| groups.get(at).map(|m| (m.start(), m.end()))).collect())
            });
            let mut slots = vec![None; plain.slots()];
            let mut groups = |at| {
                let pair = |pair: &[Option<NonMaxUsize>]| Some((pair[0]?.get(), pair[1]?.get()));
                plain.find(&text, at, &mut slots).then(|| slots.chunks(2).map(pair).collect())
            };
            prop_assert_eq!(found(&mut groups), expected);
        }
    }

    #[test]
    fn false_beginnings_do_not_hide_a_match() {
        let plain = PlainSearch::new("ab(c+)d").expect("it is plain");
        assert!(plain.beginning.is_some());
        let mut slots = vec![None; plain.slots()];
        let text = "ab abc abcc ab abx ab abccd";
        assert!(plain.find(text, 0, &mut slots));
        assert_eq!(slots[0].map(NonMaxUsize::get), text.rfind("ab"));
        assert!(!plain.find(&text[..text.len() - 1], 0, &mut slots));
    }

    #[test]
    fn what_takes_steps_back_is_left_to_fancy_regex() {
        for hard in ["(?=a)b", r"(a)\1", "(?>a)", r"\ba", r"a\b", "(?<=a)b", r"\Ga"] {
            assert!(PlainSearch::new(hard).is_none(), "{hard}");
        }
    }
}
