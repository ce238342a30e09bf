//! gzip (RFC 1952) as Java reads it (`GZIPInputStream`): one or more members; data after the last
//! one is ignored.

use flate2::Crc;

use super::fault::Fault;
use super::inflate::Inflate;

const HAS_SUM: u8 = 2;
const HAS_EXTRA: u8 = 4;
const HAS_NAME: u8 = 8;
const HAS_COMMENT: u8 = 16;

/// The decoder of a body.
pub(super) struct Gzip {
    part: Part,
    /// Between head and trailer.
    inflate: Option<Inflate>,
    sum: Crc,
    /// A member came before this one.
    again: bool,
}

enum Part {
    Head(Head),
    Text,
    /// Sum and size, as far as they came.
    Trailer(Vec<u8>),
    Over,
}

impl Gzip {
    pub(super) fn new() -> Self {
        Self { part: Part::Head(Head::default()), inflate: None, sum: Crc::new(), again: false }
    }

    pub(super) fn step(&mut self, input: &[u8], out: &mut [u8]) -> Result<(usize, usize), Fault> {
        match &mut self.part {
            Part::Over => Ok((input.len(), 0)),
            Part::Head(head) => {
                let (taken, complete) = match head.feed(input) {
                    Ok(fed) => fed,
                    // "ignore any malformed, do nothing" (`GZIPInputStream.readTrailer`)
                    Err(_) if self.again => {
                        self.part = Part::Over;
                        return Ok((input.len(), 0));
                    }
                    Err(fault) => return Err(fault),
                };
                if complete {
                    self.part = Part::Text;
                }
                Ok((taken, 0))
            }
            Part::Text => {
                let inflate = self.inflate.get_or_insert_with(|| Inflate::new(false));
                let step = inflate.step(input, out)?;
                self.sum.update(&out[..step.given]);
                if step.ended {
                    self.inflate = None;
                    self.part = Part::Trailer(Vec::with_capacity(8));
                }
                Ok((step.taken, step.given))
            }
            Part::Trailer(trailer) => {
                let taken = input.len().min(8 - trailer.len());
                trailer.extend_from_slice(&input[..taken]);
                if trailer.len() == 8 {
                    self.end_member()?;
                }
                Ok((taken, 0))
            }
        }
    }

    fn end_member(&mut self) -> Result<(), Fault> {
        let Part::Trailer(trailer) = &self.part else { return Ok(()) };
        let wanted = [self.sum.sum().to_le_bytes(), self.sum.amount().to_le_bytes()].concat();
        if *trailer != wanted {
            return Err(Fault::Trailer);
        }
        *self = Self { again: true, ..Self::new() };
        Ok(())
    }

    pub(super) fn end(&self) -> Result<(), Fault> {
        match &self.part {
            Part::Over => Ok(()),
            Part::Head(_) if self.again => Ok(()),
            Part::Head(_) => Err(Fault::NoHead),
            Part::Text => Err(Fault::CutOff),
            Part::Trailer(_) => Err(Fault::NoTrailer),
        }
    }
}

/// A head on its way (RFC 1952 §2.3.1). It keeps nothing of it, however long a name is.
#[derive(Default)]
struct Head {
    at: GzipPosition,
    flags: u8,
    /// The checksum of everything before it, if present.
    sum: Crc,
}

/// What comes next.
#[derive(Clone, Copy, Default)]
enum GzipPosition {
    #[default]
    First,
    Second,
    Method,
    Flags,
    /// Time, flags, system.
    Fixed(u8),
    ExtraLow,
    ExtraHigh(u8),
    Extra(u16),
    Name,
    Comment,
    SumLow,
    SumHigh(u8),
}

impl Head {
    /// How many bytes belong to it, and whether it is complete.
    fn feed(&mut self, bytes: &[u8]) -> Result<(usize, bool), Fault> {
        for (i, byte) in bytes.iter().enumerate() {
            match self.byte(*byte)? {
                Some(next) => self.at = next,
                None => return Ok((i + 1, true)),
            }
        }
        Ok((bytes.len(), false))
    }

    /// What comes after that byte; none if nothing does.
    fn byte(&mut self, byte: u8) -> Result<Option<GzipPosition>, Fault> {
        if self.flags & HAS_SUM != 0 && !matches!(self.at, GzipPosition::SumLow | GzipPosition::SumHigh(_)) {
            self.sum.update(&[byte]);
        }
        let next = match self.at {
            GzipPosition::First if byte != 0x1f => return Err(Fault::Head("Not in GZIP format")),
            GzipPosition::First => GzipPosition::Second,
            GzipPosition::Second if byte != 0x8b => return Err(Fault::Head("Not in GZIP format")),
            GzipPosition::Second => GzipPosition::Method,
            GzipPosition::Method if byte != 8 => return Err(Fault::Head("Unsupported compression method")),
            GzipPosition::Method => GzipPosition::Flags,
            GzipPosition::Flags => {
                self.flags = byte;
                self.sum.update(&[0x1f, 0x8b, 8, byte]);
                GzipPosition::Fixed(6)
            }
            GzipPosition::Fixed(1) => return Ok(self.optional(HAS_EXTRA)),
            GzipPosition::Fixed(left) => GzipPosition::Fixed(left - 1),
            GzipPosition::ExtraLow => GzipPosition::ExtraHigh(byte),
            GzipPosition::ExtraHigh(low) => match u16::from_le_bytes([low, byte]) {
                0 => return Ok(self.optional(HAS_NAME)),
                length => GzipPosition::Extra(length),
            },
            GzipPosition::Extra(1) => return Ok(self.optional(HAS_NAME)),
            GzipPosition::Extra(left) => GzipPosition::Extra(left - 1),
            GzipPosition::Name if byte == 0 => return Ok(self.optional(HAS_COMMENT)),
            GzipPosition::Comment if byte == 0 => return Ok(self.optional(HAS_SUM)),
            GzipPosition::Name | GzipPosition::Comment => self.at,
            GzipPosition::SumLow => GzipPosition::SumHigh(byte),
            GzipPosition::SumHigh(low) => {
                let right = u32::from(u16::from_le_bytes([low, byte])) == self.sum.sum() & 0xffff;
                return if right { Ok(None) } else { Err(Fault::Head("Corrupt GZIP header")) };
            }
        };
        Ok(Some(next))
    }

    /// The first of the optional parts that is there, from that one on.
    fn optional(&self, from: u8) -> Option<GzipPosition> {
        let parts = [
            (HAS_EXTRA, GzipPosition::ExtraLow),
            (HAS_NAME, GzipPosition::Name),
            (HAS_COMMENT, GzipPosition::Comment),
            (HAS_SUM, GzipPosition::SumLow),
        ];
        let start = parts.iter().position(|(flag, _)| *flag == from).unwrap_or_default();
        parts[start..].iter().find(|(flag, _)| self.flags & flag != 0).map(|(_, at)| *at)
    }
}
