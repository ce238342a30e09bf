//! Translates ORO's Perl 5 syntax to that of `fancy-regex`.
//!
//! ORO 2.0.8 supports Perl 5.003: greedy and lazy quantifiers, look-ahead, back-references,
//! `(?#...)`, and flags that apply to the whole expression wherever they are. It has no
//! look-behind, named or atomic groups, possessive quantifiers, `\Q`, `\p` or `\u`: a backslash
//! before any other letter means the letter. Error messages are those of ORO.

use std::fmt::Write;

use super::classes::{perl_class, push_literal};

/// Groups inside groups; ORO has no limit but its stack.
const DEEPEST: usize = 60;
/// The greatest number in `{n,m}`.
const MOST_REPEATS: u32 = 65_535;

/// Translates an expression; the error is ORO's message.
pub(super) fn translate(pattern: &str) -> Result<String, String> {
    let first = Translator::new(pattern, Flags::default()).run()?;
    if first.flags == Flags::default() {
        return Ok(first.out);
    }
    // ORO compiles in two passes and keeps the flags of the first: they hold from the start.
    let second = Translator::new(pattern, first.flags).run()?;
    let prefix = if second.flags.ignore_case { "(?i)" } else { "" };
    Ok(format!("{prefix}{}", second.out))
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "one for each letter")]
struct Flags {
    ignore_case: bool,
    multi_line: bool,
    single_line: bool,
    extended: bool,
}

/// What was read where an atom may be.
enum Atom {
    /// Something that takes room and can be repeated.
    Wide,
    /// An assertion: repeating it changes nothing but whether it is asked.
    Empty,
    /// Nothing: a comment or flags.
    None,
}

pub(super) struct Translator {
    pub(super) chars: Vec<char>,
    pub(super) at: usize,
    pub(super) out: String,
    flags: Flags,
    /// Groups closed or open so far.
    groups: u32,
    depth: usize,
}

impl Translator {
    fn new(pattern: &str, flags: Flags) -> Self {
        let chars = pattern.chars().collect();
        Self { chars, at: 0, out: String::with_capacity(pattern.len() + 16), flags, groups: 0, depth: 0 }
    }

    fn run(mut self) -> Result<Self, String> {
        self.alternatives()?;
        if self.at < self.chars.len() {
            return Err(unmatched_parentheses());
        }
        Ok(self)
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    pub(super) fn eat(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        self.at += usize::from(found);
        found
    }

    /// Branches up to a closing parenthesis or the end.
    fn alternatives(&mut self) -> Result<(), String> {
        loop {
            self.branch()?;
            if !self.eat('|') {
                return Ok(());
            }
            self.out.push('|');
        }
    }

    fn branch(&mut self) -> Result<(), String> {
        loop {
            self.skip_blanks();
            match self.peek() {
                None | Some('|' | ')') => return Ok(()),
                Some(_) => self.piece()?,
            }
        }
    }

    /// Blanks and comments, where the flag `x` is set.
    fn skip_blanks(&mut self) {
        while self.flags.extended {
            match self.peek() {
                Some(c) if c.is_whitespace() => self.at += 1,
                Some('#') => while self.next().is_some_and(|c| c != '\n') {},
                _ => return,
            }
        }
    }

    /// An atom with its quantifier.
    fn piece(&mut self) -> Result<(), String> {
        let start = self.out.len();
        let atom = self.atom()?;
        if matches!(atom, Atom::None) {
            return self.after_nothing();
        }
        self.skip_blanks();
        let Some((least, most)) = self.quantifier()? else { return Ok(()) };
        let lazy = self.eat('?');
        if matches!(atom, Atom::Empty) {
            if least == 0 {
                self.out.insert_str(start, "(?:");
                self.out.push_str("|)");
            }
        } else {
            write_quantifier(&mut self.out, least, most, lazy);
        }
        if self.at_quantifier() {
            return Err("Nested repetitions *?+ in expression".into());
        }
        Ok(())
    }

    /// Flags and comments need something after them.
    fn after_nothing(&mut self) -> Result<(), String> {
        self.skip_blanks();
        match self.peek() {
            None | Some('|' | ')') => Err(unmatched_parentheses()),
            Some(_) => Ok(()),
        }
    }

    fn at_quantifier(&self) -> bool {
        match self.peek() {
            Some('*' | '+' | '?') => true,
            Some('{') => self.interval().is_some(),
            _ => false,
        }
    }

    fn quantifier(&mut self) -> Result<Option<(u32, Option<u32>)>, String> {
        let range = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => return self.take_interval(),
            _ => return Ok(None),
        };
        self.at += 1;
        Ok(Some(range))
    }

