//! Walks over a JSON text without making values of it: checks that it is JSON as RFC 8259 has it, and notes where the values of
//! some chains of names and indexes stand.
//!
//! Such a text means the same to json-smart ([`super::parse`]), so that what a chain finds in the tree is what stands at its place.
//! A walk gives up, and says nothing about the text, on all that json-smart alone takes (bare words, single quotes, useless commas), on
//! exponents, which it may refuse, and on escapes in names that it would have to compare.

/// Arrays and objects inside each other, at most (json-smart's own limit).
const DEEPEST: usize = 400;

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

/// The texts of the values that chains lead to, from the first value of a text; what follows that is ignored. None if any of them is
/// not there, or if the walk gave up.
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
    /// Where the value of each chain stands.
    found: [Option<(usize, usize)>; MOST_CHAINS],
}

/// Which chains lead to a value: a bit each. All of them have come as many steps as the value is deep.
type Chains = u8;

/// The place behind what was walked over; none: given up.
type Behind = Option<usize>;

impl Walk<'_, '_> {
    /// A value that starts at a place; `on` are the chains that go on from it.
    fn value(&mut self, at: usize, on: Chains, depth: usize) -> Behind {
        if on == 0 {
            return after_value(self.bytes, at, depth);
        }
        match self.bytes.get(at)? {
            b'{' if depth < DEEPEST => self.object(at + 1, on, depth),
            b'[' if depth < DEEPEST => self.array(at + 1, on, depth),
            _ => after_value(self.bytes, at, depth),
        }
    }

    fn object(&mut self, at: usize, on: Chains, depth: usize) -> Behind {
        let mut at = after_blanks(self.bytes, at);
        if self.bytes.get(at)? == &b'}' {
            return Some(at + 1);
        }
        loop {
            let (from, value) = (at + 1, after_name(self.bytes, at)?);
            let on = self.named(on, depth, &self.bytes[from..value])?;
            let end = after_blanks(self.bytes, self.member(value, on, depth)?);
            at = match self.bytes.get(end)? {
                b',' => after_blanks(self.bytes, end + 1),
                b'}' => return Some(end + 1),
                _ => return None,
            };
        }
    }

    fn array(&mut self, at: usize, on: Chains, depth: usize) -> Behind {
        let mut at = after_blanks(self.bytes, at);
        if self.bytes.get(at)? == &b']' {
            return Some(at + 1);
        }
        for index in 0.. {
            let on = self.select(on, |chain| chain[depth] == Step::Index(index));
            let end = after_blanks(self.bytes, self.member(at, on, depth)?);
            at = match self.bytes.get(end)? {
                b',' => after_blanks(self.bytes, end + 1),
                b']' => return Some(end + 1),
                _ => return None,
            };
        }
        None
    }

