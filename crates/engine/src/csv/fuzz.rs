//! Reads the rows of a whole data set, for the fuzz targets.

use std::io::Read;

use swell_expr::FileLimits;

use super::lines::Lines;
use super::split;

/// How the lines of a data set are split into values.
#[derive(Clone, Copy, Debug)]
pub enum Split<'a> {
    /// At each delimiter.
    Plain(&'a str),
    /// At each delimiter outside of quotes.
    Quoted(char),
}

/// See [`crate::fuzz::rows`].
pub(crate) fn rows(
    source: Box<dyn Read + Send>,
    encoding: &str,
    how: Split<'_>,
) -> Result<Vec<Vec<String>>, String> {
    let mut lines = Lines::new(source, encoding, FileLimits::default())?;
    let mut rows = Vec::new();
    loop {
        match how {
            Split::Plain(delimiter) => match lines.read_line().map_err(|problem| problem.to_string())? {
                Some(line) => rows.push(split::plain(&line, delimiter)),
                None => return Ok(rows),
            },
            Split::Quoted(_) if lines.at_end().map_err(|problem| problem.to_string())? => return Ok(rows),
            Split::Quoted(delimiter) => {
                rows.push(split::quoted(&mut lines, delimiter).map_err(|wrong| wrong.to_string())?);
            }
        }
    }
}
