//! What is found in a page: counts, and the lines that JTidy writes (`org.w3c.tidy.Report`).

/// Faults after which JTidy is silent; it goes on counting.
const LOUD: i16 = 6;

/// How heavy a finding is in the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    Error,
    Warning,
    /// A warning that does not say so.
    Info,
}

/// What was found so far. JTidy counts in 16 bits, and so do we.
#[derive(Default)]
pub(super) struct Report {
    pub(super) errors: i16,
    pub(super) warnings: i16,
    /// A form was tangled: from then on, what is left out is an error that is not counted.
    pub(super) bad_form: bool,
    /// The lines; none where nobody wants them.
    lines: Option<String>,
    /// Where the reader is, for the lines.
    pub(super) line: i32,
    pub(super) column: i32,
}

impl Report {
    pub(super) fn new(wants_lines: bool) -> Self {
        Self { lines: wants_lines.then(String::new), line: 1, column: 1, ..Self::default() }
    }

    pub(super) fn error(&mut self) {
        self.errors = self.errors.wrapping_add(1);
    }

    pub(super) fn warning(&mut self) {
        self.warnings = self.warnings.wrapping_add(1);
    }

    /// Whether a finding is written down, too.
    pub(super) fn is_heard(&self) -> bool {
        self.lines.is_some() && self.errors <= LOUD
    }

    /// Writes a finding down, with its place.
    pub(super) fn tell(&mut self, level: Level, message: &str) {
        let (line, column) = (grouped(self.line.into()), grouped(self.column.into()));
        let level = match level {
            Level::Error => "Error: ",
            Level::Warning => "Warning: ",
            Level::Info => "",
        };
        self.write(&format!("line {line} column {column} - {level}{message}"));
    }

    pub(super) fn write(&mut self, line: &str) {
        if let Some(lines) = &mut self.lines {
            lines.push_str(line);
            lines.push('\n');
        }
    }

    /// The line with the counts.
    pub(super) fn tell_counts(&mut self) {
        if self.warnings <= 0 && self.errors <= 0 {
            self.write("no warnings or errors were found");
            return;
        }
        let line =
            format!("{}, {} were found!", counted(self.warnings, "warning"), counted(self.errors, "error"));
        self.write(&line);
    }

    pub(super) fn take_lines(&mut self) -> String {
        self.lines.take().unwrap_or_default()
    }
}

fn counted(count: i16, what: &str) -> String {
    match count {
        ..=0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        _ => format!("{} {what}s", grouped(count.into())),
    }
}

/// A number as `java.text.MessageFormat` shows it in English: in groups of three digits.
fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut out = String::from(if number < 0 { "-" } else { "" });
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
