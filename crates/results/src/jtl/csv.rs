//! Reads CSV results files.

use std::borrow::Cow;
use std::io::Read;

use memchr::{memchr, memchr_iter};

use super::branches::Held;
use super::bytes::Input;
use super::columns::{Columns, FIELDS, Field};
use super::parts::Recent;
use super::quoted::{self, Split};
use super::sample::{JtlCounts, JtlError, JtlSample, Place};
use super::time::{number, time_ms};

/// A row longer than this is none: a quote that is never closed would take the rest of the file.
const LONGEST_ROW: usize = 16 << 20;

/// Reads all rows.
pub(super) fn read<R: Read>(
    input: &mut Input<R>,
    take: impl FnMut(&JtlSample<'_>),
) -> Result<JtlCounts, JtlError> {
    let mut rows = Rows {
        take,
        counts: JtlCounts::default(),
        columns: None,
        line: 1,
        text: Vec::new(),
        ends: Vec::new(),
        recent: Recent::default(),
        held: Held::default(),
    };
    let mut is_end = false;
    loop {
        let used = rows.all_of(input.unread());
        input.consume(used);
        let left = input.unread().len();
        if is_end {
            rows.last(input.unread());
            rows.held.end(&mut rows.take);
            return Ok(rows.counts);
        }
        if left > LONGEST_ROW {
            if rows.columns.is_none() {
                // A device, or another file without lines, may have no end.
                return Err(JtlError::NotJtl("its first line has more than 16 MB".to_owned()));
            }
            rows.counts.bad(rows.line, "a quote that is not closed, or a row of more than 16 MB");
            // The row itself is lost, and those behind its first line are not.
            let line = memchr(b'\n', input.unread()).map_or(left, |at| at + 1);
            input.consume(line);
            rows.line += 1;
        }
        is_end = !input.more()?;
    }
}

struct Rows<T> {
    take: T,
    counts: JtlCounts,
    columns: Option<Columns>,
    /// The number of the line that comes.
    line: u64,
    /// Fields of a row with quotes.
    text: Vec<u8>,
    ends: Vec<usize>,
    recent: Recent,
    held: Held,
}

/// Where each field is in the bytes of its row.
type Places = [(usize, usize); FIELDS];

impl<T: FnMut(&JtlSample<'_>)> Rows<T> {
    /// Takes all whole rows; gives the number of their bytes.
    fn all_of(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        while let Some(end) = memchr(b'\n', &bytes[at..]) {
            let row = &bytes[at..at + end];
            if memchr(b'"', row).is_none() || self.columns.is_none() {
                self.plain(row);
                self.line += 1;
                at += end + 1;
                continue;
            }
            let Some((length, lines)) = self.quoted(&bytes[at..]) else { break };
            self.line += lines + 1;
            at += length;
        }
        at
    }

    /// What stands behind the last line end.
    fn last(&mut self, bytes: &[u8]) {
        if !bytes.trim_ascii().is_empty() {
            let used = self.all_of(&[bytes, b"\n"].concat());
            if used == 0 {
                self.counts.bad(self.line, "the file ends within a quoted field");
            }
        }
    }

    /// A row with quotes: its length and the line ends inside; none if it is not whole.
    fn quoted(&mut self, bytes: &[u8]) -> Option<(usize, u64)> {
        let columns = self.columns.take()?;
        let mut text = std::mem::take(&mut self.text);
        let mut ends = std::mem::take(&mut self.ends);
        let split = quoted::split(bytes, columns.delimiter, &mut text, &mut ends);
        let found = match split {
            Split::Row { length, lines } => {
                let mut places: Places = [(0, 0); FIELDS];
                for (field, place) in columns.places.iter().enumerate() {
                    if let Some(&to) = place.and_then(|place| ends.get(place)) {
                        let from = place.filter(|place| *place > 0).map_or(0, |place| ends[place - 1]);
                        places[field] = (from, to);
                    }
                }
                self.row(&columns, &text, &places, ends.len());
                Some((length, lines))
            }
            Split::Incomplete => None,
        };
        (self.text, self.ends, self.columns) = (text, ends, Some(columns));
        found
    }

    /// A row without quotes, or the header.
    fn plain(&mut self, row: &[u8]) {
        let row = row.strip_suffix(b"\r").unwrap_or(row);
        if row.is_empty() {
            return;
        }
        let Some(columns) = self.columns.take() else {
            let header = Columns::of_header(row);
            let is_header = header.is_some();
            self.columns = Some(header.unwrap_or_else(|| Columns::guessed(row)));
            if !is_header {
                // The first row of a file without a header is a sample, and may have quotes.
                self.all_of(&[row, b"\n"].concat());
                self.line -= 1;
            }
            return;
        };
        // Files that were joined have a header in their middle.
        if row.first().is_some_and(u8::is_ascii_alphabetic)
            && let Some(header) = Columns::of_header(row)
        {
            self.columns = Some(header);
            return;
        }
        let mut places: Places = [(0, 0); FIELDS];
        let count = split_plain(row, &columns, &mut places);
        self.row(&columns, row, &places, count);
        self.columns = Some(columns);
    }

    /// A row of `count` fields.
    fn row(&mut self, columns: &Columns, bytes: &[u8], places: &Places, count: usize) {
        let is_short =
            if columns.are_guessed { count <= columns.last().min(7) } else { count < columns.count };
        if is_short || (count > columns.count && !columns.are_guessed) {
            let wanted = columns.count;
            let fields = if count == 1 { "field" } else { "fields" };
            self.counts.bad(self.line, format!("{count} {fields}, and the header has {wanted}"));
            return;
        }
        let field = |field: Field| {
            let (from, to) = places[field as usize];
            columns.places[field as usize].map(|_| &bytes[from..to])
        };
        match self.sample(&field) {
            Ok(()) => self.counts.samples += 1,
            Err(why) => self.counts.bad(self.line, why),
        }
    }

    fn sample<'b>(&mut self, field: &impl Fn(Field) -> Option<&'b [u8]>) -> Result<(), String> {
        let invalid = |name: &str, bytes: &[u8], expected: &str| {
            let text = String::from_utf8_lossy(&bytes[..bytes.len().min(40)]).into_owned();
            format!("invalid {name} `{text}`: expected {expected}")
        };
        let stamp = field(Field::TimeStamp).unwrap_or_default();
        let start_ms = time_ms(stamp).ok_or_else(|| invalid("timeStamp", stamp, "a time"))?;
        let elapsed = field(Field::Elapsed).unwrap_or_default();
        let elapsed_ms =
            number(elapsed).ok_or_else(|| invalid("elapsed", elapsed, "a number of milliseconds"))?;
        let success = match field(Field::Success) {
            None => true,
            Some(text) if text.eq_ignore_ascii_case(b"true") => true,
            Some(text) if text.eq_ignore_ascii_case(b"false") => false,
            Some(text) => return Err(invalid("success", text, "true or false")),
        };
        let text = |of| field(of).map_or(Cow::Borrowed(""), String::from_utf8_lossy);
        // What a report can do without is 0 where it is no number.
        let amount = |of| field(of).and_then(number);
        let [label, code, message, failure, thread] =
            [Field::Label, Field::Code, Field::Message, Field::Failure, Field::Thread].map(text);
        let users = amount(Field::Users);
        self.counts.has_users |= users.is_some();
        let sample = JtlSample {
            start_ms,
            elapsed_ms,
            label: &label,
            code: &code,
            message: &message,
            failure: &failure,
            success,
            bytes: amount(Field::Bytes).unwrap_or(0),
            sent_bytes: amount(Field::SentBytes).unwrap_or(0),
            users,
            latency_ms: amount(Field::Latency).unwrap_or(0),
            connect_ms: amount(Field::Connect).unwrap_or(0),
            idle_ms: amount(Field::Idle),
            thread: &thread,
            place: Place::Own,
        };
        let is_part = self.recent.is_part(&sample);
        let place = if is_part { Place::InSample } else { Place::Own };
        self.held.pass(&JtlSample { place, ..sample }, field(Field::Url), &mut self.take);
        Ok(())
    }
}

/// Finds the fields of a row without quotes; gives their number.
fn split_plain(row: &[u8], columns: &Columns, places: &mut Places) -> usize {
    let mut from = 0;
    let mut place = 0;
    for to in memchr_iter(columns.delimiter, row).chain([row.len()]) {
        if let Some(&Some(field)) = columns.fields.get(place) {
            places[field as usize] = (from, to);
        }
        place += 1;
        from = to + 1;
    }
    place
}
