//! Time limits and the source address of a request.

use std::net::IpAddr;
use std::num::NonZeroI64;

use swell_expr::{Context, Template};
use swell_net::now_ns;

/// Nanoseconds of a millisecond.
pub(super) const MS: i64 = 1_000_000;

/// Limits of an exchange.
#[derive(Clone, Copy, Default)]
pub(super) struct Limits {
    pub(super) connect_ns: Option<i64>,
    pub(super) response_ns: Option<i64>,
    pub(super) source: Option<IpAddr>,
}

/// A time in milliseconds as nanoseconds.
pub(super) fn millis(set: Option<&str>, template: &Template, cx: &mut Context) -> Option<i64> {
    if set.is_none() && template.constant() == Some("") {
        return None;
    }
    let text = set.map_or_else(|| template.eval(cx), Into::into);
    text.trim().parse::<i64>().ok().filter(|ms| *ms > 0).map(|ms| ms.saturating_mul(MS))
}

/// The instant that many milliseconds from now.
pub(super) fn ends_after(limit_ms: i64) -> Option<NonZeroI64> {
    NonZeroI64::new(now_ns().saturating_add(limit_ms.saturating_mul(MS)))
}
