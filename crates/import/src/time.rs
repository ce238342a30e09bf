//! Times as ISO 8601 has them.

/// Milliseconds since 1970 of a time such as `2024-05-01T10:00:00.123+02:00`.
pub(crate) fn milliseconds(text: &str) -> Option<f64> {
    let text = text.trim();
    let (date, time) = text.split_once(['T', ' '])?;
    let mut date = date.split('-').map(str::parse::<i64>);
    let year = date.next()?.ok().filter(|year| (0..=9999).contains(year))?;
    let month = date.next()?.ok().filter(|month| (1..=12).contains(month))?;
    let day = date.next()?.ok().filter(|day| (1..=31).contains(day))?;
    let at = time.find(['Z', 'z', '+', '-']).unwrap_or(time.len());
    let (clock, zone) = time.split_at(at);
    let mut clock = clock.split(':');
    let hour: f64 = clock.next()?.parse().ok()?;
    let minute: f64 = clock.next()?.parse().ok()?;
    let second: f64 = clock.next().unwrap_or("0").parse().ok()?;
    let days = days_before(year, month) + day - 1;
    let seconds = days as f64 * 86_400.0 + hour * 3_600.0 + minute * 60.0 + second - offset_s(zone)?;
    seconds.is_finite().then_some(seconds * 1e3)
}

/// Days from 1970 to the first of a month (Howard Hinnant's `days_from_civil`).
fn days_before(year: i64, month: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let of_year = (153 * ((month + 9) % 12) + 2) / 5;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

fn offset_s(zone: &str) -> Option<f64> {
    let sign = match zone.chars().next() {
        None | Some('Z' | 'z') => return Some(0.0),
        Some('-') => -1.0,
        Some(_) => 1.0,
    };
    let digits: String = zone[1..].chars().filter(|c| *c != ':').collect();
    let hours: f64 = digits.get(..2)?.parse().ok()?;
    let minutes: f64 = digits.get(2..4).unwrap_or("0").parse().ok()?;
    Some(sign * (hours * 3_600.0 + minutes * 60.0))
}

#[cfg(test)]
mod tests {
    use super::milliseconds;

    #[test]
    fn times_become_milliseconds() {
        for (text, wanted) in [
            ("1970-01-01T00:00:00Z", Some(0.0)),
            ("2024-05-01T10:00:00.123+02:00", Some(1_714_550_400_123.0)),
            ("2024-02-29T23:59:59.5-0130", Some(1_709_256_599_500.0)),
            ("2000-03-01 00:00:00", Some(951_868_800_000.0)),
            ("2024-13-01T00:00:00Z", None),
            ("yesterday", None),
            ("", None),
        ] {
            let found = milliseconds(text).map(f64::round);
            assert_eq!(found, wanted, "{text}");
        }
    }
}
