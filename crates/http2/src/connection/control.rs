//! Frames about the connection and about streams as a whole.

use crate::error::{ConnectionError, ErrorCode, StreamReset};
use crate::events::Events;
use crate::frame::{StreamId, WINDOW_MAX, flag, kind, write_frame};

use super::{Connection, Step, StreamError};

const SIZE: ErrorCode = ErrorCode::FRAME_SIZE_ERROR;

impl Connection {
    /// Fails unless the frame is for the connection and has that length.
    fn check_connection(&self, length: u32, rule: &'static str) -> Result<(), ConnectionError> {
        if self.input.frame.stream != 0 {
            return Err(ConnectionError::protocol("a frame of the connection on a stream"));
        }
        if self.input.frame.length != length {
            return Err(ConnectionError::new(SIZE, rule));
        }
        Ok(())
    }

    pub(super) fn settings<E: Events>(
        &mut self,
        payload: &[u8],
        step: &mut Step<'_, E>,
    ) -> Result<(), ConnectionError> {
        self.count_idle()?;
        if self.input.frame.has(flag::ACK) {
            self.check_connection(0, "an acknowledgement of SETTINGS with content")?;
            if !self.is_acknowledged {
                self.is_acknowledged = true;
                self.decoder.acknowledged(self.ours.header_table);
            }
            return Ok(());
        }
        let whole = payload.len() as u32 / 6 * 6;
        self.check_connection(whole, "SETTINGS whose length is not a multiple of 6")?;
        let before = self.peer.stream_window;
        self.peer.read(payload, !self.has_settings, !self.is_server)?;
        self.has_settings = true;
        self.encoder.peer_table(self.peer.header_table);
        Self::check_output(step.out)?;
        write_frame(kind::SETTINGS, flag::ACK, 0, &[], step.out);
        step.events.settings(&self.peer);
        let change = i64::from(self.peer.stream_window) - i64::from(before);
        self.change_windows(change, step)
    }

    /// A new initial window changes those of all streams (RFC 9113 §6.9.2).
    fn change_windows<E: Events>(
        &mut self,
        change: i64,
        step: &mut Step<'_, E>,
    ) -> Result<(), ConnectionError> {
        if change == 0 {
            return Ok(());
        }
        for stream in self.streams.iter_mut() {
            let window = i32::try_from(i64::from(stream.send_window) + change);
            stream.send_window = window.map_err(|_| {
                let rule = "a change of the initial window that makes a window too large";
                ConnectionError::new(ErrorCode::FLOW_CONTROL_ERROR, rule)
            })?;
        }
        self.report_windows(step);
        Ok(())
    }

    /// Reports the streams that were blocked and can send again.
    fn report_windows<E: Events>(&mut self, step: &mut Step<'_, E>) {
        if self.send_window <= 0 {
            return;
        }
        for stream in self.streams.iter_mut() {
            if stream.take_unblocked() {
                step.events.window(StreamId(stream.id));
            }
        }
    }

    pub(super) fn window_update<E: Events>(
        &mut self,
        payload: &[u8],
        step: &mut Step<'_, E>,
    ) -> Result<(), ConnectionError> {
        self.count_idle()?;
        let Ok(bytes) = <[u8; 4]>::try_from(payload) else {
            return Err(ConnectionError::new(SIZE, "WINDOW_UPDATE whose length is not 4"));
        };
        let more = u32::from_be_bytes(bytes) & WINDOW_MAX;
        let id = self.input.frame.stream;
        if id == 0 {
            return self.connection_window_update(more, step);
        }
        if self.is_idle(id) {
            return Err(ConnectionError::protocol("WINDOW_UPDATE for a stream that was never opened"));
        }
        // It may have been sent before the peer knew of the stream's end.
        let Some(stream) = self.streams.get(id) else { return Ok(()) };
        if more == 0 {
            return self.fail(id, StreamError::protocol("WINDOW_UPDATE of 0"), step);
        }
        let Some(window) = stream.send_window.checked_add(more as i32) else {
            let error = StreamError::new(ErrorCode::FLOW_CONTROL_ERROR, "a window above 2147483647");
            return self.fail(id, error, step);
        };
        stream.send_window = window;
        if self.send_window > 0 && stream.take_unblocked() {
            step.events.window(StreamId(id));
        }
        Ok(())
    }

