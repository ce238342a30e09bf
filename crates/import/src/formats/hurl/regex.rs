//! Regular expressions of Hurl (those of Rust) in JMeter's spelling.

use regex_syntax::ast::{
    AssertionKind, Ast, ClassPerl, ClassPerlKind, ClassSet, ClassSetItem, Flag, FlagsItemKind, GroupKind,
    LiteralKind, RepetitionKind, RepetitionRange, parse::Parser,
};

/// Larger expressions are refused.
const LONGEST: usize = 10_000;

/// Whether an expression is valid in Hurl.
pub(super) fn check(pattern: &str) -> Result<(), String> {
    regex_syntax::parse(pattern).map(|_| ()).map_err(|error| {
        let text = error.to_string();
        let last = text.lines().last().unwrap_or_default();
        format!("invalid regular expression: {}", last.strip_prefix("error: ").unwrap_or(last))
    })
}

/// The same expression for JMeter.
///
/// # Errors
/// Which part JMeter has not, or has with another meaning.
pub(super) fn translated(pattern: &str) -> Result<String, String> {
    if pattern.len() > LONGEST {
        return Err("the regular expression is too long".to_owned());
    }
    check(pattern)?;
    let ast = Parser::new().parse(pattern).map_err(|error| error.to_string())?;
    let mut out = String::new();
    write(&ast, &mut out)?;
    Ok(out)
}

/// Whether an expression means the text that it is.
pub(super) fn is_plain(pattern: &str) -> bool {
    !pattern.contains(|c| r"\.+*?()|[]{}^$#&-~".contains(c))
}

/// A text as a pattern that matches it.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|c| literal(c, &mut out));
    out
}

fn literal(c: char, out: &mut String) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c if c.is_ascii_punctuation() && !"-_\"',:;=<>%/ ~&@!#`".contains(c) => out.extend(['\\', c]),
        c => out.push(c),
    }
}

fn unknown<T>(what: &str) -> Result<T, String> {
    Err(format!("JMeter's regular expressions have no {what}"))
}

fn write(ast: &Ast, out: &mut String) -> Result<(), String> {
    match ast {
        Ast::Empty(_) => {}
        Ast::Flags(flags) => {
            let mut text = String::new();
            for item in &flags.flags.items {
                text.push(match item.kind {
                    FlagsItemKind::Flag(Flag::CaseInsensitive) => 'i',
                    FlagsItemKind::Flag(Flag::DotMatchesNewLine) => 's',
                    _ => return unknown("such flags"),
                });
            }
            // They count for the whole expression in JMeter.
            if !out.is_empty() {
                return unknown("flags for a part of an expression");
            }
            out.extend(["(?", &*text, ")"]);
        }
        Ast::Literal(one) => match one.kind {
            LiteralKind::HexFixed(_) | LiteralKind::HexBrace(_) if one.c.is_control() => {
                return unknown("control characters by number");
            }
            _ => literal(one.c, out),
        },
        Ast::Dot(_) => out.push('.'),
        Ast::Assertion(one) => out.push_str(match one.kind {
            AssertionKind::StartLine | AssertionKind::StartText => "\\A",
            // `$` of JMeter is also before a line break at the end.
            AssertionKind::EndLine | AssertionKind::EndText => "(?![\\s\\S])",
            AssertionKind::WordBoundary => "\\b",
            AssertionKind::NotWordBoundary => "\\B",
            _ => return unknown("such boundaries of words"),
        }),
        Ast::ClassPerl(class) => out.push_str(perl(class)),
        Ast::ClassUnicode(_) => return unknown("classes of Unicode"),
        Ast::ClassBracketed(class) => {
            out.push_str(if class.negated { "[^" } else { "[" });
            let ClassSet::Item(item) = &class.kind else { return unknown("operations on classes") };
            class_item(item, out)?;
            out.push(']');
        }
        Ast::Repetition(one) => {
            write(&one.ast, out)?;
            let times = match &one.op.kind {
                RepetitionKind::ZeroOrOne => "?".to_owned(),
                RepetitionKind::ZeroOrMore => "*".to_owned(),
                RepetitionKind::OneOrMore => "+".to_owned(),
                RepetitionKind::Range(RepetitionRange::Exactly(number)) => format!("{{{number}}}"),
                RepetitionKind::Range(RepetitionRange::AtLeast(least)) => format!("{{{least},}}"),
                RepetitionKind::Range(RepetitionRange::Bounded(least, most)) => format!("{{{least},{most}}}"),
            };
            out.push_str(&times);
            out.push_str(if one.greedy { "" } else { "?" });
        }
        Ast::Group(group) => {
            out.push_str(match &group.kind {
                GroupKind::CaptureIndex(_) | GroupKind::CaptureName { .. } => "(",
                GroupKind::NonCapturing(flags) if flags.items.is_empty() => "(?:",
                GroupKind::NonCapturing(_) => return unknown("flags for a part of an expression"),
            });
            write(&group.ast, out)?;
            out.push(')');
        }
        Ast::Alternation(all) => {
            for (number, one) in all.asts.iter().enumerate() {
                out.push_str(if number > 0 { "|" } else { "" });
                write(one, out)?;
            }
        }
        Ast::Concat(all) => all.asts.iter().try_for_each(|one| write(one, out))?,
    }
    Ok(())
}

fn perl(class: &ClassPerl) -> &'static str {
    match (&class.kind, class.negated) {
        (ClassPerlKind::Digit, false) => "\\d",
        (ClassPerlKind::Digit, true) => "\\D",
        (ClassPerlKind::Space, false) => "\\s",
        (ClassPerlKind::Space, true) => "\\S",
        (ClassPerlKind::Word, false) => "\\w",
        (ClassPerlKind::Word, true) => "\\W",
    }
}

fn class_item(item: &ClassSetItem, out: &mut String) -> Result<(), String> {
    match item {
        ClassSetItem::Empty(_) => {}
        ClassSetItem::Literal(one) => in_class(one.c, out),
        ClassSetItem::Range(range) => {
            in_class(range.start.c, out);
            out.push('-');
            in_class(range.end.c, out);
        }
        ClassSetItem::Perl(class) => out.push_str(perl(class)),
        ClassSetItem::Union(all) => all.items.iter().try_for_each(|item| class_item(item, out))?,
        _ => return unknown("such classes"),
    }
    Ok(())
}

fn in_class(c: char, out: &mut String) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c if c.is_ascii_punctuation() => out.extend(['\\', c]),
        c => out.push(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_mean_the_same_in_jmeter() {
        for (pattern, wanted) in [
            (r"^\d{3}-[a-z_.]+$", r"\A\d{3}-[a-z\_\.]+(?![\s\S])"),
            (r"(?i)id=(?P<id>\w+?)&", r"(?i)id=(\w+?)&"),
            (r"a|b/(?:c*)", r"a|b/(?:c*)"),
            (r"\$\{x\}", r"\$\{x\}"),
        ] {
            assert_eq!(translated(pattern).as_deref(), Ok(wanted), "{pattern}");
        }
        for pattern in [r"\p{Greek}", r"a(?i:b)", r"[a&&b]", r"x(?i)y", r"(?m)^a$", r"[[:alpha:]]"] {
            assert!(check(pattern).is_ok() && translated(pattern).is_err(), "{pattern}");
        }
        for pattern in ["(", "a{2,1}", r"\q"] {
            assert!(check(pattern).is_err(), "{pattern}");
        }
    }
}
