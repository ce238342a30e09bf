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
            units: String::from_utf8_lossy(page).encode_utf16().collect(),
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