    fn connection_window_update<E: Events>(
        &mut self,
        more: u32,
        step: &mut Step<'_, E>,
    ) -> Result<(), ConnectionError> {
        if more == 0 {
            return Err(ConnectionError::protocol("WINDOW_UPDATE of 0"));
        }
        self.send_window += i64::from(more);
        if self.send_window > i64::from(WINDOW_MAX) {
            let rule = "a window of the connection above 2147483647";
            return Err(ConnectionError::new(ErrorCode::FLOW_CONTROL_ERROR, rule));
        }
        self.report_windows(step);
        Ok(())
    }

    pub(super) fn ping_frame<E: Events>(
        &mut self,
        payload: &[u8],
        step: &mut Step<'_, E>,
    ) -> Result<(), ConnectionError> {
        self.count_idle()?;
        self.check_connection(8, "PING whose length is not 8")?;
        if self.input.frame.has(flag::ACK) {
            let payload = payload.try_into().map_or(0, u64::from_be_bytes);
            step.events.pong(payload, self.input.fed);
            return Ok(());
        }
        Self::check_output(step.out)?;
        write_frame(kind::PING, flag::ACK, 0, payload, step.out);
        Ok(())
    }

    pub(crate) fn ping(payload: u64, out: &mut Vec<u8>) {
        write_frame(kind::PING, 0, 0, &payload.to_be_bytes(), out);
    }

    pub(super) fn goaway<E: Events>(
        &mut self,
        payload: &[u8],
        step: &mut Step<'_, E>,
    ) -> Result<(), ConnectionError> {
        self.count_idle()?;
        let numbers = payload.split_first_chunk::<4>();
        let numbers = numbers.and_then(|(last, rest)| Some((last, rest.split_first_chunk::<4>()?)));
        let Some((last, (code, debug))) = numbers else {
            return Err(ConnectionError::new(SIZE, "GOAWAY shorter than 8"));
        };
        self.check_connection(payload.len() as u32, "GOAWAY")?;
        let named = u32::from_be_bytes(*last) & WINDOW_MAX;
        // The number may only fall; a higher one does not bring streams back.
        let last = self.peer_goes.map_or(named, |before| before.min(named));
        self.peer_goes = Some(last);
        if !self.is_server {
            for stream in self.streams.split_above(last) {
                self.reset_highest = self.reset_highest.max(stream.id);
                step.events.reset(StreamId(stream.id), StreamReset::NotProcessed, self.input.fed);
            }
        }
        step.events.go_away(StreamId(last), ErrorCode(u32::from_be_bytes(*code)), debug);
        Ok(())
    }

    pub(super) fn rst_stream<E: Events>(
        &mut self,
        payload: &[u8],
        step: &mut Step<'_, E>,
    ) -> Result<(), ConnectionError> {
        let Ok(code) = <[u8; 4]>::try_from(payload) else {
            return Err(ConnectionError::new(SIZE, "RST_STREAM whose length is not 4"));
        };
        let id = self.input.frame.stream;
        if id == 0 || self.is_idle(id) {
            return Err(ConnectionError::protocol("RST_STREAM for a stream that was never opened"));
        }
        if !self.streams.remove(id) {
            return self.count_idle();
        }
        let reason = StreamReset::Peer(ErrorCode(u32::from_be_bytes(code)));
        step.events.reset(StreamId(id), reason, self.input.fed);
        self.count_reset()
    }

    /// Priorities are ignored (RFC 9113 §5.3.2), their form is not.
    pub(super) fn priority(&mut self, payload: &[u8]) -> Result<(), ConnectionError> {
        self.count_idle()?;
        let id = self.input.frame.stream;
        if id == 0 {
            return Err(ConnectionError::protocol("PRIORITY without a stream"));
        }
        let Some((depends_on, [_])) = payload.split_first_chunk::<4>() else {
            return Err(ConnectionError::new(SIZE, "PRIORITY whose length is not 5"));
        };
        check_dependency(*depends_on, id)
    }
}

/// A stream that depends on itself (RFC 7540 §5.3.1).
pub(super) fn check_dependency(depends_on: [u8; 4], stream: u32) -> Result<(), ConnectionError> {
    if u32::from_be_bytes(depends_on) & WINDOW_MAX == stream {
        return Err(ConnectionError::protocol("a stream that depends on itself"));
    }
    Ok(())
}