    fn take_interval(&mut self) -> Result<Option<(u32, Option<u32>)>, String> {
        let Some((least, most, end)) = self.interval() else { return Ok(None) };
        self.at = end;
        if most.is_some_and(|most| most < least) {
            return Err(format!("Invalid interval {{{least},{}}}", most.unwrap_or_default()));
        }
        Ok(Some((least, most)))
    }

    /// `{n}`, `{n,}` or `{n,m}` here, and where it ends.
    fn interval(&self) -> Option<(u32, Option<u32>, usize)> {
        let (least, at) = self.number(self.at + 1);
        let least = least?;
        match self.chars.get(at)? {
            '}' => Some((least, Some(least), at + 1)),
            ',' => {
                let (most, at) = self.number(at + 1);
                (*self.chars.get(at)? == '}').then_some((least, most, at + 1))
            }
            _ => None,
        }
    }

    fn number(&self, mut at: usize) -> (Option<u32>, usize) {
        let mut number = None;
        while let Some(digit) = self.chars.get(at).and_then(|c| c.to_digit(10)) {
            number = Some((number.unwrap_or(0).min(MOST_REPEATS) * 10 + digit).min(MOST_REPEATS));
            at += 1;
        }
        (number, at)
    }

    fn atom(&mut self) -> Result<Atom, String> {
        if self.at_quantifier() {
            return Err("?+* follows nothing in expression".into());
        }
        let Some(c) = self.next() else { return Ok(Atom::None) };
        match c {
            '(' => return self.group(),
            '[' => self.class()?,
            '\\' => return self.escape(),
            '.' => self.out.push_str(if self.flags.single_line { "(?s:.)" } else { r"[^\n]" }),
            '^' => return Ok(self.empty(if self.flags.multi_line { "(?m:^)" } else { r"\A" })),
            '$' => return Ok(self.empty(if self.flags.multi_line { "(?m:$)" } else { END })),
            c => push_literal(&mut self.out, c),
        }
        Ok(Atom::Wide)
    }

    fn empty(&mut self, syntax: &str) -> Atom {
        self.out.push_str(syntax);
        Atom::Empty
    }

    fn group(&mut self) -> Result<Atom, String> {
        if !self.eat('?') {
            self.groups += 1;
            self.out.push('(');
            return self.rest_of_group(Atom::Wide);
        }
        match self.next() {
            Some(':') => self.open("(?:", Atom::Wide),
            Some('=') => self.open("(?=", Atom::Empty),
            Some('!') => self.open("(?!", Atom::Empty),
            Some('#') => {
                while let Some(c) = self.next() {
                    if c == ')' {
                        return Ok(Atom::None);
                    }
                }
                Err("Sequence (?#... not terminated".into())
            }
            other => self.read_flags(other),
        }
    }

    fn open(&mut self, syntax: &str, atom: Atom) -> Result<Atom, String> {
        self.out.push_str(syntax);
        self.rest_of_group(atom)
    }

