//! Texts that match a pattern.

use regex_syntax::hir::{Class, Hir, HirKind};

/// A text that matches a pattern of JSON Schema and has one of these lengths; none if the pattern
/// has forms that are not known here, as looking ahead, or no such text is found.
pub(super) fn matching(pattern: &str, least: usize, most: usize) -> Option<String> {
    let hir = regex_syntax::ParserBuilder::new().unicode(false).utf8(false).build().parse(pattern).ok();
    let hir = hir.or_else(|| regex_syntax::parse(pattern).ok())?;
    let mut writer = Writer { out: String::new(), extra: 0, steps: MOST_STEPS };
    (0..=least).find_map(|extra| {
        writer.extra = extra;
        writer.out.clear();
        writer.write(&hir)?;
        let length = writer.out.chars().count();
        (length >= least && length <= most).then(|| writer.out.clone())
    })
}

/// Longer texts are not made.
const MOST_LENGTH: usize = 1_000;

/// Work on one pattern.
const MOST_STEPS: usize = 5_000;

struct Writer {
    out: String,
    /// How often what may be repeated is repeated beyond what it must.
    extra: usize,
    steps: usize,
}

impl Writer {
    fn write(&mut self, hir: &Hir) -> Option<()> {
        self.steps = self.steps.checked_sub(1).filter(|_| self.out.len() <= MOST_LENGTH)?;
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => self.out.push_str(std::str::from_utf8(&literal.0).ok()?),
            HirKind::Class(class) => self.out.push(letter(class)?),
            HirKind::Repetition(repeated) => {
                let least = usize::try_from(repeated.min).unwrap_or(usize::MAX);
                let most =
                    repeated.max.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
                for _ in 0..least.saturating_add(self.extra).min(most) {
                    self.write(&repeated.sub)?;
                }
            }
            HirKind::Capture(group) => self.write(&group.sub)?,
            HirKind::Concat(all) => all.iter().try_for_each(|one| self.write(one))?,
            HirKind::Alternation(all) => self.write(all.first()?)?,
        }
        Some(())
    }
}

/// A letter of a class: one that is easy to read, if there is one.
fn letter(class: &Class) -> Option<char> {
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => class.ranges().iter().map(|range| (range.start(), range.end())).collect(),
        Class::Bytes(class) => {
            class.ranges().iter().map(|range| (char::from(range.start()), char::from(range.end()))).collect()
        }
    };
    let has = |c: &char| ranges.iter().any(|(start, end)| start <= c && c <= end);
    ['a', 'A', '1', '0']
        .into_iter()
        .find(has)
        .or_else(|| ('!'..='~').find(has))
        .or_else(|| Some(ranges.first()?.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_match_their_pattern() {
        for (pattern, least, most, wanted) in [
            ("^[a-z]{3}$", 0, 99, Some("aaa")),
            (r"^\d{3}-\d{2,4}$", 0, 99, Some("111-11")),
            ("^[A-Z]+$", 4, 99, Some("AAAA")),
            ("^(GET|POST)$", 0, 99, Some("GET")),
            (r"^\+?[1-9]\d{1,14}$", 0, 99, Some("11")),
            ("^[^a-zA-Z0-9]$", 0, 99, Some("!")),
            ("^a*$", 5, 5, Some("aaaaa")),
            ("^a$", 2, 9, None),
            ("(?=a)b", 0, 9, None),
            ("a{500}{500}{500}", 0, 9, None),
            ("(a?){999}{999}{999}", 0, 9, None),
        ] {
            assert_eq!(matching(pattern, least, most).as_deref(), wanted, "{pattern}");
        }
    }
}
