//! Scans JSON text without building values: checks that it is JSON by RFC 8259, and records the
//! positions of values at some chains of names and indexes.
//!
//! json-smart ([`super::parse`]) reads such a text in the same way, so a chain finds the same value
//! here as in the tree. A scan gives up, without a statement about the text, on anything that only
//! json-smart accepts (unquoted text, single quotes, extra commas), on exponents, which json-smart
//! may refuse, and on escapes in names that must be compared.

/// Arrays and objects inside each other, at most (json-smart's own limit).
pub(super) const DEEPEST: usize = 400;

/// Chains that one walk can follow.
pub(crate) const MOST_CHAINS: usize = 8;

/// A step of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The value of a name in an object.
    Name(String),
    /// An element of an array, from 0.
    Index(usize),
}

/// The texts of the values that chains lead to, from the first value of a text; what follows that
/// is ignored. None if any of them is not there, or if the walk gave up.
///
/// `chains` are at most [`MOST_CHAINS`], each of one step or more.
pub(crate) fn values_of<'d>(text: &'d str, chains: &[&[Step]]) -> Option<[&'d str; MOST_CHAINS]> {
    debug_assert!(chains.len() <= MOST_CHAINS && chains.iter().all(|chain| !chain.is_empty()));
    let mut walk = Walk { bytes: text.as_bytes(), chains, found: [None; MOST_CHAINS] };
    let all = u8::try_from((1_u32 << chains.len()) - 1).ok()?;
    let start = after_blanks(walk.bytes, 0);
    if !matches!(walk.bytes.get(start)?, b'{' | b'[') {
        return None;
    }
    walk.value(start, all, 0)?;
    let mut values = [""; MOST_CHAINS];
    for (value, found) in values.iter_mut().zip(walk.found).take(chains.len()) {
        let (from, to) = found?;
        *value = text.get(from..to)?;
    }
    Some(values)
}

struct Walk<'d, 'c> {
    bytes: &'d [u8],
    chains: &'c [&'c [Step]],
    /// Where the value of each chain is.
    found: [Option<(usize, usize)>; MOST_CHAINS],
}

/// Which chains lead to a value: a bit each. All of them have come as many steps as the value is
/// deep.
type Chains = u8;

/// The position after the scanned value; `None`: given up.
pub(super) type ScanEnd = Option<usize>;

impl Walk<'_, '_> {
    /// A value that starts at a position; `on` are the chains that continue from it.
    fn value(&mut self, at: usize, on: Chains, depth: usize) -> ScanEnd {
        if on == 0 {
            return after_value(self.bytes, at, depth);
        }
        match self.bytes.get(at)? {
            b'{' if depth < DEEPEST => self.object(at + 1, on, depth),
            b'[' if depth < DEEPEST => self.array(at + 1, on, depth),
            _ => after_value(self.bytes, at, depth),
        }
    }

    fn object(&mut self, at: usize, on: Chains, depth: usize) -> ScanEnd {
        let mut at = after_blanks(self.bytes, at);
        if self.bytes.get(at)? == &b'}' {
            return Some(at + 1);
        }
        loop {
            let (name, value) = name_at(self.bytes, at)?;
            let on = self.named(on, depth, name);
            let end = after_blanks(self.bytes, self.member(value, on, depth)?);
            at = match self.bytes.get(end)? {
                b',' => after_blanks(self.bytes, end + 1),
                b'}' => return Some(end + 1),
                _ => return None,
            };
        }
    }

    fn array(&mut self, at: usize, on: Chains, depth: usize) -> ScanEnd {
        let mut at = after_blanks(self.bytes, at);
        if self.bytes.get(at)? == &b']' {
            return Some(at + 1);
        }
        let last = self.last_index(on, depth);
        for index in 0..=last {
            let on = self.select(on, |chain| chain[depth] == Step::Index(index));
            let end = after_blanks(self.bytes, self.member(at, on, depth)?);
            at = match self.bytes.get(end)? {
                b',' => after_blanks(self.bytes, end + 1),
                b']' => return Some(end + 1),
                _ => return None,
            };
        }
        after_elements(self.bytes, at, depth + 1)
    }

