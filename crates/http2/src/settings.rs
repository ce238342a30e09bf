//! What each side announces (RFC 9113 §6.5.2).

use crate::error::{ConnectionError, ErrorCode};
use crate::frame::{FRAME_MIN, WINDOW_MAX};
use crate::hpack::TABLE_DEFAULT;

pub(crate) const HEADER_TABLE_SIZE: u16 = 1;
pub(crate) const ENABLE_PUSH: u16 = 2;
pub(crate) const MAX_CONCURRENT_STREAMS: u16 = 3;
pub(crate) const INITIAL_WINDOW_SIZE: u16 = 4;
pub(crate) const MAX_FRAME_SIZE: u16 = 5;
pub(crate) const MAX_HEADER_LIST_SIZE: u16 = 6;

/// The window of a stream and of a connection before anything is said.
pub(crate) const WINDOW_DEFAULT: u32 = 65_535;

/// Streams that are opened before the server has said how many it takes. The RFC asks servers for
/// at least this number.
const STREAMS_BEFORE_SETTINGS: u32 = 100;

/// What this side announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Bytes of the table of header fields that the peer may fill; at most 65,535.
    pub header_table: u32,
    /// Bytes that the peer may send on a stream before they are given back.
    pub stream_window: u32,
    /// The same for all streams together; at least 65,535.
    pub connection_window: u32,
    /// Longest payload of a frame that is accepted; at least 16,384.
    pub frame_max: u32,
    /// Largest head that is accepted: names, values, and 32 bytes per field.
    pub header_list_max: u32,
    /// Streams that the peer may open at the same time; none: not announced.
    pub streams_max: Option<u32>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            header_table: TABLE_DEFAULT,
            stream_window: 1 << 20,
            connection_window: 16 << 20,
            frame_max: FRAME_MIN,
            header_list_max: 65_536,
            streams_max: None,
        }
    }
}

impl Settings {
    /// The defaults of a server: 100 streams at the same time.
    #[must_use]
    pub fn server() -> Self {
        Self { streams_max: Some(100), ..Self::default() }
    }

    /// The same with every number within what the RFC allows.
    pub(crate) fn bounded(mut self) -> Self {
        self.header_table = self.header_table.min(u32::from(u16::MAX));
        self.stream_window = self.stream_window.min(WINDOW_MAX);
        self.connection_window = self.connection_window.clamp(WINDOW_DEFAULT, WINDOW_MAX);
        self.frame_max = self.frame_max.clamp(FRAME_MIN, (1 << 24) - 1);
        self
    }
}

/// What the peer has announced; until then, what the RFC says, and 100 streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerSettings {
    /// Bytes of the table of header fields that may be filled.
    pub header_table: u32,
    /// Streams that may be open at the same time; `u32::MAX`: any number.
    pub streams_max: u32,
    /// Bytes that may be sent on a stream before the peer gives some back.
    pub stream_window: u32,
    /// Longest payload of a frame that may be sent.
    pub frame_max: u32,
    /// Largest head that the peer accepts; `u32::MAX`: not announced.
    pub header_list_max: u32,
}

impl Default for PeerSettings {
    fn default() -> Self {
        Self {
            header_table: TABLE_DEFAULT,
            streams_max: STREAMS_BEFORE_SETTINGS,
            stream_window: WINDOW_DEFAULT,
            frame_max: FRAME_MIN,
            header_list_max: u32::MAX,
        }
    }
}

impl PeerSettings {
    /// Reads the payload of a SETTINGS frame.
    pub(crate) fn read(
        &mut self,
        payload: &[u8],
        is_first: bool,
        from_server: bool,
    ) -> Result<(), ConnectionError> {
        if is_first {
            self.streams_max = u32::MAX;
        }
        for setting in payload.chunks_exact(6) {
            let name = u16::from_be_bytes([setting[0], setting[1]]);
            let value = u32::from_be_bytes([setting[2], setting[3], setting[4], setting[5]]);
            match name {
                HEADER_TABLE_SIZE => self.header_table = value,
                ENABLE_PUSH if value > u32::from(!from_server) => {
                    return Err(ConnectionError::protocol("invalid SETTINGS_ENABLE_PUSH"));
                }
                MAX_CONCURRENT_STREAMS => self.streams_max = value,
                INITIAL_WINDOW_SIZE if value > WINDOW_MAX => {
                    let rule = "SETTINGS_INITIAL_WINDOW_SIZE above 2147483647";
                    return Err(ConnectionError::new(ErrorCode::FLOW_CONTROL_ERROR, rule));
                }
                INITIAL_WINDOW_SIZE => self.stream_window = value,
                MAX_FRAME_SIZE if !(FRAME_MIN..1 << 24).contains(&value) => {
                    return Err(ConnectionError::protocol("invalid SETTINGS_MAX_FRAME_SIZE"));
                }
                MAX_FRAME_SIZE => self.frame_max = value,
                MAX_HEADER_LIST_SIZE => self.header_list_max = value,
                // Unknown settings are ignored (RFC 9113 §6.5.2).
                _ => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(u16, u32)], from_server: bool) -> Result<PeerSettings, ErrorCode> {
        let bytes: Vec<u8> = pairs
            .iter()
            .flat_map(|(name, value)| [&name.to_be_bytes()[..], &value.to_be_bytes()].concat())
            .collect();
        let mut settings = PeerSettings::default();
        settings.read(&bytes, true, from_server).map(|()| settings).map_err(|error| error.code)
    }

    #[test]
    fn settings_are_read_and_bounded() {
        let default = PeerSettings { streams_max: u32::MAX, ..PeerSettings::default() };
        let protocol = Err(ErrorCode::PROTOCOL_ERROR);
        for (pairs, from_server, wanted) in [
            (&[][..], true, Ok(default)),
            (&[(3, 7), (0x99, 1)], true, Ok(PeerSettings { streams_max: 7, ..default })),
            (&[(1, 0), (1, 9)], true, Ok(PeerSettings { header_table: 9, ..default })),
            (&[(2, 0)], true, Ok(default)),
            (&[(2, 1)], true, protocol),
            (&[(2, 1)], false, Ok(default)),
            (&[(2, 2)], false, protocol),
            (&[(4, 1 << 31)], true, Err(ErrorCode::FLOW_CONTROL_ERROR)),
            (&[(4, (1 << 31) - 1)], true, Ok(PeerSettings { stream_window: (1 << 31) - 1, ..default })),
            (&[(5, 16_383)], true, protocol),
            (&[(5, 1 << 24)], true, protocol),
            (&[(5, (1 << 24) - 1)], true, Ok(PeerSettings { frame_max: (1 << 24) - 1, ..default })),
            (&[(6, 100)], true, Ok(PeerSettings { header_list_max: 100, ..default })),
        ] {
            assert_eq!(read(pairs, from_server), wanted, "{pairs:?}");
        }
    }
}
