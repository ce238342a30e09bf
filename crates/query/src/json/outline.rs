//! Where the values of a JSON text are, without the values: what takes a fifth of the time of a
//! tree, and serves all paths that are asked of the text after that.
//!
//! There is an outline only of texts that are JSON by RFC 8259, whose objects name no member twice,
//! and whose names have no escapes. [`super::parse`] reads those in the same way.

use std::collections::HashSet;

use super::scan::{
    DEEPEST, after_blanks, behind_other, behind_plain_number, behind_string, first_but_blanks, name_at,
    plain_length, value_end,
};

/// Largest text: positions are 32 bits wide.
const LARGEST: usize = u32::MAX as usize / 2;

/// Members of an object whose names are compared with each other; more are put in a set.
const FEW_MEMBERS: usize = 32;

/// Digits of numbers that fit 64 bits whatever they are.
const FEW_DIGITS: usize = 18;

/// A value: where it is, and its name where it is a member of an object.
#[derive(Clone, Copy, Debug)]
struct Item {
    start: u32,
    /// The index after it and all that is in it.
    next: u32,
    name: u32,
    name_length: u32,
}

/// The values of a text, in order; a value comes before those that are in it.
#[derive(Debug)]
pub struct Outline {
    items: Vec<Item>,
}

impl Outline {
    /// The outline of a text, up to the end of its first value. None where only a tree can say what
    /// json-smart reads.
    pub fn of(text: &str) -> Option<Self> {
        let text = text.as_bytes();
        let start = after_blanks(text, 0);
        if text.len() > LARGEST || !matches!(text.get(start)?, b'{' | b'[') {
            return None;
        }
        let mut drawing = Drawing { text, items: Vec::with_capacity(text.len() / 16), open: Vec::new() };
        drawing.draw(start)?;
        drawing.items.shrink_to_fit();
        Some(Self { items: drawing.items })
    }

    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        self.items.len() * size_of::<Item>()
    }
}

struct Drawing<'d> {
    text: &'d [u8],
    items: Vec<Item>,
    /// Containers that are open.
    open: Vec<u32>,
}

impl<'d> Drawing<'d> {
    /// Goes over a value at a place, as [`super::scan`] does.
    fn draw(&mut self, start: usize) -> Option<()> {
        let mut rest = &self.text[start..];
        let mut name = (0, 0);
        let mut is_in_object = false;
        loop {
            let (&first, behind) = rest.split_first()?;
            let at = self.items.len() as u32;
            let start = (self.text.len() - rest.len()) as u32;
            self.items.push(Item { start, next: at + 1, name: name.0, name_length: name.1 });
            rest = match first {
                b'"' => behind_string(behind)?,
                b'1'..=b'9' => behind_plain_number(rest)?,
                b'{' | b'[' if self.open.len() < DEEPEST => {
                    let (next, inside) = first_but_blanks(behind)?;
                    if next == first + 2 {
                        &inside[1..]
                    } else {
                        self.open.push(at);
                        is_in_object = first == b'{';
                        (name, rest) = self.member(inside, is_in_object)?;
                        continue;
                    }
                }
                _ => behind_other(rest)?,
            };
            loop {
                let Some(&container) = self.open.last() else { return Some(()) };
                let (next, from) = first_but_blanks(rest)?;
                rest = &from[1..];
                if next == b',' {
                    (name, rest) = self.member(first_but_blanks(rest)?.1, is_in_object)?;
                    break;
                }
                if next != if is_in_object { b'}' } else { b']' } {
                    return None;
                }
                is_in_object = self.close(container, is_in_object)?;
            }
        }
    }

    /// The name of a member of an object, and where its value begins.
    #[inline]
    fn member(&self, rest: &'d [u8], is_in_object: bool) -> Option<((u32, u32), &'d [u8])> {
        if !is_in_object {
            return Some(((0, 0), rest));
        }
        let at = self.text.len() - rest.len();
        let (name, value) = name_at(self.text, at)?;
        Some(((at as u32 + 1, name.len() as u32), &self.text[value..]))
    }

    /// A container ends; whether the one that it is in is an object. None: a name is there twice.
    #[inline]
    fn close(&mut self, container: u32, is_object: bool) -> Option<bool> {
        self.open.pop();
        self.items[container as usize].next = self.items.len() as u32;
        if is_object && !self.has_distinct_names(container) {
            return None;
        }
        let outer = self.open.last().map(|&outer| self.items[outer as usize].start);
        Some(outer.is_some_and(|start| self.text[start as usize] == b'{'))
    }

