//! The observer of `docs/adding-an-observer.md`, word for word.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use swell_session::{Ended, Observer, Problem, Second};

/// Writes a line of CSV for each second of a run.
pub(crate) struct CsvOfSeconds {
    file: BufWriter<File>,
    failure: Option<io::Error>,
}

impl CsvOfSeconds {
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let mut file = BufWriter::new(File::create(path)?);
        writeln!(file, "end_ms,samples,errors,users")?;
        Ok(Self { file, failure: None })
    }

    fn write(&mut self, second: &Second) -> io::Result<()> {
        let end_ms = second.at_ns / 1_000_000;
        let total = &second.total;
        writeln!(self.file, "{end_ms},{},{},{}", total.samples, total.errors, second.users().active)
    }
}

impl Observer for CsvOfSeconds {
    fn second(&mut self, second: &Second) {
        if self.failure.is_none() {
            self.failure = self.write(second).err();
        }
    }

    fn end(&mut self, _ended: &mut Ended) -> Vec<Problem> {
        let flushed = self.failure.take().map_or_else(|| self.file.flush(), Err);
        let problem = |error| Problem::output(format!("cannot write the CSV of seconds: {error}"));
        flushed.map_err(problem).err().into_iter().collect()
    }
}
