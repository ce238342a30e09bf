//! Compressed messages (RFC 7692 §7.2).

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

use crate::ProtocolError;

/// The end of each compressed message, which does not travel.
const TAIL: [u8; 4] = [0, 0, 0xff, 0xff];

/// Output is made in steps of at least that size.
const STEP: usize = 4096;

/// Decompresses messages of one direction.
#[derive(Debug)]
pub struct Inflater {
    stream: Decompress,
    keeps_context: bool,
}

impl Inflater {
    /// `keeps_context`: a message may refer to those before it.
    #[must_use]
    pub fn new(keeps_context: bool) -> Self {
        Self { stream: Decompress::new(false), keeps_context }
    }

    /// Appends the content of a piece of a message to `out`; `is_last`: the message ends with it.
    ///
    /// # Errors
    /// The data is invalid, or the content would be larger than `most` bytes.
    pub fn piece(
        &mut self,
        piece: &[u8],
        is_last: bool,
        most: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), ProtocolError> {
        let has_ended = self.run(piece, most, out)?;
        if !is_last {
            return Ok(());
        }
        if !has_ended && !self.run(&TAIL, most, out)? && self.keeps_context {
            return Ok(());
        }
        self.stream.reset(false);
        Ok(())
    }

    /// Whether the data ended by itself, with a final block.
    fn run(&mut self, mut input: &[u8], most: usize, out: &mut Vec<u8>) -> Result<bool, ProtocolError> {
        loop {
            // One byte above the limit shows that there is more.
            let room = (most + 1).saturating_sub(out.len()).min(STEP.max(input.len()));
            if room == 0 {
                return Err(ProtocolError::TooLarge(most));
            }
            out.reserve_exact(room);
            let before = (self.stream.total_in(), out.len());
            let status = self.stream.decompress_vec(input, out, FlushDecompress::Sync);
            let taken = (self.stream.total_in() - before.0) as usize;
            input = &input[taken..];
            if out.len() > most {
                return Err(ProtocolError::TooLarge(most));
            }
            let is_stuck = taken == 0 && out.len() == before.1;
            match status {
                Ok(Status::StreamEnd) => return Ok(true),
                Ok(_) if input.is_empty() && (is_stuck || out.len() < out.capacity()) => return Ok(false),
                Ok(_) if !is_stuck => {}
                Ok(_) | Err(_) => return Err(ProtocolError::Deflate),
            }
        }
    }
}

/// Compresses messages of one direction.
#[derive(Debug)]
pub struct Deflater {
    stream: Compress,
    keeps_context: bool,
}

impl Deflater {
    /// `window_bits`: 9 to 15. None where zlib has no such window.
    #[must_use]
    pub fn new(keeps_context: bool, window_bits: u8) -> Option<Self> {
        let stream = match window_bits {
            9..=15 => Compress::new_with_window_bits(Compression::fast(), false, window_bits),
            _ => return None,
        };
        Some(Self { stream, keeps_context })
    }

    /// Appends the compressed form of a message to `out`.
    pub fn message(&mut self, content: &[u8], out: &mut Vec<u8>) {
        let start = out.len();
        let mut input = content;
        loop {
            out.reserve(STEP.max(input.len() / 2));
            let before = self.stream.total_in();
            // It fails only for wrong parameters, which `new` does not give.
            let status = self.stream.compress_vec(input, out, FlushCompress::Sync);
            debug_assert!(status.is_ok());
            input = &input[(self.stream.total_in() - before) as usize..];
            if input.is_empty() && out.len() < out.capacity() {
                break;
            }
        }
        if out[start..].ends_with(&TAIL) {
            out.truncate(out.len() - TAIL.len());
        }
        if out.len() == start {
            // An empty block: nothing at all would be no deflated data (RFC 7692 §7.2.3.6).
            out.push(0);
        }
        if !self.keeps_context {
            self.stream.reset();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inflated(inflater: &mut Inflater, message: &[u8], most: usize) -> Result<Vec<u8>, ProtocolError> {
        let mut out = Vec::new();
        inflater.piece(message, true, most, &mut out).map(|()| out)
    }

    #[test]
    fn the_examples_of_the_rfc_are_read() {
        // RFC 7692 §7.2.3: one block, shared window, no compression, a final block, two blocks.
        let mut shared = Inflater::new(true);
        let hello = Ok(b"Hello".to_vec());
        assert_eq!(inflated(&mut shared, b"\xf2\x48\xcd\xc9\xc9\x07\x00", 5), hello);
        assert_eq!(inflated(&mut shared, b"\xf2\x00\x11\x00\x00", 5), hello);
        for message in [
            &b"\x00\x05\x00\xfa\xff\x48\x65\x6c\x6c\x6f\x00"[..],
            b"\xf3\x48\xcd\xc9\xc9\x07\x00\x00",
            b"\xf2\x48\x05\x00\x00\x00\xff\xff\xca\xc9\xc9\x07\x00",
        ] {
            assert_eq!(inflated(&mut Inflater::new(true), message, 5), hello, "{message:?}");
        }
    }

    #[test]
    fn a_context_that_is_not_kept_cannot_be_referred_to() {
        let mut alone = Inflater::new(false);
        assert!(inflated(&mut alone, b"\xf2\x48\xcd\xc9\xc9\x07\x00", 5).is_ok());
        assert_eq!(inflated(&mut alone, b"\xf2\x00\x11\x00\x00", 5), Err(ProtocolError::Deflate));
    }

    #[test]
    fn a_bomb_stops_at_its_limit() {
        let mut bomb = Vec::new();
        Deflater::new(true, 15).expect("a window").message(&vec![0; 50_000_000], &mut bomb);
        assert!(bomb.len() < 1_000_000, "{}", bomb.len());
        let mut out = Vec::new();
        let refused = Inflater::new(true).piece(&bomb, true, 100_000, &mut out);
        assert_eq!(refused, Err(ProtocolError::TooLarge(100_000)));
        assert!(out.capacity() < 1_000_000, "{}", out.capacity());
    }

    #[test]
    fn invalid_data_is_refused_and_pieces_add_up() {
        assert_eq!(inflated(&mut Inflater::new(true), b"\xff\xff\xff", 99), Err(ProtocolError::Deflate));
        assert_eq!(inflated(&mut Inflater::new(true), b"\x00", 0), Ok(Vec::new()));
        let content: Vec<u8> = (0..20_000_u32).flat_map(|n| n.to_string().into_bytes()).collect();
        for bits in 9..=15 {
            for keeps in [true, false] {
                let mut deflater = Deflater::new(keeps, bits).expect("a window");
                let mut inflater = Inflater::new(keeps);
                for part in [&content[..], b"", &content[..100], &content[..100]] {
                    let mut message = Vec::new();
                    deflater.message(part, &mut message);
                    let mut out = Vec::new();
                    for (i, piece) in message.chunks(1000).enumerate() {
                        let is_last = (i + 1) * 1000 >= message.len();
                        assert_eq!(inflater.piece(piece, is_last, content.len(), &mut out), Ok(()));
                    }
                    assert!(out == part, "{bits} {keeps}");
                }
            }
        }
        assert!(Deflater::new(true, 8).is_none());
    }
}
