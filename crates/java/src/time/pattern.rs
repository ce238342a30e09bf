//! Parses patterns (Java's `DateTimeFormatterBuilder.appendPattern`).

use super::Locale;
use super::names::{NameKind, Style};
use super::offset::Shape;

/// A parsed pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct DatePattern {
    pub(super) items: Vec<Item>,
    pub(super) locale: Locale,
}

/// A numeric field of a point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Era,
    Year,
    YearOfEra,
    WeekYear,
    Quarter,
    Month,
    WeekOfYear,
    WeekOfMonth,
    AlignedWeek,
    Day,
    DayOfYear,
    DayOfWeek,
    HalfDay,
    Hour,
    ClockHour,
    HalfDayHour,
    HalfDayClockHour,
    Minute,
    Second,
    Nano,
    Milli,
    MilliOfDay,
    NanoOfDay,
}

/// When a number is shown with a sign (Java's `SignStyle`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// Only if negative.
    Normal,
    /// Never: a number that does not fit is an error.
    Never,
    /// `+` if it is wider than its least width.
    IfWider,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item {
    Literal(String),
    Number {
        field: Field,
        min: usize,
        max: usize,
        sign: Sign,
    },
    /// Two digits, 2000 to 2099.
    ReducedYear(Field),
    Fraction(usize),
    Text(NameKind, Style),
    ZoneId,
    ZoneName,
    Offset(Shape),
    LocalizedOffset {
        full: bool,
    },
    Padded(usize, Box<Item>),
    Optional(Vec<Item>),
}

/// The widest number Java formats.
const MAX_WIDTH: usize = 19;

/// Optional parts in each other. Java has no limit but its stack.
const MAX_DEPTH: usize = 100;

impl DatePattern {
    /// Parses a pattern with English names. The error says what is wrong with it, in Java's format.
    pub fn new(pattern: &str) -> Result<Self, String> {
        Self::with_locale(pattern, Locale::ENGLISH)
    }

    /// Parses a pattern with the names of a language.
    pub fn with_locale(pattern: &str, locale: Locale) -> Result<Self, String> {
        let mut letters = pattern.chars().peekable();
        let mut open = vec![Vec::new()];
        while let Some(c) = letters.next() {
            match c {
                '\'' => push_literal(&mut open, &quoted(&mut letters, pattern)?),
                '[' if open.len() > MAX_DEPTH => {
                    return Err(format!("Pattern nests optional parts ([...]) more than {MAX_DEPTH} deep"));
                }
                '[' => open.push(Vec::new()),
                ']' => {
                    let closed = open.pop().filter(|_| !open.is_empty());
                    let items = closed.ok_or("Pattern invalid as it contains ] without previous [")?;
                    push(&mut open, Item::Optional(items));
                }
                '{' | '}' | '#' => return Err(format!("Pattern includes reserved character: '{c}'")),
                'p' => {
                    let item = padded(&mut letters)?;
                    push(&mut open, item);
                }
                c if c.is_ascii_alphabetic() => {
                    let count = 1 + run(&mut letters, c);
                    push(&mut open, item(c, count)?);
                }
                c => push_literal(&mut open, c.encode_utf8(&mut [0; 4])),
            }
        }
        // An open `[` is closed by the end.
        while open.len() > 1 {
            let items = open.pop().unwrap_or_default();
            push(&mut open, Item::Optional(items));
        }
        Ok(Self { items: open.pop().unwrap_or_default(), locale })
    }
}

type Letters<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn push(open: &mut [Vec<Item>], item: Item) {
    open.last_mut().expect("the outermost list is never popped").push(item);
}

fn push_literal(open: &mut [Vec<Item>], text: &str) {
    let items = open.last_mut().expect("the outermost list is never popped");
    match items.last_mut() {
        Some(Item::Literal(before)) => before.push_str(text),
        _ if text.is_empty() => {}
        _ => items.push(Item::Literal(text.to_owned())),
    }
}

/// How many more of the same letter follow.
fn run(letters: &mut Letters<'_>, letter: char) -> usize {
    std::iter::from_fn(|| letters.next_if_eq(&letter)).count()
}

/// The text up to the closing quote; two quotes are one, and `''` alone is a quote.
fn quoted(letters: &mut Letters<'_>, pattern: &str) -> Result<String, String> {
    let mut text = String::new();
    loop {
        match letters.next() {
            Some('\'') if letters.next_if_eq(&'\'').is_some() => text.push('\''),
            Some('\'') if text.is_empty() => return Ok("'".to_owned()),
            Some('\'') => return Ok(text),
            Some(c) => text.push(c),
            None => return Err(format!("Pattern ends with an incomplete string literal: {pattern}")),
        }
    }
}

