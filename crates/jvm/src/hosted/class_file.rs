//! Reads a class file's description of its class.
//!
//! Source: The Java Virtual Machine Specification, chapter 4.

const MAGIC: u32 = 0xcafe_babe;

/// The names of a class's super class and interfaces, with `/` between their parts; `None` if these
/// bytes are not a class file.
pub(super) fn above(bytes: &[u8]) -> Option<Vec<String>> {
    let mut reader = Reader(bytes);
    if reader.u32()? != MAGIC {
        return None;
    }
    reader.skip(4)?;
    let pool = constants(&mut reader)?;
    // Flags, and its own name.
    reader.skip(4)?;
    let super_class = reader.u16()?;
    let interfaces = reader.u16()?;
    let mut names: Vec<String> = pool.class(super_class).into_iter().collect();
    for _ in 0..interfaces {
        names.push(pool.class(reader.u16()?)?);
    }
    Some(names)
}

#[derive(Clone, Copy)]
enum Constant<'a> {
    Text(&'a [u8]),
    Class(u16),
    Other,
}

struct Constants<'a>(Vec<Constant<'a>>);

impl Constants<'_> {
    /// The name of a class; none for the super class of `java.lang.Object`.
    fn class(&self, index: u16) -> Option<String> {
        let Constant::Class(name) = self.0.get(usize::from(index))? else { return None };
        let Constant::Text(text) = self.0.get(usize::from(*name))? else { return None };
        Some(String::from_utf8_lossy(text).into_owned())
    }
}

fn constants<'a>(reader: &mut Reader<'a>) -> Option<Constants<'a>> {
    let count = reader.u16()?;
    let mut all = vec![Constant::Other];
    while all.len() < usize::from(count) {
        let constant = match reader.u8()? {
            1 => {
                let length = reader.u16()?;
                Constant::Text(reader.skip(usize::from(length))?)
            }
            7 => Constant::Class(reader.u16()?),
            8 | 16 | 19 | 20 => reader.other(2)?,
            15 => reader.other(3)?,
            3 | 4 | 9 | 10 | 11 | 12 | 17 | 18 => reader.other(4)?,
            // Long and double numbers take two places.
            5 | 6 => {
                all.push(Constant::Other);
                reader.other(8)?
            }
            _ => return None,
        };
        all.push(constant);
    }
    Some(Constants(all))
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn skip(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn other(&mut self, length: usize) -> Option<Constant<'a>> {
        self.skip(length).map(|_| Constant::Other)
    }

    fn u8(&mut self) -> Option<u8> {
        self.skip(1).map(|bytes| bytes[0])
    }

    fn u16(&mut self) -> Option<u16> {
        self.skip(2).map(|bytes| u16::from_be_bytes([bytes[0], bytes[1]]))
    }

    fn u32(&mut self) -> Option<u32> {
        self.skip(4).map(|bytes| u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }
}

#[cfg(test)]
pub(super) mod testing {
    /// The head of a class file: its name, its super class and its interfaces.
    pub(crate) fn class_file(name: &str, above: &[&str]) -> Vec<u8> {
        let names: Vec<&str> = [name].into_iter().chain(above.iter().copied()).collect();
        let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52];
        // A long number first, which takes two places; then a text and a class for each name.
        bytes.extend((2 * names.len() as u16 + 3).to_be_bytes());
        bytes.extend([5, 0, 0, 0, 0, 0, 0, 0, 1]);
        for (place, name) in (0u16..).zip(&names) {
            bytes.push(1);
            bytes.extend((name.len() as u16).to_be_bytes());
            bytes.extend(name.as_bytes());
            bytes.push(7);
            bytes.extend((3 + 2 * place).to_be_bytes());
        }
        let class = |place: u16| (4 + 2 * place).to_be_bytes();
        bytes.extend([0x04, 0x00]);
        bytes.extend(class(0));
        bytes.extend(class(1));
        bytes.extend((above.len() as u16 - 1).to_be_bytes());
        for (place, _) in (2..).zip(&above[1..]) {
            bytes.extend(class(place));
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::testing::class_file;
    use super::*;

    #[test]
    fn what_is_above_a_class_is_read_from_its_file() {
        let names = above(&class_file("A", &["b/B", "C"]));
        assert_eq!(names, Some(vec!["b/B".to_owned(), "C".to_owned()]));
    }

    #[test]
    fn what_is_cut_or_no_class_file_gives_nothing() {
        let whole = class_file("A", &["b/B", "C"]);
        for length in 0..whole.len() {
            assert_eq!(above(&whole[..length]), None, "the first {length} bytes");
        }
        assert_eq!(above(b"PK\x03\x04 and so on"), None);
    }
}