    /// The last array element that a chain continues with; the first if none does.
    fn last_index(&self, on: Chains, depth: usize) -> usize {
        let index = |(at, chain): (usize, &&[Step])| match chain.get(depth) {
            Some(Step::Index(index)) if on & (1 << at) != 0 => Some(*index),
            _ => None,
        };
        self.chains.iter().enumerate().filter_map(index).max().unwrap_or(0)
    }

    /// The value of a member; `on` are the chains whose step it is.
    fn member(&mut self, at: usize, on: Chains, depth: usize) -> ScanEnd {
        if on == 0 {
            return after_value(self.bytes, at, depth + 1);
        }
        let ends = self.select(on, |chain| chain.len() == depth + 1);
        // The last of equal names counts, whatever the ones before it had.
        self.each(on, |found| *found = None);
        let to = self.value(at, on & !ends, depth + 1)?;
        self.each(ends, |found| *found = Some((at, to)));
        Some(to)
    }

    /// The chains that continue with a name.
    fn named(&self, on: Chains, depth: usize, name: &[u8]) -> Chains {
        self.select(on, |chain| matches!(&chain[depth], Step::Name(step) if step.as_bytes() == name))
    }

    #[inline]
    fn select(&self, on: Chains, is_wanted: impl Fn(&[Step]) -> bool) -> Chains {
        let mut selected = 0;
        for (at, chain) in self.chains.iter().enumerate() {
            if on & (1 << at) != 0 && is_wanted(chain) {
                selected |= 1 << at;
            }
        }
        selected
    }

    #[inline]
    fn each(&mut self, on: Chains, change: impl Fn(&mut Option<(usize, usize)>)) {
        for (at, found) in self.found.iter_mut().enumerate() {
            if on & (1 << at) != 0 {
                change(found);
            }
        }
    }
}

/// The containers that are open around a value but the innermost: a bit each, set for objects.
/// There are no more than [`DEEPEST`].
struct Outer {
    bits: [u64; DEEPEST.div_ceil(64)],
    depth: usize,
}

impl Outer {
    #[inline]
    fn push(&mut self, is_object: bool) {
        let word = self.depth / 64;
        let bit = 1 << (self.depth % 64);
        if is_object {
            self.bits[word] |= bit;
        } else {
            self.bits[word] &= !bit;
        }
        self.depth += 1;
    }

    /// Whether the last one is an object; it is open no longer.
    #[inline]
    fn pop(&mut self) -> bool {
        self.depth -= 1;
        self.bits[self.depth / 64] >> (self.depth % 64) & 1 == 1
    }
}

/// The part of a text after the scanned value; `None`: given up.
pub(super) type ScanRest<'d> = Option<&'d [u8]>;

/// Where a value at a place ends.
pub(super) fn value_end(bytes: &[u8], at: usize) -> ScanEnd {
    after_value(bytes, at, 0)
}

/// A value at a place that lies in `outside` containers, with all that is in it.
fn after_value(bytes: &[u8], at: usize, outside: usize) -> ScanEnd {
    let outer = Outer { bits: [0; _], depth: 0 };
    let rest = behind_values(bytes.get(at..)?, outside, outer)?;
    Some(bytes.len() - rest.len())
}

/// The rest of an array from an element on; its elements lie in `outside` containers.
fn after_elements(bytes: &[u8], at: usize, outside: usize) -> ScanEnd {
    let mut outer = Outer { bits: [0; _], depth: 0 };
    outer.push(false);
    let rest = behind_values(bytes.get(at..)?, outside - 1, outer)?;
    Some(bytes.len() - rest.len())
}

