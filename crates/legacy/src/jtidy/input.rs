//! The characters of a page one by one, with line and column, and a way back (`org.w3c.tidy.StreamInJavaImpl`).

/// Stands for the end of the page.
pub(super) const END: i32 = -1;
/// Characters that can be taken back.
const DEPTH: usize = 16;
const TAB: i32 = 8;
const NEWLINE: i32 = 0x0A;

pub(super) struct Input {
    units: Vec<u16>,
    at: usize,
    back: [i32; DEPTH],
    backed: usize,
    ended: bool,
    column: i32,
    last_column: i32,
    line: i32,
    /// Blanks that stand for a tab and are still to come.
    tabs: i32,
}

impl Input {
    pub(super) fn new(page: &[u8]) -> Self {
        Self {
            units: decoded(page),
            at: 0,
            back: [0; DEPTH],
            backed: 0,
            ended: false,
            column: 1,
            last_column: 0,
            line: 1,
            tabs: 0,
        }
    }

    /// Whether the end was seen.
    pub(super) fn is_ended(&self) -> bool {
        self.ended
    }

    pub(super) fn place(&self) -> (i32, i32) {
        (self.line, self.column)
    }

    fn next_unit(&mut self) -> i32 {
        let unit = self.units.get(self.at).copied();
        self.at += usize::from(unit.is_some());
        self.ended |= unit.is_none();
        unit.map_or(END, i32::from)
    }

    pub(super) fn read(&mut self) -> i32 {
        if self.backed > 0 {
            self.backed -= 1;
            return self.count(self.back[self.backed]);
        }
        self.last_column = self.column;
        if self.tabs > 0 {
            self.tabs -= 1;
            return self.count(0x20);
        }
        match self.next_unit() {
            END => END,
            0x0D => {
                match self.next_unit() {
                    NEWLINE | END => {}
                    other => self.unread(other),
                }
                self.count(NEWLINE)
            }
            0x09 => {
                self.tabs = TAB - (self.column - 1) % TAB - 1;
                self.count(0x20)
            }
            c => self.count(c),
        }
    }

    fn count(&mut self, c: i32) -> i32 {
        if c == NEWLINE {
            self.column = 1;
            self.line += 1;
        } else {
            self.column += 1;
        }
        c
    }

    /// Takes a character back. Of more than 16, the last ones are lost.
    pub(super) fn unread(&mut self, c: i32) {
        if self.backed >= DEPTH {
            self.back.copy_within(0..DEPTH - 1, 1);
            self.backed -= 1;
        }
        self.back[self.backed] = c;
        self.backed += 1;
        if c == NEWLINE {
            self.line -= 1;
        }
        self.column = self.last_column;
    }
}

/// The characters of UTF-8. What is none is one replacement character, as Java has it: half of a surrogate pair is one, too.
fn decoded(page: &[u8]) -> Vec<u16> {
    let mut units = Vec::with_capacity(page.len());
    let mut rest = page;
    while !rest.is_empty() {
        let Some(chunk) = rest.utf8_chunks().next() else { break };
        units.extend(chunk.valid().encode_utf16());
        let bad = &rest[chunk.valid().len()..];
        let length = match bad {
            [0xED, 0xA0..=0xBF, 0x80..=0xBF, ..] => 3,
            [0xED, 0xA0..=0xBF, ..] => 2,
            _ => chunk.invalid().len(),
        };
        if length > 0 {
            units.push(0xFFFD);
        }
        rest = &bad[length..];
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_utf_8_is_replaced_as_java_does() {
        for (bytes, wanted) in [
            (&b"a\xC3\xA9\xFFb"[..], "a\u{e9}\u{FFFD}b"),
            (b"\xED\xA0\x80x", "\u{FFFD}x"),
            (b"\xED\xB0x", "\u{FFFD}x"),
            (b"\xED\xB0", "\u{FFFD}"),
            (b"\xE0\x80x", "\u{FFFD}\u{FFFD}x"),
            (b"\xF0\x9F\x98x\xF0\x9F\x98\x80", "\u{FFFD}x\u{1F600}"),
        ] {
            assert_eq!(String::from_utf16_lossy(&decoded(bytes)), wanted, "{bytes:?}");
        }
    }

    #[test]
    fn lines_and_columns_are_counted() {
        let mut input = Input::new(b"a\tb\r\nc");
        let mut places = Vec::new();
        while input.read() != END {
            places.push(input.place());
        }
        assert_eq!(places[1], (1, 3), "a tab is blanks up to the next eighth column");
        assert_eq!(places[8..], [(1, 10), (2, 1), (2, 2)]);
        assert_eq!((input.read(), input.is_ended()), (END, true));
    }
}