    fn rest_of_group(&mut self, atom: Atom) -> Result<Atom, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("Expression is too large.".into());
        }
        self.alternatives()?;
        self.depth -= 1;
        if !self.eat(')') {
            return Err(unmatched_parentheses());
        }
        self.out.push(')');
        Ok(atom)
    }

    fn read_flags(&mut self, first: Option<char>) -> Result<Atom, String> {
        let mut flag = first;
        let mut on = true;
        loop {
            match flag {
                Some(')') => return Ok(Atom::None),
                Some('i') => self.flags.ignore_case = on,
                Some('m') => self.flags.multi_line = on,
                Some('s') => self.flags.single_line = on,
                Some('x') => self.flags.extended = on,
                Some('g' | 'o') => {}
                Some('-') => on = false,
                other => return Err(format!("Sequence (?{}...) not recognized", other.unwrap_or('?'))),
            }
            flag = self.next();
        }
    }

    fn escape(&mut self) -> Result<Atom, String> {
        let Some(c) = self.peek() else { return Err(trailing_backslash()) };
        if let Some(class) = perl_class(c) {
            self.at += 1;
            let negated = if c.is_ascii_uppercase() { "^" } else { "" };
            write!(self.out, "[{negated}{class}]").expect("writing to a String cannot fail");
            return Ok(Atom::Wide);
        }
        let syntax = match c {
            'A' => r"\A",
            'Z' => END,
            'G' => r"\G",
            'b' => r"\b",
            'B' => r"\B",
            '1'..='9' => return self.back_reference(),
            _ => {
                let c = self.escaped_char();
                push_literal(&mut self.out, c);
                return Ok(Atom::Wide);
            }
        };
        self.at += 1;
        Ok(self.empty(syntax))
    }

    /// `\1`, or an octal number where there are not that many groups and it has two digits or more.
    fn back_reference(&mut self) -> Result<Atom, String> {
        let (number, end) = self.number(self.at);
        let number = number.unwrap_or_default();
        if number > 9 && number > self.groups {
            let c = self.escaped_char();
            push_literal(&mut self.out, c);
            return Ok(Atom::Wide);
        }
        if number > self.groups {
            return Err(format!("Invalid backreference: \\{number}"));
        }
        self.at = end;
        write!(self.out, r"(?:\{number})").expect("writing to a String cannot fail");
        Ok(Atom::Wide)
    }

    /// The character of an escape, after its backslash; more text follows.
    pub(super) fn escaped_char(&mut self) -> char {
        let Some(c) = self.next() else { return '\\' };
        match c {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'f' => '\x0C',
            'e' => '\x1B',
            'a' => '\x07',
            'x' => self.digits(16, 2, 0),
            'c' => self.next().map_or('c', |c| char::from((c.to_ascii_uppercase() as u8) ^ 64)),
            '0'..='7' => self.digits(8, 2, c.to_digit(8).unwrap_or_default()),
            other => other,
        }
    }

    /// Up to `most` digits more after a number that has begun.
    fn digits(&mut self, base: u32, most: usize, mut number: u32) -> char {
        for _ in 0..most {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(base)) else { break };
            number = number * base + digit;
            self.at += 1;
        }
        char::from_u32(number).unwrap_or('\0')
    }
}

/// The end of the text, or before a line end that is the last character.
const END: &str = r"(?=\n?\z)";

fn write_quantifier(out: &mut String, least: u32, most: Option<u32>, lazy: bool) {
    match (least, most) {
        (0, None) => out.push('*'),
        (1, None) => out.push('+'),
        (0, Some(1)) => out.push('?'),
        (least, None) => write!(out, "{{{least},}}").expect("writing to a String cannot fail"),
        (least, Some(most)) => write!(out, "{{{least},{most}}}").expect("writing to a String cannot fail"),
    }
    if lazy {
        out.push('?');
    }
}

fn unmatched_parentheses() -> String {
    "Unmatched parentheses.".into()
}

fn trailing_backslash() -> String {
    r"Trailing \ in expression.".into()
}
