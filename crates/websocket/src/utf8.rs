//! UTF-8 that arrives in pieces.

/// Checks text piece by piece, so that an invalid one is refused before its end has arrived.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextCheck {
    /// The begun character at the end of the last piece.
    begun: [u8; 4],
    begun_bytes: usize,
}

impl TextCheck {
    /// Whether the text can still be UTF-8 after this piece.
    pub(crate) fn feed(&mut self, piece: &[u8]) -> bool {
        let mut piece = piece;
        while self.begun_bytes > 0 {
            let [first, rest @ ..] = piece else { return true };
            self.begun[self.begun_bytes] = *first;
            self.begun_bytes += 1;
            piece = rest;
            match std::str::from_utf8(&self.begun[..self.begun_bytes]) {
                Ok(_) => self.begun_bytes = 0,
                Err(error) if error.error_len().is_some() => return false,
                // At most three bytes: the fourth completes a character or is an error.
                Err(_) => {}
            }
        }
        match std::str::from_utf8(piece) {
            Ok(_) => true,
            Err(error) if error.error_len().is_some() => false,
            Err(error) => {
                let begun = &piece[error.valid_up_to()..];
                self.begun[..begun.len()].copy_from_slice(begun);
                self.begun_bytes = begun.len();
                true
            }
        }
    }

    /// Whether the text ends with a whole character.
    pub(crate) fn is_complete(&self) -> bool {
        self.begun_bytes == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_text(pieces: &[&[u8]]) -> bool {
        let mut check = TextCheck::default();
        pieces.iter().all(|piece| check.feed(piece)) && check.is_complete()
    }

    #[test]
    fn any_cut_gives_the_answer_of_the_whole() {
        let texts: [&[u8]; 9] = [
            "κόσμε \u{10ffff} \u{0} ü".as_bytes(),
            b"",
            b"\xed\xa0\x80",
            b"\xf4\x90\x80\x80",
            b"\xc0\x80",
            b"a\xff",
            b"\xe2\x82",
            b"\xf0\x9f\x98",
            b"\x80",
        ];
        for text in texts {
            let whole = std::str::from_utf8(text).is_ok();
            for cut in 0..=text.len() {
                assert_eq!(is_text(&[&text[..cut], &text[cut..]]), whole, "{text:?} {cut}");
            }
            let single: Vec<&[u8]> = text.chunks(1).collect();
            assert_eq!(is_text(&single), whole, "{text:?}");
        }
    }

    #[test]
    fn an_invalid_text_is_refused_before_its_end() {
        let mut check = TextCheck::default();
        assert!(check.feed(b"\xce\xba\xe1\xbd"));
        assert!(check.feed(b"\xb9\xf4"));
        assert!(!check.feed(b"\x90"));
    }
}
