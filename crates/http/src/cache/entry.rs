//! Decides how long a response may be used again (`CacheManager.setCache`).

use swell_http1::date::parse_http;

const YEAR_MS: i64 = 365 * 24 * 60 * 60 * 1000;

/// The response headers that the cache reads: the last header of each name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) last_modified: Option<String>,
    pub(crate) etag: Option<String>,
    pub(crate) expires: Option<String>,
    pub(crate) cache_control: Option<String>,
    pub(crate) date: Option<String>,
    pub(crate) vary: Option<String>,
}

/// Whether a response may be used again, and until when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CacheUse {
    /// Not at all.
    No,
    /// Its validators only, or without a request until then.
    Until(Option<i64>),
}

impl Response {
    /// There is something to remember.
    pub(crate) fn has_validator(&self) -> bool {
        let values = [&self.last_modified, &self.expires, &self.etag, &self.cache_control];
        values.into_iter().flatten().any(|value| !value.trim().is_empty())
    }
}

/// Decides by `Cache-Control`, `Expires` and the heuristics, all only if the manager is configured
/// to (`useExpires`).
///
/// # Errors
/// A `max-age` that is not a number: JMeter's sample fails with that `NumberFormatException`.
pub(crate) fn expiry(response: &Response, use_expires: bool, now_ms: i64) -> Result<CacheUse, String> {
    if !use_expires {
        return Ok(CacheUse::Until(None));
    }
    let control = response.cache_control.as_deref().unwrap_or_default();
    if control.contains("no-store") {
        return Ok(CacheUse::No);
    }
    let expires = response.expires.as_deref().and_then(parse_http);
    if control.contains("no-cache") {
        return Ok(CacheUse::Until(expires));
    }
    if let Some((_, age)) = control.split_once("max-age=") {
        let age = age.split([',', ' ']).next().unwrap_or_default();
        let Ok(seconds) = age.parse::<i64>() else {
            return Err(format!("For input string: \"{age}\""));
        };
        return Ok(CacheUse::Until(Some(now_ms.saturating_add(seconds.saturating_mul(1000)))));
    }
    if response.expires.is_some() {
        return Ok(CacheUse::Until(expires));
    }
    Ok(CacheUse::Until(Some(now_ms + heuristic_ms(response))))
}

/// A tenth of the age at the time of the response, a year where that is not known.
fn heuristic_ms(response: &Response) -> i64 {
    let date = |text: &Option<String>| text.as_deref().and_then(parse_http);
    match (date(&response.date), date(&response.last_modified)) {
        (Some(date), Some(modified)) => ((date - modified) as f64 * 0.1).round() as i64,
        _ => YEAR_MS,
    }
}
