//! A results file in CSV as JMeter writes it by default.

/// Its first line.
pub(crate) const HEADER: &str = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,\
failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect";

/// The rows of a file, each with all its columns.
#[derive(Debug)]
pub(crate) struct Jtl {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Jtl {
    /// Reads a file; a row that is not whole fails the test.
    #[track_caller]
    pub(crate) fn parse(text: &str) -> Self {
        Self::separated(text, ',')
    }

    /// The same with another sign between columns.
    #[track_caller]
    pub(crate) fn separated(text: &str, delimiter: char) -> Self {
        assert!(text.ends_with('\n'), "the last row is cut: {text}");
        let mut rows = records(text, delimiter);
        let columns = rows.remove(0);
        for row in &rows {
            assert_eq!(row.len(), columns.len(), "a row is not whole: {row:?} in {text}");
        }
        Self { columns, rows }
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// A column of all rows.
    #[track_caller]
    pub(crate) fn column(&self, name: &str) -> Vec<&str> {
        let at = self.columns.iter().position(|column| column == name);
        let at = at.unwrap_or_else(|| panic!("no column {name} in {:?}", self.columns));
        self.rows.iter().map(|row| row[at].as_str()).collect()
    }

    /// Number of rows whose column has that value.
    #[track_caller]
    pub(crate) fn count(&self, name: &str, value: &str) -> usize {
        self.column(name).iter().filter(|found| **found == value).count()
    }
}

/// Records with quoted fields, in which quotes are doubled and line ends may stand.
fn records(text: &str, delimiter: char) -> Vec<Vec<String>> {
    let mut records = Vec::new();
    let mut record = Vec::new();
    let mut field = String::new();
    let mut quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => field.extend(chars.next()),
            '"' => quoted = !quoted,
            c if c == delimiter && !quoted => record.push(std::mem::take(&mut field)),
            '\n' if !quoted => {
                record.push(std::mem::take(&mut field));
                records.push(std::mem::take(&mut record));
            }
            other => field.push(other),
        }
    }
    records
}

#[test]
fn records_are_read_with_their_quotes() {
    let all = records("a,b\n\"x,\"\"y\"\"\n\",\n", ',');
    assert_eq!(all, [vec!["a", "b"], vec!["x,\"y\"\n", ""]]);
}
