//! The attributes of a start tag.

use super::super::chars::{is_letter, is_name, is_white, of, to_lower};
use super::super::input::END;
use super::super::node::Attribute;
use super::super::page::{Page, State};
use super::super::words::AttributeFinding as Finding;

/// Attributes that an element may have here.
const MOST: usize = 1024;

/// What stands where an attribute could be.
#[derive(Default)]
pub(super) struct Begun {
    pub(super) name: Option<String>,
    asp: bool,
    php: bool,
}

impl Page {
    /// The attributes up to the end of the tag, the last first.
    pub(super) fn attributes(&mut self, is_empty: &mut bool) -> Vec<Attribute> {
        let mut attributes = Vec::new();
        while !self.input.is_ended() && self.stop.is_none() {
            let begun = self.attribute_name(is_empty);
            let Some(name) = begun.name else {
                if begun.asp || begun.php {
                    let (asp, php) = (begun.asp, begun.php);
                    attributes.push(Attribute { name: None, value: None, known: None, asp, php });
                    continue;
                }
                break;
            };
            let value = self.attribute_value(Some(&name), false, is_empty);
            let attribute = Attribute::new(&name, value.as_deref());
            if is_valid_name(&name) {
                attributes.push(attribute);
            } else {
                self.refuse(&attribute);
            }
            if attributes.len() > MOST {
                self.stop.get_or_insert(super::super::page::Stop::TooLarge);
            }
        }
        attributes.reverse();
        attributes
    }

    /// What has no name that an attribute can have.
    fn refuse(&mut self, attribute: &Attribute) {
        let finding = if attribute.value.is_some() {
            Finding::BadValue
        } else if attribute.name.as_ref().is_some_and(|name| name.ends_with('"')) {
            Finding::MissingQuote
        } else {
            Finding::Unknown
        };
        self.attribute(finding, self.token, Some(attribute));
    }

    /// The name of the next attribute, or what stands there instead (`parseAttribute`).
    pub(super) fn attribute_name(&mut self, is_empty: &mut bool) -> Begun {
        loop {
            let c = self.input.read();
            let finding = match u8::try_from(c) {
                Ok(b'/') => {
                    let next = self.input.read();
                    if next == of(b'>') {
                        *is_empty = true;
                        return Begun::default();
                    }
                    self.input.unread(next);
                    return self.name_from(c);
                }
                Ok(b'>') => return Begun::default(),
                Ok(b'<') => return self.lt_in_tag(),
                Ok(b'=') => Finding::UnexpectedEquals,
                Ok(b'"' | b'\'') => Finding::UnexpectedQuote,
                _ if c == END => {
                    self.attribute(Finding::EndOfFile, self.token, None);
                    self.input.unread(c);
                    return Begun::default();
                }
                _ if is_white(c) => continue,
                _ => return self.name_from(c),
            };
            self.attribute(finding, self.token, None);
        }
    }

    /// A script of the server, or the next tag.
    fn lt_in_tag(&mut self) -> Begun {
        let c = self.input.read();
        if c == of(b'%') {
            return Begun { asp: self.server_script(of(b'%')), ..Begun::default() };
        }
        if c == of(b'?') {
            return Begun { php: self.server_script(of(b'?')), ..Begun::default() };
        }
        self.input.unread(c);
        if self.state != State::Declaration {
            self.input.unread(of(b'<'));
        }
        self.attribute(Finding::UnexpectedGt, self.token, None);
        Begun::default()
    }

    /// Whether there is something in the script (`parseAsp`, `parsePhp`).
    fn server_script(&mut self, mark: i32) -> bool {
        self.text_start = self.buffer.end;
        loop {
            let c = self.input.read();
            if c == END {
                break;
            }
            self.push_char(c);
            if c != mark {
                continue;
            }
            let c = self.input.read();
            if c == END {
                break;
            }
            self.push_char(c);
            if c == of(b'>') {
                break;
            }
        }
        self.buffer.end = self.buffer.end.saturating_sub(2);
        self.text_end = self.buffer.end;
        let is_there = self.text_end > self.text_start;
        self.text_start = self.text_end;
        is_there
    }

    fn name_from(&mut self, first: i32) -> Begun {
        let start = self.buffer.end;
        let (mut c, mut last) = (first, first);
        loop {
            let is_quote = c == of(b'"') || c == of(b'\'');
            let ends = c == END || c == of(b'=') || c == of(b'>') || c == of(b'<');
            if ends || (last == of(b'-') && is_quote) {
                if !ends {
                    self.buffer.end = self.buffer.end.saturating_sub(1);
                }
                self.input.unread(c);
                break;
            }
            if is_white(c) {
                break;
            }
            if !self.xml_tags {
                c = to_lower(c);
            }
            self.push_char(c);
            last = c;
            c = self.input.read();
        }
        let length = self.buffer.end.saturating_sub(start);
        let name = (length > 0).then(|| self.buffer.text(start, length).into_owned());
        self.buffer.end = start;
        Begun { name, ..Begun::default() }
    }
}

fn is_valid_name(name: &str) -> bool {
    let mut units = name.encode_utf16().map(i32::from);
    units.next().is_some_and(is_letter) && units.all(is_name)
}
