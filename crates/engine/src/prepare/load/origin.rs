//! The start of a thread group's schedule.

/// What a schedule needs in addition to its fields.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    /// When the group starts.
    pub(crate) start_ns: i64,
    /// JMeter's behaviour where it differs from Swell's.
    pub(crate) compat: bool,
}
