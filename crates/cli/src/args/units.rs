//! Values with units.

use std::time::Duration;

use swell_session::Grace;

/// A time such as `30s`, `5m`, `1h30m`, `500ms`, `1d`; a bare number is seconds, as in wrk, ab and
/// curl.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let ns = swell_net::parse_duration_ns(text.trim(), 1e9).and_then(|ns| u64::try_from(ns).ok());
    ns.map(Duration::from_nanos)
        .ok_or_else(|| format!("invalid time `{text}`; write 30s, 5m, 1h30m, 500ms, or 30 for 30 seconds"))
}

/// How late starts of a rate may be.
pub(crate) fn slack(text: &str) -> Result<Duration, String> {
    let longest = Duration::from_millis(100);
    duration(text)
        .ok()
        .filter(|time| *time <= longest)
        .ok_or_else(|| format!("invalid time `{text}`; write 1ms, up to 100ms"))
}

/// Test duration that replaces the plan's.
pub(crate) fn lasting(text: &str) -> Result<Duration, String> {
    match duration(text)? {
        Duration::ZERO => Err("a test must take some time; write 90s, 8h or 7d".to_owned()),
        time => Ok(time),
    }
}

/// The time of a test, where hands that know curl or hey may have written a body.
pub(crate) fn test_time(text: &str) -> Result<Duration, String> {
    let is_body = text.contains(['{', '[', '=', '@', '<', '"']);
    duration(text).map_err(|why| if is_body { format!("{why}; a request body is -b") } else { why })
}

/// A time as [`duration`] reads it, or `unlimited`.
pub(crate) fn grace(text: &str) -> Result<Grace, String> {
    if text.trim() == "unlimited" {
        return Ok(Grace::UNLIMITED);
    }
    duration(text).map(Grace::of).map_err(|why| format!("{why}, or `unlimited`"))
}

/// A rate such as `5000`, `5000/s`, `300/m`, `20/h`: requests a second.
pub(crate) fn rate(text: &str) -> Result<f64, String> {
    let wrong = || format!("invalid rate `{text}`; write 5000, 5000/s, 300/m or 20/h");
    let (number, unit) = text.trim().split_once('/').unwrap_or((text.trim(), "s"));
    let number: f64 = number.trim().parse().map_err(|_| wrong())?;
    let seconds = match unit.trim() {
        "s" | "sec" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    let rate = number / seconds;
    if rate.is_finite() && rate > 0.0 { Ok(rate) } else { Err(wrong()) }
}

/// A number of users of a quick test.
pub(crate) fn users(text: &str) -> Result<u32, String> {
    let most = 1_000_000;
    let number = text.trim().parse().ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| format!("invalid number of users `{text}`; write 1 to {most}, digits only"))
}

/// A number of requests.
pub(crate) fn requests(text: &str) -> Result<u64, String> {
    let number = text.trim().parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| {
        format!("invalid number of requests `{text}`; write 1 or more, digits only, such as 10000")
    })
}

/// A size such as `500MB`, `1GB`, `64KiB`: bytes. K, M, G and T are thousands, with an `i` 1,024s.
/// Without a unit it is a number of bytes.
pub(crate) fn size(text: &str) -> Option<u64> {
    let text = text.trim();
    let (number, unit) =
        text.split_at(text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len()));
    let unit = unit.trim().to_ascii_lowercase();
    let unit = if unit == "b" { "" } else { unit.strip_suffix('b').unwrap_or(&unit) };
    let (power, base) = match unit {
        "" => (0, 1000.0_f64),
        "k" => (1, 1000.0),
        "m" => (2, 1000.0),
        "g" => (3, 1000.0),
        "t" => (4, 1000.0),
        "ki" => (1, 1024.0),
        "mi" => (2, 1024.0),
        "gi" => (3, 1024.0),
        "ti" => (4, 1024.0),
        _ => return None,
    };
    let bytes = number.parse::<f64>().ok()? * base.powi(power);
    (1.0..1e18).contains(&bytes).then_some(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graces() {
        assert_eq!(grace("5s"), Ok(Grace::of(Duration::from_secs(5))));
        assert_eq!(grace("unlimited"), Ok(Grace::UNLIMITED));
        assert!(grace("never").is_err_and(|why| why.contains("`never`") && why.contains("`unlimited`")));
    }

    #[test]
    fn times() {
        let table = [
            ("30s", 30_000),
            ("500ms", 500),
            ("1h30m", 5_400_000),
            ("1.5m", 90_000),
            ("1d", 86_400_000),
            ("0s", 0),
            ("10", 10_000),
            ("0.5", 500),
        ];
        for (text, ms) in table {
            assert_eq!(duration(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        for text in ["", "s", "10x", "-5", "-5s", "nan", "inf", "1e3s", "1.2.3s", "99999999999999999999999d"]
        {
            duration(text).expect_err(text);
        }
    }

    #[test]
    fn a_body_in_the_place_of_a_time_is_told() {
        assert!(test_time("{\"a\":1}").is_err_and(|why| why.ends_with("; a request body is -b")));
        assert!(test_time("10x").is_err_and(|why| !why.contains("body")));
    }

    #[test]
    fn sizes() {
        let table = [
            ("1GB", 1_000_000_000),
            ("1.5k", 1500),
            ("64KiB", 65_536),
            ("2 MB", 2_000_000),
            ("10b", 10),
            ("700", 700),
            ("1TiB", 1 << 40),
        ];
        for (text, want) in table {
            assert_eq!(size(text), Some(want), "{text}");
        }
        for text in ["", "0", "0GB", "-1MB", "1PB", "GB", "1.2.3MB", "1h", "nan", "99999999999TB"] {
            assert_eq!(size(text), None, "{text}");
        }
    }

    #[test]
    fn rates() {
        for (text, want) in [("5000", 5000.0), ("300/m", 5.0), ("36/h", 0.01), ("0.5/s", 0.5)] {
            assert_eq!(rate(text), Ok(want), "{text}");
        }
        for text in ["", "0", "-1", "1/x", "nan", "inf", "1/0"] {
            rate(text).expect_err(text);
        }
    }
}
