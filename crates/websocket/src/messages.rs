//! Messages, put together from frames.

use crate::utf8::TextCheck;
use crate::{Frame, FrameHead, Inflater, Opcode, ProtocolError};

/// What a message contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// Text, as UTF-8.
    Text,
    /// Bytes.
    Binary,
}

/// Puts data frames together.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    /// The message on its way: its kind, and whether it is compressed.
    begun: Option<(MessageKind, bool)>,
    content: Vec<u8>,
    text: TextCheck,
    /// Bytes of the begun frame that the check of the text has seen.
    checked: usize,
    inflater: Option<Inflater>,
}

/// Room that is kept from one message to the next.
const KEPT_MAX: usize = 4096;

impl Messages {
    /// Takes a data frame; the message if it is complete. `most`: bytes of the largest.
    pub(crate) fn frame<'a>(
        &'a mut self,
        frame: &Frame<'a>,
        keeps_context: bool,
        most: usize,
    ) -> Result<Option<(MessageKind, &'a [u8])>, ProtocolError> {
        let head = frame.head;
        let is_first = head.opcode != Opcode::Continuation;
        let (kind, is_compressed) = self.begin(&head)?;
        let checked = std::mem::take(&mut self.checked);
        let ends = head.is_final;
        if ends {
            self.begun = None;
        }
        if is_first && ends && !is_compressed {
            if kind == MessageKind::Text {
                self.check_text(&frame.payload[checked..], true)?;
            }
            return Ok(Some((kind, frame.payload)));
        }
        if is_first {
            self.content.clear();
            self.content.shrink_to(KEPT_MAX);
        }
        let before = self.content.len();
        if is_compressed {
            let inflater = self.inflater.get_or_insert_with(|| Inflater::new(keeps_context));
            inflater.piece(frame.payload, ends, most, &mut self.content)?;
        } else if before + frame.payload.len() > most {
            return Err(ProtocolError::TooLarge(most));
        } else {
            self.content.extend_from_slice(frame.payload);
        }
        if kind == MessageKind::Text {
            let content = std::mem::take(&mut self.content);
            let is_text = self.check_text(&content[before + checked..], ends);
            self.content = content;
            is_text?;
        }
        Ok(ends.then_some((kind, &self.content[..])))
    }

    /// Looks at the part of a text frame that has come, so that an invalid text ends at once.
    pub(crate) fn look_at_begun(&mut self, head: &FrameHead, payload: &[u8]) -> Result<(), ProtocolError> {
        let kind = match (head.opcode, self.begun) {
            (Opcode::Text, None) if !head.is_compressed => MessageKind::Text,
            (Opcode::Continuation, Some((kind, false))) => kind,
            _ => return Ok(()),
        };
        if kind == MessageKind::Text && payload.len() > self.checked {
            let new = &payload[self.checked..];
            self.checked = payload.len();
            self.check_text(new, false)?;
        }
        Ok(())
    }

    fn begin(&mut self, head: &FrameHead) -> Result<(MessageKind, bool), ProtocolError> {
        let begun = match (head.opcode, self.begun) {
            (Opcode::Continuation, Some(begun)) => begun,
            (Opcode::Continuation, None) => return Err(ProtocolError::LoneContinuation),
            (_, Some(_)) => return Err(ProtocolError::MissingContinuation),
            (Opcode::Text, None) => (MessageKind::Text, head.is_compressed),
            (_, None) => (MessageKind::Binary, head.is_compressed),
        };
        self.begun = Some(begun);
        Ok(begun)
    }

    fn check_text(&mut self, new: &[u8], ends: bool) -> Result<(), ProtocolError> {
        let is_text = self.text.feed(new) && (!ends || self.text.is_complete());
        is_text.then_some(()).ok_or(ProtocolError::Text)
    }
}
