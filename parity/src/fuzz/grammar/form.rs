//! A form of a rule: text that contains names of rules.

/// A piece of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Text(String),
    /// The text of a rule, percent-encoded or not.
    Rule {
        name: String,
        encoded: bool,
    },
    /// A rule several times, with a separator.
    Times {
        name: String,
        least: i32,
        most: i32,
        between: String,
    },
    /// Binds a name to a text.
    Word {
        name: String,
        text: String,
    },
    /// Binds a name to the text of a rule, which is shown here or not.
    Named {
        name: String,
        rule: String,
        shown: bool,
    },
    /// Binds a name to a rule from here on.
    Instead {
        name: String,
        rule: String,
    },
    Range(i32, i32),
    /// `true` with this chance in percent, otherwise `false`.
    Flag(u32),
    /// An unused number; or the next one, without using it.
    Number {
        taken: bool,
    },
    /// Parts that appear with this chance in percent.
    Maybe(u32, Vec<Part>),
}

/// Parses the parts of a form.
pub(super) fn read(text: &str) -> Vec<Part> {
    let mut rest = text;
    let parts = parts(&mut rest);
    assert!(rest.is_empty(), "`›` without `‹`: {text}");
    parts
}

/// Parses parts up to the end, or to a `›` that was not opened here.
fn parts(rest: &mut &str) -> Vec<Part> {
    let mut parts = Vec::new();
    while let Some(at) = rest.find(['«', '‹', '›']) {
        if at > 0 {
            parts.push(Part::Text(plain(&rest[..at])));
        }
        let mark = rest[at..].chars().next().unwrap_or_default();
        let after = &rest[at + mark.len_utf8()..];
        match mark {
            '«' => {
                let (inside, after) = after.split_once('»').expect("`»` behind `«`");
                parts.push(part(inside));
                *rest = after;
            }
            '‹' => {
                let percent = after.split_once("% ").and_then(|(p, after)| Some((p.parse().ok()?, after)));
                let (percent, after) = percent.unwrap_or((50, after));
                *rest = after;
                parts.push(Part::Maybe(percent, self::parts(rest)));
                *rest = rest.strip_prefix('›').expect("`›` behind `‹`");
            }
            _ => {
                *rest = &rest[at..];
                return parts;
            }
        }
    }
    if !rest.is_empty() {
        parts.push(Part::Text(plain(rest)));
        *rest = "";
    }
    parts
}

/// Returns the text without markup.
fn plain(text: &str) -> String {
    text.replace('∅', "").replace('␣', " ").replace('⏎', "\n").replace('␍', "\r").replace('⇥', "\t")
}

/// Parses the text between `«` and `»`.
fn part(text: &str) -> Part {
    if let Some((name, text)) = text.split_once(":'") {
        let text = plain(text.strip_suffix('\'').expect("`'` behind the text"));
        return Part::Word { name: name.to_owned(), text };
    }
    if text.starts_with('#') {
        return Part::Number { taken: text == "#" };
    }
    if let Some((least, most)) = text.split_once("..") {
        return Part::Range(number(least), number(most));
    }
    if let Some(name) = text.strip_prefix('%') {
        return Part::Rule { name: name.to_owned(), encoded: true };
    }
    if let Some(percent) = text.strip_suffix('%') {
        return Part::Flag(percent.parse().expect("percent"));
    }
    if let Some((name, times)) = text.split_once(' ') {
        let (least, rest) = times.split_once('-').expect("how often, as 0-3");
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let least = number(least);
        let most = number(&rest[..end]);
        let between = plain(&rest[end..]);
        return Part::Times { name: name.to_owned(), least, most, between };
    }
    let pair = |mark: char| text.split_once(mark).map(|(name, rule)| (name.to_owned(), rule.to_owned()));
    if let Some((name, rule)) = pair('~') {
        return Part::Instead { name, rule };
    }
    match (pair('='), pair(':')) {
        (Some((name, rule)), _) => Part::Named { name, rule, shown: true },
        (_, Some((name, rule))) => Part::Named { name, rule, shown: false },
        _ => Part::Rule { name: text.to_owned(), encoded: false },
    }
}

fn number(text: &str) -> i32 {
    text.parse().expect("a whole number")
}

/// Collects the names that parts bind, and the rules that they use.
pub(super) fn names<'a>(parts: &'a [Part], bound: &mut Vec<&'a str>, named: &mut Vec<&'a str>) {
    for part in parts {
        match part {
            Part::Rule { name, .. } | Part::Times { name, .. } => named.push(name),
            Part::Named { name, rule, .. } | Part::Instead { name, rule } => {
                bound.push(name);
                named.push(rule);
            }
            Part::Word { name, .. } => bound.push(name),
            Part::Maybe(_, parts) => names(parts, bound, named),
            Part::Text(_) | Part::Range(..) | Part::Flag(_) | Part::Number { .. } => {}
        }
    }
}