/// A value that a text begins with, and what follows it in open containers that are not objects.
/// Nearly all of a text is walked over here: what is likely is looked at first, and in line.
fn behind_values(mut rest: &[u8], outside: usize, mut outer: Outer) -> ScanRest<'_> {
    let mut is_in_object = false;
    loop {
        let (&first, behind) = rest.split_first()?;
        rest = match first {
            b'"' => behind_string(behind)?,
            b'1'..=b'9' => behind_plain_number(rest)?,
            b'{' | b'[' if outside + outer.depth < DEEPEST => {
                let (next, inside) = first_but_blanks(behind)?;
                if next == first + 2 {
                    &inside[1..]
                } else {
                    outer.push(is_in_object);
                    is_in_object = first == b'{';
                    rest = if is_in_object { behind_name(inside)? } else { inside };
                    continue;
                }
            }
            _ => behind_other(rest)?,
        };
        loop {
            if outer.depth == 0 {
                return Some(rest);
            }
            let (next, from) = first_but_blanks(rest)?;
            rest = &from[1..];
            if next == b',' {
                rest = first_but_blanks(rest)?.1;
                rest = if is_in_object { behind_name(rest)? } else { rest };
                break;
            }
            if next != if is_in_object { b'}' } else { b']' } {
                return None;
            }
            is_in_object = outer.pop();
        }
    }
}

/// A value that is neither a container nor often there.
#[inline(never)]
pub(super) fn behind_other(text: &[u8]) -> ScanRest<'_> {
    match text.first()? {
        b'-' | b'0' => behind_other_number(text),
        b't' => text.strip_prefix(b"true"),
        b'f' => text.strip_prefix(b"false"),
        b'n' => text.strip_prefix(b"null"),
        _ => None,
    }
}

/// The first byte of a text that is not blank, and the text from there.
#[inline]
pub(super) fn first_but_blanks(text: &[u8]) -> Option<(u8, &[u8])> {
    match text.first()? {
        // Most texts have no blanks.
        ..=b' ' => first_behind_blanks(text),
        first => Some((*first, text)),
    }
}

#[inline(never)]
fn first_behind_blanks(text: &[u8]) -> Option<(u8, &[u8])> {
    let rest = &text[after_blanks(text, 0)..];
    Some((*rest.first()?, rest))
}

#[inline]
pub(super) fn after_blanks(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
    }
    at
}

/// A name at a place, and where its value starts. None: it would have to be decoded to be compared.
#[inline]
pub(super) fn name_at(bytes: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let text = bytes.get(at..)?;
    if let Some(end) = end_of_short_name(text) {
        return Some((&text[1..end], at + end + 2));
    }
    let rest = behind_any_name(text)?;
    let end = 1 + plain_length(&text[1..]);
    (text[end] == b'"').then_some((&text[1..end], bytes.len() - rest.len()))
}

/// A name that a text begins with, its colon and blanks.
#[inline]
fn behind_name(text: &[u8]) -> ScanRest<'_> {
    match end_of_short_name(text) {
        Some(end) => Some(&text[end + 2..]),
        None => behind_any_name(text),
    }
}

/// The place of the closing quote of a name of up to seven bytes that has no blanks around its
/// colon. Most names are so.
#[inline]
fn end_of_short_name(text: &[u8]) -> Option<usize> {
    let start = text.first_chunk::<16>()?;
    let [quote, eight @ .., _, _, _, _, _, _, _] = start;
    let end = 1 + special_bytes(u64::from_le_bytes(*eight)).trailing_zeros() as usize / 8 % 8;
    (*quote == b'"' && [start[end], start[end + 1]] == *b"\":" && start[end + 2] > b' ').then_some(end)
}

#[inline(never)]
fn behind_any_name(text: &[u8]) -> ScanRest<'_> {
    let (b'"', name) = text.split_first()? else { return None };
    let (b':', colon) = first_but_blanks(behind_string(name)?)? else { return None };
    Some(first_but_blanks(&colon[1..])?.1)
}

