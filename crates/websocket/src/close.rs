//! Close frames (RFC 6455 §5.5.1, §7.4).

use crate::ProtocolError;

/// What a close frame says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CloseReason {
    /// The status; none where the frame is empty.
    pub status: Option<u16>,
    /// The text after it.
    pub text: String,
}

impl CloseReason {
    /// Reads the payload of a close frame.
    ///
    /// # Errors
    /// One byte, a status that must not be sent, a reason that is not UTF-8.
    pub fn parse(payload: &[u8]) -> Result<Self, ProtocolError> {
        match payload {
            [] => Ok(Self::default()),
            [_] => Err(ProtocolError::ShortClose),
            [high, low, text @ ..] => {
                let status = u16::from_be_bytes([*high, *low]);
                if !may_be_sent(status) {
                    return Err(ProtocolError::CloseStatus(status));
                }
                let text = std::str::from_utf8(text).map_err(|_| ProtocolError::CloseReason)?;
                Ok(Self { status: Some(status), text: text.to_owned() })
            }
        }
    }

    /// The payload of a close frame with that status and text, which is cut to fit.
    #[must_use]
    pub fn payload(status: u16, text: &str) -> Vec<u8> {
        let mut end = text.len().min(123);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        [&status.to_be_bytes(), &text.as_bytes()[..end]].concat()
    }
}

/// Whether a status may be in a close frame: those of the RFC and its registry, those of libraries,
/// and private ones.
fn may_be_sent(status: u16) -> bool {
    matches!(status, 1000..=1003 | 1007..=1014 | 3000..=4999)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_and_reasons_follow_the_rfc() {
        for status in [1000, 1001, 1002, 1003, 1007, 1011, 1014, 3000, 3999, 4000, 4999] {
            let read = CloseReason::parse(&CloseReason::payload(status, "why"));
            assert_eq!(read, Ok(CloseReason { status: Some(status), text: "why".to_owned() }));
        }
        for status in [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535] {
            let read = CloseReason::parse(&CloseReason::payload(status, ""));
            assert_eq!(read, Err(ProtocolError::CloseStatus(status)));
        }
        assert_eq!(CloseReason::parse(b""), Ok(CloseReason::default()));
        assert_eq!(CloseReason::parse(b"\x03"), Err(ProtocolError::ShortClose));
        assert_eq!(CloseReason::parse(b"\x03\xe8\xce"), Err(ProtocolError::CloseReason));
    }

    #[test]
    fn a_long_reason_is_cut_at_a_character() {
        assert_eq!(CloseReason::payload(1000, &"x".repeat(200)).len(), 125);
        assert_eq!(CloseReason::payload(1000, &format!("{}ü", "x".repeat(122))).len(), 124);
    }
}
