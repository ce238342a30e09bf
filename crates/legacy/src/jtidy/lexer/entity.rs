//! Entities (`Lexer.parseEntity`).

use super::super::chars::{is_name, of};
use super::super::input::END;
use super::super::page::{Mode, Page};
use super::super::words::EntityFinding;
use swell_query::entity_code;

impl Page {
    /// Behind a `&`.
    pub(super) fn entity(&mut self, mode: Mode) {
        // Where XML is written, nothing was taken of a character that XML does not have; a `&` is there.
        let start = self.buffer.end - 1;
        let start_column = self.input.place().1 - 1;
        let stopped_by = self.entity_name();
        let name = self.buffer.text(start, self.buffer.end - start).into_owned();
        if name == "&apos" && !self.xml_out && !self.is_voyager && !self.xhtml {
            self.entity_finding(EntityFinding::Apos, &name);
        }
        let code = code_of(&name);
        let has_semicolon = stopped_by == of(b';');
        if !has_semicolon || code <= 0 {
            self.report.line = self.input.place().0;
            self.report.column = start_column;
        }
        if code <= 0 || (code >= 256 && !has_semicolon) {
            if self.buffer.end > start + 1 {
                self.entity_finding(EntityFinding::Unknown, &name);
                if has_semicolon {
                    self.push_char(of(b';'));
                }
            } else {
                self.entity_finding(EntityFinding::Unescaped, &name);
            }
            return;
        }
        if !has_semicolon {
            self.entity_finding(EntityFinding::MissingSemicolon, &name);
        }
        self.buffer.end = start;
        let is_blank = code == 160 && mode == Mode::Preformatted;
        self.push_char(if is_blank { of(b' ') } else { code });
    }

    /// Reads the name; gives what ended it.
    fn entity_name(&mut self) -> i32 {
        let mut is_first = true;
        loop {
            let c = self.input.read();
            if c == END || c == of(b';') {
                return c;
            }
            let is_number = is_first && c == of(b'#');
            is_first = false;
            if !is_number && !is_name(c) {
                self.input.unread(c);
                return c;
            }
            self.push_char(c);
        }
    }
}

/// The code of an entity that begins with `&`; 0 if it is unknown. Bad numbers can be below 0.
fn code_of(name: &str) -> i32 {
    let Some(number) = name.strip_prefix("&#") else { return entity_code(&name[1..]).map_or(0, i32::from) };
    match number.strip_prefix('x') {
        Some(digits) if !digits.is_empty() => i32::from_str_radix(digits, 16).unwrap_or(0),
        _ => number.parse().unwrap_or(0),
    }
}