/// A string, starting after its opening quote. Most are short: their end is found at once.
#[inline]
pub(super) fn behind_string(text: &[u8]) -> ScanRest<'_> {
    let Some(eight) = text.first_chunk() else { return behind_long_string(text, 0) };
    let special = special_bytes(u64::from_le_bytes(*eight));
    if special == 0 {
        return behind_long_string(text, 8);
    }
    let end = special.trailing_zeros() as usize / 8;
    if text[end] == b'"' { Some(&text[end + 1..]) } else { behind_long_string(text, end) }
}

/// The same for any string; the part before `at` is plain.
#[inline(never)]
fn behind_long_string(text: &[u8], mut at: usize) -> ScanRest<'_> {
    loop {
        at += plain_length(&text[at..]);
        match text.get(at)? {
            b'"' => return Some(&text[at + 1..]),
            b'\\' => at = after_escape(text, at + 1)?,
            _ => return None,
        }
    }
}

/// A number that a text begins with; it does not begin with a zero. Byte by byte: where a number
/// ends is guessed well by the processor, and what comes next need not wait for it.
#[inline]
pub(super) fn behind_plain_number(mut text: &[u8]) -> ScanRest<'_> {
    while let [b'0'..=b'9', rest @ ..] = text {
        text = rest;
    }
    match text {
        [b'.', fraction @ ..] => behind_fraction(fraction),
        [b'e' | b'E', ..] => None,
        rest => Some(rest),
    }
}

#[inline]
fn behind_fraction(text: &[u8]) -> ScanRest<'_> {
    let mut rest = text;
    while let [b'0'..=b'9', behind @ ..] = rest {
        rest = behind;
    }
    (rest.len() < text.len() && !matches!(rest, [b'e' | b'E', ..])).then_some(rest)
}

/// A number that begins with a sign or a zero.
pub(super) fn behind_other_number(text: &[u8]) -> ScanRest<'_> {
    match text.strip_prefix(b"-").unwrap_or(text) {
        [b'0', b'0'..=b'9', ..] => None,
        digits @ [b'0'..=b'9', ..] => behind_plain_number(digits),
        _ => None,
    }
}

/// How many bytes there are before a quote, a backslash or a control character; it looks at eight
/// at a time.
#[inline]
pub(super) fn plain_length(bytes: &[u8]) -> usize {
    let mut length = 0;
    while let Some(eight) = bytes[length..].first_chunk() {
        let special = special_bytes(u64::from_le_bytes(*eight));
        if special != 0 {
            return length + special.trailing_zeros() as usize / 8;
        }
        length += 8;
    }
    length + short_plain_length(&bytes[length..])
}

/// [`plain_length`] of the last few bytes of a text.
#[cold]
fn short_plain_length(bytes: &[u8]) -> usize {
    let is_special = |byte: &u8| *byte < b' ' || *byte == b'"' || *byte == b'\\';
    bytes.iter().position(is_special).unwrap_or(bytes.len())
}

/// An escape, starting after its backslash.
#[cold]
fn after_escape(bytes: &[u8], at: usize) -> ScanEnd {
    match bytes.get(at)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(at + 1),
        b'u' => {
            let digits = bytes.get(at + 1..at + 5)?;
            digits.iter().all(u8::is_ascii_hexdigit).then_some(at + 5)
        }
        _ => None,
    }
}

/// Eight times the same byte.
const fn eight_of(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// A mark in the highest bit of the first byte that is a quote, a backslash or below the space;
/// bytes after it may have marks that mean nothing. A subtraction borrows from that bit of a byte
/// that is too small for it, which is a zero where the two are the same:
/// <https://graphics.stanford.edu/~seander/bithacks.html#ZeroInWord>. Bytes beyond ASCII have the
/// bit themselves, and get no mark.
#[inline]
fn special_bytes(eight: u64) -> u64 {
    let is = |byte: u8| (eight ^ eight_of(byte)).wrapping_sub(eight_of(1));
    let is_control = eight.wrapping_sub(eight_of(b' '));
    (is(b'"') | is(b'\\') | is_control) & !eight & eight_of(0x80)
}
