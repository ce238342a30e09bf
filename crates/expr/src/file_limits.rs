//! Limits for the part of a file that is held in memory: no file of a plan, and no device in its
//! place, may use up the memory.

use std::io::{self, Read};

use crate::properties::Properties;

/// The limits of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileLimits {
    /// Most bytes of a file that is held as a whole: to send, for a function, a key store, a
    /// schema; and of the rows of a table.
    pub whole_bytes: u64,
    /// Most bytes of a line, or of a record in quotes, of a file that is read piece by piece.
    pub line_bytes: u64,
}

impl Default for FileLimits {
    /// 256 MiB and 16 MiB.
    fn default() -> Self {
        Self { whole_bytes: 256 << 20, line_bytes: 16 << 20 }
    }
}

/// Property: [`FileLimits::whole_bytes`].
const WHOLE: &str = "swell.max_file_bytes";

/// Property: [`FileLimits::line_bytes`].
const LINE: &str = "swell.max_line_bytes";

impl FileLimits {
    /// The limits that properties set.
    ///
    /// # Errors
    /// A value is not a number of bytes.
    pub fn of(props: &Properties) -> Result<Self, String> {
        let bytes =
            |name: &str, default: u64| match props.get(name) {
                None => Ok(default),
                Some(text) => text.trim().parse().ok().filter(|bytes| *bytes > 0).ok_or_else(|| {
                    format!("{name}: invalid number of bytes `{text}`; the default is {default}")
                }),
            };
        let default = Self::default();
        Ok(Self {
            whole_bytes: bytes(WHOLE, default.whole_bytes)?,
            line_bytes: bytes(LINE, default.line_bytes)?,
        })
    }

    /// Reads a source to its end.
    ///
    /// # Errors
    /// It has more than [`FileLimits::whole_bytes`], or cannot be read.
    pub fn read_whole(&self, source: impl Read) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        source.take(self.whole_bytes.saturating_add(1)).read_to_end(&mut content)?;
        self.check_whole(content.len() as u64)?;
        Ok(content)
    }

    /// # Errors
    /// That number of bytes of a file is too large to be held.
    pub fn check_whole(&self, bytes: u64) -> io::Result<()> {
        if bytes > self.whole_bytes {
            let limit = self.whole_bytes;
            let why = format!("it is larger than {limit} bytes, the limit set by the property {WHOLE}");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
        }
        Ok(())
    }

    /// # Errors
    /// That number of bytes is too large for a line.
    pub fn check_line(&self, bytes: u64) -> io::Result<()> {
        if bytes > self.line_bytes {
            let limit = self.line_bytes;
            let why = format!(
                "a line or a record in quotes is longer than {limit} bytes, the limit set by the property \
                 {LINE}; is a quote not closed?"
            );
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_set_the_limits() {
        let props = Properties::default();
        assert_eq!(FileLimits::of(&props), Ok(FileLimits::default()));
        props.set(WHOLE, "5");
        let limits = FileLimits::of(&props).expect("a number");
        assert_eq!(limits.read_whole(&b"12345"[..]).expect("it fits"), b"12345");
        let error = limits.read_whole(io::repeat(0)).expect_err("it has no end");
        assert!(error.to_string().contains("larger than 5 bytes") && error.to_string().contains(WHOLE));
        for wrong in ["0", "-1", "64M", ""] {
            props.set(LINE, wrong);
            FileLimits::of(&props).expect_err(wrong);
        }
    }
}