    fn has_distinct_names(&self, object: u32) -> bool {
        let mut seen = 0_u64;
        for (count, member) in inside(&self.items, object).enumerate() {
            let name = self.name(member);
            if count == FEW_MEMBERS {
                let mut names = HashSet::new();
                return inside(&self.items, object).all(|member| names.insert(self.name(member)));
            }
            let mark = 1 << (mix(name) % 64);
            if seen & mark != 0 {
                let before = inside(&self.items, object).take(count);
                if before.into_iter().any(|before| self.name(before) == name) {
                    return false;
                }
            }
            seen |= mark;
        }
        true
    }

    fn name(&self, member: u32) -> &'d [u8] {
        let item = &self.items[member as usize];
        &self.text[item.name as usize..(item.name + item.name_length) as usize]
    }
}

/// A number that differs for most names of an object.
fn mix(name: &[u8]) -> usize {
    let byte = |at: usize| usize::from(name.get(at).copied().unwrap_or(0));
    name.len() + byte(0) * 3 + byte(name.len() / 2) * 7 + byte(name.len().wrapping_sub(1)) * 13
}

/// The values that are directly in a container.
#[inline]
fn inside(items: &[Item], container: u32) -> Inside<'_> {
    Inside { items, at: container + 1, end: items[container as usize].next }
}

struct Inside<'o> {
    items: &'o [Item],
    at: u32,
    end: u32,
}

impl Iterator for Inside<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let at = self.at;
        if at >= self.end {
            return None;
        }
        self.at = self.items[at as usize].next;
        Some(at)
    }
}

/// A value of a text that has an outline.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'m, 'd> {
    outline: &'m Outline,
    text: &'d str,
    at: u32,
}

impl<'m, 'd> Place<'m, 'd> {
    /// The value that the text is. The outline is that of this text.
    pub(crate) fn root(outline: &'m Outline, text: &'d str) -> Self {
        Self { outline, text, at: 0 }
    }

    fn item(self) -> &'m Item {
        &self.outline.items[self.at as usize]
    }

    fn start(self) -> usize {
        self.item().start as usize
    }

    /// The first byte of its text, which says what it is.
    pub(crate) fn first_byte(self) -> u8 {
        self.text.as_bytes()[self.start()]
    }

    /// Its text.
    pub(crate) fn text(self) -> &'d str {
        let end = value_end(self.text.as_bytes(), self.start());
        &self.text[self.start()..end.unwrap_or(self.text.len())]
    }

    /// The text of a string in which nothing is to be resolved.
    pub(crate) fn plain_string(self) -> Option<&'d str> {
        let start = self.start() + 1;
        let rest = &self.text.as_bytes()[start..];
        let length = plain_length(rest);
        (rest.get(length) == Some(&b'"')).then(|| &self.text[start..start + length])
    }

    /// The number, where it is whole and certain to fit.
    pub(crate) fn whole_number(self) -> Option<i64> {
        let text = &self.text.as_bytes()[self.start()..];
        let (is_negative, digits) = text.strip_prefix(b"-").map_or((false, text), |digits| (true, digits));
        let mut number = 0;
        for (count, digit) in digits.iter().enumerate() {
            match digit {
                b'0'..=b'9' if count < FEW_DIGITS => number = number * 10 + i64::from(digit - b'0'),
                b'0'..=b'9' | b'.' => return None,
                _ => break,
            }
        }
        Some(if is_negative { -number } else { number })
    }

    /// The values that are directly in it.
    pub(crate) fn inside(self) -> impl Iterator<Item = Self> {
        inside(&self.outline.items, self.at).map(move |at| Self { at, ..self })
    }

    /// The value of a name of an object.
    pub(crate) fn member(self, name: &str) -> Option<Self> {
        if self.first_byte() != b'{' {
            return None;
        }
        let bytes = self.text.as_bytes();
        let is_it = |at: &u32| {
            let Item { name: start, name_length, .. } = self.outline.items[*at as usize];
            name_length as usize == name.len()
                && bytes[start as usize..(start + name_length) as usize] == *name.as_bytes()
        };
        inside(&self.outline.items, self.at).find(is_it).map(|at| Self { at, ..self })
    }

    /// How many values it is with all that are in it.
    pub(crate) fn weight(self) -> usize {
        (self.item().next - self.at) as usize
    }
}