    /// The value of a member; `on` are the chains whose step it is.
    fn member(&mut self, at: usize, on: Chains, depth: usize) -> Behind {
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

    /// Those of the chains that go on with a name; `text` begins with it and has its closing quote. None: it would have to be decoded
    /// to tell.
    fn named(&self, on: Chains, depth: usize, text: &[u8]) -> Option<Chains> {
        let end = plain_length(text);
        if text.get(end)? != &b'"' {
            return None;
        }
        let name = &text[..end];
        Some(self.select(on, |chain| matches!(&chain[depth], Step::Name(step) if step.as_bytes() == name)))
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

/// The containers that are open around a place: a bit each, set for objects. It has no more of them than [`DEEPEST`].
struct Open {
    bits: [u64; DEEPEST.div_ceil(64)],
    depth: usize,
}

impl Open {
    #[inline]
    fn push(&mut self, is_object: bool) {
        let (word, bit) = (self.depth / 64, 1 << (self.depth % 64));
        if is_object {
            self.bits[word] |= bit;
        } else {
            self.bits[word] &= !bit;
        }
        self.depth += 1;
    }

    #[inline]
    fn is_in_object(&self) -> bool {
        let last = self.depth - 1;
        self.bits[last / 64] >> (last % 64) & 1 == 1
    }
}

/// A value at a place that lies in `outside` containers, with all that is in it.
fn after_value(bytes: &[u8], mut at: usize, outside: usize) -> Behind {
    let mut open = Open { bits: [0; _], depth: 0 };
    loop {
        let first = *bytes.get(at)?;
        at = match first {
            b'"' => after_string(bytes, at + 1)?,
            b'-' | b'0'..=b'9' => after_number(bytes, at)?,
            b'{' | b'[' if outside + open.depth < DEEPEST => {
                let is_object = first == b'{';
                at = after_blanks(bytes, at + 1);
                if bytes.get(at)? == &(first + 2) {
                    at + 1
                } else {
                    open.push(is_object);
                    at = if is_object { after_name(bytes, at)? } else { at };
                    continue;
                }
            }
            b't' => after_word(bytes, at, b"true")?,
            b'f' => after_word(bytes, at, b"false")?,
            b'n' => after_word(bytes, at, b"null")?,
            _ => return None,
        };
        loop {
            if open.depth == 0 {
                return Some(at);
            }
            at = after_blanks(bytes, at);
            let is_object = open.is_in_object();
            match bytes.get(at)? {
                b',' => {
                    at = after_blanks(bytes, at + 1);
                    at = if is_object { after_name(bytes, at)? } else { at };
                    break;
                }
                b'}' if is_object => open.depth -= 1,
                b']' if !is_object => open.depth -= 1,
                _ => return None,
            }
            at += 1;
        }
    }
}

#[inline]
fn after_blanks(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
    }
    at
}

/// A name and its colon: where its value starts.
#[inline]
fn after_name(bytes: &[u8], at: usize) -> Behind {
    if bytes.get(at)? != &b'"' {
        return None;
    }
    let colon = after_blanks(bytes, after_string(bytes, at + 1)?);
    (bytes.get(colon)? == &b':').then(|| after_blanks(bytes, colon + 1))
}

#[inline]
fn after_word(bytes: &[u8], at: usize, word: &[u8]) -> Behind {
    bytes[at..].starts_with(word).then_some(at + word.len())
}

#[inline]
fn after_number(bytes: &[u8], at: usize) -> Behind {
    let start = at + usize::from(bytes[at] == b'-');
    let mut end = after_digits(bytes, start)?;
    if end - start > 1 && bytes[start] == b'0' {
        return None;
    }
    if bytes.get(end) == Some(&b'.') {
        end = after_digits(bytes, end + 1)?;
    }
    (!matches!(bytes.get(end), Some(b'e' | b'E'))).then_some(end)
}

/// One digit or more.
#[inline]
fn after_digits(bytes: &[u8], start: usize) -> Behind {
    let mut at = start;
    while let Some(b'0'..=b'9') = bytes.get(at) {
        at += 1;
    }
    (at > start).then_some(at)
}

/// A string from behind its opening quote. Most are short: their end is seen at the first look.
#[inline]
fn after_string(bytes: &[u8], at: usize) -> Behind {
    if let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let special = special_bytes(u64::from_le_bytes(*eight));
        let end = at + special.trailing_zeros() as usize / 8;
        if special != 0 && bytes[end] == b'"' {
            return Some(end + 1);
        }
    }
    after_long_string(bytes, at)
}

#[inline(never)]
fn after_long_string(bytes: &[u8], mut at: usize) -> Behind {
    loop {
        at += plain_length(&bytes[at..]);
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at = after_escape(bytes, at + 1)?,
            _ => return None,
        }
    }
}

/// How many bytes there are before a quote, a backslash or a control character; it looks at eight at a time.
#[inline]
fn plain_length(bytes: &[u8]) -> usize {
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

/// An escape from behind its backslash.
#[cold]
fn after_escape(bytes: &[u8], at: usize) -> Behind {
    match bytes.get(at)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(at + 1),
        b'u' => {
            let digits = bytes.get(at + 1..at + 5)?;
            digits.iter().all(u8::is_ascii_hexdigit).then_some(at + 5)
        }
        _ => None,
    }
}

/// A mark in the highest bit of the first byte that is a quote, a backslash or below the space; bytes behind it may have marks
/// that mean nothing. Each test is that for a zero byte: <https://graphics.stanford.edu/~seander/bithacks.html#ZeroInWord>.
#[inline]
fn special_bytes(eight: u64) -> u64 {
    const ONES: u64 = u64::MAX / 255;
    const fn eight_of(byte: u8) -> u64 {
        ONES * byte as u64
    }
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word;
    let quotes = zeros(eight ^ eight_of(b'"'));
    let backslashes = zeros(eight ^ eight_of(b'\\'));
    let controls = eight.wrapping_sub(eight_of(b' ')) & !eight;
    (quotes | backslashes | controls) & eight_of(0x80)
}
