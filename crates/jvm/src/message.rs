//! Flat messages: little-endian numbers; strings and bytes after their length as four bytes; the
//! length `u32::MAX` means none.

use crate::JvmFault;

const NONE: u32 = u32::MAX;

/// Appends fields to a message.
pub(crate) trait Write {
    fn u8(&mut self, value: u8);
    fn u32(&mut self, value: u32);
    fn i64(&mut self, value: i64);
    fn bytes(&mut self, value: Option<&[u8]>);
    fn string(&mut self, value: &str) {
        self.bytes(Some(value.as_bytes()));
    }
    fn optional(&mut self, value: Option<&str>) {
        self.bytes(value.map(str::as_bytes));
    }
    fn count(&mut self, count: usize) {
        self.u32(u32::try_from(count).expect("lists in messages have far fewer than four billion entries"));
    }
}

impl Write for Vec<u8> {
    fn u8(&mut self, value: u8) {
        self.push(value);
    }

    fn u32(&mut self, value: u32) {
        self.extend_from_slice(&value.to_le_bytes());
    }

    fn i64(&mut self, value: i64) {
        self.extend_from_slice(&value.to_le_bytes());
    }

    fn bytes(&mut self, value: Option<&[u8]>) {
        match value {
            None => self.u32(NONE),
            Some(bytes) => {
                self.count(bytes.len());
                self.extend_from_slice(bytes);
            }
        }
    }
}

/// Reads a message field by field.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(message: &'a [u8]) -> Self {
        Self { rest: message }
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], JvmFault> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or_else(|| {
            JvmFault::BadAnswer(format!("a field of {length} bytes where {} are left", self.rest.len()))
        })?;
        self.rest = rest;
        Ok(taken)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, JvmFault> {
        Ok(self.take(1)?[0])
    }

    pub(crate) fn flag(&mut self) -> Result<bool, JvmFault> {
        Ok(self.u8()? != 0)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, JvmFault> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes(bytes.try_into().expect("four bytes were taken")))
    }

    pub(crate) fn i64(&mut self) -> Result<i64, JvmFault> {
        let bytes = self.take(8)?;
        Ok(i64::from_le_bytes(bytes.try_into().expect("eight bytes were taken")))
    }

    pub(crate) fn bytes(&mut self) -> Result<Option<&'a [u8]>, JvmFault> {
        match self.u32()? {
            NONE => Ok(None),
            length => self.take(length as usize).map(Some),
        }
    }

    pub(crate) fn optional(&mut self) -> Result<Option<&'a str>, JvmFault> {
        let bytes = self.bytes()?;
        bytes.map(std::str::from_utf8).transpose().map_err(|e| JvmFault::BadAnswer(format!("a string: {e}")))
    }

    pub(crate) fn string(&mut self) -> Result<&'a str, JvmFault> {
        Ok(self.optional()?.unwrap_or_default())
    }

    /// Reads a list of things that take at least a byte each.
    pub(crate) fn list<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T, JvmFault>,
    ) -> Result<Vec<T>, JvmFault> {
        let count = self.u32()? as usize;
        if count > self.rest.len() {
            return Err(JvmFault::BadAnswer(format!(
                "a list of {count} entries in {} bytes",
                self.rest.len()
            )));
        }
        (0..count).map(|_| read(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut message = Vec::new();
        message.u8(7);
        message.i64(-2);
        message.string("ä\u{1F600}");
        message.optional(None);
        message.bytes(Some(&[0, 255]));
        let mut reader = Reader::new(&message);
        assert_eq!(reader.u8(), Ok(7));
        assert_eq!(reader.i64(), Ok(-2));
        assert_eq!(reader.string(), Ok("ä\u{1F600}"));
        assert_eq!(reader.optional(), Ok(None));
        assert_eq!(reader.bytes(), Ok(Some(&[0, 255][..])));
        assert!(reader.is_at_end());
    }

    #[test]
    fn a_cut_message_is_an_error() {
        let mut message = Vec::new();
        message.string("hello");
        message.count(1);
        for end in 0..message.len() {
            let mut reader = Reader::new(&message[..end]);
            let result = reader.string().and_then(|_| reader.list(Reader::u8));
            assert!(matches!(result, Err(JvmFault::BadAnswer(_))), "cut at {end}");
        }
        assert!(matches!(Reader::new(&message[9..]).list(Reader::u8), Err(JvmFault::BadAnswer(_))));
    }
}
