//! The columns of a results file.

/// A column that a report needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    TimeStamp,
    Elapsed,
    Label,
    Code,
    Message,
    Failure,
    Success,
    Bytes,
    SentBytes,
    Users,
    Latency,
    Connect,
    Idle,
    Thread,
    Url,
}

/// Number of fields.
pub(super) const FIELDS: usize = Field::Url as usize + 1;

/// Columns of JMeter by default (`SampleSaveConfiguration`), for a file without a header.
const DEFAULT: &str = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,sentBytes,\
     grpThreads,allThreads,URL,Latency,IdleTime,Connect";

/// Delimiters that a header is tried with.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// The columns of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    pub(super) delimiter: u8,
    /// The place of each field.
    pub(super) places: [Option<usize>; FIELDS],
    /// The field of each place.
    pub(super) fields: Vec<Option<Field>>,
    /// How many columns a row has.
    pub(super) count: usize,
    /// There was no header: a row may have more.
    pub(super) are_guessed: bool,
}

impl Columns {
    /// Those of a header; none if the line is no header.
    pub(super) fn of_header(line: &[u8]) -> Option<Self> {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        let text = std::str::from_utf8(line).ok()?.trim_end_matches('\r');
        // Spreadsheets and libraries for tables put all names in quotes, JMeter only those of
        // variables.
        let all_quoted = text.starts_with('"') && text.ends_with('"');
        Self::named(text).or_else(|| all_quoted.then(|| Self::named(&text.replace('"', "")))?)
    }

    fn named(text: &str) -> Option<Self> {
        let found = DELIMITERS.into_iter().filter_map(|delimiter| Self::split(text, delimiter));
        found.max_by_key(|columns| columns.places.iter().flatten().count())
    }

    /// Those of a file without a header, by its first row.
    pub(super) fn guessed(line: &[u8]) -> Self {
        let count = |delimiter: &u8| memchr::memchr_iter(*delimiter, line).count();
        let delimiter = DELIMITERS.into_iter().rev().max_by_key(count).unwrap_or(b',');
        let columns = Self::split(DEFAULT, b',').expect("it has all names");
        Self { delimiter, are_guessed: true, ..columns }
    }

    fn split(text: &str, delimiter: u8) -> Option<Self> {
        let mut places = [None; FIELDS];
        let mut fields = Vec::new();
        for name in text.split(char::from(delimiter)) {
            // A name in quotes is that of a variable.
            let field = field_of(name.trim()).filter(|field| places[*field as usize].is_none());
            if let Some(field) = field {
                places[field as usize] = Some(fields.len());
            }
            fields.push(field);
        }
        let count = fields.len();
        let has = |field: Field| places[field as usize].is_some();
        (has(Field::TimeStamp) && has(Field::Elapsed)).then_some(Self {
            delimiter,
            places,
            fields,
            count,
            are_guessed: false,
        })
    }

    /// The last column that anybody looks at.
    pub(super) fn last(&self) -> usize {
        self.places.iter().flatten().copied().max().unwrap_or(0)
    }
}

/// Names as `CSVSaveService` writes them.
fn field_of(name: &str) -> Option<Field> {
    Some(match name {
        "timeStamp" => Field::TimeStamp,
        "elapsed" => Field::Elapsed,
        "label" => Field::Label,
        "responseCode" => Field::Code,
        "responseMessage" => Field::Message,
        "failureMessage" => Field::Failure,
        "success" => Field::Success,
        "bytes" => Field::Bytes,
        "sentBytes" => Field::SentBytes,
        "allThreads" => Field::Users,
        "Latency" => Field::Latency,
        "Connect" => Field::Connect,
        "IdleTime" => Field::Idle,
        "threadName" => Field::Thread,
        "URL" => Field::Url,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_known_by_their_names_whatever_the_order_and_delimiter() {
        for (header, delimiter, elapsed) in [
            ("timeStamp,elapsed,label", b',', 1),
            ("label;success;elapsed;timeStamp\r", b';', 2),
            ("\u{feff}elapsed\ttimeStamp\t\"elapsed\"", b'\t', 0),
            ("timeStamp|label|elapsed", b'|', 2),
            ("\"timeStamp\",\"elapsed\",\"label\"", b',', 1),
        ] {
            let columns = Columns::of_header(header.as_bytes()).expect(header);
            assert_eq!(
                (columns.delimiter, columns.places[Field::Elapsed as usize]),
                (delimiter, Some(elapsed)),
                "{header}"
            );
        }
        for line in ["1700000000000,12,home,200,OK", "elapsed,label", "", "timeStamp elapsed"] {
            assert_eq!(Columns::of_header(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn without_a_header_the_columns_are_jmeters_and_the_delimiter_is_the_most_frequent() {
        let columns = Columns::guessed(b"1700000000000;12;home, sweet home;200;OK");
        assert_eq!((columns.delimiter, columns.count), (b';', 17));
        assert_eq!(columns.places[Field::Connect as usize], Some(16));
    }
}