fn padded(letters: &mut Letters<'_>) -> Result<Item, String> {
    let width = 1 + run(letters, 'p');
    let letter = letters.next().filter(char::is_ascii_alphabetic);
    let letter = letter.ok_or("Pad letter 'p' must be followed by valid pad pattern")?;
    let count = 1 + run(letters, letter);
    Ok(Item::Padded(width, Box::new(item(letter, count)?)))
}

fn item(letter: char, count: usize) -> Result<Item, String> {
    let known = match letter {
        _ if count > MAX_WIDTH => None,
        'u' | 'y' | 'Y' => Some(year(letter, count)),
        'Q' | 'q' | 'M' | 'L' | 'E' | 'e' | 'c' | 'a' | 'G' => name_or_number(letter, count),
        'z' | 'V' | 'Z' | 'O' | 'X' | 'x' => zone(letter, count),
        'S' if count <= 9 => Some(Item::Fraction(count)),
        _ => number(letter, count)?,
    };
    known.ok_or_else(|| format!("Too many pattern letters: {letter}"))
}

fn year(letter: char, count: usize) -> Item {
    let field = match letter {
        'u' => Field::Year,
        'y' => Field::YearOfEra,
        _ => Field::WeekYear,
    };
    if count == 2 {
        return Item::ReducedYear(field);
    }
    let sign = if count < 4 { Sign::Normal } else { Sign::IfWider };
    Item::Number { field, min: count, max: MAX_WIDTH, sign }
}

fn name_or_number(letter: char, count: usize) -> Option<Item> {
    let (named, field) = match letter {
        'Q' | 'q' => (NameKind::Quarter, Some(Field::Quarter)),
        'M' | 'L' => (NameKind::Month, Some(Field::Month)),
        'e' | 'c' => (NameKind::DayOfWeek, Some(Field::DayOfWeek)),
        'E' => (NameKind::DayOfWeek, None),
        'a' => (NameKind::HalfDay, None),
        _ => (NameKind::Era, None),
    };
    match (field, count) {
        (Some(field), 1) => Some(plain(field)),
        (Some(_), 2) if letter == 'c' => None,
        (Some(field), 2) => Some(fixed(field, 2)),
        (None, 2..) if letter == 'a' => None,
        (_, 1..=3) => Some(Item::Text(named, Style::Short)),
        (_, 4) => Some(Item::Text(named, Style::Full)),
        (_, 5) => Some(Item::Text(named, Style::Narrow)),
        _ => None,
    }
}

fn zone(letter: char, count: usize) -> Option<Item> {
    match (letter, count) {
        ('V', 2) => Some(Item::ZoneId),
        ('z', 1..=4) => Some(Item::ZoneName),
        ('Z', 1..=3) => Some(Item::Offset(Shape::RFC_822)),
        ('Z' | 'O', 4) => Some(Item::LocalizedOffset { full: true }),
        ('Z', 5) => Shape::iso(5, true).map(Item::Offset),
        ('O', 1) => Some(Item::LocalizedOffset { full: false }),
        ('X' | 'x', _) => Shape::iso(count, letter == 'X').map(Item::Offset),
        _ => None,
    }
}

fn number(letter: char, count: usize) -> Result<Option<Item>, String> {
    let field = match letter {
        'd' => Field::Day,
        'D' => Field::DayOfYear,
        'w' => Field::WeekOfYear,
        'W' => Field::WeekOfMonth,
        'F' => Field::AlignedWeek,
        'h' => Field::HalfDayClockHour,
        'H' => Field::Hour,
        'k' => Field::ClockHour,
        'K' => Field::HalfDayHour,
        'm' => Field::Minute,
        's' => Field::Second,
        'S' => return Ok(None),
        'A' => Field::MilliOfDay,
        'n' => Field::Nano,
        'N' => Field::NanoOfDay,
        _ => return Err(format!("Unknown pattern letter: {letter}")),
    };
    Ok(match (letter, count) {
        ('A' | 'n' | 'N', _) => Some(Item::Number { field, min: count, max: MAX_WIDTH, sign: Sign::Never }),
        (_, 1) => Some(plain(field)),
        ('D', 2 | 3) => Some(Item::Number { field, min: count, max: 3, sign: Sign::Never }),
        ('W' | 'F' | 'D', _) => None,
        (_, 2) => Some(fixed(field, 2)),
        _ => None,
    })
}

fn plain(field: Field) -> Item {
    Item::Number { field, min: 1, max: MAX_WIDTH, sign: Sign::Normal }
}

fn fixed(field: Field, width: usize) -> Item {
    Item::Number { field, min: width, max: width, sign: Sign::Never }
}
