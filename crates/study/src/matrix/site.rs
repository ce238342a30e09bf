//! What the site under test says it did: the truth that tools are compared with.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use swell_fetch::{BodyLimit, Client, Limits, Request};

/// How long the site may take for an answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// The largest record that is read, in bytes.
const LARGEST: u64 = 16 << 20;

/// The record of the site since it was reset (`/stats`, see `swell target`). Times are from the
/// kernel's receive stamp of a request to just before its answer is sent: what no tool can be
/// faster than.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Record {
    /// Requests.
    pub requests: f64,
    /// Mean of their times, milliseconds; none without requests, and so are the next.
    pub mean_ms: Option<f64>,
    /// Median.
    pub p50_ms: Option<f64>,
    /// 99th percentile.
    pub p99_ms: Option<f64>,
    /// 99th percentile of how much later than asked for the site answered.
    pub late_p99_ms: Option<f64>,
    /// Most connections that were open at once. The one that asks comes when the tool's have gone.
    pub connections: f64,
}

/// Reads the record.
pub fn parse_record(bytes: &[u8]) -> Option<Record> {
    let found: Value = serde_json::from_slice(bytes).ok()?;
    let at = |path: &[&str]| -> Option<f64> {
        let value = path.iter().try_fold(&found, |value, name| value.get(name))?.as_f64()?;
        (value.is_finite() && value >= 0.0).then_some(value)
    };
    let requests = at(&["total", "residence", "count"])?;
    let ms = |part: &str, name: &str| at(&["total", part, name]).map(|ns| ns / 1e6);
    let of_residence = |name: &str| ms("residence", name).filter(|_| requests > 0.0);
    let asked = at(&["total", "late", "count"]).is_some_and(|count| count > 0.0);
    Some(Record {
        requests,
        mean_ms: of_residence("mean_ns"),
        p50_ms: of_residence("p50_ns"),
        p99_ms: of_residence("p99_ns"),
        late_p99_ms: ms("late", "p99_ns").filter(|_| asked),
        connections: at(&["open_connections_max"])?,
    })
}

/// Forgets what was recorded.
pub(super) fn reset(site: SocketAddr) -> io::Result<()> {
    get(site, "/stats/reset").map(drop)
}

/// What was recorded since.
pub(super) fn record(site: SocketAddr) -> io::Result<Record> {
    let body = get(site, "/stats")?;
    parse_record(&body).ok_or_else(|| io::Error::other("the site returns no record at /stats"))
}

/// The body of a page of the site. The connection ends with it, so that it is not one of those that
/// the site counts next.
fn get(site: SocketAddr, path: &str) -> io::Result<Vec<u8>> {
    let limits = Limits {
        connect: PATIENCE,
        silence: PATIENCE,
        total: PATIENCE,
        body: BodyLimit::Refuse(LARGEST),
        redirects: 0,
    };
    let url = format!("http://{site}{path}");
    let answer = Client::new(limits, None).send(Request::get(&url)).map_err(io::Error::other)?;
    if answer.status != 200 {
        return Err(io::Error::other(format!("the site's response to {path} is {}", answer.status_line)));
    }
    Ok(answer.body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_of_a_real_site_is_read() {
        let target = swell_target::start(swell_target::Options::default()).expect("it starts");
        reset(target.addr()).expect("it is there");
        let nothing = record(target.addr()).expect("a record");
        assert_eq!((nothing.requests, nothing.mean_ms, nothing.late_p99_ms), (0.0, None, None));
        get(target.addr(), "/delay/20ms").expect("an answer");
        let one = record(target.addr()).expect("a record");
        assert!(one.mean_ms >= Some(20.0) && one.p99_ms >= Some(19.9), "{one:?}");
        assert!(one.late_p99_ms.is_some(), "{one:?}");
    }

    #[test]
    fn what_is_no_record_is_none() {
        for text in ["", "{}", "{\"total\":{\"residence\":{\"count\":-1}}}", "[1]"] {
            assert_eq!(parse_record(text.as_bytes()), None, "{text}");
        }
    }
}
